//! Random bytes and damaged files for the readers: never a panic, and never more samples than bytes.

use earth_console::io::{csv, npy as array, png as picture};
use earth_console::signal::{Samples, Signal, Values};
use proptest::prelude::*;

use super::common::{grey, npy, npy_of, png_of, stored};

/// Reads as a file and as a pipe. Checks that the results agree, and have no more samples than the source has
/// bytes.
fn check_array(bytes: &[u8]) -> Option<Signal> {
    let sized = array::read(bytes, Some(bytes.len() as u64));
    let piped = array::read(bytes, None);
    assert_eq!(sized.is_ok(), piped.is_ok());
    let signal = sized.ok()?;
    assert!(signal.samples.count() <= bytes.len());
    assert_eq!(signal.lengths.iter().product::<usize>(), signal.samples.count());
    Some(signal)
}

/// Reads a picture. Checks that it has the samples of its shape, and that all are shades.
fn check_picture(bytes: &[u8]) -> Option<Signal> {
    let signal = picture::read(bytes).map_err(|error| error.to_string()).ok()?;
    assert_eq!(signal.lengths.len(), 2);
    assert_eq!(signal.lengths.iter().product::<usize>(), signal.samples.count());
    let Samples::F64(Values::Real(samples)) = &signal.samples else { panic!("real, double precision") };
    assert!(samples.iter().all(|shade| (0.0..=1.0).contains(shade)));
    Some(signal)
}

proptest! {
    #[test]
    fn arrays_of_noise(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check_array(&bytes);
        for version in 1..=3 {
            let mut with_magic = b"\x93NUMPY".to_vec();
            with_magic.extend([version, 0]);
            with_magic.extend(&bytes);
            check_array(&with_magic);
        }
    }

    #[test]
    fn headers_of_noise(dictionary in "[\\[\\](){}'\",:a-f0-9 <>|TrueFalsdcpnot_h-]{0,80}") {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dictionary.len() as u16 + 1).to_le_bytes());
        bytes.extend(dictionary.as_bytes());
        bytes.push(b'\n');
        check_array(&bytes);
    }

    #[test]
    fn damaged_arrays(
        body in proptest::collection::vec(any::<u8>(), 0..64),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = npy("<i2", &format!("({},)", body.len() / 2), &body[..body.len() / 2 * 2]);
        prop_assert_eq!(check_array(&bytes).is_some(), body.len() >= 2);
        for (index, byte) in damage {
            let place = index.index(bytes.len());
            bytes[place] = byte;
        }
        check_array(&bytes);
    }

    #[test]
    fn plausible_headers(
        dtype in "[<>|][biufcOSUVmM](1|2|4|8|16|32)",
        shape in "\\(([0-9]{1,21}, ?){0,3}\\)",
        body in proptest::collection::vec(any::<u8>(), 0..100),
    ) {
        check_array(&npy(&dtype, &shape, &body));
    }

    #[test]
    fn damaged_matrices(
        rows in 1_usize..9,
        cols in 1_usize..9,
        fortran in any::<bool>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let body: Vec<u8> = (0..rows * cols).map(|at| at as u8).collect();
        let mut bytes = npy_of("|u1", fortran, &format!("({rows}, {cols})"), &body);
        let signal = check_array(&bytes).unwrap();
        prop_assert_eq!(signal.lengths, [rows, cols]);
        for (index, byte) in damage {
            let place = index.index(bytes.len());
            bytes[place] = byte;
        }
        check_array(&bytes);
    }

    #[test]
    fn pictures_of_noise(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check_picture(&bytes);
        check_picture(&[b"\x89PNG\r\n\x1a\n", &bytes[..]].concat());
    }

    /// Every checksum is right, so that the decoder reaches the content.
    #[test]
    fn pictures_of_noise_with_checksums(
        rows in prop_oneof![0_u32..12, any::<u32>()],
        cols in prop_oneof![0_u32..12, any::<u32>()],
        depth in prop_oneof![Just(1), Just(2), Just(4), Just(8), Just(16), any::<u8>()],
        kind in 0_u8..8,
        interlaced in 0_u8..3,
        data in proptest::collection::vec(prop_oneof![0_u8..6, any::<u8>()], 0..300),
        packed in any::<bool>(),
    ) {
        let data = if packed { stored(&data) } else { data };
        check_picture(&png_of(rows, cols, [depth, kind, 0, 0, interlaced], &data));
    }

    #[test]
    fn damaged_pictures(
        rows in 1_usize..9,
        cols in 1_usize..9,
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let whole = grey(rows, cols, |row, col| (row * 29 + col) as u8);
        let signal = check_picture(&whole).unwrap();
        prop_assert_eq!(signal.lengths, [rows, cols]);
        let mut bytes = whole.clone();
        for (index, byte) in damage {
            let place = index.index(bytes.len());
            bytes[place] = byte;
        }
        prop_assert!(bytes == whole || check_picture(&bytes).is_none(), "damage was not noticed");
    }

    #[test]
    fn tables_of_noise(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(signal) = csv::read(&bytes[..], &csv::Options::default()) {
            prop_assert!(signal.samples.count() <= bytes.len());
        }
    }

    #[test]
    fn tables_of_likely_characters(text in "[0-9,.eE+\\- \"#\r\naninf]{0,200}") {
        if let Ok(signal) = csv::read(text.as_bytes(), &csv::Options::default()) {
            prop_assert!(signal.samples.count() <= text.len());
        }
    }

    #[test]
    fn tables_of_numbers_read_back(values in proptest::collection::vec(any::<(f64, f64)>(), 1..20)) {
        let text: Vec<_> = values.iter().map(|(re, im)| format!("{re:?},{im:?}")).collect();
        let options = csv::Options { missing: csv::Missing::Nan, decimal: Some(csv::Decimal::Point), ..csv::Options::default() };
        let signal = csv::read(text.join("\r\n").as_bytes(), &options).unwrap();
        let Samples::F64(Values::Complex(samples)) = signal.samples else { panic!("complex, double precision") };
        let bits: Vec<_> = samples.iter().map(|z| (z.re.to_bits(), z.im.to_bits())).collect();
        let expected: Vec<_> = values.iter().map(|(re, im)| (re.to_bits(), im.to_bits())).collect();
        prop_assert!(values.iter().any(|(re, im)| re.is_nan() || im.is_nan()) || bits == expected);
    }
}
