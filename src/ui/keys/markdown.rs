//! Key bindings of each help group, and Markdown tables of all key bindings for the documentation.

use std::fmt::Write;

use super::{Binding, HelpGroup, KEYMAP};

/// Returns the contents of docs/keys.md: a heading and a table for each group of the help page.
pub fn markdown() -> String {
    let mut text = String::new();
    for group in HelpGroup::ALL {
        // Writing to a string cannot fail.
        let _ = write!(text, "### {}\n\n| key | action |\n|---|---|\n", group.name());
        for (_, binding) in in_group(group) {
            let _ = writeln!(text, "| {} | {} |", code_spans(binding), binding.help);
        }
        text.push('\n');
    }
    text
}

/// Returns the table of docs/config.md: name, keys and help text of each command whose keys can be changed.
pub fn settings_markdown() -> String {
    let mut table = String::from("| name | keys | action |\n|---|---|---|\n");
    for binding in KEYMAP.iter().filter(|binding| !binding.is_fixed()) {
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `{}` | {} | {} |", binding.name(), code_spans(binding), binding.help);
    }
    table
}

/// Returns the keys of a binding as Markdown code spans. A backtick needs double backticks around it.
fn code_spans(binding: &Binding) -> String {
    let span = |key: String| if key.contains('`') { format!("`` {key} ``") } else { format!("`{key}`") };
    binding.keys.iter().map(|key| span(key.name())).collect::<Vec<_>>().join(" ")
}

/// Returns the key bindings of a help group, each with its index in [`KEYMAP`].
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
    fn the_markdown_has_a_table_for_each_group_and_a_row_for_each_binding() {
        let text = markdown();
        assert_eq!(text.matches("\n| key | action |\n|---|---|\n").count(), HelpGroup::ALL.len());
        assert_eq!(text.matches("\n| `").count(), KEYMAP.len());
        assert!(text.contains("\n| `Enter` `Right` `l` | open, or go to entry |\n"), "{text}");
    }
}
