//! Tables of keys for the documents, and the key table grouped by heading.

use std::fmt::Write;

use super::{Binding, HelpGroup, KEYMAP};

/// Returns the Markdown table of keys for docs/keys.md, with one row per heading of the help page.
pub fn markdown() -> String {
    let mut table = String::from("| for | keys |\n|---|---|\n");
    for group in HelpGroup::ALL {
        let line = |binding: &Binding| {
            let keys: Vec<String> = binding.keys.iter().map(|key| code_span(&key.name())).collect();
            format!("{} {}", keys.join(" "), binding.help)
        };
        let lines: Vec<String> = in_group(group).map(|(_, binding)| line(binding)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {} | {} |", group.name(), lines.join(" · "));
    }
    table
}

/// Returns the Markdown table for docs/config.md: name, keys and help text of each command whose keys can be
/// changed.
pub fn settings_markdown() -> String {
    let mut table = String::from("| name | keys | does |\n|---|---|---|\n");
    for binding in KEYMAP.iter().filter(|binding| !binding.is_fixed()) {
        let keys: Vec<String> = binding.keys.iter().map(|key| code_span(&key.name())).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `{}` | {} | {} |", binding.name(), keys.join(" "), binding.help);
    }
    table
}

/// Returns a key as a code span; a backtick needs a longer fence.
fn code_span(key: &str) -> String {
    if key.contains('`') { format!("`` {key} ``") } else { format!("`{key}`") }
}

/// Returns the lines of the table under one heading, with their numbers.
pub fn in_group(group: HelpGroup) -> impl Iterator<Item = (usize, &'static Binding)> {
    KEYMAP.iter().enumerate().filter(move |(_, binding)| binding.group == group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::keys::{Key, Scope};

    #[test]
    fn a_key_means_one_thing_in_each_scope() {
        for scope in Scope::ALL {
            let bound: Vec<Key> = KEYMAP
                .iter()
                .filter(|binding| binding.scopes.contains(&scope))
                .flat_map(|binding| binding.keys.iter().copied())
                .collect();
            for (index, key) in bound.iter().enumerate() {
                assert!(!bound[index + 1..].contains(key), "{} in {scope:?}", key.name());
            }
        }
    }

    #[test]
    fn the_markdown_table_has_every_binding() {
        let table = markdown();
        assert_eq!(table.lines().count(), 2 + HelpGroup::ALL.len());
        assert_eq!(table.matches(" · ").count(), KEYMAP.len() - HelpGroup::ALL.len());
        assert!(table.contains(" · `Enter` `Right` `l` open, or go to it · "), "{table}");
    }
}
