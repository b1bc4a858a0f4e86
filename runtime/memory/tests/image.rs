//! The kinds of a program, found in its memory.

use std::collections::HashSet;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::process::Command;

use earth_memory::{HooksOf, Kind, KindOf, Parcel, all_kinds};

/// Hooks of this test for a type: its name and size.
#[derive(Debug)]
struct Facts {
    name: fn() -> &'static str,
    bytes: usize,
}

impl<T> HooksOf<T> for Facts {
    const HOOKS: &'static Self = &Facts { name: std::any::type_name::<T>, bytes: size_of::<T>() };
}

/// Other hooks, whose kinds must not be listed with the former.
#[derive(Debug)]
struct Other(u64);

impl<T> HooksOf<T> for Other {
    const HOOKS: &'static Self = &Other(7);
}

struct Pair<T>(PhantomData<T>, #[expect(dead_code, reason = "it has a size")] [u16; 3]);

/// Uses the kinds of `T` and of pairs of it.
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

/// Returns the name and size of the type of each kind in the table.
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
    // The table has no other kinds: four types and their pairs.
    let expected: HashSet<String> =
        used().iter().map(|kind| format!("{} {}", (kind.hooks().name)(), kind.hooks().bytes)).collect();
    assert_eq!(names().into_iter().collect::<HashSet<_>>(), expected);
    assert_eq!(expected.len(), 8);
    assert!(all_kinds::<Other>().iter().all(|kind| matches!(kind.hooks(), Other(7))));
}

/// Environment variable that makes a child process print its table, after it has kept, deleted or replaced
/// its own file.
const CHILD_MODE: &str = "EARTH_KINDS_OF_THIS_PROCESS";

/// A directory that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("earth-kinds-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory is made");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("it is there");
    }
}

/// The loader knows the program's constants, so neither the name of its file nor the file itself matters.
/// (This is one test, since a file that is open for writing while another thread starts a process may fail to
/// start.)
#[test]
fn another_process_has_the_same_table_whatever_its_file_is_called_and_though_it_is_gone() {
    let this = std::env::current_exe().expect("this program has a file");
    if let Some(how) = std::env::var_os(CHILD_MODE) {
        if how == "deleted" {
            std::fs::remove_file(&this).expect("it is there");
        } else if how == "replaced" {
            let other = this.with_extension("other");
            std::fs::write(&other, "no program").expect("it is written");
            std::fs::rename(other, &this).expect("it is there");
        }
        println!("<{}>", names().join("|"));
        return;
    }
    assert!(!used().is_empty());
    let table = format!("<{}>", names().join("|"));
    let folder = Folder::new();
    let copies = [
        ("plain", "alone"),
        ("two words", "alone"),
        ("two\nlines", "alone"),
        ("gone (deleted)", "alone"),
        (" 7f0-7f1 r--p 0 00:00 0", "alone"),
        ("deleted", "deleted"),
        ("replaced", "replaced"),
    ];
    for (name, how) in copies {
        let path = folder.0.join(name);
        std::fs::copy(&this, &path).expect("it is copied");
        let test = "another_process_has_the_same_table_whatever_its_file_is_called_and_though_it_is_gone";
        let output = Command::new(&path)
            .args(["--exact", test, "--nocapture"])
            .env(CHILD_MODE, how)
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(&table), "{path:?}, {how}: {text}");
    }
}
