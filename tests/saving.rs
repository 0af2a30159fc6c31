//! `duke save` and `-f` from outside: what is written where, and what becomes of it when something goes wrong.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

mod program;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use program::place::Place;
use program::{Run, program, run, run_in};

/// A folder with something in it, and one for what is saved.
fn some() -> (Place, Place) {
    let place = Place::new();
    place.file("small", 10);
    place.file("large/one", 300_000);
    place.file("large/two", 100_000);
    fs::hard_link(place.path().join("small"), place.path().join("large/again")).unwrap();
    (place, Place::new())
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).into_iter().flatten().map(name).collect();
    names.sort();
    names
}

fn save(place: &Place, to: &Path) -> Run {
    run(program().arg("save").arg("-o").arg(to).arg(place.path()))
}

/// What JSON says, without how long it took.
fn json(run: Run) -> String {
    let text = run.ended(0).text().to_owned();
    let (before, rest) = text.split_once("\"elapsed_ms\":").unwrap();
    format!("{before}{}", rest.trim_start_matches(|letter: char| letter.is_ascii_digit()))
}

#[test]
fn a_snapshot_prints_what_the_scan_would() {
    let (place, folder) = some();
    let file = folder.path().join("file");
    let saved = save(&place, &file).ended(0);
    assert_eq!((saved.text(), saved.stderr.as_str()), ("", ""));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names(folder.path()), ["file"]);
    let of_file = |words: &[&str]| run(program().arg("-f").arg(&file).args(words));
    let of_scan = |words: &[&str]| run(program().arg(place.path()).args(words));
    assert_eq!(json(of_file(&["--json"])), json(of_scan(&["--json"])));
    assert_eq!(of_file(&["-d", "2"]).ended(0).text(), of_scan(&["-d", "2"]).ended(0).text());
    let changes = run(program().arg("diff").args([&file, &file])).ended(0);
    assert_eq!(changes.text().lines().count(), 1, "{}", changes.text());
}

#[test]
fn relative_roots_are_found_from_elsewhere() {
    let (place, folder) = some();
    let file = folder.path().join("file");
    run(program().current_dir(place.path()).arg("save").arg("-o").arg(&file)).ended(0);
    let table = run_in(Path::new("/"), ["-f".as_ref(), file.as_os_str(), "-s".as_ref()]).ended(0);
    assert!(table.text().trim_end().ends_with(place.path().to_str().unwrap()), "{}", table.text());
}

#[test]
fn standard_output_and_links_are_written_to() {
    let (place, folder) = some();
    let piped = run(program().args(["save", "-o", "-"]).arg(place.path())).ended(0).stdout;
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    symlink("file", folder.path().join("link")).unwrap();
    save(&place, &folder.path().join("link")).ended(0);
    assert!(fs::symlink_metadata(folder.path().join("link")).unwrap().is_symlink());
    assert_eq!(names(folder.path()), ["file", "link"]);
    assert_eq!(fs::read(&file).unwrap().len(), piped.len());
    fs::write(&file, piped).unwrap();
    run(program().arg("-f").arg(&file).arg("-s")).ended(0);
}

/// Fails unless the program said one line with `reason` and left the old file as it was.
fn assert_refused(run: Run, folder: &Path, reason: &str) {
    let run = run.ended(1);
    assert!(run.stderr.contains(reason) && run.stderr.lines().count() == 1, "{}", run.stderr);
    assert_eq!(names(folder), ["file"]);
    assert_eq!(fs::read(folder.join("file")).unwrap(), b"old");
}

#[test]
fn what_cannot_be_written_leaves_the_old_file() {
    let (place, folder) = some();
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    assert_refused(save(&place, Path::new("/dev/full")), folder.path(), "/dev/full: no space left on device");
    assert_refused(save(&place, &file.join("under")), folder.path(), "not a directory");
    assert_refused(save(&place, folder.path()), folder.path(), "is a directory");
    assert_refused(save(&place, &folder.path().join("no/file")), folder.path(), "no such file or directory");
    // As much as a full disk, wherever the tests run.
    let mut limited = program();
    limited.arg("save").arg("-o").arg(&file).arg(place.path());
    // SAFETY is none of ours: the standard library's own limits for what runs between fork and exec hold.
    let limited = with_limit(limited, 100);
    assert_refused(run(&mut { limited }), folder.path(), "file too large");
}

/// The program, which may write no file beyond so many bytes, and is not killed for trying.
fn with_limit(command: Command, bytes: u64) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", bytes / 512));
    shell.arg(command.get_program()).args(command.get_args());
    shell.stdin(Stdio::null());
    shell
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    if geteuid().is_root() {
        eprintln!("SKIPPED: root may write everywhere");
        return;
    }
    let (place, folder) = some();
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    assert_refused(save(&place, &file), folder.path(), "permission denied");
}
