use snapbox::{assert_data_eq, str};

use super::*;

const GRAY: u8 = 0;
const COLORS: u8 = 2;
const PALETTE: u8 = 3;
const GRAY_ALPHA: u8 = 4;
const COLORS_ALPHA: u8 = 6;

/// Returns a chunk by the format's definition: length, name, data, CRC-32 of name and data.
fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let named = [&name, data].concat();
    let crc = named.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    });
    [&(data.len() as u32).to_be_bytes(), &named[..], &(!crc).to_be_bytes()].concat()
}

/// Returns data in the zlib format, not compressed.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x78, 0x01];
    let blocks = data.chunks(65_535).count();
    for (at, block) in data.chunks(65_535).enumerate() {
        let length = block.len() as u16;
        bytes.push(u8::from(at + 1 == blocks));
        bytes.extend(length.to_le_bytes());
        bytes.extend((!length).to_le_bytes());
        bytes.extend(block);
    }
    let (low, high) = data.iter().fold((1_u32, 0_u32), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    bytes.extend((high << 16 | low).to_be_bytes());
    bytes
}

fn header(rows: u32, cols: u32, depth: u8, kind: u8, interlaced: bool) -> Vec<u8> {
    let sides = [cols.to_be_bytes(), rows.to_be_bytes()].concat();
    chunk(*b"IHDR", &[&sides[..], &[depth, kind, 0, 0, u8::from(interlaced)]].concat())
}

/// Returns a file of these chunks. Each line of the pixels is a filter byte and its pixels.
fn file(header: &[u8], before: &[u8], pixels: &[u8]) -> Vec<u8> {
    [SIGNATURE, header, before, &chunk(*b"IDAT", &stored(pixels)), &chunk(*b"IEND", &[])].concat()
}

fn real(samples: &[f64]) -> Samples {
    Samples::F64(Values::Real(samples.to_vec()))
}

#[test]
fn grey_of_every_depth_goes_from_0_to_1() {
    let cases: [(u8, &[u8], [f64; 4]); 5] = [
        (1, &[0, 0b0100_0000, 0, 0b1000_0000], [0.0, 1.0, 1.0, 0.0]),
        (2, &[0, 0b0001_0000, 0, 0b1011_0000], [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]),
        (4, &[0, 0x0f, 0, 0x17], [0.0, 1.0, 1.0 / 15.0, 7.0 / 15.0]),
        (8, &[0, 0, 255, 0, 1, 128], [0.0, 1.0, 1.0 / 255.0, 128.0 / 255.0]),
        (16, &[0, 0, 0, 255, 255, 0, 0, 1, 1, 0], [0.0, 1.0, 1.0 / 65_535.0, 256.0 / 65_535.0]),
    ];
    for (depth, pixels, expected) in cases {
        let signal = read(&file(&header(2, 2, depth, GRAY, false), &[], pixels)[..]).unwrap();
        assert_eq!(signal.samples, real(&expected), "{depth} bits");
        assert_eq!(signal.lengths, [2, 2]);
        assert!(signal.notes.is_empty(), "{:?}", signal.notes);
    }
}

#[test]
fn colors_become_their_luminance() {
    let pixels = [0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 7, 7, 7];
    let signal = read(&file(&header(1, 4, 8, COLORS, false), &[], &pixels)[..]).unwrap();
    // The gray pixel has exactly the value that it has in a gray picture.
    assert_eq!(signal.samples, real(&[0.2126, 0.7152, 0.0722, 7.0 / 255.0]));
    assert_eq!(signal.notes, [Note::Colors]);
    let deep = [[0].as_slice(), &[0xff; 6]].concat();
    let signal = read(&file(&header(1, 1, 16, COLORS, false), &[], &deep)[..]).unwrap();
    assert_eq!((signal.samples, signal.notes), (real(&[1.0]), vec![]));
    // Four entries of a palette, two bits each.
    let colors = chunk(*b"PLTE", &[0, 0, 0, 255, 255, 255, 255, 0, 0, 51, 51, 51]);
    let signal = read(&file(&header(1, 4, 2, PALETTE, false), &colors, &[0, 0b0001_1011])[..]).unwrap();
    assert_eq!((signal.samples, signal.notes), (real(&[0.0, 1.0, 0.2126, 0.2]), vec![Note::Colors]));
}

#[test]
fn opacity_is_left_out_with_a_note() {
    let grey = file(&header(1, 3, 8, GRAY_ALPHA, false), &[], &[0, 51, 0, 102, 254, 153, 255]);
    let signal = read(&grey[..]).unwrap();
    assert_eq!(
        (signal.samples, signal.notes),
        (real(&[0.2, 0.4, 0.6]), vec![Note::Transparent { count: 2 }])
    );
    let opaque = file(&header(1, 1, 8, COLORS_ALPHA, false), &[], &[0, 51, 51, 51, 255]);
    let signal = read(&opaque[..]).unwrap();
    assert_eq!((signal.samples, signal.notes), (real(&[0.2]), vec![]));
    // A gray level that is declared transparent.
    let key = chunk(*b"tRNS", &[0, 51]);
    let signal = read(&file(&header(1, 2, 8, GRAY, false), &key, &[0, 51, 102])[..]).unwrap();
    assert_eq!((signal.samples, signal.notes), (real(&[0.2, 0.4]), vec![Note::Transparent { count: 1 }]));
}

#[test]
fn interlaced_pictures_are_put_in_order() {
    let pixels = [0, 51, 0, 102, 0, 153, 204];
    let signal = read(&file(&header(2, 2, 8, GRAY, true), &[], &pixels)[..]).unwrap();
    assert_eq!(signal.samples, real(&[0.2, 0.4, 0.6, 0.8]));
}

#[test]
fn an_animation_gives_the_picture_of_where_nothing_moves() {
    let control = chunk(*b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]);
    let frame = |number: u8| {
        let size = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        chunk(*b"fcTL", &[&[0, 0, 0, number], &size[..], &[0, 1, 0, 1, 0, 0]].concat())
    };
    let second = [frame(1), chunk(*b"fdAT", &[&[0, 0, 0, 2], &stored(&[0, 0])[..]].concat())].concat();
    let still = chunk(*b"IDAT", &stored(&[0, 51]));
    let head = header(1, 1, 8, GRAY, false);
    let end = chunk(*b"IEND", &[]);
    let bytes = [SIGNATURE, &head[..], &control, &frame(0), &still, &second, &end].concat();
    let signal = read(&bytes[..]).unwrap();
    assert_eq!((signal.samples, signal.notes), (real(&[0.2]), vec![Note::Animation { pictures: 2 }]));
}

fn good() -> Vec<u8> {
    let pixels: Vec<u8> = (0..5_u8).flat_map(|row| [0, row, 2 * row, 255 - row]).collect();
    file(&header(5, 3, 8, GRAY, false), &[], &pixels)
}

#[test]
fn bytes_after_the_end_are_skipped_and_a_cut_before_it_is_refused() {
    let whole = good();
    let expected = read(&whole[..]).unwrap();
    assert_eq!(read(&[&whole[..], b"more"].concat()[..]).unwrap(), expected);
    assert!(matches!(read(&[][..]), Err(PngError::EmptyFile)));
    for length in 1..whole.len() {
        match read(&whole[..length]) {
            Err(PngError::Truncated { found }) => assert_eq!(found, length),
            other => panic!("{length} bytes: {other:?}"),
        }
    }
}

#[test]
fn a_changed_bit_anywhere_is_noticed() {
    let whole = good();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            let error = read(&damaged[..]).expect_err("a checksum is wrong").to_string();
            assert!(!error.ends_with('.') && !error.contains("ChunkType"), "{error}");
        }
    }
}

#[test]
fn damage_is_reported_in_one_sentence() {
    let mut damaged = good();
    let checksum = damaged.len() - 13;
    damaged[checksum] ^= 1;
    let error = read(&damaged[..]).unwrap_err().to_string();
    assert!(error.starts_with("the picture is damaged (CRC error: expected 0x"), "{error}");
    assert!(error.ends_with(" while decoding IDAT chunk)"), "{error}");
    let data = good().windows(4).position(|name| name == b"IDAT").unwrap() + 4;
    let mut damaged = good();
    damaged[data + 3] ^= 1;
    assert_data_eq!(
        read(&damaged[..]).unwrap_err().to_string(),
        str!["the picture is damaged (Corrupt deflate stream: InvalidUncompressedBlockLength)"]
    );
    let short = file(&header(5, 3, 8, GRAY, false), &[], &[0, 1, 2, 3]);
    assert_data_eq!(
        read(&short[..]).unwrap_err().to_string(),
        str!["the picture is damaged (IDAT or fDAT chunk does not have enough data for image)"]
    );
    let no_palette = file(&header(1, 1, 8, PALETTE, false), &[], &[0, 0]);
    assert!(matches!(read(&no_palette[..]), Err(PngError::Damaged { .. })));
    let nothing = [SIGNATURE, &header(1, 1, 8, GRAY, false)[..], &chunk(*b"IEND", &[])].concat();
    assert!(matches!(read(&nothing[..]), Err(PngError::Damaged { .. })));
    let only_an_end = [SIGNATURE, &chunk(*b"IEND", &[])[..]].concat();
    assert!(matches!(read(&only_an_end[..]), Err(PngError::Damaged { .. })));
    for (rows, cols) in [(0, 1), (1, 0)] {
        let empty = file(&header(rows, cols, 8, GRAY, false), &[], &[0]);
        assert!(matches!(read(&empty[..]), Err(PngError::Damaged { .. })));
    }
    assert!(matches!(read(&b"1,2\n3,4\n5,6\n"[..]), Err(PngError::NotPng)));
    assert!(matches!(read(&b"\x89PNG"[..]), Err(PngError::Truncated { found: 4 })));
}

#[test]
fn pictures_that_claim_too_much_cost_nothing() {
    let most = i32::MAX.unsigned_abs();
    for (rows, cols, depth, kind) in
        [(most, most, 16, COLORS_ALPHA), (1, most, 8, GRAY), (most, 1, 1, GRAY), (4096, 4096, 8, GRAY)]
    {
        let bytes = file(&header(rows, cols, depth, kind, false), &[], &[0]);
        match read(&bytes[..]) {
            Err(PngError::Claim { rows: r, cols: c, bytes: size }) => {
                assert_eq!((r, c, size), (rows, cols, bytes.len()));
            }
            other => panic!("{rows} x {cols}: {other:?}"),
        }
    }
    // The format itself allows 134 million pixels of one bit in 20 kB.
    let padding = chunk(*b"paDd", &vec![0; 20_000]);
    let bomb = file(&header(8192, 16_384, 1, GRAY, false), &padding, &[0]);
    assert!(matches!(read(&bomb[..]), Err(PngError::Bomb { rows: 8192, cols: 16_384, .. })));
    // A chunk that claims two gigabytes and has a few bytes.
    let mut long = chunk(*b"tRNS", &[0; 16]);
    long[..4].copy_from_slice(&most.to_be_bytes());
    let bytes = [SIGNATURE, &header(2, 2, 8, GRAY, false)[..], &long].concat();
    assert!(matches!(read(&bytes[..]), Err(PngError::Truncated { .. } | PngError::Damaged { .. })));
}

#[test]
fn an_empty_page_is_no_bomb() {
    // Highly compressible, and within the limit that is always accepted.
    let mut bytes = Vec::new();
    let white = |_, _| num_complex::Complex::new(1.0_f32, 0.0);
    write(&mut bytes, white, (1 << 10, 1 << 10), Shades::Signal).unwrap();
    assert!(bytes.len() < 4000, "{} bytes", bytes.len());
    assert_eq!(read(&bytes[..]).unwrap().samples, real(&vec![1.0; 1 << 20]));
    assert!(check(8192, 8192, 1, 100_000).is_ok());
    assert!(check(8192, 8193, 1, 100_000).is_err());
    assert!(check(20_000, 20_000, 8, 6_250_000).is_ok());
}
