//! Reads `[keys]` in the configuration file, which changes key bindings.
//!
//! If two lines of the file bind the same key to different commands, the first line takes precedence. Any line of the
//! file can rebind default keys. A command that loses a default key is reported, unless the file binds other keys to
//! it.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::base::sort::sort_by_key;
use crate::cli::config::contents::{Config, quoted};
use crate::cli::config::position::{Position, Text};
use crate::ui::keys::{Command, KEYMAP, Key, Scope, line};

/// Former names of commands, and their current names. A file with a former name still works, but causes a warning.
const RENAMED: [(&str, &str); 10] = [
    ("hints", "cleanup"),
    ("rest", "df"),
    ("erase-all", "erase-to-start"),
    ("open-in-place", "enter-directory"),
    ("open-part", "open-view"),
    ("parent-cells", "treemap-parent"),
    ("search-keys", "search-help"),
    ("empty-instead", "delete-contents"),
    ("open-elsewhere", "open-in-app"),
    ("close-file-name", "close-file-prompt"),
];

/// New keys for the command at index `line` of [`KEYMAP`], with the positions of the keys in the file.
struct Change {
    line: usize,
    keys: Vec<(Key, Position)>,
}

pub fn read(config: &mut Config, text: Text<'_>, lines: &DeTable<'_>) {
    let mut lines: Vec<_> = lines.iter().collect();
    sort_by_key(&mut lines, |(name, _)| name.span().start);
    let changes: Vec<Change> =
        lines.into_iter().filter_map(|(name, value)| change(config, text, name, value)).collect();
    for Change { line, keys } in &changes {
        config.keymap.give(*line, keys.iter().map(|(key, _)| *key).collect());
    }
    for (number, change) in changes.iter().enumerate() {
        for (key, at) in &change.keys {
            for rival in config.keymap.rivals(change.line, *key).collect::<Vec<_>>() {
                let is_later = changes[number..].iter().any(|change| change.line == rival);
                if let Some(reason) = conflict(config, change.line, rival, *key, is_later) {
                    config.warn(*at, &reason);
                }
            }
        }
    }
}

/// Returns a warning that `key` is bound to two commands, or `None` if no warning is needed. `line` and `rival` are the
/// indexes of the commands in [`KEYMAP`]. `is_later` is `true` if the configuration file sets the keys of `rival` after
/// those of `line`.
fn conflict(config: &Config, line: usize, rival: usize, key: Key, is_later: bool) -> Option<String> {
    let (name, other) = (KEYMAP[line].name(), KEYMAP[rival].name());
    let key = quoted(&key.name()).into_owned();
    if KEYMAP[rival].is_fixed() {
        Some(format!("when duke asks a question, {key} always means '{other}', not '{name}'"))
    } else if config.keymap.is_changed(rival) {
        // The file binds the key twice: the first binding applies, and only the second one causes a warning.
        (!is_later).then(|| format!("{key} is already bound to '{other}' above; the first binding applies"))
    } else {
        Some(format!("{key} is now bound to '{name}' instead of '{other}'; set new keys for '{other}'"))
    }
}

fn change(
    config: &mut Config,
    text: Text<'_>,
    name: &Spanned<std::borrow::Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Option<Change> {
    let at = text.position(name.span().start);
    let former = RENAMED.iter().find(|(former, _)| former == name.get_ref());
    if let Some((former, present)) = former {
        config.warn(at, &format!("the command '{former}' is now called '{present}'"));
    }
    let Some(line) = line(former.map_or(name.get_ref(), |(_, present)| present)) else {
        config.warn(
            at,
            &format!("unknown command '{}'; 'duke config show' lists all commands", quoted(name.get_ref())),
        );
        return None;
    };
    if KEYMAP[line].is_fixed() {
        config.warn(at, &format!("the keys of '{}' cannot be changed", KEYMAP[line].name()));
        return None;
    }
    let words = match value.get_ref() {
        DeValue::Array(words) => words.iter().collect(),
        _ => vec![value],
    };
    let wanted = words.len();
    let keys: Vec<(Key, Position)> =
        words.into_iter().filter_map(|word| read_key(config, text, line, word)).collect();
    // If all keys of a line are invalid, the command keeps its default keys.
    (wanted == 0 || !keys.is_empty()).then_some(Change { line, keys })
}

fn read_key(
    config: &mut Config,
    text: Text<'_>,
    line: usize,
    word: &Spanned<DeValue<'_>>,
) -> Option<(Key, Position)> {
    let at = text.position(word.span().start);
    let name = super::value::word(word.get_ref()).unwrap_or_default();
    let key = match name.parse::<Key>() {
        Ok(key) => key,
        Err(reason) => {
            config.warn(at, &format!("'{}': {reason}", quoted(&name)));
            return None;
        }
    };
    let interrupts = config.keymap.lookup(Scope::List, key.event()) == Some(Command::Interrupt);
    if interrupts {
        config.warn(at, &format!("{} cannot be rebound: there must always be a key to quit", key.name()));
        return None;
    }
    if KEYMAP[line].would_be_typed(key) {
        let reason = "cannot be bound to this command: in a text field, it types a character";
        config.warn(at, &format!("'{}' {reason}", quoted(&name)));
        return None;
    }
    Some((key, at))
}
