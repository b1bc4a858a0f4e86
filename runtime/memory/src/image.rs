//! All kinds of a program, found where the loader has put them.
//!
//! Processes that run the same program need one table of all kinds, generic functions among them, which cannot be written
//! down by hand. A [`Kind`] exists only as a constant, so all kinds that a program may use at run time are in the
//! read-only memory of the program: this memory *is* the list. [`all_kinds`] reads it:
//!
//! 1. The loader tells the segments of the program, or of the library that this code is part of (`dl_iterate_phdr`). No
//!    file is read, so the program's path may have any name, and its file may be gone.
//! 2. It reads the segments that stay as they are: segments without the right to write, and the part that is protected once
//!    its addresses have been put in. It passes over code, unless the linker put code and constants into one segment.
//! 3. A kind begins with a mark and the identity of its hooks' type, 32 bytes that stand nowhere else in that memory. (The
//!    mark that is compared is made up at run time, so that no constant of this file is like it.)
//! 4. The kinds are listed in the order of their addresses. That is the order of their places in the file, hence the same
//!    in every process of the program. A type may have several kinds; each is listed.
//!
//! Cost: the constants of the program are read once, a millisecond for some megabytes. Where the system is not Linux there
//! is no table.

use std::any::TypeId;
use std::ops::Range;

use crate::kind::{Kind, MARK};

/// The mark, made up at run time.
#[inline(never)]
fn mark() -> [u64; 2] {
    std::hint::black_box(const { [!MARK[0], !MARK[1]] }).map(|half| !half)
}

/// The memory that is never written of the program or library that this code is part of.
#[cfg(target_os = "linux")]
fn read_only() -> Vec<Range<usize>> {
    use libc::{PF_R, PF_X, PT_GNU_RELRO, PT_LOAD, c_int, c_void, dl_phdr_info, size_t};

    /// Of one program or library: leaves its constants in `found` and says so by 1, or says by 0 that the next is to come.
    unsafe extern "C" fn look(info: *mut dl_phdr_info, _: size_t, found: *mut c_void) -> c_int {
        static HERE: u8 = 0;
        // SAFETY: `dl_iterate_phdr` hands over what it tells of a program, and the pointer that `read_only` gave it. The
        // headers have the number that it says, and stay while it runs.
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
    // SAFETY: `look` takes what this calls it with, and `found` lives until it returns.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    found.sort_by_key(|range| range.start);
    found
}

#[cfg(not(target_os = "linux"))]
fn read_only() -> Vec<Range<usize>> {
    Vec::new()
}

/// All kinds with hooks of type `H` that this program has, in an order that is the same in each of its processes.
pub fn all_kinds<H: Sync + 'static>() -> Vec<&'static Kind<H>> {
    const WORD: usize = size_of::<u64>();
    let (mark, hooks_id) = (mark(), TypeId::of::<H>());
    let mut found = Vec::new();
    for Range { start, end } in read_only() {
        let start = start.next_multiple_of(align_of::<Kind<H>>());
        let words = end.checked_sub(start + size_of::<Kind<H>>()).map_or(0, |last| last / WORD + 1);
        // SAFETY: the memory is the program's, mapped as long as this code is, and never written: words may be read there,
        // whatever they are. A kind that begins at the last of them ends inside.
        let words =
            unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance::<u64>(start), words) };
        for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == mark[0]) {
            let kind = std::ptr::with_exposed_provenance::<Kind<H>>(start + at * WORD);
            // SAFETY: as above, for the words of a kind; a mark is followed by the identity of a type, which is plain words.
            let begins = unsafe {
                (&raw const (*kind).mark).read() == mark && (&raw const (*kind).hooks_id).read() == hooks_id
            };
            if begins {
                // SAFETY: a kind with such hooks is there: what it begins with stands nowhere else in this memory.
                found.push(unsafe { &*kind });
            }
        }
    }
    // Segments may overlap.
    found.dedup_by(|kind, before| std::ptr::eq(*kind, *before));
    found
}
