//! Random bytes and damaged files against the readers: never a panic, and never more samples than bytes.

#![forbid(unsafe_code)]

mod common;

use common::npy;
use earth_fft::io::{csv, npy as array};
use earth_fft::signal::Signal;
use proptest::prelude::*;

/// Reads as a file and as a pipe; the two agree, and nothing is bigger than its source.
fn check_array(bytes: &[u8]) -> Option<Signal> {
    let sized = array::read(bytes, Some(bytes.len() as u64));
    let piped = array::read(bytes, None);
    assert_eq!(sized.is_ok(), piped.is_ok());
    let signal = sized.ok()?;
    assert!(signal.samples.len() <= bytes.len());
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
    fn tables_of_noise(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(signal) = csv::read(&bytes[..]) {
            prop_assert!(signal.samples.len() <= bytes.len());
        }
    }

    #[test]
    fn tables_of_likely_characters(text in "[0-9,.eE+\\- \"#\r\naninf]{0,200}") {
        if let Ok(signal) = csv::read(text.as_bytes()) {
            prop_assert!(signal.samples.len() <= text.len());
        }
    }

    #[test]
    fn tables_of_numbers_read_back(values in proptest::collection::vec(any::<(f64, f64)>(), 1..20)) {
        let text: Vec<_> = values.iter().map(|(re, im)| format!("{re:?},{im:?}")).collect();
        let signal = csv::read(text.join("\r\n").as_bytes()).unwrap();
        let earth_fft::signal::Samples::F64(samples) = signal.samples else { panic!("double precision") };
        let bits: Vec<_> = samples.iter().map(|z| (z.re.to_bits(), z.im.to_bits())).collect();
        let expected: Vec<_> = values.iter().map(|(re, im)| (re.to_bits(), im.to_bits())).collect();
        prop_assert!(values.iter().any(|(re, im)| re.is_nan() || im.is_nan()) || bits == expected);
    }
}
