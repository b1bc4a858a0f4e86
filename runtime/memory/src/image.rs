//! The table of all kinds of a program, read from the memory of the loaded program.
//!
//! Processes that run the same program need one table of all kinds. It includes the kinds that generic
//! functions use, so it cannot be written by hand. A [`Kind`] exists only as a constant, so all kinds that a
//! program may use at run time are in its read-only memory. [`all_kinds`] searches that memory:
//!
//! 1. `dl_iterate_phdr` lists the segments of the program or library that contains this code. No file is
//!    read, so the program's path may have any name and its file may be deleted.
//! 2. It reads segments without write permission, and the part that the loader protects after relocation. It
//!    skips code, unless the linker put code and constants into one segment.
//! 3. A kind begins with a mark and the identity of its hooks' type: 32 bytes that occur nowhere else in that
//!    memory. (The mark to compare with is computed at run time, so that no constant of this file equals it.)
//! 4. The kinds are listed in the order of their addresses. This order equals their order in the file, so it
//!    is the same in every process of the program. A type may have several kinds; each is listed.
//!
//! Cost: the constants of the program are read once, which takes a millisecond for some megabytes. On systems
//! other than Linux the table is empty.

use std::any::TypeId;
use std::ops::Range;

use crate::kind::{Kind, MARK};

/// Returns the mark, computed at run time.
#[inline(never)]
fn mark() -> [u64; 2] {
    std::hint::black_box(const { [!MARK[0], !MARK[1]] }).map(|half| !half)
}

/// Returns the memory, never written, of the program or library that contains this code.
#[cfg(target_os = "linux")]
fn read_only() -> Vec<Range<usize>> {
    use libc::{PF_R, PF_X, PT_GNU_RELRO, PT_LOAD, c_int, c_void, dl_phdr_info, size_t};

    /// Handles one program or library. If it contains this code, it stores the constants in `found` and
    /// returns 1 to stop the search. Otherwise it returns 0, and the search continues.
    unsafe extern "C" fn look(info: *mut dl_phdr_info, _: size_t, found: *mut c_void) -> c_int {
        static HERE: u8 = 0;
        // SAFETY: `dl_iterate_phdr` passes its description of a program and the pointer from `read_only`. The
        // headers have the stated number and stay valid while it runs.
        let (info, found) = unsafe { (&*info, &mut *found.cast::<Vec<Range<usize>>>()) };
        if info.dlpi_phnum == 0 {
            return 0;
        }
        // SAFETY: as above.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let segments = headers.iter().map(|header| {
            let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            (header.p_type, header.p_flags, start..start.wrapping_add(header.p_memsz as usize))
        });
        let here = (&raw const HERE).addr();
        if !segments.clone().any(|(kind, _, range)| kind == PT_LOAD && range.contains(&here)) {
            return 0;
        }
        let with = |rights| {
            let loaded =
                segments.clone().filter(move |(kind, flags, _)| *kind == PT_LOAD && *flags == rights);
            loaded.map(|(.., range)| range)
        };
        found.extend(with(PF_R));
        if found.is_empty() {
            found.extend(with(PF_R | PF_X));
        }
        found.extend(segments.clone().filter(|(kind, ..)| *kind == PT_GNU_RELRO).map(|(.., range)| range));
        1
    }

    let mut found: Vec<Range<usize>> = Vec::new();
    // SAFETY: `look` has the expected signature, and `found` lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    found.sort_by_key(|range| range.start);
    found
}

#[cfg(not(target_os = "linux"))]
fn read_only() -> Vec<Range<usize>> {
    Vec::new()
}

/// Returns all kinds with hooks of type `H` in this program, in an order that is equal in each of its
/// processes.
pub fn all_kinds<H: Sync + 'static>() -> Vec<&'static Kind<H>> {
    const WORD: usize = size_of::<u64>();
    let (mark, hooks_id) = (mark(), TypeId::of::<H>());
    let mut found = Vec::new();
    for Range { start, end } in read_only() {
        let start = start.next_multiple_of(align_of::<Kind<H>>());
        let words = end.checked_sub(start + size_of::<Kind<H>>()).map_or(0, |last| last / WORD + 1);
        // SAFETY: the memory belongs to the program, is mapped as long as this code is, and is never written,
        // so words of any content may be read there. A kind that begins at the last of these words ends
        // inside the range.
        let words =
            unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance::<u64>(start), words) };
        for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == mark[0]) {
            let kind = std::ptr::with_exposed_provenance::<Kind<H>>(start + at * WORD);
            // SAFETY: as above, for the words of a kind. A mark is followed by the identity of a type, which
            // consists of plain words.
            let begins = unsafe {
                (&raw const (*kind).mark).read() == mark && (&raw const (*kind).hooks_id).read() == hooks_id
            };
            if begins {
                // SAFETY: a kind with such hooks is here, as its first 32 bytes occur nowhere else in this
                // memory.
                found.push(unsafe { &*kind });
            }
        }
    }
    // Segments may overlap.
    found.dedup_by(|kind, before| std::ptr::eq(*kind, *before));
    found
}
