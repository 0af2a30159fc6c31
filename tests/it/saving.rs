//! Tests of the files that `duke save` writes and `duke -f` reads, and of the errors that these commands report.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::program::test_dir::TestDir;
use crate::program::{Run, program, run, run_in};
use crate::support::room::keeps_snapshots;
use nix::unistd::geteuid;

/// Returns a folder with files, and an empty folder for snapshots.
fn some() -> (TestDir, TestDir) {
    let temp = TestDir::new();
    temp.file("small", 10);
    temp.file("large/one", 300_000);
    temp.file("large/two", 100_000);
    fs::hard_link(temp.path().join("small"), temp.path().join("large/again")).unwrap();
    (temp, TestDir::new())
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).into_iter().flatten().map(name).collect();
    names.sort();
    names
}

fn save(temp: &TestDir, to: &Path) -> Run {
    run(program().arg("save").arg("-o").arg(to).arg(temp.path()))
}

/// Returns JSON output without the duration.
fn json(run: Run) -> String {
    let text = run.ended(0).text().to_owned();
    let (before, rest) = text.split_once("\"elapsed_ms\":").unwrap();
    format!("{before}{}", rest.trim_start_matches(|letter: char| letter.is_ascii_digit()))
}

#[test]
fn a_snapshot_prints_the_same_as_its_scan() {
    let (temp, folder) = some();
    let file = folder.path().join("file");
    let saved = save(&temp, &file).ended(0);
    assert_eq!((saved.text(), saved.stderr.as_str()), ("", ""));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names(folder.path()), ["file"]);
    let of_file = |words: &[&str]| run(program().arg("-f").arg(&file).args(words));
    let of_scan = |words: &[&str]| run(program().arg(temp.path()).args(words));
    assert_eq!(json(of_file(&["--json"])), json(of_scan(&["--json"])));
    assert_eq!(of_file(&["-d", "2"]).ended(0).text(), of_scan(&["-d", "2"]).ended(0).text());
    let changes = run(program().arg("diff").args([&file, &file])).ended(0);
    assert_eq!(changes.text().lines().count(), 1, "{}", changes.text());
}

#[test]
fn relative_roots_are_found_from_elsewhere() {
    let (temp, folder) = some();
    let file = folder.path().join("file");
    run(program().current_dir(temp.path()).arg("save").arg("-o").arg(&file)).ended(0);
    let table = run_in(Path::new("/"), ["-f".as_ref(), file.as_os_str(), "-s".as_ref()]).ended(0);
    assert!(table.text().trim_end().ends_with(temp.path().to_str().unwrap()), "{}", table.text());
}

#[test]
fn standard_output_and_links_are_written_to() {
    let (temp, folder) = some();
    let piped = run(program().args(["save", "-o", "-"]).arg(temp.path())).ended(0).stdout;
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    symlink("file", folder.path().join("link")).unwrap();
    save(&temp, &folder.path().join("link")).ended(0);
    assert!(fs::symlink_metadata(folder.path().join("link")).unwrap().is_symlink());
    assert_eq!(names(folder.path()), ["file", "link"]);
    assert_eq!(fs::read(&file).unwrap().len(), piped.len());
    fs::write(&file, piped).unwrap();
    run(program().arg("-f").arg(&file).arg("-s")).ended(0);
}

/// Fails unless the program printed one line with `reason`, and left the old file in `folder` unchanged.
fn assert_refused(run: Run, folder: &Path, reason: &str) {
    let run = run.ended(1);
    assert!(run.stderr.contains(reason) && run.stderr.lines().count() == 1, "{}", run.stderr);
    assert_eq!(names(folder), ["file"]);
    assert_eq!(fs::read(folder.join("file")).unwrap(), b"old");
}

#[test]
fn a_failed_write_keeps_the_old_file() {
    let (temp, folder) = some();
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    if Path::new("/dev/full").exists() {
        assert_refused(
            save(&temp, Path::new("/dev/full")),
            folder.path(),
            "/dev/full: cannot write: no space left on device",
        );
    }
    assert_refused(save(&temp, &file.join("under")), folder.path(), "not a directory");
    assert_refused(save(&temp, folder.path()), folder.path(), "is a directory");
    assert_refused(save(&temp, &folder.path().join("no/file")), folder.path(), "no such file or directory");
    // A limit of 0 bytes for file sizes simulates a full disk on every system.
    let mut limited = program();
    limited.arg("save").arg("-o").arg(&file).arg(temp.path());
    assert_refused(run(&mut without_room(&limited)), folder.path(), "file too large");
}

/// Returns a command that runs `command` with SIGXFSZ ignored and a file-size limit of 0, so that writes to files fail.
fn without_room(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"trap '' XFSZ; ulimit -f 0; exec "$0" "$@""#]);
    shell.arg(command.get_program()).args(command.get_args());
    shell.stdin(Stdio::null());
    shell
}

#[test]
fn a_kill_leaves_the_old_file_or_a_whole_new_one() {
    let temp = TestDir::new();
    for number in 0..3000 {
        temp.file(format!("{}/{number}", number / 10), 1);
    }
    let folder = TestDir::new();
    let file = folder.path().join("file");
    let mut unfinished = 0;
    let begun = Instant::now();
    save(&temp, &file).ended(0);
    let whole = begun.elapsed();
    for part in 0..16 {
        fs::write(&file, "old").unwrap();
        let mut child = program().arg("save").arg("-o").arg(&file).arg(temp.path()).spawn().unwrap();
        // Each round kills the program at a different time. Unless the new file is complete, the final name still
        // belongs to the old file.
        std::thread::sleep(whole * part / 15);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert!(status.signal() == Some(9) || status.success(), "{status}");
        if fs::read(&file).unwrap() == b"old" {
            unfinished += 1;
        } else {
            run(program().arg("-f").arg(&file).arg("-s")).ended(0);
        }
        let left = names(folder.path()).into_iter().filter(|name| name != "file");
        left.for_each(|name| fs::remove_file(folder.path().join(name)).unwrap());
    }
    eprintln!("{unfinished} of 16 were killed before they had finished");
}

#[test]
fn a_damaged_snapshot_is_one_error_with_its_offset() {
    let (temp, folder) = some();
    let file = folder.path().join("file");
    save(&temp, &file).ended(0);
    let whole = fs::read(&file).unwrap();
    let name = file.to_str().unwrap();
    let assert_damaged = |bytes: &[u8], code: i32, reason: &str| {
        fs::write(&file, bytes).unwrap();
        for words in [&["--json"][..], &["-s"], &["--ndjson"]] {
            let run = run(program().arg("-f").arg(&file).args(words)).ended(code);
            assert_eq!(run.stderr, format!("duke: {name}: {reason}\n"));
        }
    };
    assert_damaged(
        &whole[..whole.len() - 1],
        2,
        &format!(
            "byte {}: end of the snapshot not found; the file is truncated or has trailing data",
            whole.len() - 33
        ),
    );
    assert_damaged(&whole[..20], 2, "byte 20: the file is truncated here");
    let mut changed = whole.clone();
    changed[17] ^= 1;
    assert_damaged(&changed, 2, "byte 16: wrong checksum");
}

#[test]
fn without_a_file_name_snapshots_are_kept_and_old_ones_deleted() {
    if !keeps_snapshots() {
        return;
    }
    let (temp, state) = some();
    let kept = state.path().join("duke");
    let keep = || run(program().env("XDG_STATE_HOME", state.path()).arg("save").arg(temp.path()));
    let path = PathBuf::from(keep().ended(0).text().trim_end());
    assert_eq!(path.parent(), Some(kept.as_path()));
    let modes = [&path, &kept].map(|path| fs::metadata(path).unwrap().permissions().mode() & 0o777);
    assert_eq!(modes, [0o600, 0o700]);
    run(program().arg("-f").arg(&path).arg("-s")).ended(0);
    fs::write(kept.join("notes"), "mine").unwrap();
    fs::write(kept.join("scan-00000000-00000000007.duke"), "of long ago").unwrap();
    keep().ended(0);
    let names = names(&kept);
    assert!(names.contains(&"notes".to_owned()) && names.len() <= 3, "{names:?}");
    assert!(!names.iter().any(|name| name.contains("00000000007")), "{names:?}");
}

#[test]
fn without_a_home_save_needs_a_file_name() {
    let (temp, _) = some();
    let run = run(program().env_remove("XDG_STATE_HOME").env_remove("HOME").arg("save").arg(temp.path()));
    assert!(run.ended(2).stderr.contains("-o is required"));
}

/// Runs duke with `file` piped to standard input.
fn piped(file: &Path, words: &[&str]) -> Run {
    let mut sender = Command::new("cat").arg(file).stdout(Stdio::piped()).spawn().unwrap();
    let mut command = program();
    command.args(words).current_dir(file.parent().unwrap()).stdin(sender.stdout.take().unwrap());
    let run = run(&mut command);
    // The sender's status is ignored: after an error, duke stops reading, and SIGPIPE may end the sender.
    sender.wait().unwrap();
    run
}

#[test]
fn a_snapshot_in_a_pipe_is_read_like_a_file() {
    let (temp, folder) = some();
    let (file, packed) = (folder.path().join("file"), folder.path().join("file.gz"));
    save(&temp, &file).ended(0);
    let pack = Command::new("gzip").arg("-k").arg(&file).status().unwrap();
    assert!(pack.success());
    let expected = json(run(program().args(["--json", "-q", "-f"]).arg(&file)));
    for file in [&file, &packed] {
        assert_eq!(json(piped(file, &["--json", "-q", "-f", "-"])), expected);
    }
    let path = temp.path().to_str().unwrap();
    let same = piped(&file, &["diff", "-n", "-", path]).ended(0);
    assert_eq!(same.text().lines().count(), 1, "{}", same.text());
    // If two snapshots are read together, the name of each root begins with the name of its host.
    let both = piped(&file, &["--json", "-f", "file", "-f", "-"]).ended(0).json();
    let roots = both.root().get("roots").elements();
    let names = roots.iter().map(|root| root.get("name").text()).collect::<Vec<_>>();
    assert!(names.len() == 2 && names[0] == names[1] && names[0].ends_with(&format!(":{path}")), "{names:?}");
}

#[test]
fn a_damaged_snapshot_in_a_pipe_is_one_error() {
    let (temp, folder) = some();
    let file = folder.path().join("file");
    save(&temp, &file).ended(0);
    let list = piped(&file, &["-s", "-q", "--format", "du", "-f", "-"]).ended(2);
    let reason = "duke: standard input: this is a snapshot; --format, --fields, --root and --columns FIELD=COLUMN work only with lists of files\n";
    assert_eq!(list.stderr, reason);
    let bytes = fs::read(&file).unwrap();
    for length in [12, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&file, &bytes[..length]).unwrap();
        let torn = piped(&file, &["-s", "-q", "-f", "-"]).ended(2);
        assert!(torn.stderr.starts_with("duke: standard input: byte "), "{}", torn.stderr);
        assert_eq!(torn.stderr.lines().count(), 1, "{}", torn.stderr);
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    if geteuid().is_root() {
        eprintln!("SKIPPED: root may write everywhere");
        return;
    }
    let (temp, folder) = some();
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let run = save(&temp, &file);
    // Allows the folder to be deleted.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    assert_refused(run, folder.path(), "permission denied");
}

const DAY: i64 = 86_400;

/// Saves a snapshot of `t` in the state folder, and makes it appear `days` old by changing the time in its name.
fn keep(temp: &TestDir, state: &TestDir, flags: &[&str], days: i64) -> PathBuf {
    let saved = with_state(temp, state, &[&["save"], flags, &["t"]].concat());
    let now = saved.ended(0).text().trim_end().to_owned();
    let (front, seconds) = now.trim_end_matches(".duke").rsplit_once('-').unwrap();
    let then = format!("{front}-{:011}.duke", seconds.parse::<i64>().unwrap() - days * DAY);
    fs::rename(now, &then).unwrap();
    then.into()
}

fn with_state(temp: &TestDir, state: &TestDir, words: &[&str]) -> Run {
    run(program().env("XDG_STATE_HOME", state.path()).env("TZ", "UTC").current_dir(temp.path()).args(words))
}

/// Returns the names of new files in the output of a comparison.
fn new_files(run: Run) -> Vec<String> {
    let run = run.ended(0);
    let new = run.text().lines().filter(|line| line.contains("  new  "));
    let mut names: Vec<String> = new.map(|line| line.rsplit('/').next().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_directory_alone_is_compared_with_a_snapshot_that_was_kept_of_it() {
    if !keeps_snapshots() {
        return;
    }
    let (temp, state) = (TestDir::new(), TestDir::new());
    temp.file("t/old", 5000);
    let first = keep(&temp, &state, &[], 5);
    temp.file("t/middle", 5000);
    let second = keep(&temp, &state, &[], 2);
    temp.file("t/late", 5000);
    let diff = |words: &[&str]| with_state(&temp, &state, &[&["diff", "-n"], words].concat());
    // The newest snapshot is used for every spelling of the directory's path.
    let whole = temp.join("t").into_os_string().into_string().unwrap();
    for path in ["t", "t/", "./t/.", &whole] {
        assert_eq!(new_files(diff(&[path])), ["late"], "{path}");
    }
    let inside = temp.join("t");
    let here =
        program().env("XDG_STATE_HOME", state.path()).current_dir(inside).args(["diff", "-n"]).output();
    assert!(String::from_utf8(here.unwrap().stdout).unwrap().contains("late"));
    // The list shows all snapshots, and `--since` accepts the times in it.
    let list = diff(&["--list"]).ended(0);
    let lines: Vec<&str> = list.text().lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    for (line, file) in lines.iter().zip([&second, &first]) {
        assert_eq!(line[16..], format!("  {}  {whole}", file.display()));
    }
    assert_eq!(diff(&["--list", "t"]).ended(0).text(), list.text());
    let (older, newer) = (&lines[1][..16], &lines[0][..16]);
    for (since, new) in [
        ("1d", &["late"][..]),
        ("3d", &["late", "middle"]),
        ("1w", &[]),
        (newer, &["late"]),
        (&newer[..10], &["late"]),
        (older, &["late", "middle"]),
        (&older.replace(' ', "T"), &["late", "middle"]),
        (&older[..10], &["late", "middle"]),
    ] {
        let run = diff(&["--since", since, "t"]);
        if new.is_empty() {
            assert_eq!(run.code, Some(2), "{since}");
        } else {
            assert_eq!(new_files(run), new, "{since}");
        }
    }
    let json = diff(&["--json", "t"]).ended(0);
    assert_eq!(json.json().root().get("old").get("root").text(), whole);
}

#[test]
fn a_scan_with_patterns_is_compared_with_a_snapshot_of_the_same_patterns() {
    if !keeps_snapshots() {
        return;
    }
    let (temp, state) = (TestDir::new(), TestDir::new());
    temp.file("t/old", 5000);
    temp.file("t/old.o", 5000);
    let kept = keep(&temp, &state, &["--exclude", "*.o", "--exclude", "tmp/", "-x"], 2);
    temp.file("t/late", 5000);
    temp.file("t/late.o", 5000);
    let diff = |words: &[&str]| with_state(&temp, &state, &[&["diff", "-n"], words, &["t"]].concat());
    let run = diff(&["-x", "--exclude", "tmp/", "--exclude", "*.o"]);
    assert_eq!(new_files(run), ["late"], "the order of the flags has no effect");
    for flags in [&["--exclude", "*.o", "-x"][..], &["--exclude", "*.o", "--exclude", "tmp/"], &[]] {
        let run = diff(flags).ended(2);
        assert!(run.stderr.contains("the same scan flags"), "{flags:?}: {}", run.stderr);
    }
    let kept = kept.to_str().unwrap();
    let run = with_state(&temp, &state, &["diff", "-n", kept, "t"]);
    assert!(run.stderr.contains("scanned with different flags") && run.code == Some(0), "{}", run.stderr);
    // A binary export does not record the flags of its scan, so there is no warning about them.
    with_state(&temp, &state, &["-O", "t.ncdu", "t"]).ended(0);
    assert_eq!(with_state(&temp, &state, &["diff", "-n", "-x", "t.ncdu", "t"]).ended(0).stderr, "");
}

#[test]
fn a_missing_baseline_is_explained_with_a_list_of_snapshots() {
    let (temp, state) = (TestDir::new(), TestDir::new());
    temp.file("t/old", 10);
    temp.directory("other");
    let refused = |words: &[&str]| {
        let run = with_state(&temp, &state, &[&["diff", "-n"], words].concat()).ended(2);
        assert_eq!(run.text(), "");
        let lines: Vec<String> = run.stderr.lines().map(|line| line.replacen("duke: ", "", 1)).collect();
        (lines[0].clone(), lines[1..].to_vec())
    };
    let none = "no snapshot of this directory; to save one: duke save";
    assert_eq!(refused(&["t"]), (format!("t: {none} t"), vec![]));
    assert_eq!(refused(&[]).0, format!(".: {none} ."));
    let list = with_state(&temp, &state, &["diff", "--list", "t"]).ended(0);
    let nothing = format!("duke: no snapshots of t in {}\n", state.join("duke").display());
    assert_eq!((list.text(), list.stderr.as_str()), ("", nothing.as_str()));
    if !keeps_snapshots() {
        return;
    }
    let kept = keep(&temp, &state, &["-x"], 2);
    let end = format!("  {}  -x  {}", kept.display(), temp.join("t").display());
    let listed = |(reason, kept): (String, Vec<String>)| {
        assert!(kept.len() == 1 && kept[0].starts_with("snapshot") && kept[0].ends_with(&end), "{kept:?}");
        reason
    };
    assert_eq!(listed(refused(&["other"])), format!("other: {none} other"));
    let flags = "no snapshot has the same scan flags; to compare with a snapshot listed below, give its file as OLD; to save a new one: duke save t";
    assert_eq!(listed(refused(&["t"])), format!("t: {flags}"));
    let late = "all snapshots with the same scan flags are newer than the --since time; give --since one of the times below";
    assert_eq!(listed(refused(&["-x", "--since", "3d", "t"])), format!("t: {late}"));
    assert!(
        refused(&["--exclude", "a/*.o", "t"])
            .0
            .starts_with("diff: --exclude with a path such as a/b does not work with automatic snapshots")
    );
    with_state(&temp, &state, &["diff", "-n", "-x", "t"]).ended(0);
    // A damaged snapshot does not prevent the others from being listed.
    let broken = kept.with_file_name("scan-00000000-01700000000.duke");
    fs::write(&broken, "broken").unwrap();
    let list = with_state(&temp, &state, &["diff", "--list"]).ended(1);
    assert_eq!(list.text().lines().count(), 1);
    assert_eq!(with_state(&temp, &state, &["save", "--list"]).ended(1).text(), list.text(), "the same list");
    assert_eq!(list.stderr, format!("duke: {}: not a snapshot\n", broken.display()));
    // An error message lists at most ten snapshots.
    for second in 0..12 {
        fs::copy(&kept, kept.with_file_name(format!("scan-00000001-{second:011}.duke"))).unwrap();
    }
    let (_, lines) = refused(&["other"]);
    assert_eq!((lines.len(), lines[10].as_str()), (11, "3 more snapshots; duke diff --list lists all"));
}
