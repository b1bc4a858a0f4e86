use super::*;

fn reals(values: &[f64]) -> Vec<Complex<f64>> {
    values.iter().map(|&re| Complex::new(re, 0.0)).collect()
}

fn written(values: &[Complex<f64>], rows: Rows, rate: Option<f64>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes, values.iter().copied(), rows, rate).unwrap();
    String::from_utf8(bytes).unwrap()
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
