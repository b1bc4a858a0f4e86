use snapbox::{assert_data_eq, str};

use super::*;
use crate::signal::{Note, Samples, Values};

/// Returns a file by the format's definition, built without the code under test.
fn file(version: u8, dictionary: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let prefix = if version == 1 { 10 } else { 12 };
    let padding = 64 - (prefix + dictionary.len() + 1) % 64;
    let header = format!("{dictionary}{}\n", " ".repeat(padding));
    if version == 1 {
        bytes.extend((header.len() as u16).to_le_bytes());
    } else {
        bytes.extend((header.len() as u32).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    bytes.extend(body);
    bytes
}

fn plain(version: u8, dtype: &str, shape: &str, body: &[u8]) -> Vec<u8> {
    file(version, &format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"), body)
}

/// Reads with and without the size, and checks that the results are equal.
fn read_both(bytes: &[u8]) -> Result<Signal, NpyError> {
    let sized = read(bytes, Some(bytes.len() as u64));
    let piped = read(bytes, None);
    match (&sized, &piped) {
        (Ok(sized), Ok(piped)) => assert_eq!(format!("{sized:?}"), format!("{piped:?}")),
        (Err(sized), Err(piped)) => {
            assert_eq!(std::mem::discriminant(sized), std::mem::discriminant(piped), "{sized} / {piped}");
        }
        _ => panic!("the size made a difference: {sized:?} / {piped:?}"),
    }
    sized
}

fn doubles(signal: &Signal) -> Vec<Complex<f64>> {
    let Samples::F64(values) = &signal.samples else { panic!("double precision") };
    values.to_points().unwrap()
}

/// Returns words of `word` bytes in both byte orders.
fn both_orders(little: &[u8], word: usize) -> [(char, Vec<u8>); 2] {
    let big = little.chunks(word).flat_map(|word| word.iter().rev().copied()).collect();
    [('<', little.to_vec()), ('>', big)]
}

#[test]
fn integers_of_every_width_and_sign_become_doubles() {
    let cases: [(&str, usize, Vec<u8>, [f64; 2]); 8] = [
        ("i1", 1, vec![0x80, 0x7f], [-128.0, 127.0]),
        ("u1", 1, vec![0x80, 0xff], [128.0, 255.0]),
        ("i2", 2, vec![0x00, 0x80, 0x02, 0x01], [-32768.0, 258.0]),
        ("u2", 2, vec![0x00, 0x80, 0x02, 0x01], [32768.0, 258.0]),
        ("i4", 4, vec![0, 0, 0, 0x80, 4, 3, 2, 1], [-2_147_483_648.0, 16_909_060.0]),
        ("u4", 4, vec![0, 0, 0, 0x80, 4, 3, 2, 1], [2_147_483_648.0, 16_909_060.0]),
        (
            "i8",
            8,
            vec![0, 0, 0, 0, 0, 0, 0, 0x80, 5, 0, 0, 0, 0, 0, 0, 0],
            [-9_223_372_036_854_775_808.0, 5.0],
        ),
        (
            "u8",
            8,
            vec![0, 0, 0, 0, 0, 0, 0, 0x80, 5, 0, 0, 0, 0, 0, 0, 0],
            [9_223_372_036_854_775_808.0, 5.0],
        ),
    ];
    for (dtype, width, little, expected) in cases {
        for (order, body) in both_orders(&little, width) {
            for version in 1..=3 {
                let signal = read_both(&plain(version, &format!("{order}{dtype}"), "(2,)", &body)).unwrap();
                assert_eq!(doubles(&signal), expected.map(|re| Complex::new(re, 0.0)), "{order}{dtype}");
                assert!(signal.samples.is_real() && signal.notes.is_empty());
            }
        }
    }
    let bools = read_both(&plain(1, "|b1", "(3,)", &[0, 1, 7])).unwrap();
    assert_eq!(doubles(&bools), [0.0, 1.0, 1.0].map(|re| Complex::new(re, 0.0)));
    assert!(bools.samples.is_real());
    assert!(read_both(&plain(1, "|i1", "(1,)", &[9])).is_ok());
}

#[test]
fn floats_keep_their_precision_in_both_byte_orders() {
    // 1.5 and -2: 3f c0 00 00 and c0 00 00 00 in single, 3f f8 and c0 00 followed by zeros in double
    // precision.
    let single = [0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0];
    let double = [0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0];
    for (order, body) in both_orders(&single, 4) {
        let real = read_both(&plain(1, &format!("{order}f4"), "(2,)", &body)).unwrap();
        assert_eq!(real.samples, Samples::F32(Values::Real(vec![1.5, -2.0])));
        assert!(real.samples.is_real());
        let complex = read_both(&plain(1, &format!("{order}c8"), "(1,)", &body)).unwrap();
        assert_eq!(complex.samples, Samples::F32(Values::Complex(vec![Complex::new(1.5, -2.0)])));
        assert!(!complex.samples.is_real());
    }
    for (order, body) in both_orders(&double, 8) {
        let real = read_both(&plain(1, &format!("{order}f8"), "(2,)", &body)).unwrap();
        assert_eq!(real.samples, Samples::F64(Values::Real(vec![1.5, -2.0])));
        let complex = read_both(&plain(1, &format!("{order}c16"), "(1,)", &body)).unwrap();
        assert_eq!(complex.samples, Samples::F64(Values::Complex(vec![Complex::new(1.5, -2.0)])));
        assert!(!complex.samples.is_real());
    }
}

#[test]
fn integers_beyond_two_to_the_53_are_counted_when_they_change() {
    let exact = 1_i64 << 53;
    let values = [exact, exact + 1, exact + 2, -exact - 1, i64::MAX, i64::MIN, 7];
    let body: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let signal = read_both(&plain(1, "<i8", "(7,)", &body)).unwrap();
    assert_eq!(signal.notes, [Note::Rounded { count: 3 }]);
    let unsigned: Vec<u8> = [u64::MAX, 1 << 63].iter().flat_map(|value| value.to_le_bytes()).collect();
    let signal = read_both(&plain(1, "<u8", "(2,)", &unsigned)).unwrap();
    assert_eq!(signal.notes, [Note::Rounded { count: 1 }]);
    assert_eq!(doubles(&signal)[0].re.to_bits(), 2_f64.powi(64).to_bits());
}

#[test]
fn both_orders_of_axes_and_any_spelling_of_the_header_are_taken() {
    let body = 2.0_f64.to_le_bytes();
    for dictionary in [
        "{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }",
        "{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<f8\"}",
    ] {
        let signal = read_both(&file(2, dictionary, &body)).unwrap();
        assert_eq!(doubles(&signal), [Complex::new(2.0, 0.0)]);
    }
}

#[test]
fn a_long_array_comes_through_every_chunk() {
    let values: Vec<i16> = (0..70_000).map(|j| (j * 7 % 30_011) as i16).collect();
    let body: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    let signal = read_both(&plain(1, ">i2", "(70000,)", &body)).unwrap();
    assert!(doubles(&signal).iter().map(|z| z.re).eq(values.iter().map(|&value| f64::from(value))));
}

#[test]
fn a_cut_anywhere_is_refused_in_every_version() {
    for version in 1..=3 {
        for (dtype, bytes) in [("<f8", 24), ("|u1", 3), (">c16", 48)] {
            let whole = plain(version, dtype, "(3,)", &vec![1; bytes]);
            assert!(read_both(&whole).is_ok());
            assert!(matches!(read_both(&[]), Err(NpyError::EmptyFile)));
            for length in 1..whole.len() {
                match read_both(&whole[..length]) {
                    Err(NpyError::Truncated { needed, found }) => {
                        assert_eq!(found, length as u64);
                        assert!(needed > found && needed <= whole.len() as u64, "{needed} of {length}");
                    }
                    other => panic!("{length} bytes of version {version}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn headers_that_claim_too_much_cost_nothing() {
    let huge = usize::MAX;
    let refusals = [
        plain(1, "<f8", &format!("({huge},)"), &[0; 8]),
        plain(1, "<c16", "(1152921504606846976,)", &[0; 16]),
        plain(1, "|u1", &format!("({huge},)"), &[0; 8]),
        plain(1, "|u1", "(4294967296, 4294967296)", &[0; 8]),
        plain(1, "<c16", "(1073741824, 1073741824)", &[0; 8]),
        file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3037000500, 3037000500), }", &[]),
    ];
    for bytes in refusals {
        assert!(matches!(read_both(&bytes), Err(NpyError::TooLarge(_))));
    }
    let gigabytes = plain(1, "<f8", "(1000000000000,)", &[0; 8]);
    assert!(matches!(
        read_both(&gigabytes),
        Err(NpyError::Truncated { found: 136, needed: 8_000_000_000_128 })
    ));
    for order in ["False", "True"] {
        let text = format!("{{'descr': '<c16', 'fortran_order': {order}, 'shape': (65536, 1000000), }}");
        let sheet = file(1, &text, &[0; 16]);
        assert!(matches!(
            read_both(&sheet),
            Err(NpyError::Truncated { found: 144, needed: 1_048_576_000_128 })
        ));
    }
    let overflow = plain(1, "<f8", "(99999999999999999999999999,)", &[]);
    assert!(matches!(read_both(&overflow), Err(NpyError::Header)));
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    assert!(matches!(read_both(&long), Err(NpyError::HeaderTooLong(u32::MAX))));
    // A parser that adds numbers must also survive numbers beyond every type.
    let digits = "9".repeat(400);
    for sum in [
        format!("1.0+{digits}"),
        format!("{digits}-1.0"),
        format!("{digits}j"),
        format!("1e{digits}"),
        "-".repeat(5000),
    ] {
        assert!(matches!(read_both(&file(2, &format!("{{'shape': ({sum},)}}"), &[])), Err(NpyError::Header)));
    }
    // Each nesting level doubles the time of the parser, if the text reaches it.
    for (open, close) in [("[", "]"), ("{", "}"), ("(", ",)"), ("{1:", "}")] {
        for depth in [4, 400] {
            let nested = file(2, &format!("{}1{}", open.repeat(depth), close.repeat(depth)), &[]);
            assert!(matches!(read_both(&nested), Err(NpyError::Structured)));
        }
    }
}

#[test]
fn every_refusal_has_its_own_error() {
    let of = |shape: &str| read_both(&plain(1, "<f8", shape, &[0; 8]));
    for shape in ["()", "(1, 1, 1, 1)", "(0, 1, 1, 1)"] {
        assert!(matches!(of(shape), Err(NpyError::Shape(_))), "{shape}");
    }
    assert_data_eq!(
        of("(3, 1, 2, 1)").unwrap_err().to_string(),
        str![
            "its shape is (3, 1, 2, 1); an array of one to three dimensions is needed (in NumPy: a.ravel() or a[0])"
        ]
    );
    assert_data_eq!(
        of("()").unwrap_err().to_string(),
        str!["its shape is (); an array of one to three dimensions is needed (in NumPy: a.ravel())"]
    );
    for shape in ["(0,)", "(0, 3)", "(3, 0)", "(3, 0, 2)", "(18446744073709551615, 0)"] {
        assert!(matches!(read_both(&plain(1, "<f8", shape, &[])), Err(NpyError::NoSample)), "{shape}");
    }
    for header in ["(-1,)", "(1.0,)", "1", "('1',)", "None", "(1"] {
        assert!(matches!(of(header), Err(NpyError::Header)), "{header}");
    }
    for dtype in [
        "|O", "<U4", "|S8", "<M8[ns]", "|V8", "", "<", "<i3", "é8", "<float64", " f8", "!f8", "Float64",
        "f8,f8", "d8", "B1",
    ] {
        match read_both(&plain(3, dtype, "(1,)", &[0; 8])) {
            Err(NpyError::Dtype(told)) => assert_eq!(told, dtype.escape_debug().to_string()),
            other => panic!("{dtype}: {other:?}"),
        }
    }
    let records = "{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,), }";
    assert!(matches!(read_both(&file(1, records, &[0; 8])), Err(NpyError::Structured)));
    let list = "{'descr': [], 'fortran_order': False, 'shape': 1}";
    assert!(matches!(read_both(&file(1, list, &[0; 8])), Err(NpyError::Header | NpyError::Structured)));
    assert!(matches!(read_both(b"1,2\n3,4\n"), Err(NpyError::NotNpy)));
    assert!(matches!(read_both(b"1"), Err(NpyError::NotNpy)));
    let mut version = plain(1, "<f8", "(1,)", &[0; 8]);
    version[6] = 4;
    assert!(matches!(read_both(&version), Err(NpyError::Version { major: 4, minor: 0 })));
    assert!(matches!(read_both(&plain(1, "<f8", "(1,)", &[0; 9])), Err(NpyError::Trailing(1))));
}

/// Every spelling that `numpy.dtype` takes for a type; the first one in both byte orders.
#[test]
fn every_spelling_of_a_dtype_is_read() {
    let types: [(&str, &str); 14] = [
        ("i1", "b byte int8"),
        ("u1", "B ubyte uint8"),
        ("b1", "? bool bool_"),
        ("i2", "h short int16"),
        ("u2", "H ushort uint16"),
        ("i4", "i intc int32"),
        ("u4", "I uintc uint32"),
        ("i8", "l q p n int int_ long longlong intp int64"),
        ("u8", "L Q P N uint ulong ulonglong uintp uint64"),
        ("f2", "e half float16"),
        ("f4", "f single float32"),
        ("f8", "d double float float64"),
        ("c8", "F csingle complex64"),
        ("c16", "D cdouble complex complex128"),
    ];
    let body: Vec<u8> = (1..=16).collect();
    let signal =
        |dtype: &str, body: &[u8]| format!("{:?}", read_both(&plain(1, dtype, "(1,)", body)).unwrap());
    for (code, others) in types {
        let bytes = if code == "b1" { 1 } else { code[1..].parse().unwrap() };
        let body = &body[..bytes];
        let [little, big] = ["<", ">"].map(|order| signal(&format!("{order}{code}"), body));
        let native = if cfg!(target_endian = "big") { &big } else { &little };
        assert!(bytes == 1 || little != big);
        for other in others.split(' ').chain([code]) {
            assert_eq!(&signal(other, body), native, "{other}");
            for (order, expected) in [("<", &little), (">", &big), ("=", native), ("|", native)] {
                if other.len() < 4 && other != "int" {
                    assert_eq!(&signal(&format!("{order}{other}"), body), expected, "{order}{other}");
                }
            }
        }
    }
    for (dtype, shorter) in [
        ("<f16", "float64"),
        ("g", "float64"),
        ("float128", "float64"),
        ("longdouble", "float64"),
        (">c32", "complex128"),
        ("G", "complex128"),
        ("complex256", "complex128"),
    ] {
        assert_eq!(
            read_both(&plain(1, dtype, "(1,)", &[0; 32])).unwrap_err().to_string(),
            format!(
                "its elements have dtype '{dtype}', long double, whose bytes mean different numbers on different computers (in NumPy: a.astype('{shorter}'))"
            )
        );
    }
}

#[test]
fn every_number_of_half_precision_is_read_exactly() {
    let body: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_be_bytes).collect();
    let signal = read_both(&plain(1, ">f2", "(65536,)", &body)).unwrap();
    let Samples::F32(Values::Real(numbers)) = signal.samples else { panic!("real, single precision") };
    for (bits, number) in (0..=u16::MAX).zip(numbers) {
        let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
        let size = match exponent {
            0 => fraction * 2_f64.powi(-14),
            31 if fraction > 0.0 => f64::NAN,
            31 => f64::INFINITY,
            _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
        };
        let expected = if bits >> 15 == 1 { -size } else { size };
        assert!(
            f64::from(number).to_bits() == expected.to_bits() || number.is_nan() && expected.is_nan(),
            "{bits:#x}: {number}, not {expected}"
        );
    }
}

#[test]
fn headers_of_python_2_are_read() {
    let body =
        [[2.0_f64; 3].map(f64::to_le_bytes).concat(), [3.0_f64; 3].map(f64::to_le_bytes).concat()].concat();
    for dictionary in [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L), }",
        "{u'descr': u'<f8', u'fortran_order': False, u'shape': (2L, 0x3L)}",
        "{U\"descr\": U\"<f8\", 'fortran_order': False, 'shape': (2, 3L,)}",
    ] {
        for version in 1..=2 {
            let signal = read_both(&file(version, dictionary, &body)).unwrap();
            assert_eq!(signal.lengths, [2, 3]);
            assert_eq!(doubles(&signal)[2..4].iter().map(|z| z.re).collect::<Vec<_>>(), [2.0, 3.0]);
        }
        // Python 3 writes version 3.
        assert!(matches!(read_both(&file(3, dictionary, &body)), Err(NpyError::Header)));
    }
    for shape in ["(6LL,)", "(L,)", "(6l,)", "6L"] {
        assert!(matches!(read_both(&plain(1, "<f8", shape, &body)), Err(NpyError::Header)), "{shape}");
    }
    // A letter inside a string is kept.
    assert!(
        matches!(read_both(&plain(1, "1L", "(6,)", &body)), Err(NpyError::Dtype(dtype)) if dtype == "1L")
    );
}

#[test]
fn written_values_read_back_bitwise_equal() {
    let mut bytes = Vec::new();
    let doubles = vec![Complex::new(1.0 / 3.0, -0.0), Complex::new(f64::MIN_POSITIVE / 8.0, f64::INFINITY)];
    write(&mut bytes, doubles.iter().copied(), &[2]).unwrap();
    assert_eq!(bytes.len(), 128 + 32);
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
    let header = "{'descr': '<c16', 'fortran_order': False, 'shape': (2,)";
    assert_eq!(&bytes[10..10 + header.len()], header.as_bytes());
    assert_eq!(bytes[128..136], (1.0_f64 / 3.0).to_bits().to_le_bytes());
    assert_eq!(bytes[136..144], (1_u64 << 63).to_le_bytes());
    let signal = read_both(&bytes).unwrap();
    assert!(!signal.samples.is_real());
    assert_eq!(signal.samples, Samples::F64(Values::Complex(doubles)));

    let mut bytes = Vec::new();
    let singles = vec![Complex::new(0.1_f32, -7.25); 5];
    write(&mut bytes, singles.iter().copied(), &[5]).unwrap();
    assert_eq!(bytes.len(), 128 + 40);
    assert_eq!(read_both(&bytes).unwrap().samples, Samples::F32(Values::Complex(singles)));
}

/// Returns the value at each position of a matrix, small enough for every element type.
fn place(row: usize, col: usize) -> u8 {
    (row * 11 + col) as u8
}

#[test]
fn a_matrix_is_the_same_in_both_orders_of_axes_and_of_bytes() {
    // One square of the transposition and more than one, in either direction.
    for (rows, cols) in [(2, 3), (3, 2), (1, 5), (5, 1), (40, 2), (33, 65), (64, 32)] {
        let by_rows: Vec<u8> = (0..rows * cols).map(|at| place(at / cols, at % cols)).collect();
        let by_columns: Vec<u8> = (0..rows * cols).map(|at| place(at % rows, at / rows)).collect();
        let doubles_of = |values: &[u8]| -> Vec<u8> {
            values.iter().flat_map(|&value| f64::from(value).to_le_bytes()).collect()
        };
        let expected: Vec<_> = by_rows.iter().map(|&value| Complex::new(f64::from(value), 0.0)).collect();
        for (fortran, values) in [("False", &by_rows), ("True", &by_columns)] {
            let mut cases: Vec<_> = both_orders(&doubles_of(values), 8)
                .into_iter()
                .map(|(order, body)| (format!("{order}f8"), body))
                .collect();
            cases.push(("|u1".to_owned(), values.clone()));
            for (dtype, body) in cases {
                let header = format!(
                    "{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': ({rows}, {cols}), }}"
                );
                for version in 1..=3 {
                    let signal = read_both(&file(version, &header, &body)).unwrap();
                    assert_eq!(signal.lengths, [rows, cols]);
                    assert_eq!(doubles(&signal), expected, "{dtype}, {fortran}, {rows} x {cols}");
                    assert!(signal.samples.is_real());
                }
            }
        }
    }
}

/// The number of an element identifies its position in an array of three dimensions, whatever the axis order.
#[test]
fn an_array_of_three_dimensions_is_the_same_in_both_orders_of_axes() {
    for lengths in
        [[2, 3, 4], [4, 3, 2], [1, 5, 3], [5, 1, 3], [3, 5, 1], [1, 1, 7], [40, 3, 35], [3, 33, 34]]
    {
        let [planes, rows, cols] = lengths;
        let number = |plane: usize, row: usize, col: usize| (plane * 10_000 + row * 100 + col) as f32;
        let at = |planes: usize, rows: usize, cols: usize, value: &dyn Fn(usize, usize, usize) -> f32| {
            let places = (0..planes)
                .flat_map(|plane| (0..rows).flat_map(move |row| (0..cols).map(move |col| (plane, row, col))));
            places.map(|(plane, row, col)| value(plane, row, col)).collect::<Vec<_>>()
        };
        let c_order = at(planes, rows, cols, &number);
        let fortran_order = at(cols, rows, planes, &|col, row, plane| number(plane, row, col));
        for (fortran, numbers) in [("False", &c_order), ("True", &fortran_order)] {
            let body: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            let header = format!(
                "{{'descr': '<f4', 'fortran_order': {fortran}, 'shape': ({planes}, {rows}, {cols}), }}"
            );
            let signal = read_both(&file(1, &header, &body)).unwrap();
            assert_eq!(
                (&signal.lengths[..], signal.samples),
                (&lengths[..], Samples::F32(Values::Real(c_order.clone()))),
                "{fortran}"
            );
        }
    }
}

#[test]
fn complex_matrices_of_single_precision_are_transposed_too() {
    let parts: Vec<u8> = (0..12_u8).flat_map(|part| f32::from(part).to_le_bytes()).collect();
    let c = |re: u8| Complex::new(f32::from(re), f32::from(re + 1));
    for (order, body) in both_orders(&parts, 4) {
        let header = format!("{{'descr': '{order}c8', 'fortran_order': True, 'shape': (3, 2), }}");
        let signal = read_both(&file(2, &header, &body)).unwrap();
        assert_eq!(signal.samples, Samples::F32(Values::Complex([0, 6, 2, 8, 4, 10].map(c).to_vec())));
        assert!(!signal.samples.is_real());
    }
}

#[test]
fn a_matrix_reads_back_with_its_shape() {
    let samples: Vec<_> = (0..6).map(|at| Complex::new(f64::from(at), -0.5)).collect();
    for (rows, cols) in [(2, 3), (3, 2), (6, 1), (1, 6)] {
        let mut bytes = Vec::new();
        write(&mut bytes, samples.iter().copied(), &[rows, cols]).unwrap();
        let header = format!("{{'descr': '<c16', 'fortran_order': False, 'shape': ({rows}, {cols})");
        assert_eq!(&bytes[10..10 + header.len()], header.as_bytes());
        let signal = read_both(&bytes).unwrap();
        assert_eq!((&signal.lengths[..], doubles(&signal)), (&[rows, cols][..], samples.clone()));
        for length in 0..bytes.len() {
            assert!(read_both(&bytes[..length]).is_err(), "{length} bytes");
        }
        bytes.push(0);
        assert!(matches!(read_both(&bytes), Err(NpyError::Trailing(6))));
    }
}

#[test]
fn a_nan_keeps_its_bits() {
    let nan = f32::from_bits(0x7fc1_2345);
    let signal = read_both(&plain(1, "<f4", "(1,)", &nan.to_le_bytes())).unwrap();
    let Samples::F32(Values::Real(samples)) = signal.samples else { panic!("real, single precision") };
    assert_eq!(samples[0].to_bits(), 0x7fc1_2345);
}

#[test]
fn a_header_may_lack_its_last_newline() {
    for version in 1..=3 {
        let whole = plain(version, "<f8", "(2,)", &[0; 16]);
        let prefix = if version == 1 { 10 } else { 12 };
        // Without the newline, and with another character of the header's padding instead.
        let newline = whole.len() - 17;
        let mut shorter = whole.clone();
        shorter.remove(newline);
        shorter[8] -= 1;
        let mut other = whole.clone();
        other[newline] = b' ';
        for bytes in [&shorter, &other, &whole] {
            assert_eq!(doubles(&read_both(bytes).unwrap()).len(), 2);
        }
        let cut = read_both(&shorter[..shorter.len() - 1]).unwrap_err();
        let needed = (whole.len() - 1) as u64;
        assert!(
            matches!(cut, NpyError::Truncated { needed: n, found: f } if n == needed && f == needed - 1),
            "{cut}"
        );
        assert!(read_both(&whole[..prefix]).is_err());
    }
}
