//! Files of a fictional laptop.
//!
//! The files use about 125 MiB. Their contents are pseudo-random, so that no file system can compress them and the
//! sizes are the same everywhere. One file, the disk image of a virtual machine, has a hole: it is 8 GiB long, but
//! uses only 7 MiB. Ages are relative to the current time, so that the age view is the same on any day.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const DAY: u64 = 24 * 60 * 60;

/// Files: path, length in bytes, age in days. A file with `(1)` in its name has the same contents as the file without
/// it.
const FILES: [(&str, usize, u64); 22] = [
    ("backup/old-laptop.tar.zst", 16 * MIB, 1600),
    ("downloads/linux.iso", 12 * MIB, 40),
    ("downloads/linux (1).iso", 12 * MIB, 39),
    ("downloads/manual.pdf", 2 * MIB, 300),
    ("downloads/manual (1).pdf", 2 * MIB, 20),
    ("logs/server.log", 3 * MIB, 0),
    ("logs/server.log.1", 2 * MIB, 8),
    ("music/concert.flac", 6 * MIB, 900),
    ("notes.txt", 4 * KIB, 1),
    ("photos/2024/beach.jpg", 3 * MIB, 500),
    ("photos/2024/sunset.jpg", 2 * MIB, 499),
    ("photos/2025/birthday.jpg", 3 * MIB, 120),
    ("projects/engine/Cargo.toml", 200, 2),
    ("projects/engine/src/main.rs", 20 * KIB, 2),
    ("projects/engine/target/debug/engine", 9 * MIB, 2),
    ("projects/engine/target/debug/deps/libengine.rlib", 5 * MIB, 2),
    ("projects/engine/target/debug/deps/libmath.rlib", 4 * MIB, 60),
    ("projects/shop/package.json", 300, 5),
    ("projects/shop/src/cart.js", 30 * KIB, 5),
    ("projects/shop/src/index.js", 12 * KIB, 5),
    ("videos/holiday.mp4", 28 * MIB, 200),
    ("videos/trailer.mp4", 4 * MIB, 700),
];

/// Number of packages in `node_modules`, number of files in each package, and length of each file in bytes.
const PACKAGES: (usize, usize, usize) = (60, 5, 12 * KIB);

/// Photos, each with the path of a hard link to it. Some backup programs create such hard links.
const HARD_LINKS: [(&str, &str); 2] = [
    ("photos/2024/beach.jpg", "backup/photos/beach.jpg"),
    ("photos/2024/sunset.jpg", "backup/photos/sunset.jpg"),
];

/// Disk image of a virtual machine: path, bytes written, and length including the hole after them.
const IMAGE: (&str, usize, u64) = ("machines/test.img", 7 * MIB, 8 << 30);

/// Contents of `CACHEDIR.TAG`, the file that marks a directory as a cache (<https://bford.info/cachedir/>).
const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55\n";

/// Creates the directory `path`, which must not exist, and all files of the laptop in it.
pub fn create(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    let now = SystemTime::now();
    for (name, length, age) in FILES {
        file(&path.join(name), &contents(name, length), now, age)?;
    }
    let (packages, files, length) = PACKAGES;
    for package in 0..packages {
        for number in 0..files {
            let name = format!("projects/shop/node_modules/package-{package:02}/lib/{number}.js");
            file(&path.join(&name), &contents(&name, length), now, 400)?;
        }
    }
    file(&path.join("projects/engine/target/CACHEDIR.TAG"), CACHE_TAG, now, 60)?;
    for (name, link) in HARD_LINKS {
        let link = path.join(link);
        fs::create_dir_all(link.parent().unwrap_or(path))?;
        fs::hard_link(path.join(name), link)?;
    }
    let (name, written, length) = IMAGE;
    file(&path.join(name), &contents(name, written), now, 35)?;
    let image = File::options().write(true).open(path.join(name))?;
    image.set_len(length)?;
    image.set_modified(age(now, 35))
}

/// Creates a file that was last modified `days` days before `now`, and the directories above it.
fn file(path: &Path, bytes: &[u8], now: SystemTime, days: u64) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.set_modified(age(now, days))
}

fn age(now: SystemTime, days: u64) -> SystemTime {
    now - Duration::from_secs(days * DAY)
}

/// Returns `length` pseudo-random bytes (xorshift). A name with `(1)` gives the same bytes as the name without it.
fn contents(name: &str, length: usize) -> Vec<u8> {
    let mut state = name.replace(" (1)", "").bytes().fold(0x2545_f491_4f6c_dd1d_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}
