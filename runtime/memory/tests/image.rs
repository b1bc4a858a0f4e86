//! The kinds that a program has, found in its file.

use std::collections::HashSet;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::process::Command;

use earth_memory::{HooksOf, Kind, KindOf, Parcel, all_kinds};

/// What this test wants to know of a type: its size, and how to print it.
#[derive(Debug)]
struct Facts {
    name: fn() -> &'static str,
    bytes: usize,
}

impl<T> HooksOf<T> for Facts {
    const HOOKS: &'static Self = &Facts { name: std::any::type_name::<T>, bytes: size_of::<T>() };
}

/// Others, whose kinds are none of these.
#[derive(Debug)]
struct Other(u64);

impl<T> HooksOf<T> for Other {
    const HOOKS: &'static Self = &Other(7);
}

struct Pair<T>(PhantomData<T>, #[expect(dead_code, reason = "it has a size")] [u16; 3]);

/// Uses the kind of `T`, and that of pairs of it.
#[inline(never)]
fn uses<T: Send + Debug + 'static>(value: T) -> [&'static Kind<Facts>; 2] {
    let parcel = Parcel::new(value, KindOf::<T, Facts>::KIND);
    let _ = Parcel::new(0u8, KindOf::<u8, Other>::KIND);
    let pair = Parcel::new(Pair(PhantomData::<T>, [0; 3]), KindOf::<Pair<T>, Facts>::KIND);
    [parcel.kind().expect("it is full"), pair.kind().expect("it is full")]
}

fn used() -> Vec<&'static Kind<Facts>> {
    [uses(1u32), uses("text".to_owned()), uses([0u64; 20]), uses(())].concat()
}

/// What each kind of the table is of.
fn names() -> Vec<String> {
    all_kinds::<Facts>()
        .iter()
        .map(|kind| format!("{} {}", (kind.hooks().name)(), kind.hooks().bytes))
        .collect()
}

#[test]
fn every_kind_that_is_used_is_in_the_table() {
    let all = all_kinds::<Facts>();
    let addresses: Vec<usize> = all.iter().map(|kind| std::ptr::from_ref(*kind).addr()).collect();
    assert!(addresses.is_sorted());
    for kind in used() {
        assert!(addresses.contains(&std::ptr::from_ref(kind).addr()), "{kind:?}");
    }
    // Nothing else is there: four types and the pairs of them.
    let expected: HashSet<String> =
        used().iter().map(|kind| format!("{} {}", (kind.hooks().name)(), kind.hooks().bytes)).collect();
    assert_eq!(names().into_iter().collect::<HashSet<_>>(), expected);
    assert_eq!(expected.len(), 8);
    assert!(all_kinds::<Other>().iter().all(|kind| matches!(kind.hooks(), Other(7))));
}

/// The variable that asks for the table.
const ASKED: &str = "EARTH_KINDS_OF_THIS_PROCESS";

#[test]
fn another_process_has_the_same_table() {
    if std::env::var_os(ASKED).is_some() {
        println!("<{}>", names().join("|"));
        return;
    }
    assert!(!used().is_empty());
    let this = std::env::current_exe().expect("this program has a file");
    let output = Command::new(this)
        .args(["--exact", "another_process_has_the_same_table", "--nocapture"])
        .env(ASKED, "1")
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(&format!("<{}>", names().join("|"))), "{text}");
}
