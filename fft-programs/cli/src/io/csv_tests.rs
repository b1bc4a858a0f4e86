use super::*;

fn samples(text: &str) -> Vec<Complex<f64>> {
    let signal = read(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let Samples::F64(values) = signal.samples else { panic!("double precision") };
    values.into_points().unwrap()
}

fn refusal(text: &str) -> String {
    read(text.as_bytes()).expect_err(text).to_string()
}

fn reals(values: &[f64]) -> Vec<Complex<f64>> {
    values.iter().map(|&re| Complex::new(re, 0.0)).collect()
}

fn written(values: &[Complex<f64>], rows: Rows, rate: Option<f64>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes, values.iter().copied(), rows, rate).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn one_column_is_real_and_two_are_complex() {
    assert_eq!(samples("1\n-2.5\n3e2\n"), reals(&[1.0, -2.5, 300.0]));
    assert!(read("1\n2\n".as_bytes()).unwrap().samples.is_real());
    assert_eq!(samples("1,2\n3,-4"), [Complex::new(1.0, 2.0), Complex::new(3.0, -4.0)]);
    assert!(!read("1,0\n2,0\n".as_bytes()).unwrap().samples.is_real());
}

#[test]
fn dressing_is_taken_off() {
    let plain = reals(&[1.0, 2.0]);
    for text in [
        "1\r\n2\r\n",
        "\"x\"\r\n\r\n\"1\"\r\n\"2\"\r\n",
        "value\n1\n2",
        "\u{feff}1\n2\n",
        "\u{feff}value\n1\n2\n",
        "\n\n1\n\n   \n2\n\n",
        "# made by hand\n1\n#2\n2\n",
        "  1  \n\t2\n",
        "\"x\"\n\"1\"\n\" 2 \"\n",
        "+1.\n2e0\n",
    ] {
        assert_eq!(samples(text), plain, "{text:?}");
    }
    assert_eq!(samples("re , im\n 1 , 2 \n"), [Complex::new(1.0, 2.0)]);
}

#[test]
fn what_is_not_finite_is_data() {
    let read = samples("nan\nINF\n-Infinity\n1e999\n");
    assert!(read[0].re.is_nan());
    assert_eq!(read[1..], reals(&[f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY]));
}

#[test]
fn every_refusal_names_its_line() {
    assert_eq!(refusal(""), "it holds no sample");
    assert_eq!(refusal("\r\n \n#1\n"), "it holds no sample");
    assert_eq!(refusal("re,im\n"), "it holds no sample");
    assert_eq!(refusal("1\nx\n"), "line 2, column 1: 'x' is not a number");
    assert_eq!(refusal("h\n1\nh\n"), "line 3, column 1: 'h' is not a number");
    assert_eq!(refusal("h\nh\n1\n"), "line 2, column 1: 'h' is not a number");
    assert_eq!(refusal("1,x\n"), "line 1, column 2: 'x' is not a number");
    assert_eq!(refusal("1,2\r\n\r\n3,\r\n"), "line 3, column 2: '' is not a number");
    assert_eq!(refusal("1;2\n1;2\n"), "line 2, column 1: '1;2' is not a number");
    assert_eq!(refusal("1\r\nx"), "line 2, column 1: 'x' is not a number");
    assert_eq!(refusal("1,2\n\n# one\n3\n"), "line 4 has 1 columns where the lines before have 2");
    assert_eq!(refusal("value\n1,2\n"), "line 2 has 2 columns where the lines before have 1");
    assert_eq!(
        refusal("1,2,3\n"),
        "line 1 has 3 columns; one column (real) or two (real, imaginary) can be read"
    );
    assert!(
        refusal("frequency,re,im,amplitude\n0,1,2,3\n").ends_with("keep it as .npy, which is always whole")
    );
    assert_eq!(
        refusal(&format!("1\n{}", "y".repeat(99))),
        format!("line 2, column 1: '{}' is not a number", "y".repeat(30))
    );
}

#[test]
fn a_first_column_like_a_clock_is_remarked_on() {
    let years = (1700..1720).map(|year| format!("{year},{}", year % 11)).collect::<Vec<_>>().join("\n");
    assert_eq!(read(years.as_bytes()).unwrap().notes, [Note::LooksLikeTime]);
    let tenths = (0..50).map(|j| format!("{},1", f64::from(j) * 0.1)).collect::<Vec<_>>().join("\n");
    assert_eq!(read(tenths.as_bytes()).unwrap().notes, [Note::LooksLikeTime]);
    for text in ["1,0\n2,0\n3,0\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"] {
        assert_eq!(read(text.as_bytes()).unwrap().notes, [], "{text:?}");
    }
    let steady: String = "5,1\n".repeat(20);
    assert_eq!(read(steady.as_bytes()).unwrap().notes, []);
}

#[test]
fn frequencies_follow_numpy() {
    let column = |n: usize, half: bool, rate: Option<f64>| -> Vec<f64> {
        let text = written(&reals(&vec![1.0; n]), Rows::Spectrum { half }, rate);
        text.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(column(8, false, None), [0.0, 0.125, 0.25, 0.375, -0.5, -0.375, -0.25, -0.125]);
    assert_eq!(column(5, false, Some(5.0)), [0.0, 1.0, 2.0, -2.0, -1.0]);
    assert_eq!(column(8, true, Some(100.0)), [0.0, 12.5, 25.0, 37.5, 50.0]);
    assert_eq!(column(5, true, None), [0.0, 0.2, 0.4]);
    assert_eq!(column(1, true, None), [0.0]);
    assert_eq!(column(1, false, None), [0.0]);
    assert_eq!(column(2, false, None), [0.0, -0.5]);
    assert_eq!(column(2, true, None), [0.0, 0.5]);
}

#[test]
fn a_spectrum_has_amplitudes_and_a_signal_has_times() {
    let values = [Complex::new(3.0, -4.0), Complex::new(-0.0, 1e300)];
    let whole = Rows::Spectrum { half: false };
    assert_eq!(
        written(&values, whole, None),
        "frequency,re,im,amplitude\n0.0,3.0,-4.0,5.0\n-0.5,-0.0,1e300,1e300\n"
    );
    assert_eq!(written(&values, Rows::Signal, None), "index,re,im\n0,3.0,-4.0\n1,-0.0,1e300\n");
    assert_eq!(written(&values, Rows::Signal, Some(4.0)), "time,re,im\n0.0,3.0,-4.0\n0.25,-0.0,1e300\n");
    let huge = [Complex::new(f64::MAX, f64::MAX / 2.0)];
    assert!(written(&huge, whole, None).ends_with(",inf\n"));
}

#[test]
fn numbers_are_short_and_read_back_as_they_were() {
    let values: Vec<_> = [0.1, 1.0 / 3.0, f64::MIN_POSITIVE / 4.0, f64::MAX, -1e-7, 123_456_789.123_456_78]
        .map(|x| Complex::new(x, -x))
        .into();
    let text = written(&values, Rows::Signal, None);
    for (line, value) in text.lines().skip(1).zip(&values) {
        let parts: Vec<f64> = line.split(',').map(|part| part.parse().unwrap()).collect();
        assert_eq!((parts[1].to_bits(), parts[2].to_bits()), (value.re.to_bits(), value.im.to_bits()));
    }
    let mut single = Vec::new();
    write(&mut single, std::iter::once(Complex::new(0.1_f32, f32::NAN)), Rows::Signal, None).unwrap();
    assert_eq!(String::from_utf8(single).unwrap(), "index,re,im\n0,0.1,NaN\n");
}
