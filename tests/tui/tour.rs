//! Test of docs/tour.md: performs every step in a pseudo-terminal, on the directory that `examples/demo-tree`
//! creates.
//!
//! Each item of the list below a numbered heading begins with `Run`, `Press`, `Type`, `You see` or `Why:`; any other
//! item is an error. Text in backticks is a command, a key, typed text, or text that must appear on the screen. If an
//! item expects several texts, these must appear from top to bottom.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::program::is_installed;
use crate::session::{Session, without_user_settings};
use duke::testing::ui::answer_gate::LONG_QUIET;
use portable_pty::CommandBuilder;
use tempfile::TempDir;

#[path = "../../examples/demo-tree/tree.rs"]
mod demo_tree;

const TOUR: &str = include_str!("../../docs/tour.md");
/// Directory in which docs/tour.md creates its files. The test replaces it with a temporary directory.
const PLACE: &str = "/tmp";
const CREATE: &str = "cargo run --example demo-tree -- ";
/// Time that the test leaves for drawing before it checks that the next expected text is not on the screen yet. If
/// drawing takes longer, the test does not fail, but it may not notice a text that appears too early.
const MOMENT: Duration = Duration::from_millis(150);

/// Parsed item of the list below a numbered heading.
#[derive(Debug, PartialEq)]
enum Item<'a> {
    Run(&'a str),
    Press(Vec<&'a str>),
    Type(&'a str),
    See(Vec<&'a str>),
    Why,
}

/// Parses one item of a list, without its dash.
fn item(text: &str) -> Result<Item<'_>, String> {
    let (words, code): (Vec<_>, Vec<_>) =
        text.split('`').enumerate().partition(|(number, _)| number % 2 == 0);
    let code: Vec<&str> = code.into_iter().map(|(_, code)| code).collect();
    let words: Vec<&str> = words.into_iter().map(|(_, word)| word).collect();
    if words.len() != code.len() + 1 {
        return Err(format!("a backtick without its pair: {text}"));
    }
    // After the first code span of a `Run`, `Type` or `Press` item, only separators are allowed. Other words could be
    // an instruction, which the test would ignore.
    let is_plain = words[1..].iter().all(|word| matches!(*word, ", " | " and " | "."));
    match (words[0], code.as_slice()) {
        ("Run ", [command]) if is_plain => Ok(Item::Run(command)),
        ("Type ", [typed]) if is_plain => Ok(Item::Type(typed)),
        ("Press ", [_, ..]) if is_plain => Ok(Item::Press(code)),
        (verb, [_, ..]) if verb.starts_with("You see ") => Ok(Item::See(code)),
        (verb, _) if verb.starts_with("Why: ") => Ok(Item::Why),
        _ => Err(format!("not understood: {text}")),
    }
}

/// Returns the title and the items of each numbered section. Fails if any other section contains items.
fn steps(tour: &str) -> Vec<(&str, Vec<String>)> {
    let mut steps = Vec::new();
    for section in tour.split("\n## ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap();
        if title.starts_with(&format!("{}. ", steps.len() + 1)) {
            steps.push((title, list(title, body)));
        } else {
            assert!(!body.contains("\n- "), "{title} has steps, but not the next number");
        }
    }
    steps
}

/// Returns the list items in the body of a section. All other lines must be pictures whose files exist.
fn list(title: &str, body: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in body.lines().filter(|line| !line.is_empty()) {
        if let Some(item) = line.strip_prefix("- ") {
            items.push(item.to_owned());
        } else if let (Some(rest), Some(item)) = (line.strip_prefix("  "), items.last_mut()) {
            item.push(' ');
            item.push_str(rest);
        } else {
            let picture = line.strip_prefix("![").and_then(|line| line.strip_suffix(')'));
            let (_, path) = picture
                .and_then(|line| line.split_once("]("))
                .unwrap_or_else(|| panic!("{title}: not understood: {line}"));
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(path);
            assert!(path.is_file(), "{} is missing", path.display());
        }
    }
    items
}

/// Returns the bytes that a terminal sends for a key.
fn bytes(key: &str) -> &str {
    match key {
        "Enter" => "\r",
        "Esc" => "\x1b",
        "Space" => " ",
        "Tab" => "\t",
        "Up" => "\x1b[A",
        "Down" => "\x1b[B",
        "Right" => "\x1b[C",
        "Left" => "\x1b[D",
        letter if letter.chars().count() == 1 => letter,
        _ => panic!("unknown key: {key}"),
    }
}

/// Returns `true` if the texts appear on the screen in this order.
fn is_shown(screen: &vt100::Screen, texts: &[&str]) -> bool {
    let contents = screen.contents();
    let mut rest = contents.as_str();
    texts.iter().all(|text| {
        rest.split_once(text).is_some_and(|(_, after)| {
            rest = after;
            true
        })
    })
}

/// Simulated reader of the tour, with a current directory and the program that runs in the terminal.
struct Reader {
    folder: TempDir,
    directory: PathBuf,
    session: Option<Session>,
}

impl Reader {
    fn session(&mut self) -> &mut Session {
        self.session.as_mut().expect("no program runs")
    }

    fn end(&mut self) {
        if let Some(mut session) = self.session.take() {
            let status = session.end();
            assert!(status.success(), "{status:?}\n{}", session.screen.screen().contents());
        }
    }

    fn run(&mut self, command: &str) {
        self.end();
        let temp = self.folder.path().to_str().unwrap();
        if let Some(path) = command.strip_prefix(CREATE) {
            return demo_tree::create(Path::new(&path.replace(PLACE, temp))).unwrap();
        }
        if let Some(path) = command.strip_prefix("cd ") {
            self.directory = path.replace(PLACE, temp).into();
            return;
        }
        let mut shell = CommandBuilder::new("sh");
        shell.args(["-c", command]);
        shell.cwd(&self.directory);
        without_user_settings(&mut shell);
        shell.env("XDG_STATE_HOME", self.folder.path().join("state"));
        let program = Path::new(env!("CARGO_BIN_EXE_duke")).parent().unwrap().display();
        shell.env("PATH", format!("{program}:{}", std::env::var("PATH").unwrap()));
        let mut session = Session::run(shell);
        session.resize(30, 100);
        self.session = Some(session);
    }

    fn press(&mut self, key: &str) {
        // A question accepts Yes only after a pause of `LONG_QUIET`.
        let pause = if key == "y" { LONG_QUIET + MOMENT } else { MOMENT };
        self.session().drain(pause);
        self.session().press(bytes(key));
    }

    fn perform(&mut self, item: &Item<'_>) {
        match item {
            Item::Run(command) => self.run(command),
            Item::Press(keys) => keys.iter().for_each(|key| self.press(key)),
            Item::Type(text) => self.session().press(text),
            Item::See(texts) => {
                self.session().wait_for(&format!("{texts:?}"), |screen| is_shown(screen, texts));
            }
            Item::Why => {}
        }
    }

    /// Performs a step. Before a series of keys, checks that the texts expected after them are not shown yet.
    fn step(&mut self, items: &[Item<'_>]) {
        let mut is_seen = true;
        for (number, item) in items.iter().enumerate() {
            if is_seen && matches!(item, Item::Press(_) | Item::Type(_)) {
                let next = items[number..].iter().find_map(|item| match item {
                    Item::See(texts) => Some(texts),
                    _ => None,
                });
                self.session().drain(MOMENT);
                if let Some(texts) = next {
                    assert!(
                        !is_shown(self.session().screen.screen(), texts),
                        "{texts:?} is shown before {item:?}:\n{}",
                        self.session().screen.screen().contents()
                    );
                }
            }
            is_seen = matches!(item, Item::See(_));
            self.perform(item);
        }
    }
}

#[test]
fn every_step_of_the_tour_shows_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut reader = Reader { directory: folder.path().to_owned(), folder, session: None };
    let steps = steps(TOUR);
    assert!(steps.len() >= 12, "{} steps", steps.len());
    for (title, items) in steps {
        let items: Vec<Item<'_>> =
            items.iter().map(|text| item(text).unwrap_or_else(|error| panic!("{title}: {error}"))).collect();
        assert!(items.iter().any(|item| matches!(item, Item::See(_))), "{title} shows nothing");
        assert!(items.contains(&Item::Why), "{title} gives no reason");
        let needs_jq =
            items.iter().any(|item| matches!(item, Item::Run(command) if command.contains("| jq ")));
        if needs_jq && !is_installed("jq", "--version") {
            continue;
        }
        eprintln!("{title}");
        reader.step(&items);
    }
    reader.end();
}

#[test]
fn items_that_are_not_understood_are_errors() {
    for text in ["Hold `x`.", "Press `a` or `b`.", "Press x.", "Run `a` and `b`.", "You see it.", "Press `a"]
    {
        assert!(item(text).is_err(), "{text}");
    }
    assert_eq!(item("Press `Down` and `Enter`."), Ok(Item::Press(vec!["Down", "Enter"])));
    assert_eq!(item("You see `a`, then `b`: both."), Ok(Item::See(vec!["a", "b"])));
}

#[test]
fn the_demo_tree_is_not_created_over_another_directory() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "mine").unwrap();
    let error = demo_tree::create(folder.path()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
