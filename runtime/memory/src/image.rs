//! All kinds of a program, found where the linker has put them.
//!
//! Processes that run the same program need one table of what travels by kind, generic functions among it, of which no list
//! can be written down. A [`Kind`] exists only as a constant, so those that a program may use at run time lie in the
//! read-only memory of its file: the file *is* the list. [`all_kinds`] reads it:
//!
//! 1. The head of the program's file says what of it is read-only in memory, `/proc/self/maps` where it was loaded.
//! 2. A kind begins with a mark and the identity of its hooks' type, 32 bytes that stand nowhere else in that memory. (The
//!    mark that is compared is made up at run time, so that no constant of this file is like it.)
//! 3. The kinds are listed in the order of their addresses. That is the order of their places in the file, hence the same
//!    in every process of the program. A type may have several kinds; each is listed.
//!
//! Cost: the file and all its read-only memory are read once, some milliseconds for a program of some megabytes. Where there is
//! no `/proc`, or programs are no ELF files of 64 bits, there is no table.

use std::any::TypeId;
use std::fs;
use std::ops::Range;

use crate::kind::{Kind, MARK};

/// The mark, made up at run time.
#[inline(never)]
fn mark() -> [u64; 2] {
    std::hint::black_box(const { [!MARK[0], !MARK[1]] }).map(|half| !half)
}

/// A number of so many bytes in a file, lowest byte first.
fn number(file: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let bytes = file.get(at..at.checked_add(bytes)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// The read-only memory of a program by its file, an ELF of 64 bits that is loaded at `start`: the segments that may only
/// be read, and what becomes read-only when its addresses have been put in. (Pages are no measure: those at the ends of a
/// segment hold what stands beside it in the file, without its addresses.)
fn segments(file: &[u8], start: usize) -> Option<Vec<Range<usize>>> {
    const LOADED: usize = 1;
    const RELOCATED: usize = 0x6474_e552;
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, size, count) = (number(file, 0x20, 8)?, number(file, 0x36, 2)?, number(file, 0x38, 2)?);
    let headers = (0..count).map(|header| {
        let at = table + header * size;
        let field = |offset, bytes| number(file, at + offset, bytes);
        Some((field(0, 4)?, field(4, 4)?, field(8, 8)?, field(16, 8)?, field(32, 8)?))
    });
    let headers = headers.collect::<Option<Vec<_>>>()?;
    let first = headers.iter().find(|(kind, _, offset, ..)| *kind == LOADED && *offset == 0)?;
    let bias = start.wrapping_sub(first.3);
    let constant = |kind, rights| kind == RELOCATED || kind == LOADED && rights == 4;
    let constants = headers.iter().filter(|(kind, rights, ..)| constant(*kind, *rights));
    Some(
        constants
            .map(|&(.., address, len)| bias.wrapping_add(address)..bias.wrapping_add(address + len))
            .collect(),
    )
}

/// The read-only memory of the file that this code lies in.
fn read_only() -> Option<Vec<Range<usize>>> {
    static HERE: u8 = 0;
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let parsed = |line: &str| {
        let mut fields = line.split_whitespace();
        let (from, to) = fields.next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let (readable, offset) = (fields.next()?.starts_with('r'), number(fields.next()?)?);
        // Its device and its inode are passed over.
        Some((number(from)?..number(to)?, readable, offset, fields.nth(2)?.to_owned()))
    };
    let maps: Vec<_> = maps.lines().filter_map(parsed).collect();
    let here = (&raw const HERE).addr();
    let path = &maps.iter().find(|(range, ..)| range.contains(&here))?.3;
    let start = maps.iter().find(|(_, _, offset, file)| *offset == 0 && file == path)?.0.start;
    let constants = segments(&fs::read(path).ok()?, start)?;
    let is_mapped = |at: usize| maps.iter().any(|(range, readable, ..)| *readable && range.contains(&at));
    let mapped =
        |range: &Range<usize>| range.clone().step_by(4096).chain(range.clone().last()).all(is_mapped);
    constants.iter().all(mapped).then_some(constants)
}

/// All kinds with hooks of type `H` that this program has, in an order that is the same in each of its processes.
pub fn all_kinds<H: Sync + 'static>() -> Vec<&'static Kind<H>> {
    let (mark, hooks_id) = (mark(), TypeId::of::<H>());
    let mut found = Vec::new();
    for Range { start, end } in read_only().unwrap_or_default() {
        let addresses = (start.next_multiple_of(align_of::<Kind<H>>())..end).step_by(align_of::<Kind<H>>());
        for at in addresses.take_while(|at| end - at >= size_of::<Kind<H>>()) {
            let kind = std::ptr::with_exposed_provenance::<Kind<H>>(at);
            // SAFETY: the memory from `at` on is of the program's file, mapped as long as the program runs and never
            // written: words may be read there, whatever they are.
            let begins = unsafe { (&raw const (*kind).mark).read() == mark };
            // SAFETY: as above; a mark is followed by the identity of a type, which is plain words.
            if begins && unsafe { (&raw const (*kind).hooks_id).read() == hooks_id } {
                // SAFETY: a kind with such hooks is there: what it begins with stands nowhere else in this memory.
                found.push(unsafe { &*kind });
            }
        }
    }
    found
}
