//! Memory of the static builds: musl's allocator has one lock for all threads, so each thread keeps some of the small blocks it frees.
//!
//! ```text
//! thread: [16 bytes: block -> block -> ...] [32: ...] ... [512: ...]      at most KEPT of each size
//!                                   |
//!                                 musl: everything else, and what is more
//! ```
//!
//! Blocks come from musl by the size of their class and go back to it as the same, so it does not matter which thread frees one.
//!
//! Invariant: a block in a list is owned by that list alone; its first word is the next one, or null.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// Sizes are rounded up to multiples of this, which is musl's alignment, too.
const STEP: usize = 16;
/// Lists, one for each multiple.
const CLASSES: usize = 32;
/// The most blocks in a list: 132 KiB altogether, if all are full.
const KEPT: usize = 16;

/// The allocator.
#[derive(Debug)]
pub struct Cached;

/// The blocks of one size that a thread has to spare.
struct List {
    first: Cell<*mut u8>,
    length: Cell<usize>,
}

// No value here needs to be dropped, so that nothing has to be allocated to remember that.
thread_local! {
    static LISTS: [List; CLASSES] =
        const { [const { List { first: Cell::new(null_mut()), length: Cell::new(0) } }; CLASSES] };
}

/// Which list blocks of this layout are in, and the layout that musl knows them by.
fn class(layout: Layout) -> Option<(usize, Layout)> {
    let class = layout.size().checked_sub(1)? / STEP;
    let fits = class < CLASSES && layout.align() <= STEP;
    let whole = Layout::from_size_align((class + 1) * STEP, STEP).ok()?;
    fits.then_some((class, whole))
}

impl List {
    fn take(&self) -> Option<*mut u8> {
        let block = self.first.get();
        if block.is_null() {
            return None;
        }
        // SAFETY: what is in the list was put there by `put`, which wrote the next one into its first word, and nobody has
        // had it since.
        self.first.set(unsafe { block.cast::<*mut u8>().read_unaligned() });
        self.length.set(self.length.get() - 1);
        Some(block)
    }

    /// Whether the block was taken.
    ///
    /// # Safety
    /// The block is of this list's class, at least a word long, aligned for one, and nobody's any more.
    unsafe fn put(&self, block: *mut u8) -> bool {
        if self.length.get() >= KEPT {
            return false;
        }
        // SAFETY: as the caller promises.
        unsafe { block.cast::<*mut u8>().write_unaligned(self.first.get()) };
        self.first.set(block);
        self.length.set(self.length.get() + 1);
        true
    }
}

// Not inlined: at each of some thousand places that would make the program 1 MiB larger, and no faster.
// SAFETY: every block is one of the system's allocator, of at least the size and alignment that were asked for (`class` rounds
// up), handed out to one owner at a time: it is in no list while it is in use, and a list is used by its thread only.
unsafe impl GlobalAlloc for Cached {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((class, whole)) = class(layout) else {
            // SAFETY: the caller's promise is handed on.
            return unsafe { System.alloc(layout) };
        };
        let kept = LISTS.try_with(|lists| lists[class].take()).ok().flatten();
        // SAFETY: the size of a class is not 0.
        kept.unwrap_or_else(|| unsafe { System.alloc(whole) })
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((class, whole)) = class(layout) else {
            // SAFETY: blocks of this layout come from the system's allocator as they are.
            return unsafe { System.dealloc(block, layout) };
        };
        // SAFETY: a block of this layout is of this class, and the caller gives it up.
        let is_kept = LISTS.try_with(|lists| unsafe { lists[class].put(block) }).unwrap_or(false);
        if !is_kept {
            // SAFETY: it came from the system's allocator with this layout.
            unsafe { System.dealloc(block, whole) };
        }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if class(layout).is_none() {
            // SAFETY: the caller's promise is handed on; fresh pages need no clearing.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's promise is handed on.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block is at least this long.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(new) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        match (class(layout), class(new)) {
            (Some((old, _)), Some((new, _))) if old == new => block,
            // SAFETY: a block of no class is the system's as it is, and stays one.
            (None, None) => unsafe { System.realloc(block, layout, size) },
            _ => {
                // SAFETY: the caller's promise is handed on; the new block is another one.
                let moved = unsafe { self.alloc(new) };
                if !moved.is_null() {
                    // SAFETY: both are at least so long, and the old one is given up once.
                    unsafe {
                        moved.copy_from_nonoverlapping(block, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                }
                moved
            }
        }
    }
}

/// Gives back what the thread keeps: to be called when it ends.
pub fn release() {
    let _ = LISTS.try_with(|lists| {
        for (number, list) in (1..).zip(lists) {
            let Ok(whole) = Layout::from_size_align(number * STEP, STEP) else { continue };
            while let Some(block) = list.take() {
                // SAFETY: blocks in a list came from the system's allocator with the layout of its class.
                unsafe { System.dealloc(block, whole) };
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    fn taken(layout: Layout) -> *mut u8 {
        // SAFETY: no layout here is of no bytes.
        unsafe { Cached.alloc(layout) }
    }

    fn freed(block: *mut u8, layout: Layout) {
        // SAFETY: the tests free each block once, with its layout.
        unsafe { Cached.dealloc(block, layout) };
    }

    fn kept(class: usize) -> usize {
        LISTS.with(|lists| lists[class].length.get())
    }

    #[test]
    fn small_blocks_are_kept_up_to_a_number_and_given_back_at_the_end() {
        let blocks: Vec<*mut u8> = (0..KEPT + 5).map(|_| taken(layout(40))).collect();
        for (number, block) in (0..).zip(&blocks) {
            // SAFETY: the block is 40 bytes long, and this test's.
            unsafe { block.write_bytes(number, 40) };
        }
        for (number, block) in (0_u8..).zip(&blocks) {
            // SAFETY: it was written just now.
            assert!((0..40).all(|at| unsafe { block.add(at).read() } == number));
        }
        for block in &blocks {
            freed(*block, layout(40));
        }
        assert_eq!(kept(2), KEPT);
        let again = taken(layout(33));
        assert!(blocks.contains(&again), "a size of the same class");
        assert_eq!(kept(2), KEPT - 1);
        freed(again, layout(33));
        release();
        assert_eq!(kept(2), 0);
    }

    #[test]
    fn what_grows_and_shrinks_keeps_its_bytes() {
        let (mut block, mut size) = (taken(layout(1)), 1);
        for next in [1, 16, 17, 500, 512, 513, 5_000, 9_000, 600, 512, 20, 3] {
            // SAFETY: the block is of this size; it is written to its end before it moves, and read after.
            unsafe {
                block.write_bytes(7, size);
                block = Cached.realloc(block, layout(size), next);
                assert!((0..size.min(next)).all(|at| block.add(at).read() == 7), "{size} to {next}");
            }
            size = next;
        }
        freed(block, layout(size));
        // SAFETY: the size is not 0.
        let block = unsafe { Cached.alloc_zeroed(layout(3)) };
        // SAFETY: the block has three bytes, which were used a moment ago and are cleared now.
        assert!((0..3).all(|at| unsafe { block.add(at).read() } == 0));
        freed(block, layout(3));
        release();
    }

    #[test]
    fn what_is_large_or_oddly_aligned_is_the_systems() {
        let aligned = Layout::from_size_align(64, 64).unwrap();
        assert!(class(aligned).is_none() && class(layout(513)).is_none());
        let block = taken(aligned);
        assert_eq!(block.addr() % 64, 0);
        freed(block, aligned);
        assert_eq!(class(layout(512)).map(|(class, whole)| (class, whole.size())), Some((31, 512)));
    }
}
