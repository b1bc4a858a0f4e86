//! Large pages, for large memory that is read and written at long distances.
//!
//! The TLB of a processor holds some thousand pages. A pass over the columns of a large matrix reaches
//! another page with every row. With pages of 4 KiB the processor looks each of them up in memory; with
//! pages of 2 MiB the TLB holds all of them.

/// Size of a large page, in bytes.
pub(crate) const LARGE: usize = 2 << 20;

/// Asks the system to back these elements with large pages, where whole large pages fit. The request takes
/// effect for memory that has not been touched yet. It has no effect where a system has no large pages or
/// decides about them itself.
pub fn in_large_pages<E>(elements: &mut [E]) {
    #[cfg(target_os = "linux")]
    {
        let (begin, bytes) = (elements.as_mut_ptr().cast::<u8>(), size_of_val(elements));
        let before = begin.addr().next_multiple_of(LARGE) - begin.addr();
        let length = bytes.saturating_sub(before) / LARGE * LARGE;
        if length > 0 {
            // SAFETY: these pages are within elements that are borrowed exclusively, and the advice changes
            // none of them. A refused advice is no error.
            unsafe { libc::madvise(begin.add(before).cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = elements;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Whether the system has recorded the advice for the memory of an address.
    fn is_advised(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = false;
        for line in maps.lines() {
            let word = line.split(' ').next().unwrap_or_default();
            if let Some((from, to)) = word.split_once('-') {
                let [from, to] = [from, to].map(|end| usize::from_str_radix(end, 16).unwrap_or(0));
                inside = (from..to).contains(&address);
            } else if inside && word == "VmFlags:" {
                return line.split(' ').any(|flag| flag == "hg");
            }
        }
        false
    }

    #[test]
    fn whole_large_pages_are_requested_and_elements_stay() {
        let mut elements = vec![7_u64; 1 << 20];
        in_large_pages(&mut elements);
        assert!(elements.iter().all(|&x| x == 7));
        let inside = (&raw const elements[1 << 19]).addr();
        // A kernel without large pages records no advice.
        let has_pages = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        assert_eq!(is_advised(inside), has_pages);
        // These elements contain no whole large page.
        in_large_pages(&mut elements[..1 << 17]);
        in_large_pages::<u64>(&mut []);
    }
}
