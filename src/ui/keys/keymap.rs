//! Keymap of a session: the key table with changes from the configuration.
//!
//! The configuration can assign other keys to a line of the table. A reassigned key gets the new meaning in
//! the scopes of its new line, and keeps its old meaning in all other scopes. The configuration cannot change
//! `Ctrl-C` or the keys that answer questions. Such a change could cause an accidental confirmation or prevent
//! quitting.
//!
//! Invariant: within a scope, a key has exactly one meaning.

use ratatui::crossterm::event::KeyEvent;

use super::{Binding, Command, KEYMAP, Key, Scope};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    /// Configured keys: the index of a line in [`KEYMAP`], and the keys of this line. If two configured lines have the
    /// same key in a scope, the key belongs to the line that comes first in `changes`.
    changes: Vec<(usize, Vec<Key>)>,
}

impl Keymap {
    /// Returns the command that a key is bound to in `scope`, if any.
    pub fn lookup(&self, scope: Scope, event: KeyEvent) -> Option<Command> {
        self.line_for_key(scope, |key| key.is(event)).map(|line| KEYMAP[line].command)
    }

    /// Returns the binding that a key has in another view, if any. Used for keys that are not bound in the current
    /// scope.
    pub fn elsewhere(&self, event: KeyEvent) -> Option<&'static Binding> {
        // Scopes for typing and for questions are omitted, because their keys have special meanings.
        [Scope::List, Scope::Table, Scope::Treemap, Scope::Marks]
            .into_iter()
            .find_map(|scope| self.line_for_key(scope, |key| key.is(event)))
            .map(|line| &KEYMAP[line])
    }

    pub fn give(&mut self, line: usize, keys: Vec<Key>) {
        self.changes.retain(|(changed, _)| *changed != line);
        self.changes.push((line, keys));
    }

    /// Returns the keys of a [`KEYMAP`] line that work in at least one scope of the line.
    pub fn keys(&self, line: usize) -> impl Iterator<Item = Key> {
        let scopes = KEYMAP[line].scopes;
        let has = move |key: &Key| scopes.iter().any(|scope| self.has(line, *scope, *key));
        self.wanted(line).iter().copied().filter(has)
    }

    pub fn keys_in(&self, line: usize, scope: Scope) -> impl Iterator<Item = Key> {
        self.wanted(line).iter().copied().filter(move |key| self.has(line, scope, *key))
    }

    /// Returns the name of the first key for `command` in `scope`, if any.
    pub fn first(&self, command: Command, scope: Scope) -> Option<String> {
        let mut lines = (0..KEYMAP.len()).filter(|line| KEYMAP[*line].command == command);
        lines.find_map(|line| self.keys_in(line, scope).next()).map(Key::name)
    }

    /// Returns a hint to append to a sentence, for example ` (Space marks)` if the key is Space and `does` is
    /// `marks`. The hint is empty if no key in `scope` has this command.
    pub fn hint(&self, command: Command, scope: Scope, does: &str) -> String {
        self.first(command, scope).map_or_else(String::new, |key| format!(" ({key} {does})"))
    }

    pub fn names(&self, line: usize) -> String {
        self.keys(line).map(Key::name).collect::<Vec<_>>().join(" ")
    }

    /// Returns the indexes of the other [`KEYMAP`] lines that are bound to `key` and share a scope with `line`. Ignores
    /// scopes in which `key` types text.
    pub fn rivals(&self, line: usize, key: Key) -> impl Iterator<Item = usize> {
        let works = move |scope: &Scope| KEYMAP[line].scopes.contains(scope) && !scope.types(key);
        let shares = move |other: &usize| KEYMAP[*other].scopes.iter().any(works);
        let others = (0..KEYMAP.len()).filter(move |other| *other != line);
        others.filter(move |other| self.wanted(*other).contains(&key)).filter(shares)
    }

    pub fn is_changed(&self, line: usize) -> bool {
        self.changes.iter().any(|(changed, _)| *changed == line)
    }

    /// Returns all keys of a [`KEYMAP`] line: the default keys, unless the configuration changes the line.
    fn wanted(&self, line: usize) -> &[Key] {
        let change = self.changes.iter().find(|(changed, _)| *changed == line);
        change.map_or(KEYMAP[line].keys, |(_, keys)| keys)
    }

    fn has(&self, line: usize, scope: Scope, key: Key) -> bool {
        !scope.types(key) && self.line_for_key(scope, |other| other == key) == Some(line)
    }

    /// Returns the first [`KEYMAP`] line in `scope` that has a key accepted by `is`. Lines with fixed keys come first,
    /// then the lines that the configuration has changed, then all others.
    fn line_for_key(&self, scope: Scope, is: impl Fn(Key) -> bool) -> Option<usize> {
        let all = || 0..KEYMAP.len();
        let fixed = all().filter(|line| KEYMAP[*line].is_fixed());
        let changed = self.changes.iter().map(|(line, _)| *line);
        let mut lines = fixed.chain(changed).chain(all().filter(|line| !self.is_changed(*line)));
        lines.find(|line| {
            let meant = |key: &Key| is(*key) && !scope.types(*key);
            KEYMAP[*line].scopes.contains(&scope) && self.wanted(*line).iter().any(meant)
        })
    }
}

impl Binding {
    /// Returns `true` if the configuration cannot change the keys of this binding.
    pub fn is_fixed(&self) -> bool {
        matches!(self.command, Command::Interrupt | Command::Answer(_))
    }

    /// Returns `true` if `key` types text in every scope of this binding. Such a key could never trigger the command.
    pub fn would_be_typed(&self, key: Key) -> bool {
        self.scopes.iter().all(|scope| scope.types(key))
    }
}

pub fn line(name: &str) -> Option<usize> {
    KEYMAP.iter().position(|binding| binding.name() == name)
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::ui::cursor::Motion;

    fn changed(changes: &[(&str, &[&str])]) -> Keymap {
        let mut keymap = Keymap::default();
        for (name, keys) in changes {
            keymap.give(line(name).unwrap(), keys.iter().map(|key| key.parse().unwrap()).collect());
        }
        keymap
    }

    fn meaning(keymap: &Keymap, scope: Scope, key: &str) -> Option<&'static str> {
        let command = keymap.lookup(scope, key.parse::<Key>().unwrap().event())?;
        let meant = KEYMAP.iter().find(|line| line.command == command && line.scopes.contains(&scope));
        meant.map(Binding::name)
    }

    #[test]
    fn without_changes_keys_follow_the_table() {
        let keymap = Keymap::default();
        for (number, binding) in KEYMAP.iter().enumerate() {
            assert_eq!(keymap.keys(number).collect::<Vec<_>>(), binding.keys, "{}", binding.name());
            for scope in binding.scopes {
                let meant = || binding.keys.iter().copied().filter(|key| !scope.types(*key));
                assert!(keymap.keys_in(number, *scope).eq(meant()), "{}", binding.name());
                for key in meant() {
                    assert_eq!(keymap.lookup(*scope, key.event()), Some(binding.command));
                    assert_eq!(keymap.rivals(number, key).next(), None, "{}", key.name());
                }
            }
        }
    }

    #[test]
    fn a_line_has_only_its_new_keys() {
        let keymap = changed(&[("mark", &["x", "Ins"])]);
        assert_eq!(meaning(&keymap, Scope::List, "x"), Some("mark"));
        assert_eq!(meaning(&keymap, Scope::Marks, "Ins"), Some("mark"));
        assert_eq!(meaning(&keymap, Scope::List, "Space"), None);
        assert_eq!(keymap.names(line("mark").unwrap()), "x Ins");
        assert_eq!(keymap.first(Command::Mark, Scope::List).as_deref(), Some("x"));
        assert_eq!(changed(&[("mark", &[])]).first(Command::Mark, Scope::List), None);
    }

    #[test]
    fn hints_name_the_keys_that_were_configured() {
        let keymap = changed(&[("rescan", &["F5", "x"]), ("restore", &[])]);
        let hint = |command| keymap.hint(command, Scope::List, "does it");
        assert_eq!([hint(Command::Rescan), hint(Command::Restore)], [" (F5 does it)", ""]);
    }

    #[test]
    fn a_reassigned_key_keeps_its_old_meaning_in_other_scopes() {
        let keymap = changed(&[("rescan", &["k"])]);
        assert_eq!(meaning(&keymap, Scope::List, "k"), Some("rescan"));
        assert_eq!(meaning(&keymap, Scope::Help, "k"), Some("up"));
        let up = line("up").unwrap();
        assert_eq!(keymap.keys_in(up, Scope::List).map(Key::name).collect::<Vec<_>>(), ["Up"]);
        assert_eq!(keymap.names(up), "Up k");
        let rivals: Vec<_> = keymap.rivals(line("rescan").unwrap(), "k".parse().unwrap()).collect();
        assert_eq!(rivals, [up]);
        // A line whose only key was reassigned has no key names.
        let keymap = changed(&[("mark-range", &["C"])]);
        assert_eq!(keymap.names(line("sort-count").unwrap()), "");
    }

    #[test]
    fn the_first_of_two_lines_gets_a_key() {
        let keymap = changed(&[("rescan", &["x"]), ("rescan-root", &["x", "X"])]);
        assert_eq!(meaning(&keymap, Scope::List, "x"), Some("rescan"));
        assert_eq!(meaning(&keymap, Scope::List, "X"), Some("rescan-root"));
        assert_eq!(keymap.names(line("rescan-root").unwrap()), "X");
    }

    #[test]
    fn keys_of_questions_and_interrupt_cannot_be_changed() {
        let keymap = changed(&[("suspend", &["y", "Ctrl-C", "F1"]), ("quit", &[])]);
        for scope in Scope::ALL {
            assert_eq!(meaning(&keymap, scope, "Ctrl-C"), Some("interrupt"), "{scope:?}");
            assert_eq!(meaning(&keymap, scope, "F1"), Some("suspend"), "{scope:?}");
        }
        assert_eq!(meaning(&keymap, Scope::Question, "y"), Some("yes"));
        assert_eq!(meaning(&keymap, Scope::Help, "y"), Some("suspend"));
    }

    #[test]
    fn letters_are_typed_into_texts_whatever_keys_are_configured() {
        let keymap = changed(&[("suspend", &["x"]), ("keep-results", &["Ctrl-O"])]);
        for scope in [Scope::Prompt, Scope::FileName, Scope::Typing] {
            assert_eq!(meaning(&keymap, scope, "x"), None, "{scope:?}");
            assert_eq!(meaning(&keymap, scope, "Bksp"), Some("erase"), "{scope:?}");
        }
        assert_eq!(meaning(&keymap, Scope::Prompt, "Ctrl-O"), Some("keep-results"));
        assert!(KEYMAP[line("erase").unwrap()].would_be_typed("x".parse().unwrap()));
        assert!(!KEYMAP[line("suspend").unwrap()].would_be_typed("x".parse().unwrap()));
    }

    #[test]
    fn capitals_are_found_however_the_terminal_reports_shift() {
        let keymap = Keymap::default();
        for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
            let event = KeyEvent::new(KeyCode::Char('G'), modifiers);
            assert_eq!(keymap.lookup(Scope::List, event), Some(Command::Move(Motion::Bottom)));
        }
        let event = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::ALT);
        assert_eq!(keymap.lookup(Scope::List, event), None);
    }
}
