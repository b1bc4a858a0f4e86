//! Frames, from bytes that come in pieces.

use earth_tcp_echo::frame::{
    BadLength, Incoming, MOST_PAYLOAD, checksum, is_answer_to, request, seal, unsealed,
};

#[test]
fn checksums_are_those_of_fnv() {
    // Test vectors of the authors of FNV-1a.
    for (text, sum) in
        [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
    {
        assert_eq!(checksum(text.as_bytes()), sum, "{text}");
    }
}

#[test]
fn an_answer_has_length_checksum_and_payload() {
    let mut answer = unsealed(b"a");
    seal(&mut answer);
    assert_eq!(answer, [9, 0, 0, 0, 0x8c, 0xec, 0x01, 0x86, 0x4c, 0xdc, 0x63, 0xaf, b'a']);
    assert!(is_answer_to(b"a", &answer[4..]));
    assert!(!is_answer_to(b"b", &answer[4..]));
    assert!(!is_answer_to(b"", &answer[4..]));
    for changed in 4..answer.len() {
        let mut wrong = answer.clone();
        wrong[changed] ^= 1;
        assert!(!is_answer_to(b"a", &wrong[4..]), "byte {changed}");
    }
}

#[test]
fn pieces_of_any_size_give_the_same_frames() {
    let payloads: Vec<Vec<u8>> = [1, 2, 64, 3, MOST_PAYLOAD, 5].map(crate::payload).into();
    let mut bytes = Vec::new();
    for payload in &payloads {
        request(payload, &mut bytes);
    }
    for piece in [1, 2, 3, 5, 7, 68, 1000, bytes.len()] {
        let (mut incoming, mut taken) = (Incoming::of_requests(), Vec::new());
        for piece in bytes.chunks(piece) {
            incoming.push(piece);
            while incoming.is_complete().expect("all lengths are allowed") {
                taken.push(incoming.take().expect("as above").expect("it is complete").to_vec());
            }
            assert_eq!(incoming.take(), Ok(None));
        }
        assert_eq!(taken, payloads, "pieces of {piece}");
        assert!(incoming.is_empty());
    }
}

#[test]
fn lengths_out_of_bounds_are_refused() {
    for (incoming, wrong) in [
        (Incoming::of_requests as fn() -> Incoming, [0, MOST_PAYLOAD + 1, u32::MAX as usize]),
        (Incoming::of_answers, [0, 8, MOST_PAYLOAD + 9]),
    ] {
        for length in wrong {
            let mut incoming = incoming();
            incoming.push(&(length as u32).to_le_bytes()[..3]);
            assert_eq!(incoming.is_complete(), Ok(false));
            incoming.push(&(length as u32).to_le_bytes()[3..]);
            assert_eq!(incoming.is_complete(), Err(BadLength(length)));
            assert_eq!(incoming.take(), Err(BadLength(length)));
        }
    }
}
