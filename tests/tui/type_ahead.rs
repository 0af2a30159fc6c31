//! Tests of keys typed ahead in a terminal. A burst of keys without a pause must not delete anything.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::session::Session;
use crate::support::sandbox;
use tempfile::TempDir;

const BURSTS: usize = 1_000;
const TERMINALS: usize = 20;
/// Time without input after which a question accepts an answer.
const QUIET: Duration = Duration::from_millis(300);
/// Input as a terminal sends it: single keys, and text pasted with and without bracketed paste mode. Most of the keys
/// open or answer a question.
const KEYS: [&str; 17] = [
    "d",
    "d",
    "D",
    "e",
    "y",
    "y",
    "y",
    "\r",
    "\r",
    "a",
    "n",
    "\t",
    "\x1b[C",
    "yyy",
    "y\r",
    "\x1b[200~y\r\x1b[201~",
    "j",
];
/// Key sequences that users have typed. Each of them begins with a key that deletes and contains a key that confirms.
const WORDS: [&str; 5] = ["daddy", "dday", "dyyy", "Dyyyy", "d\x1b[C\r\r"];

/// Creates three directories with files, so that typed keys can open a directory and ask to delete an entry.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        fs::create_dir_all(folder.path().join(name).join("deeper")).unwrap();
        for file in ["one", "two"] {
            fs::write(folder.path().join(name).join("deeper").join(file), "x").unwrap();
            fs::write(folder.path().join(name).join(file), "x").unwrap();
        }
    }
    folder
}

fn names(folder: &Path) -> BTreeSet<PathBuf> {
    let mut names = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
            names.insert(entry.path());
        }
    }
    names
}

/// Generator of random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// Types a burst. Returns `false` if there was a pause between two key presses, as can happen on a busy machine.
fn burst(session: &mut Session, random: &mut Random) -> bool {
    let words: Vec<String> = match random.below(3) {
        0 => vec![WORDS[random.below(WORDS.len())].to_owned()],
        1 => WORDS[random.below(WORDS.len())].chars().map(String::from).collect(),
        _ => (0..3 + random.below(8)).map(|_| KEYS[random.below(KEYS.len())].to_owned()).collect(),
    };
    // In most bursts, the gaps between keys are less than 30 ms. In one of eight bursts, they are less than 250 ms,
    // which is just too short for a pause.
    let longest = if random.below(8) == 0 { 250 } else { 30 };
    let mut is_burst = true;
    let mut before: Option<Instant> = None;
    for word in words {
        thread::sleep(Duration::from_millis(random.below(longest) as u64));
        let begun = Instant::now();
        session.press(&word);
        is_burst &= before.is_none_or(|before| before.elapsed() < QUIET);
        before = Some(begun);
    }
    is_burst
}

/// Returns `true` if a dialog is open.
fn is_asked(screen: &vt100::Screen) -> bool {
    let text = screen.contents();
    ["Yes", "[ No ]", "Type this name"].iter().any(|asked| text.contains(asked))
}

#[test]
fn a_thousand_bursts_of_keys_delete_nothing() {
    thread::scope(|scope| {
        for number in 0..TERMINALS {
            scope.spawn(move || {
                let mut random = Random(number as u64 + 18);
                let (mut bursts, mut asked) = (0, 0);
                'again: while bursts < BURSTS / TERMINALS {
                    let folder = folder();
                    let before = names(folder.path());
                    let mut session = Session::start(folder.path());
                    session.wait_for_text("1 of 3");
                    while bursts < BURSTS / TERMINALS {
                        let is_burst = burst(&mut session, &mut random);
                        session.drain(Duration::from_millis(30));
                        asked += usize::from(is_asked(session.screen.screen()));
                        // Closes any dialog. The burst may also have sorted the list, opened directories or
                        // caused notices, which does not matter.
                        session.press("n");
                        session.wait_for("list without a question", |screen| !is_asked(screen));
                        if !is_burst {
                            continue 'again;
                        }
                        bursts += 1;
                        assert_eq!(names(folder.path()), before, "{}", session.screen.screen().contents());
                    }
                }
                assert!(asked > bursts / 10, "only {asked} boxes were open at the end of a burst");
            });
        }
    });
}

#[test]
fn a_user_who_waits_for_the_button_can_confirm() {
    if !sandbox::enter("a_user_who_waits_for_the_button_can_confirm") {
        return;
    }
    let folder = folder();
    let mut session = Session::start(folder.path());
    session.wait_for_text("1 of 3");
    session.press("d");
    session.wait_for_text("frees ");
    session.wait_for_text("[ Yes ]");
    session.press("y");
    session.wait_for_text("Deleted 6 entries");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}
