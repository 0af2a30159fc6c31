//! File names with characters that could control a terminal, and a function that checks whether a character may
//! appear on the screen.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Names that could disturb the screen: with control or format characters, invalid UTF-8, combining or wide characters,
/// or the maximum length.
pub const NAMES: [&[u8]; 24] = [
    b"\x1b[31;5mred",
    b"\x1b[8mconcealed",
    b"\x1b]0;title\x07",
    b"\x1b]52;c;c3RvbGVu\x07",
    b"\x1b]8;;http:x\x1b\\link",
    b"\x1b[?1049lmain",
    b"\x1b[?9hmouse",
    b"\x1bc",
    b"\x1b[6n",
    b"\x1bP+q544e\x1b\\",
    b"\x9b5m and \x9d0;x\x9c",
    "\u{9b}5mC1 \u{85}\u{8d}\u{9d}0;x\u{9c}".as_bytes(),
    b"line\nfeed\r\x0b\x0c",
    b"\x08\x08\x08back \x7f",
    b"bell\x07 shift\x0e\x0f null-like\x01",
    "\u{202e}gnp.exe\u{2066}\u{2069}".as_bytes(),
    "\u{200b}\u{200d}\u{feff}\u{ad}".as_bytes(),
    "\u{2028}\u{2029}lines".as_bytes(),
    b"bad\xff\xfe\xc3",
    b"\xed\xa0\x80 surrogate",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}".as_bytes(),
    "\u{5bbd}\u{5bbd}\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f1e9}\u{1f1ea}".as_bytes(),
    "\u{e0041}\u{e007f}tags".as_bytes(),
    &[b'w'; 255],
];

/// Creates a directory in `root` for each name in `NAMES`. Each directory contains a file for each name in `NAMES`,
/// and some also contain an unreadable directory.
pub fn fill(root: &Path) {
    let mut made = 0_usize;
    for (number, name) in NAMES.iter().enumerate() {
        let directory = root.join(OsStr::from_bytes(name));
        // A file system that accepts only UTF-8 refuses some of the names.
        if fs::create_dir(&directory).is_err() {
            continue;
        }
        for (other, name) in NAMES.iter().enumerate() {
            let _ = fs::write(directory.join(OsStr::from_bytes(name)), vec![b'x'; 100 * other * number]);
        }
        made += 1;
        if number % 3 == 2 {
            let locked = directory.join("locked\x1b[5m");
            fs::create_dir(&locked).unwrap();
            fs::set_permissions(locked, fs::Permissions::from_mode(0o000)).unwrap();
        }
        let twin = root.join(format!("twin \u{1b}[5m{number}"));
        let _ = fs::hard_link(directory.join(OsStr::from_bytes(NAMES[1])), twin);
    }
    assert!(made > 12, "{made} names");
}

/// Returns `true` if `character` may appear on the screen as part of a name.
pub fn is_harmless(character: char) -> bool {
    let unseen = matches!(
        character,
        '\u{ad}'
            | '\u{200b}'..='\u{200c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    );
    !character.is_control() && !unseen
}
