//! Tests of the bytes sent to a terminal when files have hostile names, and of the state of the terminal after the
//! program has ended in various ways.
#![allow(missing_docs, clippy::unwrap_used)] // helpers of tests are tests

#[cfg(target_os = "linux")]
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::session::{PATIENCE, Session, duke, hostile};
use nix::sys::signal::Signal;
use portable_pty::CommandBuilder;
use tempfile::TempDir;

/// Pause between keys, so that each screen is drawn.
const MOMENT: Duration = Duration::from_millis(60);

/// Creates a folder with a hostile name. The entries in it have hostile names, too.
fn folder() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let root = folder.path().join("root \u{1b}[5m\u{202e}\u{7f}\n");
    std::fs::create_dir(&root).unwrap();
    hostile::fill(&root);
    (folder, root)
}

/// Output to the terminal, split into escape sequences and text.
#[derive(Default)]
struct Parts {
    /// Escape sequences in order, without the leading `ESC [`, or without the leading `ESC` if `]` follows it.
    sequences: Vec<String>,
    text: String,
}

/// Splits the output into escape sequences and text. Fails if the text contains a character that must not appear on
/// the screen, or if an escape sequence begins with neither `[` nor `]`.
fn take_apart(raw: &[u8]) -> Parts {
    let raw = std::str::from_utf8(raw).expect("all of it is UTF-8");
    let mut parts = Parts::default();
    let mut rest = raw.chars();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => parts.sequences.push(sequence(&mut rest)),
            // A zero-width joiner is part of a visible grapheme, such as an emoji of a family or a flag.
            '\r' | '\n' | '\u{200d}' => {}
            _ => {
                assert!(hostile::is_harmless(character), "{character:?} after {:?}", parts.text);
                parts.text.push(character);
            }
        }
    }
    parts
}

/// Reads the rest of an escape sequence, whose `ESC` has been read, and returns it without a leading `[`.
fn sequence(rest: &mut std::str::Chars<'_>) -> String {
    let mut sequence = String::new();
    match rest.next() {
        Some('[') => {
            let last =
                rest.by_ref().inspect(|next| sequence.push(*next)).find(|next| matches!(next, '@'..='~'));
            assert!(last.is_some(), "{sequence:?} has no end");
        }
        Some(']') => {
            sequence.push(']');
            while let Some(next) = rest.next().filter(|next| *next != '\u{7}') {
                if next == '\u{1b}' {
                    assert_eq!(rest.next(), Some('\\'), "the end of {sequence:?}");
                    break;
                }
                sequence.push(next);
            }
        }
        other => panic!("an escape before {other:?}"),
    }
    sequence
}

/// Fails unless every sequence is one of those that the program needs to draw a screen.
fn assert_known(sequences: &[String]) {
    for sequence in sequences {
        let (parameters, last) = sequence.split_at(sequence.len() - 1);
        let is_known = match last {
            "H" | "K" | "J" => parameters.chars().all(|letter| letter.is_ascii_digit() || letter == ';'),
            // Text must not blink (5 and 6) or be concealed (8). These numbers may occur within colors (38;5;n).
            "m" => !matches!(parameters, "5" | "6" | "8" | "31;5"),
            "h" | "l" => ["?25", "?1049", "?2004", "?2026", "?1000", "?1006"].contains(&parameters),
            // Query for the background color.
            _ if sequence == "]11;?" => true,
            _ => {
                let copied = sequence.strip_prefix("]52;c;");
                copied.is_some_and(|text| {
                    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "+/=".contains(letter))
                })
            }
        };
        assert!(is_known, "{sequence:?}");
    }
    let count = |wanted: &str| sequences.iter().filter(|sequence| *sequence == wanted).count();
    assert_eq!((count("?1049h"), count("?1049l")), (1, 1), "the screen was taken and given back once");
}

fn can_run_as_nobody() -> bool {
    let can = Command::new("setpriv").args(["--reuid=65534", "--clear-groups", "true"]).status();
    nix::unistd::geteuid().is_root() && can.is_ok_and(|status| status.success())
}

/// Returns a command that runs `command` as the user `nobody`, or `command` itself if this process is not root or
/// setpriv(1) fails.
fn as_nobody(command: CommandBuilder) -> CommandBuilder {
    if !can_run_as_nobody() {
        return command;
    }
    let mut nobody = CommandBuilder::new("setpriv");
    nobody.args(["--reuid=65534", "--clear-groups"]);
    nobody.args(command.get_argv());
    for name in ["HOME", "XDG_CONFIG_HOME", "DUKE_CONFIG", "DUKE_COLOR", "NO_COLOR", "XDG_STATE_HOME"] {
        nobody.env_remove(name);
    }
    nobody.env("TERM", "xterm-256color");
    nobody
}

/// Keys that show every screen, with changing selections. Blanks separate the keys, and `_` stands for the space key.
const SCREENS: &str = "j j \r j i j G \x1b h n C M s c m u B t e e S 1 2 j i \x1b 3 \r \x1b 4 \r \x1b 5 j \r h 6 j \r \x1b \
    7 j \r \x1b 8 9 0 \x1b 1 d \x1b D \x1b _ _ _ _ _ _ \t j \t y d \x1b ? G \x1b /m\r j \x1b /\u{9b}\u{202e}\r \x1b \
    r g G V g V * +";

#[test]
fn no_control_byte_of_a_name_reaches_the_terminal_on_any_screen_or_afterwards() {
    let (_folder, root) = folder();
    let mut session = Session::run(as_nobody(duke(&root)));
    session.wait_for_text("1 of ");
    // The key 7 shows the list of errors. If the program runs as root, because it cannot run as `nobody`, the list is
    // empty.
    session.press("7");
    session.wait_for_text(if can_run_as_nobody() { "ermission denied" } else { "rror" });
    session.press("\x1b");
    session.drain(MOMENT);
    for keys in SCREENS.split(' ').map(|keys| keys.replace('_', " ")) {
        session.press(&keys);
        assert!(session.drain(MOMENT), "{keys:?} ended it");
    }
    for (rows, cols) in [(8, 30), (60, 200), (24, 80)] {
        session.resize(rows, cols);
        session.drain(MOMENT);
    }
    // The key `p` quits and prints the marked paths to the terminal. This output is checked, too.
    session.press("p");
    session.drain(MOMENT);
    assert!(session.end().success());
    session.drain(MOMENT * 3);
    session.assert_restored();
    let parts = take_apart(&session.raw);
    assert!(parts.sequences.iter().any(|sequence| sequence.starts_with("]52;c;")), "a path was copied");
    assert_known(&parts.sequences);
    for shown in ["\\x1b[31;5mred", "\\u{9b}5mC1", "\\u{202e}", "line\\nfeed", "bad\\xff", "\\x07"] {
        assert!(parts.text.contains(shown), "{shown} was never shown");
    }
}

#[test]
fn environment_variables_are_escaped_like_names() {
    let (folder, root) = folder();
    let hostile = "no\u{1b}[5m such\u{202e}\u{7}";
    for variables in [
        [("DUKE_CONFIG", hostile), ("SHELL", hostile), ("PAGER", hostile)],
        [("DUKE_CONFIG", "config\u{1b}[5m"), ("SHELL", "/\u{1b}[5m"), ("PAGER", "\u{9b}5m x")],
    ] {
        std::fs::write(folder.path().join("config\u{1b}[5m"), "a\u{1b}[5m = 1\n[keys]\n'\u{9b}5m' = 'x'\n")
            .unwrap();
        let mut command = duke(&root);
        command.cwd(folder.path());
        for (name, value) in variables {
            command.env(name, value);
        }
        let mut session = Session::run(command);
        // If `DUKE_CONFIG` names a missing file, the program ends with a message, and `drain` returns `false`.
        if session.drain(Duration::from_millis(700)) {
            for keys in ["b", "G", "v", "j", "v"] {
                session.press(keys);
                session.drain(MOMENT * 3);
            }
            session.press("q");
        }
        session.end();
        session.drain(MOMENT * 3);
        for name in take_apart(&session.raw).sequences {
            assert!(!matches!(name.as_str(), "5m" | "31;5m" | "8m"), "{name}");
        }
    }
}

/// Starts the program on `root`, waits for its first screen, and runs `ending`, which must end the program. Then
/// checks that the terminal is in the same state as before, and returns the exit status.
fn ends(root: &Path, ending: impl FnOnce(&mut Session)) -> portable_pty::ExitStatus {
    let mut session = Session::run(duke(root));
    session.wait_for_text("1 of ");
    assert_ne!(crate::session::modes(session.master.as_ref()), session.before);
    ending(&mut session);
    let status = session.end();
    session.assert_restored();
    status
}

#[test]
fn every_way_out_leaves_the_modes_of_the_terminal_as_they_were() {
    let (_folder, root) = folder();
    for keys in ["q", "\x03"] {
        assert!(ends(&root, |session| session.press(keys)).success(), "{keys:?}");
    }
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGABRT] {
        let status = ends(&root, |session| session.signal(signal));
        assert!(status.signal().is_some(), "{signal}: {status:?}");
    }
    // A signal ends the program during a search, and on the help page, the df view, the treemap and the info page.
    for keys in ["/a", "?", "0", "5", "i"] {
        let status = ends(&root, |session| {
            session.press(keys);
            session.signal(Signal::SIGTERM);
        });
        assert!(status.signal().is_some(), "{keys}");
    }
}

/// The library that reads the terminal subtracts one from the column in a mouse report. In a valid report, the column
/// is at least 1. With overflow checks, a column of 0 makes the drawing thread panic. Without overflow checks, such a
/// report must have no effect.
#[test]
fn a_panic_of_the_drawing_thread_is_readable_afterwards() {
    let (_folder, root) = folder();
    let mut command = duke(&root);
    // A backtrace would scroll the message off the screen.
    command.env("RUST_BACKTRACE", "0");
    let mut session = Session::run(command);
    session.wait_for_text("1 of ");
    session.press("\x1b[<0;0;1M");
    if cfg!(debug_assertions) {
        let status = session.end();
        assert_eq!(status.exit_code(), 101, "{status:?}");
        session.assert_restored();
        session.wait_for_text("panicked");
    } else {
        session.press("\x1b[<0;1;0M\x1b[<64;0;0M\x1b[M   q");
        assert!(session.end().success());
        session.assert_restored();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_panic_of_a_worker_is_shown_and_printed_at_the_end() {
    let (_folder, root) = folder();
    let fault = "inject=getrandom:error=EIO:when=1";
    let works = Command::new("strace").args(["-o", "/dev/null", "-e", fault, "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no strace that injects");
        return;
    }
    let command = duke(&root);
    let mut traced = CommandBuilder::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", fault]);
    traced.args(command.get_argv());
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        traced.env_remove(name);
    }
    traced.env("TERM", "xterm-256color");
    let mut session = Session::run(traced);
    session.wait_for_text("internal error: scan ended early");
    // The entries read so far are shown, and keys work.
    session.press("jk");
    let status = session.quit();
    assert_eq!(status.exit_code(), 1, "{status:?}");
    session.assert_restored();
    session.wait_for_text("duke: internal error: scan ended early: ");
}

/// The program reads an endless export until no memory is left.
#[test]
#[cfg(target_os = "linux")]
fn without_memory_the_terminal_is_given_back_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut command = CommandBuilder::new("sh");
    command.args([
        "-c",
        "ulimit -c 0; ulimit -v 400000; exec \"$0\" -f - <\"$1\"",
        env!("CARGO_BIN_EXE_duke"),
    ]);
    command.arg(&pipe);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    let mut session = Session::run(command);
    let mut export = std::fs::File::options().write(true).open(&pipe).unwrap();
    let writer = std::thread::spawn(move || {
        export.write_all(b"[1,2,{},[{\"name\":\"/far\"}")?;
        let name = "n".repeat(240);
        for number in 0_u64.. {
            writeln!(export, ",{{\"name\":\"{name}{number}\",\"dsize\":4096,\"ino\":{number}}}")?;
        }
        Ok::<(), std::io::Error>(())
    });
    session.wait_for_text("/far");
    let end = Instant::now() + PATIENCE * 2;
    while session.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "it lives on");
        session.drain(MOMENT);
    }
    assert!(session.end().signal().is_some());
    session.assert_restored();
    session.wait_for_text("duke: aborted: out of memory, or a bug in duke");
    assert!(writer.join().unwrap().is_err(), "nobody reads any more");
}

#[test]
fn there_are_at_most_sixty_frames_a_second() {
    const BEGIN: &[u8] = b"\x1b[?2026h";
    let (_folder, root) = folder();
    let mut session = Session::start(&root);
    session.wait_for_text("? keys");
    session.drain(MOMENT * 5);
    session.raw.clear();
    let begun = Instant::now();
    for key in ["j", "k"].iter().cycle().take(250) {
        session.press(key);
        session.drain(Duration::from_millis(2));
    }
    session.drain(MOMENT);
    let frames = session.raw.windows(BEGIN.len()).filter(|bytes| *bytes == BEGIN).count();
    // The first frame is drawn at once. After it, at most 60 frames per second are drawn.
    let most = 1 + begun.elapsed().as_millis() * 60 / 1000;
    assert!(frames > 5, "{frames} frames");
    assert!(frames as u128 <= most, "{frames} frames, but at most {most} are allowed");
    session.quit();
}

/// Keys, separated by commas. None of them quits duke, starts a program, deletes entries or writes files.
const KEYS: &str = "j,k,l,h,\r,\x7f,g,G,s,n,C,M,S,W,a,c,m,u,B,t,e,/,x,1,2,3,4,5,6,7,8,9,0,\x1b,i, ,V,*,+,\t,r,?,\
    \x1b[A,\x1b[6~,\x1b[200~q\x1b[201~,\x0c";

#[test]
fn ten_thousand_random_keys_with_random_sizes_end_where_keys_work() {
    let (_folder, root) = folder();
    // With two roots, no key can start a scan of the directory above them.
    let mut command = duke(&root);
    let inner = root.join(std::ffi::OsStr::from_bytes(hostile::NAMES[0]));
    command.arg(inner);
    command.arg("--read-only");
    let mut session = Session::run(command);
    // The test waits for text in the header, because lines with names can be garbled: the emulator and duke assign
    // different widths to flag emoji.
    session.wait_for_text("2 roots");
    let keys: Vec<&str> = KEYS.split(',').collect();
    let soak: u64 = std::env::var("DUKE_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut state = 0x2545_f491_4f6c_dd1d_u64.wrapping_mul(2 * soak - 1);
    let mut roll = |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % sides as u64).unwrap()
    };
    for _ in 0..500 {
        let typed: String = (0..20).map(|_| keys[roll(keys.len())]).collect();
        session.press(&typed);
        let (rows, cols) = (1 + roll(60), 1 + roll(150));
        session.resize(u16::try_from(rows).unwrap(), u16::try_from(cols).unwrap());
        // The output is discarded, because the emulator of the tests does not support resizing in the middle of a
        // frame.
        while session.output.try_recv().is_ok() {}
        assert!(session.child.try_wait().unwrap().is_none(), "it ended by itself");
    }
    session.resize(24, 80);
    std::thread::sleep(MOMENT * 5);
    while session.output.try_recv().is_ok() {}
    session.press("\x0c");
    // The test presses one key at a time, because an escape directly followed by another byte would be read as
    // a different key.
    let end = Instant::now() + PATIENCE;
    while !session.screen.screen().rows(0, 80).last().is_some_and(|line| line.contains("? keys")) {
        assert!(Instant::now() < end, "{}", session.screen.screen().contents());
        session.press("\x1b");
        // The output must be read, because the program would otherwise block and never read the next key.
        assert!(session.drain(MOMENT * 2), "it ended by itself:\n{}", session.screen.screen().contents());
    }
    session.signal(Signal::SIGTERM);
    assert!(session.end().signal().is_some());
    session.assert_restored();
}
