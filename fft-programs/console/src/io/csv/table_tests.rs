use std::num::NonZeroUsize;

use snapbox::{assert_data_eq, str};

use super::*;
use crate::io::csv::cell::{Decimal, MISSING};
use crate::io::csv::rows::Separator;

fn number(column: usize) -> Option<Column> {
    NonZeroUsize::new(column).map(Column::Number)
}

#[expect(clippy::unnecessary_wraps, reason = "options hold it so")]
fn name(column: &str) -> Option<Column> {
    Some(Column::Name(column.to_owned()))
}

fn with(options: &Options, text: impl AsRef<[u8]>) -> Signal {
    let text = text.as_ref();
    read(text, options).unwrap_or_else(|error| panic!("{:?}: {error}", String::from_utf8_lossy(text)))
}

fn by(options: &Options, text: impl AsRef<[u8]>) -> Vec<Complex<f64>> {
    let Samples::F64(values) = with(options, text).samples else { panic!("double precision") };
    values.into_points().unwrap()
}

fn samples(text: impl AsRef<[u8]>) -> Vec<Complex<f64>> {
    by(&Options::default(), text)
}

fn refusal_by(options: &Options, text: impl AsRef<[u8]>) -> String {
    read(text.as_ref(), options).map(|signal| format!("{signal:?}")).unwrap_err().to_string()
}

fn refusal(text: impl AsRef<[u8]>) -> String {
    refusal_by(&Options::default(), text)
}

fn notes(text: &str) -> Vec<Note> {
    with(&Options::default(), text).notes
}

fn missing(missing: Missing) -> Options {
    Options { missing, ..Options::default() }
}

fn reals(values: &[f64]) -> Vec<Complex<f64>> {
    values.iter().map(|&re| Complex::new(re, 0.0)).collect()
}

/// Returns a text in UTF-16 with a byte order mark.
fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn one_column_is_real_and_two_are_complex() {
    assert_eq!(samples("1\n-2.5\n3e2\n"), reals(&[1.0, -2.5, 300.0]));
    assert!(with(&Options::default(), "1\n2\n").samples.is_real());
    assert_eq!(samples("1,2\n3,-4"), [Complex::new(1.0, 2.0), Complex::new(3.0, -4.0)]);
    assert!(!with(&Options::default(), "1,0\n2,0\n").samples.is_real());
}

#[test]
fn dressing_is_taken_off() {
    let plain = reals(&[1.0, 2.0]);
    for text in [
        "1\r\n2\r\n",
        "1\r2\r",
        "1\r2\n",
        "\r1\r2",
        "\"x\"\r\n\r\n\"1\"\r\n\"2\"\r\n",
        "value\n1\n2",
        "\u{feff}1\n2\n",
        "\u{feff}value\n1\n2\n",
        "\n\n1\n2\n",
        "\n\n1\n2\n  \n\n# made by hand\n \n",
        "# made by hand\n1\n2\n",
        "  # made by hand\n  \nvalue\n# in volts\n\n1\n2\n",
        "  1  \n\t2\n",
        "\"x\"\n\"1\"\n\" 2 \"\n",
        "\"two\nlines, \"\"quoted\"\"\"\n \"1\" \n2",
        "+1.\n2e0\n",
        "1E+00\n.2d1\n",
        "\u{a0}1\n2\u{2003}\n",
    ] {
        assert_eq!(samples(text), plain, "{text:?}");
        for big_endian in [false, true] {
            assert_eq!(
                samples(utf16(text.trim_start_matches('\u{feff}'), big_endian)),
                samples(text),
                "{text:?}"
            );
        }
    }
    assert_eq!(samples("re , im\n 1 , 2 \n"), [Complex::new(1.0, 2.0)]);
    assert_eq!(samples(b"Gr\xf6\xdfe\n1\n2\n"), plain);
}

/// Chunks of 64 KiB end between CR and LF, inside a number, and inside a pair of UTF-16.
#[test]
fn a_long_text_comes_through_every_chunk() {
    for end in ["\n", "\r\n", "\r"] {
        for before in 0..5 {
            let numbers: Vec<f64> = (0..40_000).map(|j| f64::from(j * 7 % 30_011)).collect();
            let rows: Vec<_> = numbers.iter().map(f64::to_string).collect();
            let text = format!("#{}\u{1d11e}{end}{}", " ".repeat(before), rows.join(end));
            assert!(samples(&text).iter().map(|z| z.re).eq(numbers.iter().copied()), "{end:?}, {before}");
            assert!(samples(utf16(&text, true)).iter().map(|z| z.re).eq(numbers), "{end:?}, {before}");
        }
    }
    let clefs = "\u{1d11e}".repeat(70_000);
    let options = Options { column: name(&format!("x{clefs}")), ..Options::default() };
    assert_eq!(by(&options, utf16(&format!("x{clefs}\n5\n"), false)), reals(&[5.0]));
}

#[test]
fn nothing_inside_a_series_is_skipped() {
    let missing = "; --missing zero, linear or nan replaces it";
    assert_eq!(
        refusal("x\n1.0\n\"\"\n3.0\n4.0\n"),
        format!("line 3, column 1: the value is missing (an empty cell){missing}")
    );
    assert_eq!(
        refusal("x\n1\n#N/A\n3\n"),
        format!("line 3, column 1: the value is missing ('#N/A'){missing}")
    );
    assert_eq!(
        refusal("1\n\n3\n"),
        format!("line 2, column 1: the value is missing (a blank line){missing}")
    );
    assert_eq!(
        refusal("1,2\r\n3,\r\n"),
        format!("line 2, column 2: the value is missing (an empty cell){missing}")
    );
    assert_eq!(
        refusal("1.#QNAN\n2\n"),
        format!(
            "line 1, column 1: the value is missing ('1.#QNAN'){missing}; if this is a header, --skip-rows 1 begins with line 2"
        )
    );
    assert_data_eq!(
        refusal("1\n# half\n2\n"),
        str!["line 2 is a comment and rows follow; inside a series no line is skipped"]
    );
    assert_data_eq!(
        refusal("1,2\n\n3,4\n"),
        str!["line 2 is blank and rows follow; inside a series no line is skipped"]
    );
    // The first and the last sample may be missing too.
    assert!(refusal("\"\"\n1\n").starts_with("line 1, column 1: the value is missing"));
    assert!(refusal("1\n\"\"\n").starts_with("line 2, column 1: the value is missing"));
    assert!(refusal("1\n#DIV/0!\n").starts_with("line 2, column 1: the value is missing"));
    assert!(refusal("1,2\n#NAME?,3\n").starts_with("line 2, column 1: the value is missing"));
}

#[test]
fn every_word_for_a_missing_value_is_known_in_any_case_and_sign() {
    let words = [
        "nan",
        "-NaN",
        "#VALUE!",
        "#DIV/0!",
        "#REF!",
        "#NUM!",
        "#NULL!",
        "#\u{a1}REF!",
        "1,#QNAN",
        "-1.#IND",
    ];
    for word in words.iter().chain(&MISSING) {
        for word in [word.to_string(), word.to_uppercase(), format!("  {word} ")] {
            let decimal = word.contains(',').then_some(Decimal::Comma);
            let options = Options { decimal, missing: Missing::Zero, ..Options::default() };
            assert_eq!(by(&options, format!("7\n{word}\n")), reals(&[7.0, 0.0]), "{word}");
            assert_eq!(by(&options, format!("{word}\n7\n")), reals(&[0.0, 7.0]), "{word}");
        }
    }
    for word in ["# N/A", "#note", "#Hello!", "## !"] {
        assert_eq!(samples(format!("{word}\n7\n")), reals(&[7.0]), "{word}");
    }
}

#[test]
fn an_option_replaces_missing_values() {
    let text = "x\n1\n\nNA\n4\n\"\"\n6\n";
    assert_eq!(by(&missing(Missing::Zero), text), reals(&[1.0, 0.0, 0.0, 4.0, 0.0, 6.0]));
    assert_eq!(by(&missing(Missing::Linear), text), reals(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let nan = by(&missing(Missing::Nan), text);
    assert!(nan.iter().map(|z| z.re.is_nan()).eq([false, true, true, false, true, false]));
    assert!(nan.iter().all(|z| z.im.to_bits() == 0));
    let replaced = |by| Note::Replaced { count: 3, line: 3, by };
    for (how, by) in
        [(Missing::Zero, "became 0"), (Missing::Linear, "were interpolated"), (Missing::Nan, "became NaN")]
    {
        assert_eq!(with(&missing(how), text).notes[1..], [replaced(by)]);
    }

    // Parts are replaced separately, and also where both are one cell.
    let pairs = "1,10\n,12\n,\n4,16\n";
    let of = |parts: [(f64, f64); 4]| parts.map(|(re, im)| Complex::new(re, im));
    assert_eq!(
        by(&missing(Missing::Linear), pairs),
        of([(1.0, 10.0), (2.0, 12.0), (3.0, 14.0), (4.0, 16.0)])
    );
    assert_eq!(by(&missing(Missing::Zero), pairs), of([(1.0, 10.0), (0.0, 12.0), (0.0, 0.0), (4.0, 16.0)]));
    assert_eq!(
        by(&missing(Missing::Linear), "1\n\n(3+2j)\n(nan+nanj)\n5-2i\n"),
        [(1.0, 0.0), (2.0, 1.0), (3.0, 2.0), (4.0, 0.0), (5.0, -2.0)].map(|(re, im)| Complex::new(re, im))
    );

    let ends = "; use --missing zero or nan";
    assert_eq!(
        refusal_by(&missing(Missing::Linear), "x\nnull\n1\n"),
        format!("line 2: the missing value cannot be interpolated without a value before it{ends}")
    );
    assert_eq!(
        refusal_by(&missing(Missing::Linear), "1\nnull\n\"\"\n"),
        format!("line 2: the missing value cannot be interpolated without a value after it{ends}")
    );
    // A word that is no number is not a missing value.
    for how in [Missing::Zero, Missing::Linear, Missing::Nan] {
        assert_data_eq!(refusal_by(&missing(how), "1\nx\n"), str!["line 2, column 1: 'x' is not a number"]);
        assert!(refusal_by(&missing(how), "1,2\n\n3,4\n").starts_with("line 2 is blank"));
        assert!(refusal_by(&missing(how), "1\n#\n2\n").starts_with("line 2 is a comment"));
    }
}

#[test]
fn a_header_is_reported() {
    let header = |line, real: &str| Note::Header { line, real: real.to_owned(), imaginary: None };
    assert_eq!(notes("x\n1\n"), [header(1, "x")]);
    assert_eq!(notes("# made by hand\n\n\"a \"\"b\"\"\"\n1\n"), [header(3, "a \"b\"")]);
    assert_eq!(notes("10:30\n1\n"), [header(1, "10:30")]);
    assert_eq!(
        notes("1,im\n1,2\n"),
        [Note::Header { line: 1, real: "1".to_owned(), imaginary: Some("im".to_owned()) }]
    );
    assert_eq!(notes("1\n2\n"), []);
    assert_data_eq!(
        refusal("x\nV\n1\n"),
        str!["line 2, column 1: 'V' is not a number; --skip-rows 2 begins with line 3"]
    );
    let skip_rows = |skip_rows| Options { skip_rows, ..Options::default() };
    assert_eq!(with(&skip_rows(2), "x\nV\n1\n").notes, []);
    assert_eq!(with(&skip_rows(1), "\"never closed\nNA1\n1\n").notes, [header(2, "NA1")]);
    assert_data_eq!(refusal_by(&skip_rows(2), "1\r\n2\r\n"), str!["it holds no sample"]);
    assert_data_eq!(refusal_by(&skip_rows(u64::MAX), "1\n"), str!["it holds no sample"]);
    // A word in a column that is not chosen makes no header.
    let second = Options { column: number(2), ..Options::default() };
    assert_eq!(with(&second, "a,1\nb,2\n").notes, []);
}

#[test]
fn columns_are_chosen_by_name_and_number() {
    let text = "time,\"x, y\",x,NA,2020\n0,1,5,8,-1\n1,2,6,9,-2\n";
    let choose = |column, imaginary| Options { column, imaginary, ..Options::default() };
    let complex = |pairs: [(f64, f64); 2]| pairs.map(|(re, im)| Complex::new(re, im));
    assert_eq!(by(&choose(name("x"), None), text), reals(&[5.0, 6.0]));
    assert_eq!(by(&choose(name(" x, y "), None), text), reals(&[1.0, 2.0]));
    assert_eq!(by(&choose(name("NA"), None), text), reals(&[8.0, 9.0]));
    assert_eq!(by(&choose(number(3), None), text), reals(&[5.0, 6.0]));
    assert_eq!(by(&choose(name("x"), number(1)), text), complex([(5.0, 0.0), (6.0, 1.0)]));
    assert_eq!(by(&choose(number(2), name("x")), text), complex([(1.0, 5.0), (2.0, 6.0)]));
    // A number in a chosen column of the first row is a sample, unless another chosen column has a word or a
    // column was chosen by name.
    assert_eq!(by(&choose(number(5), None), text), reals(&[2020.0, -1.0, -2.0]));
    assert_eq!(by(&choose(number(5), number(1)), text), complex([(-1.0, 0.0), (-2.0, 1.0)]));

    let names = " (time, x, y, x, NA, 2020)";
    assert_eq!(refusal_by(&choose(name("X"), None), text), format!("line 1 has no column 'X'{names}"));
    assert_data_eq!(
        refusal_by(&choose(number(6), None), text),
        str!["column 6 was requested, but line 1 has 5 columns"]
    );
    assert_data_eq!(
        refusal_by(&choose(name("x"), None), "x,y,x\n1,2,3\n"),
        str!["line 1 has two columns 'x', 1 and 3; a number chooses one"]
    );
    assert_eq!(
        refusal(text),
        format!(
            "line 1 has 5 columns{names}; one column (real) or two (real, imaginary) can be read, or those that --column and --imaginary choose"
        )
    );
    assert!(refusal("1,2,3\n").starts_with("line 1 has 3 columns; one column"));
    assert!(
        refusal("frequency,re,im,amplitude\n0,1,2,3\n").ends_with("keep it as .npy, which is always whole")
    );
    // A truncated row is refused whatever column is chosen.
    assert_data_eq!(
        refusal_by(&choose(number(1), None), "1,2,3\n4,5\n"),
        str!["line 2 has 2 columns where the lines before have 3"]
    );
    assert_eq!(by(&choose(number(1), None), "1,\n2,\n"), reals(&[1.0, 2.0]));
}

#[test]
fn half_a_spectrum_is_remarked_on() {
    let choose = Options { column: name("re"), imaginary: name("im"), ..Options::default() };
    let half = "frequency,re,im,amplitude\n0.0,1,0,1\n0.5,2,0,2\n";
    assert_eq!(with(&choose, half).notes[1..], [Note::HalfSpectrum]);
    assert_eq!(with(&choose, half.replace("0.5", "-0.5")).notes.len(), 1);
}

#[test]
fn separators_and_decimal_commas_are_read_on_request() {
    let read = |separator: u8, decimal, text: &str| {
        by(&Options { separator: Some(Separator::Character(separator)), decimal, ..Options::default() }, text)
    };
    let pair = [Complex::new(0.5, -1.25), Complex::new(2.0, 3.0)];
    let comma = Some(Decimal::Comma);
    assert_eq!(read(b';', None, "0.5;-1.25\n2;3\n"), pair);
    assert_eq!(read(b'\t', None, "\"0.5\"\t -1.25\n2\t3\n"), pair);
    assert_eq!(read(b'\t', comma, "re\tim\n0,5\t-1,25\n2\t3\n"), pair);
    assert_eq!(read(b',', comma, "\"0,5\",\"-1,25\"\n2,3\n"), pair);
    let blanks = Options { separator: Some(Separator::Blanks), ..Options::default() };
    assert_eq!(by(&blanks, "  re   im\n 0.5 \t-1.25  \n 2  \"3\"\n"), pair);
    let comma = Options { decimal: comma, ..Options::default() };
    assert_eq!(by(&comma, "0,5;-1,25\n2;3\n"), pair);
    assert_eq!(by(&comma, "0,5\n-1,25e1\n+,5d0\n7\n"), reals(&[0.5, -12.5, 0.5, 7.0]));
    assert_eq!(by(&comma, "1,5+2,5j\n"), [Complex::new(1.5, 2.5)]);
    // A point would separate thousands.
    assert_data_eq!(
        refusal_by(&comma, "1\n1.234,5\n"),
        str!["line 2 is '1.234,5', where --decimal . finds numbers"]
    );
    assert_data_eq!(
        refusal_by(&comma, "1\n1.234\n"),
        str!["line 2 is '1.234', where --decimal . finds numbers"]
    );
    // A cell of only tabs is not blank.
    let tabs = Options {
        separator: Some(Separator::Character(b'\t')),
        missing: Missing::Zero,
        ..Options::default()
    };
    assert_eq!(by(&tabs, "1\t2\n\t\n5\t6\n")[1], Complex::default());
}

#[test]
fn an_unexpected_notation_is_refused_with_the_option_that_reads_it() {
    for (text, line, options) in [
        ("1;2\n3;4\n", 1, "--separator ';'"),
        ("a;b\n1;2\n", 2, "--separator ';'"),
        ("1\t2\n", 1, "--separator tab"),
        ("a b\n 1  2\n", 2, "--separator space"),
        ("1|2\n", 1, "--separator '|'"),
        ("x\n0,5\n1,5\n", 2, "--decimal ,"),
        ("1\n0,5\n", 2, "--decimal ,"),
        ("\"0,5\"\n\"1,5\"\n", 1, "--decimal ,"),
        ("\"0,5\",\"1,5\"\n", 1, "--separator , --decimal ,"),
        ("1;0,5\n", 1, "--decimal ,"),
        ("t;x\n1;0,5\n", 2, "--decimal ,"),
        ("0,5;1,5\n", 1, "--decimal ,"),
        ("0,5\t1,5\n", 1, "--separator tab --decimal ,"),
        ("t;x\n2024-01-01;0,5\n", 2, "--decimal ,"),
        ("t;x\n2024-01-01;5\n", 2, "--separator ';'"),
    ] {
        let row = shown(text.lines().nth(line - 1).unwrap().as_bytes());
        assert_eq!(refusal(text), format!("line {line} is '{row}', where {options} finds numbers"));
    }
    // Given options stay.
    let tab = Options { separator: Some(Separator::Character(b'\t')), ..Options::default() };
    assert_eq!(
        refusal_by(&tab, "0,5\t1,5\n"),
        "line 1 is '0,5\t1,5', where --decimal , finds numbers".replace('\t', "\\t")
    );

    let two = "may be numbers with decimal commas or pairs of whole numbers; --decimal , reads numbers, and --decimal . reads pairs";
    for text in ["0,5\n1,25\n2,75\n", "20,5\n20,7\n21,1\n", "-1,5e3\n1.234,05\n+0,00\n", "0,5\r1,5\r1\r"] {
        let row = &text[..text.find(['\n', '\r']).unwrap()];
        assert_eq!(refusal(text), format!("its rows, like '{row}' on line 1, {two}"));
        let first = Options { column: number(1), ..Options::default() };
        assert_eq!(refusal_by(&first, text), refusal(text));
    }
    let point = Options { decimal: Some(Decimal::Point), ..Options::default() };
    assert_eq!(by(&point, "20,5\n20,7\n21,1\n").len(), 3);
    // A sign, a point, a space, a header of two names or only zeros show pairs. Two rows are too few to
    // decide.
    for text in [
        "1,2\n3,-4\n5,6\n",
        "1,2\n3,4.\n5,6\n",
        "1, 2\n3, 4\n5, 6\n",
        "a,b\n1,2\n3,4\n5,6\n",
        "1,0\n2,0\n3,0\n",
    ] {
        assert_eq!(samples(text).len(), 3, "{text:?}");
        assert!(!notes(text).iter().any(|note| matches!(note, Note::MayBeDecimalCommas { .. })), "{text:?}");
    }
    assert_eq!(notes("1,2\r3,4\r"), [Note::MayBeDecimalCommas { line: 1, text: "1,2".to_owned() }]);
}

#[test]
fn complex_numbers_stand_in_one_column() {
    let points = [(1.0, 2.0), (-1.5, -20.0), (0.0, 3.0), (4.0, 0.0)].map(|(re, im)| Complex::new(re, im));
    assert_eq!(samples("1+2j\n-1.5-2e1i\n3j\n4\n"), points);
    assert_eq!(samples("z\n(1+2j)\n(-1.5-2e+01j)\n(0 + 3J)\n(4+0j)\n"), points);
    assert_eq!(samples("4\n1+2j\n"), [points[3], points[0]]);
    for word in ["i", "j", "-j", "(4)", "(1+2j", "1+2j)", "1+2k"] {
        assert!(refusal(format!("1\n{word}\n")).contains("is not a number"), "{word}");
    }
    assert!(refusal("1,1\n1+2j,3\n").starts_with("line 2, column 1: '1+2j' is not a number"));
}

#[test]
fn the_infinite_is_data() {
    let infinite = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    assert_eq!(samples("INF\n-Infinity\n1e999\n-1.#INF\n"), reals(&infinite));
}

#[test]
fn every_refusal_names_its_line() {
    assert_data_eq!(refusal(""), str!["it holds no sample"]);
    assert_data_eq!(refusal("\r\n \n#1\n"), str!["it holds no sample"]);
    assert_data_eq!(refusal("re,im\n"), str!["it holds no sample"]);
    assert_data_eq!(refusal("\u{feff}"), str!["it holds no sample"]);
    assert_data_eq!(refusal([0xff, 0xfe]), str!["it holds no sample"]);
    assert_data_eq!(refusal("1\nx\n"), str!["line 2, column 1: 'x' is not a number"]);
    assert_data_eq!(refusal("h\n1\nh\n"), str!["line 3, column 1: 'h' is not a number"]);
    assert_data_eq!(refusal("1\r\nx"), str!["line 2, column 1: 'x' is not a number"]);
    assert_data_eq!(
        refusal("1\r\rx"),
        str![
            "line 2, column 1: the value is missing (a blank line); --missing zero, linear or nan replaces it"
        ]
    );
    assert_data_eq!(refusal("1.5,2\n3.5\n"), str!["line 2 has 1 columns where the lines before have 2"]);
    assert_data_eq!(
        refusal("value\n1.5,2\n"),
        str!["line 2 has 2 columns where the lines before have 1; --skip-rows 1 begins with line 2"]
    );
    assert_data_eq!(
        refusal("2024-01-01,1.5\n2024-01-02,2.5\n"),
        str!["line 2, column 1: '2024-01-02' is not a number; --column 2 reads the other column alone"]
    );
    for number in ["1'234", "1_234", "0x10", "12:30", "5%", "1e", "--5", "1.5.2", "TRUE", "\u{2212}5"] {
        assert_eq!(
            refusal(format!("1\n{number}\n")),
            format!("line 2, column 1: '{}' is not a number", shown(number.as_bytes()))
        );
    }
    assert_eq!(
        refusal(format!("1\n{}", "y".repeat(99))),
        format!("line 2, column 1: '{}' is not a number", "y".repeat(30))
    );
    assert_data_eq!(refusal(b"1\n\xff\n"), str!["line 2, column 1: '\u{fffd}' is not a number"]);
}

#[test]
fn text_that_cannot_be_read_is_one_sentence() {
    assert_data_eq!(refusal("\"1\n2\n3\n"), str!["the quote that opens on line 1 is never closed"]);
    assert_data_eq!(refusal("x\r\r1\r\"2\r3"), str!["the quote that opens on line 4 is never closed"]);
    assert_data_eq!(refusal("x,\"a\nb\"\n2,\"c\n\n"), str!["the quote that opens on line 3 is never closed"]);
    assert_data_eq!(
        refusal("1\n\"1\"2\n"),
        str!["line 2, column 1: the cell goes on after its closing quote"]
    );
    assert_data_eq!(refusal("1\n\"2\"\"\n"), str!["the quote that opens on line 2 is never closed"]);
    let nul = "holds a NUL byte, so it is no text; text in UTF-16 needs a byte order mark at its start";
    assert_eq!(refusal(b"1\n\0\n"), format!("line 2 {nul}"));
    for big_endian in [false, true] {
        assert_eq!(refusal(&utf16("1\n2\n", big_endian)[2..]), format!("line 1 {nul}"));
        let text = utf16("1\n2\n", big_endian);
        assert_data_eq!(
            refusal(&text[..text.len() - 1]),
            str!["the file is cut short: its UTF-16 text ends within a character"]
        );
    }
    assert_eq!(refusal(b"PK\x03\x04\x14\0\x06\0"), format!("line 1 {nul}"));
    // Half of a UTF-16 pair is a character of no number.
    assert!(refusal(b"\xff\xfe1\0\n\0\x00\xd8").contains("is not a number"));
}

#[test]
fn a_first_column_like_a_clock_is_remarked_on() {
    let years = (1700..1720).map(|year| format!("{year},{}.5", year % 11)).collect::<Vec<_>>().join("\n");
    assert_eq!(notes(&years), [Note::LooksLikeTime]);
    let tenths = (0..50).map(|j| format!("{},1", f64::from(j) * 0.1)).collect::<Vec<_>>().join("\n");
    assert_eq!(notes(&tenths), [Note::LooksLikeTime]);
    let both = Options { column: number(1), imaginary: number(2), ..Options::default() };
    assert_eq!(with(&both, &tenths).notes, []);
    for text in ["1,0\n2,0\n3,0\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"] {
        assert_eq!(notes(text), [], "{text:?}");
    }
    assert_eq!(notes(&"5,1.0\n".repeat(20)), []);
}
