//! Window sizes and character sets with which the screens are tested.
#![allow(unused_imports, unused_macros)] // one of the test binaries draws no screen

use duke::testing::ui::Glyphs;

/// Name of a window, its size in columns and lines, and the set of characters drawn in it.
pub type Window = (&'static str, (u16, u16), Glyphs);

pub const USUAL: Window = ("80x24", (80, 24), Glyphs::Unicode);
pub const LARGE: Window = ("120x40", (120, 40), Glyphs::Unicode);
pub const SMALL: Window = ("40x10", (40, 10), Glyphs::Unicode);
pub const TINY: Window = ("20x6", (20, 6), Glyphs::Ascii);

/// Defines a test for each line `TEST: FUNCTION in WINDOW;`. The test calls the function for the window.
macro_rules! in_windows {
    ($($test:ident: $pictures:ident in $window:ident;)+) => {
        $(#[test]
        fn $test() {
            let (name, size, glyphs) = $crate::support::windows::$window;
            $pictures(name, size, glyphs);
        })+
    };
}
pub(crate) use in_windows;
