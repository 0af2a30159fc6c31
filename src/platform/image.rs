//! What of the program itself, and of its libraries, is resident.
//!
//! Knows nothing of scans. Invariant: only pages that are the same in the file are let go of, so that each comes back as it was.
//!
//! The kernel maps not only the page of a program that is needed but up to 64 KiB round it, if they are cached
//! (`fault_around_bytes`), and what only starting needed stays mapped, too. That is two thirds of what a small scan seems to
//! take. None of it is anybody's loss, but it is what `top` shows, and what a limit by resident set counts.

/// How little is to be resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thrift {
    /// What is used, and some round it: starting takes 1 ms longer.
    Moderate,
    /// What is used, and its neighbours: starting takes 2.5 ms longer.
    Strict,
}

/// Lets go of what only starting needed, and has less mapped from now on than the kernel would map. Where that is not to be had,
/// everything stays as it is. A debugger's breakpoints are let go of, too: set them later.
///
/// The kernel does not map beyond a mapping's end, and a mapping ends where its advice changes (madvise(2)).
pub fn shrink(thrift: Thrift) {
    #[cfg(target_os = "linux")]
    segments::shrink(match thrift {
        Thrift::Moderate => 8,
        Thrift::Strict => 2,
    });
    #[cfg(not(target_os = "linux"))]
    let _ = thrift;
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod segments {
    use std::ffi::{c_int, c_void};
    use std::ops::Range;

    use nix::unistd::{SysconfVar, sysconf};

    /// What is done with a segment, page by page.
    type Visit<'v> = &'v mut dyn FnMut(Range<usize>);

    /// From now on no more than `pages` are mapped at once.
    pub(super) fn shrink(pages: usize) {
        let Some(page) =
            sysconf(SysconfVar::PAGE_SIZE).ok().flatten().and_then(|page| usize::try_from(page).ok())
        else {
            return;
        };
        read_only(page, &mut |segment| {
            // SAFETY: the segment is one of an object that is loaded as long as this is called, and nobody writes to it.
            unsafe { advise(&segment, libc::MADV_DONTNEED) };
            let step = pages * page;
            for begin in segment.clone().step_by(2 * step) {
                // SAFETY: as above.
                unsafe { advise(&(begin..segment.end.min(begin + step)), libc::MADV_RANDOM) };
            }
        });
    }

    /// Goes through the whole pages of code and constants: of segments that nobody, the loader included, may have written to. The
    /// loader is held meanwhile: no object comes or goes.
    fn read_only(page: usize, mut visit: Visit<'_>) {
        let mut given = (page, &mut visit);
        // SAFETY: `collect` is called during this call only, with what it expects: `given` is of its type.
        unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut given).cast()) };
    }

    /// Visits the segments of one object; see `dl_iterate_phdr(3)`.
    ///
    /// # Safety
    /// `given` is what `read_only` gives.
    unsafe extern "C" fn collect(object: *mut libc::dl_phdr_info, _: usize, given: *mut c_void) -> c_int {
        // SAFETY: the loader hands out a description that is whole, and the caller says what `given` is.
        let (object, (page, visit)) = unsafe { (&*object, &mut *given.cast::<(usize, &mut Visit<'_>)>()) };
        if object.dlpi_phdr.is_null() {
            return 0;
        }
        // SAFETY: the description says how many headers there are, and they stay where they are as long as the object is loaded.
        let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
        for header in headers {
            if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0 {
                #[allow(clippy::cast_possible_truncation)] // addresses are as long as pointers
                let (begin, length) = ((object.dlpi_addr + header.p_vaddr) as usize, header.p_memsz as usize);
                let whole = begin.next_multiple_of(*page)..(begin + length) / *page * *page;
                if !whole.is_empty() {
                    visit(whole);
                }
            }
        }
        0
    }

    /// Advice on pages of a read-only segment. A kernel that does not take it changes nothing.
    ///
    /// # Safety
    /// The pages are mapped from a file for as long as this takes, and nobody wrote to them: what is read there next is what the
    /// file has.
    unsafe fn advise(pages: &Range<usize>, advice: c_int) {
        debug_assert!(matches!(advice, libc::MADV_DONTNEED | libc::MADV_RANDOM));
        // SAFETY: the caller says that what is let go of comes back as it was.
        unsafe { libc::madvise(pages.start as *mut c_void, pages.len(), advice) };
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::sync::OnceLock;

        #[test]
        fn the_code_of_this_program_is_among_the_segments_and_its_variables_are_not() {
            static VARIABLE: OnceLock<usize> = OnceLock::new();
            let holds = |address: usize| {
                let mut found = false;
                read_only(4096, &mut |segment| found |= segment.contains(&address));
                found
            };
            assert!(holds(shrink as fn(usize) as usize));
            assert!(!holds((&raw const VARIABLE) as usize));
            assert!(!holds((&raw const holds) as usize), "nor the stack");
        }

        #[test]
        fn what_was_let_go_of_works_as_before_while_others_use_it() {
            let words = || (0..2_000).map(|n| format!("{n:x}")).collect::<Vec<_>>().concat();
            let expected = words();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..20).for_each(|_| assert_eq!(words(), expected)));
                }
                (0..20).for_each(|round| shrink(2 + round % 7));
            });
            assert_eq!(words(), expected);
        }
    }
}
