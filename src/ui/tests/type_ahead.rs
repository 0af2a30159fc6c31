//! Tests of keys typed before a question could be read, and of keys typed by a user who has read the question.

use proptest::prelude::*;
use ratatui::crossterm::event::KeyEventKind;

use super::*;
use crate::delete::{DeleteWarning, Preview};
use crate::fixture::cases;
use crate::source::save::{Overwrite, SaveError};
use crate::ui::answer_gate::QUIET;
use crate::ui::operations::deletion::{DeletionMessage, DeletionRequest};
use crate::ui::operations::export::{ExportMessage, ExportRequest};

/// Browser with a simulated terminal. As in the event loop, pending input is processed first, and the idle event is
/// sent only when no input is pending.
struct Terminal<'t> {
    app: App<'t>,
    now: Duration,
    effects: Vec<Effect>,
}

impl<'t> Terminal<'t> {
    fn new(tree: &'t Tree) -> Self {
        let mut app = finished(tree);
        tick(&mut app, 60_000, Some(Outcome::Complete));
        Self { app, now: Duration::ZERO, effects: Vec::new() }
    }

    fn take(&mut self, action: Event) {
        if let Some(effect) = self.app.update(action) {
            // These two effects are answered immediately: a preview succeeds, and an export that must not overwrite a
            // file fails as if the file existed.
            match &effect {
                Effect::Deletion(DeletionRequest::Preview(..)) => {
                    let warnings = vec![DeleteWarning::OthersDirectory(b"/r".to_vec(), 0)];
                    self.take(Event::Deletion(DeletionMessage::Previewed(Arc::new(Preview {
                        warnings,
                        ..Preview::default()
                    }))));
                }
                Effect::Export(request) if request.old == Overwrite::Refuse => {
                    let request = request.clone();
                    self.take(Event::Exported(ExportMessage { request, written: Err(SaveError::Exists) }));
                }
                _ => self.effects.push(effect),
            }
        }
    }

    /// Advances the clock by `wait` without input, and delivers the idle events that become due.
    fn wait(&mut self, wait: Duration) {
        let end = self.now + wait;
        while let Some(next) =
            self.app.idle_wait(self.now).map(|wait| self.now + wait).filter(|next| *next < end)
        {
            self.now = next;
            self.take(Event::Idle(self.now));
        }
        self.now = end;
    }

    fn press(&mut self, code: KeyCode) {
        self.take(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    /// Returns `true` if the app has started an operation that it must not start without a confirmation.
    fn has_started_operation(&self) -> bool {
        self.effects.iter().any(|effect| match effect {
            Effect::Deletion(DeletionRequest::Begin(..)) | Effect::ScanAbove(_) => true,
            Effect::Export(ExportRequest { old, .. }) => *old == Overwrite::Replace,
            _ => false,
        })
    }
}

fn keys() -> impl Strategy<Value = KeyCode> {
    let letters = prop::sample::select("ddddyyyyaehnDEqV".chars().map(KeyCode::Char).collect::<Vec<_>>());
    let others = prop::sample::select(vec![KeyCode::Enter, KeyCode::Right, KeyCode::Tab, KeyCode::Left]);
    prop_oneof![3 => letters, 1 => others]
}

proptest! {
    #![proptest_config(cases(3_000))]

    /// No sequence of keys with pauses shorter than [`QUIET`] deletes, replaces or scans anything. Afterwards,
    /// pressing Esc closes everything that the keys have opened.
    #[test]
    fn a_burst_of_keys_confirms_nothing(burst in prop::collection::vec((keys(), 0..300_u64, 0..20_u8), 1..40)) {
        let tree = home();
        let mut terminal = Terminal::new(&tree);
        for (code, wait, kind) in burst {
            match kind {
                0 => terminal.take(Event::Paste("y\r".into())),
                1 => {
                    let event = KeyEvent::new_with_kind(code, KeyModifiers::NONE, KeyEventKind::Repeat);
                    terminal.take(Event::Key(event));
                }
                _ => terminal.press(code),
            }
            terminal.wait(Duration::from_millis(wait));
        }
        prop_assert!(!terminal.has_started_operation(), "{:?}", terminal.effects);
        (0..4).for_each(|_| terminal.press(KeyCode::Esc));
        prop_assert_eq!((layer(&terminal.app), question(&terminal.app)), (None, None));
    }
}

#[test]
fn a_user_who_reads_the_question_can_confirm() {
    let tree = home();
    let mut terminal = Terminal::new(&tree);
    terminal.press(KeyCode::Char('d'));
    terminal.wait(QUIET + Duration::from_millis(1));
    terminal.press(KeyCode::Char('y'));
    assert!(
        !terminal.has_started_operation()
            && screen(&mut terminal.app).contains("Other users can change this directory")
    );
    terminal.wait(LONG_QUIET + Duration::from_millis(1));
    terminal.press(KeyCode::Char('y'));
    assert!(terminal.has_started_operation());
}

#[test]
fn a_key_held_down_before_the_question_is_no_yes() {
    // Delays, in milliseconds, after which keyboards begin to repeat a held key.
    for delay in [250, 400, 500, 660, 900] {
        let tree = home();
        let mut terminal = Terminal::new(&tree);
        terminal.press(KeyCode::Char('d'));
        terminal.wait(Duration::from_millis(5));
        terminal.press(KeyCode::Char('y'));
        terminal.wait(Duration::from_millis(delay));
        for _ in 0..60 {
            terminal.press(KeyCode::Char('y'));
            terminal.wait(Duration::from_millis(33));
        }
        assert!(!terminal.has_started_operation(), "{delay} ms");
        assert!(!screen(&mut terminal.app).contains("Other users can change this directory"), "{delay} ms");
    }
}

#[test]
fn a_key_that_is_held_down_is_one_yes() {
    let tree = home();
    let mut terminal = Terminal::new(&tree);
    terminal.press(KeyCode::Char('d'));
    terminal.wait(QUIET * 2);
    // Keyboards begin to repeat a held key after up to a second, and few terminals mark these presses as repeats.
    terminal.press(KeyCode::Char('y'));
    terminal.wait(Duration::from_millis(900));
    for _ in 0..100 {
        terminal.press(KeyCode::Char('y'));
        terminal.wait(Duration::from_millis(33));
    }
    assert!(!terminal.has_started_operation());
    terminal.wait(LONG_QUIET * 2);
    let repeated = KeyEvent::new_with_kind(KeyCode::Char('y'), KeyModifiers::NONE, KeyEventKind::Repeat);
    terminal.take(Event::Key(repeated));
    assert!(!terminal.has_started_operation(), "a repetition never counts");
}

#[test]
fn keys_that_waited_unread_are_no_answer() {
    let tree = home();
    let mut terminal = Terminal::new(&tree);
    terminal.press(KeyCode::Char('d'));
    // Time passes without a check for input, as if the process had been stopped.
    terminal.now += Duration::from_secs(60);
    terminal.press(KeyCode::Char('y'));
    assert!(screen(&mut terminal.app).contains("Delete permanently?"));
}

#[test]
fn a_yes_counts_only_after_the_figures_are_shown() {
    let tree = home();
    let mut app = finished(&tree);
    burst(&mut app, "d");
    read(&mut app);
    assert_eq!(burst(&mut app, "y"), []);
    app.update(Event::Deletion(DeletionMessage::Previewed(Arc::new(Preview::default()))));
    assert!(
        screen(&mut app).contains("scanning…") && screen(&mut app).contains("so far"),
        "{}",
        screen(&mut app)
    );
    assert_eq!(burst(&mut app, "y"), [], "they came this moment");
    read(&mut app);
    assert!(screen(&mut app).contains("[ Yes ]"), "{}", screen(&mut app));
    assert!(matches!(burst(&mut app, "y")[..], [Effect::Deletion(DeletionRequest::Begin(..))]));
}

#[test]
fn a_name_typed_too_early_or_pasted_with_enter_does_not_confirm() {
    let tree = home();
    let mut app = finished(&tree);
    deleting::typing(&mut app);
    burst_text(&mut app, "music");
    assert_eq!(burst(&mut app, "Enter"), []);
    read(&mut app);
    assert_eq!(burst(&mut app, "Enter"), []);
    assert_eq!(
        app.cx.notice_text().as_deref(),
        Some("The typed name does not match"),
        "nothing was typed yet"
    );
    read(&mut app);
    burst_text(&mut app, "music");
    assert_eq!(burst(&mut app, "Enter"), []);
    assert!(app.cx.notice_text().unwrap().starts_with("Key ignored"), "{:?}", app.cx.notice_text());
    read(&mut app);
    assert!(matches!(burst(&mut app, "Enter")[..], [Effect::Deletion(DeletionRequest::Begin(..))]));
}

fn burst_text(app: &mut App<'_>, text: &str) {
    for letter in text.chars() {
        app.update(Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
    }
}

#[test]
fn no_is_accepted_at_once() {
    let tree = home();
    for (keys, no) in [("d", "n"), ("d", "Esc"), ("d", "Enter"), ("q", "n"), ("q", "Esc"), ("h", "n")] {
        let mut terminal = Terminal::new(&tree);
        burst(&mut terminal.app, &format!("{keys} {no}"));
        assert_eq!((layer(&terminal.app), question(&terminal.app)), (None, None), "{keys} {no}");
    }
}
