//! A script of `rm` commands for a shell, to be read before it is run, instead of deleting.
//!
//! Every path is quoted so that a shell takes it byte for byte, whatever is in it, and so that it can be read on a terminal:
//! what a terminal would act on, or nobody would see, is written in octal. What is said beside it is said by numbers.
//!
//! Knows no tree. Invariant: no byte of a name is outside of quotes, and none of them acts on a terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Zoned;

use crate::text::command;

/// Files of one second that can be told apart.
const NUMBERS: u32 = 100;

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The absolute path.
    pub path: Vec<u8>,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// What it takes up, as text.
    pub size: String,
}

/// The script, as bytes: names need not be UTF-8.
pub fn text(lines: &[Line]) -> Vec<u8> {
    let mut script =
        b"#!/bin/sh\n# Read this before you run it: each line removes what it names, for good.\nset -u\n"
            .to_vec();
    for line in lines {
        script.extend_from_slice(format!("\n# {}\n", line.size).as_bytes());
        let rm = if line.is_directory { "rm -r --" } else { "rm --" };
        script.extend_from_slice(command(rm, &line.path).as_bytes());
        script.push(b'\n');
    }
    script
}

/// Writes the script to a new file in `directory`, which only its owner can read and nobody run, and says where it is.
///
/// # Errors
/// When it cannot be written.
pub fn write(directory: &Path, lines: &[Line]) -> io::Result<PathBuf> {
    let time = Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    for number in 1..=NUMBERS {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = directory.join(format!("duke-rm-{time}{suffix}.sh"));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return fill(opened?, &path, lines).map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn fill(mut file: File, path: &Path, lines: &[Line]) -> io::Result<()> {
    let written = file.write_all(&text(lines)).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half a script is worse than none.
        let _ = std::fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word_and_can_be_read() {
        let cases: [(&[u8], &str); 6] = [
            (b"/a b/c", "rm -- '/a b/c'"),
            (b"/it's", "rm -- '/it'\\''s'"),
            (b"/$(x)`y`\\\"", "rm -- '/$(x)`y`\\\"'"),
            ("/gr\u{f6}\u{df}e".as_bytes(), "rm -- '/gr\u{f6}\u{df}e'"),
            (b"/a\n", "p=$(printf '%b_' '/a\\0012') && rm -- \"${p%_}\""),
            (b"/\xff'\x1b", "p=$(printf '%b_' '/\\0377\\0047\\0033') && rm -- \"${p%_}\""),
        ];
        for (path, expected) in cases {
            assert_eq!(command("rm --", path), expected);
        }
    }
}
