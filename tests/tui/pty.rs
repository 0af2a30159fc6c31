//! Tests of the program in a pseudo-terminal: its effect on the terminal, and the state of the terminal afterwards.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::session::{PATIENCE, Session, duke, end, modes, open_terminal, parser, without_user_settings};
use crate::support::room::keeps_snapshots;
use nix::sys::signal::Signal;
use portable_pty::{CommandBuilder, PtyPair, PtySize};
use tempfile::TempDir;
use vt100::MouseProtocolMode;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, length) in [("large/inner/deep", 40_000), ("small/file", 9000), ("plain", 100)] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, vec![1; length]).unwrap();
    }
    folder
}

fn wait_for_end_of_scan(session: &mut Session) {
    session.wait_for("end of the scan", |screen| {
        // When the scan has ended, the status line shows the row number instead of the progress.
        screen
            .rows(0, screen.size().1.get())
            .last()
            .is_some_and(|line| line.contains("Space mark") && line.contains(" of "))
    });
}

#[test]
fn start_wait_drill_in_and_quit_leaves_the_terminal_as_it_was() {
    let folder = folder();
    let mut session = Session::start(folder.path());
    session.wait_for_text("6 items");
    session.wait_for_text("1 of 3");
    session.wait_for("alternate screen", |screen| screen.alternate_screen() && screen.hide_cursor());
    assert_ne!(modes(session.master.as_ref()), session.before);
    session.press("\r");
    session.wait_for_text("inner/");
    session.press("h\x1b[B\r");
    session.wait_for_text("file");
    assert!(session.quit().success());
    session.assert_restored();
}

#[test]
fn roots_that_count_elsewhere_name_the_other_root() {
    let folder = folder();
    std::fs::hard_link(folder.path().join("plain"), folder.path().join("small/plain")).unwrap();
    let mut command = duke(&folder.path().join("large"));
    for name in ["large/", "large/inner", "small"] {
        command.arg(folder.path().join(name));
    }
    command.args(["--panes", "none"]);
    let mut session = Session::run(command);
    // The notes contain the path of the folder for temporary files, which can be long, so the window is made wide.
    session.resize(24, 250);
    let large = folder.path().join("large").display().to_string();
    session.wait_for_text(&format!("large/  the same as {large}"));
    session.wait_for_text(&format!("large/inner/  counted in {large}"));
    // The order of the rows, and therefore the last row, is final only when the scan is complete.
    wait_for_end_of_scan(&mut session);
    session.press("G\r");
    session.wait_for_text("plain  2 hard links");
    std::fs::write(folder.path().join("small/new"), vec![1; 4096]).unwrap();
    session.press("Gr");
    session.wait_for_text("/small: ");
    session.wait_for_text(", +4.0 KiB");
    session.press("r");
    session.wait_for_text(", unchanged");
    assert!(session.quit().success());
}

#[test]
fn every_signal_that_ends_it_restores_the_terminal_first() {
    let folder = folder();
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
        let mut session = Session::start(folder.path());
        session.wait_for_text("1 of 3");
        session.signal(signal);
        let status = session.end();
        assert!(status.signal().is_some(), "{signal}: {status:?}");
        session.assert_restored();
    }
}

/// A shell with job control runs the program, reports its stop, and continues it when the test presses Enter.
#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_again() {
    let folder = folder();
    let mut shell = CommandBuilder::new("sh");
    shell.args(["-mc", r#""$0" "$1"; echo stopped; read -r _; fg; echo ended $?"#]);
    shell.arg(env!("CARGO_BIN_EXE_duke"));
    shell.arg(folder.path());
    without_user_settings(&mut shell);
    let mut session = Session::run(shell);
    session.wait_for_text("1 of 3");
    session.press("G\x1a");
    session.wait_for_text("stopped");
    session.assert_restored();
    // The window shrinks while the program is stopped. The cursor must still be visible afterwards.
    session.screen = parser(4, 80);
    session.master.resize(PtySize { rows: 4, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    session.press("\n");
    session.wait_for("browser with the cursor in view", |screen| {
        screen.alternate_screen()
            && screen.contents().contains("3 of 3")
            && screen.contents().contains("plain")
    });
    // `session.screen` was replaced above with a screen without modes, so the program must have set them again.
    session.wait_for("mouse and pasting as before", |screen| {
        screen.mouse_protocol_mode() == MouseProtocolMode::PressRelease && screen.bracketed_paste()
    });
    session.press("q");
    session.wait_for_text("ended 0");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn missing_paths_are_reported_without_a_browser() {
    let folder = folder();
    let mut command = duke(&folder.path().join("nowhere"));
    command.arg("neither");
    let mut session = Session::run(command);
    assert_eq!(session.end().exit_code(), 2);
    session.wait_for_text("duke: neither: cannot read: no such file or directory");
    session.wait_for_text("nowhere: cannot read: no such file or directory");
    assert!(!session.raw.contains(&0x1b), "nothing was drawn");
    session.assert_restored();
}

#[test]
fn a_closed_terminal_ends_the_program_even_without_a_signal() {
    let folder = folder();
    let PtyPair { master, slave } = open_terminal();
    let mut command = duke(folder.path());
    // The terminal is not the controlling terminal of the program's session, so the system sends no SIGHUP.
    command.set_controlling_tty(false);
    let mut child = slave.spawn_command(command).unwrap();
    drop(slave);
    let mut reader = master.try_clone_reader().unwrap();
    let mut screen = parser(24, 80);
    let mut buffer = [0; 4096];
    while !screen.screen().contents().contains("1 of 3") {
        let length = reader.read(&mut buffer).unwrap();
        assert_ne!(length, 0, "the program ended by itself");
        screen.process(&buffer[..length]);
    }
    drop((reader, master));
    assert!(!end(child.as_mut()).success());
}

#[test]
fn the_browser_follows_the_size_of_the_window() {
    let folder = folder();
    let mut session = Session::start(folder.path());
    session.wait_for_text("1 of 3");
    for (rows, cols) in [(1, 1), (50, 200), (3, 10), (12, 60)] {
        session.screen = parser(rows, cols);
        session.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }
    session.wait_for_text("1 of 3");
    assert!(session.quit().success());
}

/// Returns the bytes that a terminal sends for a left click (xterm's SGR mode). Columns and lines are counted from 1.
fn click(column: u16, line: u16) -> String {
    format!("\x1b[<0;{column};{line}M\x1b[<0;{column};{line}m")
}

#[test]
fn the_mouse_is_captured_and_released_however_the_program_ends() {
    let folder = folder();
    let takes_mouse =
        |screen: &vt100::Screen| screen.mouse_protocol_mode() == MouseProtocolMode::PressRelease;
    let mut session = Session::start(folder.path());
    session.wait_for_text("1 of 3");
    session.wait_for("mouse", takes_mouse);
    session.press(&click(30, 5));
    session.wait_for_text("2 of 3");
    session.press(&click(30, 4));
    session.press(&click(30, 4));
    session.wait_for_text("inner/");
    session.press("\x1b[<65;5;5M");
    assert!(session.quit().success());
    session.assert_restored();
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        let mut session = Session::start(folder.path());
        session.wait_for("mouse", takes_mouse);
        session.signal(signal);
        assert!(session.end().signal().is_some());
        session.assert_restored();
    }
}

#[test]
fn the_mouse_is_left_to_the_terminal_on_request() {
    let folder = folder();
    let mut command = duke(folder.path());
    command.arg("--no-mouse");
    let mut session = Session::run(command);
    session.wait_for_text("1 of 3");
    assert_eq!(session.screen.screen().mouse_protocol_mode(), MouseProtocolMode::None);
    assert!(session.quit().success());
}

#[test]
fn a_storm_of_sizes_clicks_and_keys_leaves_a_screen_that_fits() {
    let folder = folder();
    // Without keys for quitting, no click on a key hint can quit the program.
    let configuration = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&configuration, "[keys]\nquit = []\n").unwrap();
    let mut command = duke(folder.path());
    command.env("DUKE_CONFIG", configuration.path());
    let mut session = Session::run(command);
    session.wait_for_text("1 of 3");
    for number in 0..200_u16 {
        let (rows, cols) = (1 + number * 7 % 40, 1 + number * 13 % 120);
        session.screen = parser(rows, cols);
        session.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        session.press(&click(16 + number % 75, 1 + number % 30));
        session.press(["j", "2", "5", "1", "m", "\x1b[<64;1;1M"][usize::from(number % 6)]);
    }
    session.screen = parser(24, 80);
    session.master.resize(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    // A click may have opened the help, a search or a question. Each Esc closes one of them. The test pauses after each
    // Esc, because Esc and a byte directly after it would be read as a single key.
    for _ in 0..3 {
        session.press("\x1b");
        session.drain(Duration::from_millis(300));
    }
    session.press("1");
    session
        .wait_for("footer", |screen| screen.rows(0, 80).last().is_some_and(|line| line.contains("? keys")));
    session.signal(Signal::SIGTERM);
    assert!(session.end().signal().is_some());
    session.assert_restored();
}

#[test]
fn the_tab_shows_progress_only_in_terminals_that_support_it() {
    // The scan of this directory takes so long that it is not complete at the first frame.
    let folder = Path::new("/usr");
    let (shown, cleared) = ("\x1b]9;4;3\x07", "\x1b]9;4;0\x07");
    for (understands, signal) in [(true, Signal::SIGTERM), (true, Signal::SIGHUP), (false, Signal::SIGTERM)] {
        let mut command = duke(folder);
        command.env(if understands { "WT_SESSION" } else { "TERM_PROGRAM" }, "1");
        let mut session = Session::run(command);
        let mut output = String::new();
        while !output.contains(if understands { shown } else { "entries" }) {
            let bytes = session.output.recv_timeout(PATIENCE).unwrap();
            session.screen.process(&bytes);
            output += &String::from_utf8_lossy(&bytes);
        }
        session.signal(signal);
        assert!(session.end().signal().is_some());
        while let Ok(bytes) = session.output.recv_timeout(Duration::from_millis(300)) {
            output += &String::from_utf8_lossy(&bytes);
        }
        assert_eq!(output.contains("\x1b]9;"), understands);
        assert_eq!(output.rfind("\x1b]9;"), output.rfind(cleared));
    }
}

#[test]
fn an_import_is_browsed_while_it_arrives_on_standard_input() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "exec \"$0\" -f - <\"$1\"", env!("CARGO_BIN_EXE_duke")]);
    command.arg(&pipe);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    let mut session = Session::run(command);
    let mut export = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    export.write_all(b"[1,2,{},\n[{\"name\":\"/far/away\"},\n{\"name\":\"first\",\"dsize\":4096},[{\"name\":\"below\"},").unwrap();
    session.wait_for_text("first");
    session.wait_for_text("below/");
    assert!(session.screen.screen().contents().contains("/far/away"));
    export.write_all(b"{\"name\":\"second\",\"dsize\":8192}],{\"name\":\"third\",\"dsize\":512}").unwrap();
    session.wait_for_text("third");
    // The root of the export, `/far/away`, is not on this machine, so it cannot be rescanned.
    export.write_all(b"]]").unwrap();
    drop(export);
    wait_for_end_of_scan(&mut session);
    session.press("r");
    session.wait_for_text("Cannot rescan");
    assert!(session.quit().success());
    session.assert_restored();
}

#[test]
fn objects_appear_while_rclone_lists_and_stay_if_it_fails() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let program = script(folder.path(), "cat pipe; echo connection reset >&2; exit 1");
    std::fs::rename(program, folder.path().join("rclone")).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_duke"));
    command.arg("rclone://s3:bucket");
    command.cwd(folder.path());
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    let mut session = Session::run(command);
    let mut list = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    list.write_all(b"[\n{\"Path\":\"below/first\",\"Size\":4096,\"IsDir\":false},\n").unwrap();
    session.wait_for_text("below/");
    list.write_all(b"{\"Path\":\"second\",\"Size\":512,\"IsDir\":false},\n").unwrap();
    session.wait_for_text("second");
    drop(list);
    session.wait_for_text("connection reset");
    assert!(session.screen.screen().contents().contains("below/"));
    session.press("q");
    assert_eq!(session.end().exit_code(), 1);
    session.assert_restored();
}

#[test]
fn a_script_deletes_objects_with_rclone() {
    let folder = TempDir::new().unwrap();
    let objects = r#"[
{"Path":"large/it's $(touch pwned)","Size":4096,"IsDir":false},
{"Path":"-x\n`touch pwned`","Size":2,"IsDir":false},
{"Path":"v-v2026-11-24-154652-600.txt","Size":1,"IsDir":false}
]"#;
    std::fs::write(folder.path().join("objects"), objects).unwrap();
    let lines = r#"if [ "$1" = lsjson ]; then cat objects; else printf '<%s>' "$@" >>log; fi"#;
    let program = script(folder.path(), lines);
    std::fs::rename(program, folder.path().join("rclone")).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    for remote in ["s3:b", "s3:", "--x:b/"] {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_duke"));
        command.arg(format!("rclone://{remote}"));
        command.cwd(folder.path());
        command.env("PATH", &path);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        let mut session = Session::run(command);
        session.wait_for("the end of the list", |screen| {
            let text = screen.contents();
            text.contains("large/") && text.contains("4 items") && !text.contains('≥')
        });
        session.press("d");
        session.wait_for_text("read-only");
        session.press("   ");
        session.wait_for_text("3 marked");
        session.press("H");
        session.wait_for_text("Wrote /");
        assert_eq!(session.quit().exit_code(), 0);
        let entries = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let written: Vec<_> =
            entries.filter(|path| path.extension().is_some_and(|end| end == "sh")).collect();
        assert_eq!(written.len(), 1);
        let mut shell = std::process::Command::new("sh");
        shell.arg(&written[0]).current_dir(folder.path()).env("PATH", &path);
        assert!(shell.status().unwrap().success());
        let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
        let start = if remote == "s3:b" { "s3:b/" } else { remote };
        let deleted = format!("<deletefile><--><{start}-x\n`touch pwned`>");
        assert!(log.contains(&deleted), "{log}");
        assert!(log.contains(&format!("<purge><--><{start}large>")), "{log}");
        let version = format!("<deletefile><--s3-versions><--><{start}v-v2026-11-24-154652-600.txt>");
        assert!(log.contains(&version), "{log}");
        std::fs::remove_file(folder.path().join("log")).unwrap();
        std::fs::remove_file(&written[0]).unwrap();
    }
    assert!(!folder.path().join("pwned").exists());
}

#[test]
fn a_configuration_sets_keys_and_its_errors_are_shown() {
    let folder = folder();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, "nonsense = 1\n[keys]\nquit = 'x'\nopen = 'o'\n").unwrap();
    let mut command = duke(&folder.path().join("large"));
    command.env("DUKE_CONFIG", &file);
    let mut session = Session::run(command);
    // The warnings themselves are printed before the browser opens, so they may be replaced before they can be seen.
    session.wait_for_text("2 configuration warnings");
    session.wait_for_text("inner/");
    // The configuration binds quitting to `x`, so `q` only causes a notice.
    session.press("q");
    session.wait_for_text("Unbound key");
    session.press("o");
    session.wait_for_text("deep");
    session.wait_for_text("x quit");
    session.press("x");
    assert!(session.end().success());
    session.assert_restored();
    let log = session.screen.screen().contents();
    assert!(
        log.contains("config.toml:1:1: unknown setting 'nonsense'"),
        "and is to be read afterwards: {log}"
    );
}

#[test]
fn owners_are_shown_by_name_if_they_were_recorded() {
    let folder = folder();
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).unwrap().unwrap().name;
    let mut command = duke(folder.path());
    command.arg("-e");
    let mut session = Session::run(command);
    session.wait_for_text("1 of 3");
    session.press("O");
    session.wait_for("names", |screen| {
        let contents = screen.contents();
        contents.contains("Owner") && contents.matches(&format!(" {user} ")).count() == 3
    });
    session.press("O");
    session.wait_for("list", |screen| !screen.contents().contains("Owner"));
    assert!(session.quit().success());

    let mut session = Session::start(folder.path());
    session.wait_for_text("1 of 3");
    session.press("O");
    session.wait_for_text("No owners recorded");
    assert!(session.quit().success());
}

#[test]
fn every_frame_is_a_synchronized_update() {
    let folder = folder();
    let mut session = Session::start(folder.path());
    session.wait_for_text("1 of 3");
    assert!(session.quit().success());
    while session.drain(PATIENCE) {}
    let text = String::from_utf8_lossy(&session.raw);
    // The output outside of frames contains no text. It only sets modes and restores the terminal.
    let outside: String = text
        .split("\x1b[?2026h")
        .map(|part| part.split_once("\x1b[?2026l").map_or(part, |(_, rest)| rest))
        .collect();
    assert!(text.matches("\x1b[?2026h").count() >= 2, "{text:?}");
    assert!(text.split_once("\x1b[?2026h").unwrap().1.contains("large/"));
    assert!(!outside.contains("large/") && !outside.contains("disk"), "{outside:?}");
}

/// Returns the names in the folder of kept snapshots.
fn kept(state: &Path) -> Vec<String> {
    let names = std::fs::read_dir(state.join("duke")).into_iter().flatten();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_snapshot_is_kept_once_a_day_beside_that_of_the_latest_scan() {
    if !keeps_snapshots() {
        return;
    }
    let (folder, state) = (folder(), tempfile::tempdir().unwrap());
    for kind in ["scan-", "last-", "last-"] {
        let mut command = duke(folder.path());
        command.env("XDG_STATE_HOME", state.path());
        let mut session = Session::run(command);
        session.wait_for_text("1 of 3");
        // In the third run, this loop ends at once, because the snapshot of the second run still exists. The program
        // writes the snapshot of the third run before it exits.
        let end = Instant::now() + PATIENCE;
        while !kept(state.path()).iter().any(|name| name.starts_with(kind)) {
            assert!(Instant::now() < end, "nothing was kept");
            std::thread::yield_now();
        }
        assert!(session.quit().success());
    }
    let mut kept = kept(state.path());
    kept.sort();
    let kinds: Vec<&str> = kept.iter().map(|name| &name[..5]).collect();
    assert_eq!(kinds, ["last-", "scan-"]);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_duke"));
    command.arg("-f");
    command.arg(state.path().join("duke").join(&kept[1]));
    command.env("TERM", "xterm-256color");
    let mut session = Session::run(command);
    session.wait_for_text("1 of 3");
    session.press("\r");
    session.wait_for_text("inner/");
    assert!(session.quit().success());
}

/// Creates an executable shell script in `folder` that runs the commands in `text`.
fn script(folder: &Path, text: &str) -> std::path::PathBuf {
    let path = folder.join("script");
    // Another process writes the file. If this process wrote it, a child forked by another test could still hold it
    // open for writing, and a file that is open for writing cannot be executed.
    let mut writer = std::process::Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(&path)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{text}\n").as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success());
    path
}

/// Starts the browser on `folder` with these environment variables.
fn with(folder: &Path, variables: &[(&str, &str)]) -> Session {
    let mut command = duke(folder);
    for (name, value) in variables {
        command.env(name, value);
    }
    let mut session = Session::run(command);
    session.wait_for_text("1 of 3");
    session
}

/// Waits until the browser is back on the screen.
fn wait_for_return(session: &mut Session) {
    session.wait_for("browser", |screen| screen.alternate_screen() && screen.contents().contains("1 of 3"));
}

#[test]
fn a_shell_starts_in_the_shown_directory_with_a_clean_terminal() {
    let (folder, tools) = (folder(), tempfile::tempdir().unwrap());
    let text = r#"echo "in $(pwd -P) level $DUKE_LEVEL"; stty -a | grep -o ' icanon'; read -r word; echo "got $word""#;
    let shell = script(tools.path(), text);
    let mut session = with(folder.path(), &[("SHELL", shell.to_str().unwrap()), ("DUKE_LEVEL", "4")]);
    session.press("\r");
    session.wait_for_text("deep");
    session.press("b");
    session.wait_for_text("icanon");
    session.assert_restored();
    let large = folder.path().canonicalize().unwrap().join("large/inner");
    // Line breaks are removed, because a path that is longer than a line is wrapped.
    let screen = session.screen.screen().contents().replace('\n', "");
    assert!(screen.contains(&format!("in {} level 5", large.display())), "{screen}");
    session.press("word\n");
    session.wait_for("browser", |screen| screen.alternate_screen() && screen.contents().contains("deep"));
    session.press("hG");
    session.wait_for_text("3 of 3");
    assert!(session.quit().success());
    session.assert_restored();
}

#[test]
fn interrupts_in_a_shell_do_not_reach_duke() {
    let (folder, tools) = (folder(), tempfile::tempdir().unwrap());
    let shell = script(tools.path(), "echo waiting; exec sleep 60");
    for keys in ["\x03", "\x1c"] {
        let mut session = with(folder.path(), &[("SHELL", shell.to_str().unwrap())]);
        session.press("b");
        session
            .wait_for("shell", |screen| !screen.alternate_screen() && screen.contents().contains("waiting"));
        session.press(keys);
        session.wait_for_text("was killed by SIG");
        session.press("l");
        session.wait_for_text("inner/");
        session.press("h");
        wait_for_return(&mut session);
        // The shell no longer runs, so Ctrl-C now reaches the browser and ends it.
        session.press("\x03");
        assert!(session.end().success());
        session.assert_restored();
    }
}

/// The browser starts a program with default signal actions, no blocked signals, and only the standard descriptors.
#[test]
#[cfg(target_os = "linux")]
fn a_program_inherits_no_descriptors_or_signal_actions() {
    let (folder, tools) = (folder(), tempfile::tempdir().unwrap());
    let report = tools.path().join("report");
    let text = format!(
        "{{ grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; ls -l /proc/$$/fd; }} >{} 2>&1 </dev/null; echo reported; read -r _",
        report.display()
    );
    let shell = script(tools.path(), &text);
    let mut session = with(folder.path(), &[("SHELL", shell.to_str().unwrap())]);
    session.press("b");
    // The shell waits for Enter, because otherwise it could end before the test reads its output.
    session.wait_for_text("reported");
    session.press("\n");
    wait_for_return(&mut session);
    let report = std::fs::read_to_string(&report).unwrap();
    for name in ["SigBlk", "SigIgn"] {
        let line = report.lines().find(|line| line.starts_with(name)).unwrap();
        let set = u64::from_str_radix(line.split('\t').next_back().unwrap(), 16).unwrap();
        // Signals above 31 (real-time and C library signals) are not changed by the program.
        assert_eq!(set & 0x7fff_ffff, 0, "{report}");
    }
    // Files in `tools` are allowed, because the shell itself opens the script and the report.
    let links = report.lines().filter_map(|line| line.split_once(" -> "));
    let strange: Vec<_> = links
        .map(|(_, target)| target)
        .filter(|target| !target.starts_with("/dev/") && !target.starts_with(tools.path().to_str().unwrap()))
        .collect();
    assert_eq!(strange, [""; 0], "{report}");
    assert!(session.quit().success());
}

#[test]
fn a_killed_shell_leaves_the_terminal_usable() {
    let (folder, tools) = (folder(), tempfile::tempdir().unwrap());
    let shell = script(tools.path(), "stty raw -echo; echo raw; kill -9 $$");
    let mut session = with(folder.path(), &[("SHELL", shell.to_str().unwrap())]);
    session.press("b");
    session.wait_for_text("was killed by SIGKILL");
    assert!(session.quit().success());
    session.assert_restored();
}

#[test]
fn a_pager_reads_a_file_without_its_name() {
    let (folder, tools) = (folder(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("-rf;ls\n"), "what is in it").unwrap();
    std::fs::remove_dir_all(folder.path().join("small")).unwrap();
    let pager = script(tools.path(), r#"echo "words $*"; cat; echo; read -r _ </dev/tty"#);
    let words = format!("{} one  two", pager.display());
    let mut session = with(folder.path(), &[("PAGER", &words)]);
    session.press("ngv");
    session.wait_for_text("what is in it");
    session.wait_for_text("words one two");
    session.assert_restored();
    session.press("\n");
    wait_for_return(&mut session);
    assert!(session.quit().success());
}

#[test]
fn a_rescan_below_a_deleted_directory_goes_to_the_nearest_that_exists() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir_all(folder.path().join("kept/deleted/inner/innermost")).unwrap();
    for name in ["beside", "kept/file", "kept/deleted/one", "kept/deleted/inner/two"] {
        std::fs::write(folder.path().join(name), "content").unwrap();
    }
    let mut session = Session::start(folder.path());
    wait_for_end_of_scan(&mut session);
    session.press("glglgl");
    session.wait_for_text("innermost/");
    std::fs::remove_dir_all(folder.path().join("kept/deleted")).unwrap();
    std::fs::rename(folder.path().join("kept/file"), folder.path().join("kept/renamed")).unwrap();
    session.press("r");
    session.wait_for_text("Directory no longer exists");
    session.wait_for("list that was read again", |screen| {
        let text = screen.contents();
        text.contains("renamed") && !text.contains("file") && !text.contains("deleted/")
    });
    assert!(session.quit().success());
}

#[test]
fn programs_that_are_missing_or_fail_are_named() {
    let folder = folder();
    let variables = [("SHELL", "/missing/shell"), ("PAGER", "/missing/pager -x"), ("PATH", "/missing")];
    let mut session = with(folder.path(), &variables);
    session.press("b");
    session.wait_for_text("/missing/shell: no such file or directory");
    session.press("Gv");
    session.wait_for_text("/missing/pager: no such file or directory");
    session.press("o");
    session.wait_for_text("open: no such file or directory");
    session.press("gv");
    session.wait_for_text("Cannot show in the pager: not a regular file");
    assert!(session.quit().success());
    session.assert_restored();
}

#[test]
fn the_opener_gets_the_path_as_one_word_and_no_terminal() {
    let (folder, tools) = (folder(), tempfile::tempdir().unwrap());
    let report = tools.path().join("report");
    let text = format!(
        "printf '%s|' \"$#\" \"$1\" >{0}; [ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo apart >>{0}; exit 3",
        report.display()
    );
    let opener = script(tools.path(), &text);
    let name = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    std::fs::rename(opener, tools.path().join(name)).unwrap();
    std::fs::rename(folder.path().join("plain"), folder.path().join("a $(b) 'c'")).unwrap();
    let path = format!("{}:/usr/bin:/bin", tools.path().display());
    let mut session = with(folder.path(), &[("PATH", &path)]);
    session.press("Go");
    session.wait_for_text("open exited with code 3");
    let expected = format!("1|{}/a $(b) 'c'|apart\n", folder.path().display());
    assert_eq!(std::fs::read_to_string(report).unwrap(), expected);
    assert!(session.quit().success());
}

#[test]
fn info_shows_data_of_the_system_even_for_a_pipe() {
    let folder = folder();
    nix::unistd::mkfifo(&folder.path().join("0pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::hard_link(folder.path().join("plain"), folder.path().join("large/again")).unwrap();
    std::fs::File::create(folder.path().join("plain")).unwrap().set_len(1 << 30).unwrap();
    let mut session = Session::start(folder.path());
    session.wait_for_text("1 of 4");
    session.press("ngi");
    session.wait_for_text("named pipe");
    session.wait_for_text("File system");
    session.wait_for("end of it", |screen| !screen.contents().contains("asking"));
    session.press("iGk");
    session.press("i");
    session.wait_for_text("large/again");
    session.wait_for_text("of holes");
    session.press("qq");
    assert!(session.end().success());
    session.assert_restored();
}

#[test]
fn left_of_the_root_scans_above_after_a_question() {
    let folder = folder();
    let mut session = Session::start(&folder.path().join("small"));
    session.wait_for_text("1 of 1");
    session.press("h");
    session.wait_for_text("[ Yes ]");
    session.press("y");
    // The cursor should be on the former root, which is the second of three rows.
    session.wait_for_text("2 of 3");
    session.press("\r");
    session.wait_for_text("file");
    assert!(session.quit().success());
    session.assert_restored();
}

#[test]
fn an_answer_about_the_background_changes_colors_and_is_no_key() {
    let folder = folder();
    let mut command = duke(folder.path());
    command.env("COLORTERM", "truecolor");
    command.env_remove("COLORFGBG");
    let mut session = Session::run(command);
    session.wait_for_text("1 of 3");
    let tint = |screen: &vt100::Screen| screen.cell(3, 40).unwrap().bgcolor();
    let dark = tint(session.screen.screen());
    // The letters of the terminal's answer must not act as commands, even if the answer arrives in pieces.
    session.press("\x1b]11;rgb:fd");
    std::thread::sleep(Duration::from_millis(100));
    session.press("fd/d6dd/e3e3\x1b\\");
    session.wait_for("light colors", |screen| tint(screen) != dark);
    session.wait_for_text("1 of 3");
    session.press("j");
    session.wait_for_text("2 of 3");
    assert!(session.quit().success());
    session.assert_restored();
}

#[test]
fn the_directory_shown_last_is_written_to_a_file() {
    let folder = folder();
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("cwd");
    std::fs::write(&file, "before").unwrap();
    let mut command = duke(folder.path());
    command.arg("--cwd-file");
    command.arg(&file);
    let mut session = Session::run(command);
    session.wait_for_text("1 of 3");
    session.press("\r");
    session.wait_for_text("deep");
    assert!(session.quit().success());
    let written = std::fs::read_to_string(&file).unwrap();
    assert_eq!(Path::new(&written), folder.path().join("large/inner"));
}
