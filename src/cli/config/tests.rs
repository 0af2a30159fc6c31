//! Tests of the configuration file: every error is reported with its position, and if the file is valid TOML, its
//! other lines still apply.

use proptest::prelude::*;
use ratatui::style::Color;

use super::value::{list, quote};
use super::*;
use crate::cli::config::position::Position;
use crate::fixture::cases;
use crate::ui::keys::{KEYMAP, Scope, line};
use crate::ui::theme::{Preset, Role, ThemeOptions};

fn warnings(text: &str) -> Vec<String> {
    Config::parse(text.as_bytes()).warnings.iter().map(|warning| warning.line("f")).collect()
}

fn settings(text: &str) -> Vec<(String, Value)> {
    let config = Config::parse(text.as_bytes());
    assert_eq!(config.warnings, []);
    config.settings.into_iter().map(|setting| (setting.name, setting.value)).collect()
}

#[test]
fn settings_are_kept_for_the_command_line_with_their_positions() {
    let text = "si = true\n\n  threads = 0x10\nexclude = ['*.o', \"a\\\"b\"]\n";
    let word = |text: &str| Value::Word(text.to_owned());
    let exclude = Value::Words(vec!["*.o".to_owned(), "a\"b".to_owned()]);
    let expected = [("si", Value::Switch(true)), ("threads", word("16")), ("exclude", exclude)];
    assert_eq!(settings(text), expected.map(|(name, value)| (name.to_owned(), value)));
    let threads = &Config::parse(text.as_bytes()).settings[1];
    assert_eq!(threads.name_at, Position { line: 3, column: 3 });
    assert_eq!(threads.value_at, Position { line: 3, column: 13 });
    assert_eq!(settings(""), []);
    assert_eq!(settings("\u{feff}si = false\n"), [("si".to_owned(), Value::Switch(false))]);
}

#[test]
fn columns_are_counted_in_characters() {
    assert_eq!(
        warnings("'ä' = { x = 1.5 }\n\"日本\" = 1.5\n"),
        [
            "f:1:1: unknown table 'ä'; the tables are 'colors' and 'keys'",
            "f:2:8: '日本': expected a string, integer, boolean or list"
        ]
    );
}

#[test]
fn invalid_toml_is_reported_with_its_position() {
    let config = Config::parse(b"theme = 'plain'\nsi = \n");
    assert_eq!((config.theme, config.settings.len()), (ThemeOptions::default(), 0));
    assert_eq!(warnings("theme = 'plain'\nsi = \n").len(), 1);
    assert!(warnings("theme = 'plain'\nsi = \n")[0].starts_with("f:2:"), "{:?}", warnings("si = \n"));
    assert!(warnings("a = 1\na = 2\n")[0].starts_with("f:2:1: "), "{:?}", warnings("a = 1\na = 2\n"));
    let bytes = Config::parse(b"# \xc3\xa4\nx = \"\xff\"\n");
    assert_eq!(bytes.warnings[0].line("f"), "f:2:6: not UTF-8; the file is ignored");
    assert!(warnings(&"[".repeat(1 << 20))[0].starts_with("f:1:"));
    assert!(warnings(&format!("x = {}", "[".repeat(1 << 16)))[0].starts_with("f:1:"));
    assert!(warnings(&format!("x{} = 1", ".x".repeat(100_000)))[0].starts_with("f:1:"));
}

#[test]
fn invalid_values_are_reported_with_their_position() {
    let cases = [
        ("a = 1.5", "f:1:5: 'a': expected a string, integer, boolean or list"),
        ("a = 1979-05-27", "f:1:5: 'a': expected a string, integer, boolean or list"),
        ("a = [[1]]", "f:1:5: 'a': only strings and integers are allowed in a list"),
        ("[other]\nx = 1", "f:1:2: unknown table 'other'; the tables are 'colors' and 'keys'"),
        ("[\"\\u001b[31m\"]", "f:1:2: unknown table '\\x1b[31m'; the tables are 'colors' and 'keys'"),
        ("keys = 1", "f:1:8: 'keys' must be a table; write [keys]"),
        ("colors = []", "f:1:10: 'colors' must be a table; write [colors]"),
        (
            "theme = 'gray'",
            "f:1:9: unknown theme; expected one of default, dark, light, color-blind, high-contrast, plain",
        ),
        (
            "theme = 1",
            "f:1:9: unknown theme; expected one of default, dark, light, color-blind, high-contrast, plain",
        ),
        (
            "[colors]\nbars = 'red'",
            "f:2:1: unknown color role 'bars'; expected one of plain, strong, faint, accent, surface, \
             directory, link, special, bar, bar-start, track, warning, more, less, selected, video, media, archive, \
             document, code, data, program, other, age-1, age-2, age-3, age-4, age-5",
        ),
        (
            "[colors]\n bar = 'bleu'",
            "f:2:8: 'bar': unknown color; use one such as blue, bright-blue, 32, #3a80c4 or terminal",
        ),
        (
            "colors.bar = true",
            "f:1:14: 'bar': unknown color; use one such as blue, bright-blue, 32, #3a80c4 or terminal",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(warnings(text), [expected], "{text}");
    }
}

#[test]
fn a_theme_and_colors_are_applied() {
    let config = Config::parse(
        b"theme = 'high-contrast'\n[colors]\nbar = 32\nfaint = '#010203'\ncode = 'red'\nx = 1\n",
    );
    assert_eq!(config.theme.preset, Preset::HighContrast);
    let own = |role| config.theme.own(role);
    assert_eq!(own(Role::Bar), Some(Color::Indexed(32)));
    assert_eq!(own(Role::Faint), Some(Color::Rgb(1, 2, 3)));
    assert_eq!((own(Role::Code), own(Role::Strong)), (Some(Color::Red), None));
    assert_eq!(config.warnings.len(), 1, "what is wrong costs nothing else");
}

fn keys(text: &str, name: &str) -> String {
    Config::parse(format!("[keys]\n{text}").as_bytes()).keymap.names(line(name).unwrap())
}

#[test]
fn keys_are_given_to_lines_of_the_table() {
    assert_eq!(keys("mark = ['x', 'Ins']", "mark"), "x Ins");
    assert_eq!(keys("mark = 'x'", "mark"), "x");
    assert_eq!(keys("list = 8", "list"), "8");
    assert_eq!(keys("mark = []", "mark"), "");
    assert_eq!(keys("mark = ['x', 'foo']", "mark"), "x", "what is a key is taken");
    assert_eq!(keys("mark = ['foo']", "mark"), "Space", "and nothing taken away for nothing");
}

#[test]
fn former_names_of_commands_work_with_a_warning() {
    assert_eq!(keys("hints = 'x'", "cleanup"), "x");
    assert_eq!(keys("rest = 'x'", "df"), "x");
    assert_eq!(warnings("[keys]\nhints = 'x'"), ["f:2:1: the command 'hints' is now called 'cleanup'"]);
}

#[test]
fn key_errors_have_a_position() {
    let written = "unknown key; write keys like k, G, Ctrl-D, Space, PgUp or F5";
    let cases = [
        (
            "marc = 'x'",
            vec!["f:2:1: unknown command 'marc'; 'duke config show' lists all commands".to_owned()],
        ),
        ("mark = ['x', 'foo']", vec![format!("f:2:14: 'foo': {written}")]),
        ("mark = 1.5", vec![format!("f:2:8: '': {written}")]),
        (
            "mark = 'Ctrl-I'",
            vec!["f:2:8: 'Ctrl-I': terminals cannot distinguish this key from Tab".to_owned()],
        ),
        (
            "mark = 'Ctrl-C'",
            vec!["f:2:8: Ctrl-C cannot be rebound: there must always be a key to quit".to_owned()],
        ),
        ("interrupt = 'x'", vec!["f:2:1: the keys of 'interrupt' cannot be changed".to_owned()]),
        ("yes = 'Enter'", vec!["f:2:1: the keys of 'yes' cannot be changed".to_owned()]),
        (
            "erase = 'x'",
            vec![
                "f:2:9: 'x' cannot be bound to this command: in a text field, it types a character"
                    .to_owned(),
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(warnings(&format!("[keys]\n{text}")), expected, "{text}");
    }
}

#[test]
fn lost_keys_are_reported() {
    let cases = [
        (
            "rescan = 'x'\nrescan-root = 'x'",
            vec!["f:3:15: x is already bound to 'rescan' above; the first binding applies"],
        ),
        // The order of the lines in the file decides which binding applies, not the order of the command names.
        (
            "rescan-root = 'x'\nrescan = 'x'",
            vec!["f:3:10: x is already bound to 'rescan-root' above; the first binding applies"],
        ),
        (
            "rescan = 'R'",
            vec![
                "f:2:10: R is now bound to 'rescan' instead of 'rescan-root'; set new keys for 'rescan-root'",
            ],
        ),
        ("rescan = 'R'\nrescan-root = 'r'", vec![]),
        ("suspend = 'F1'\nrepaint = 'F2'", vec![]),
        // The two commands have different scopes, so they can have the same key.
        ("sort-name = 'x'\nopen-cell = 'x'", vec![]),
        (
            "repaint = 'q'",
            vec![
                "f:2:11: q is now bound to 'repaint' instead of 'quit'; set new keys for 'quit'",
                "f:2:11: when duke asks a question, q always means 'no-or-quit', not 'repaint'",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(warnings(&format!("[keys]\n{text}")), expected, "{text}");
    }
    assert_eq!(keys("rescan-root = 'x'\nrescan = 'x'", "rescan-root"), "x");
    assert_eq!(keys("rescan = 'R'", "rescan"), "R");
}

#[test]
fn the_key_table_as_a_configuration_changes_nothing() {
    let free = KEYMAP.iter().filter(|binding| !binding.is_fixed());
    let lines: Vec<String> = free
        .map(|binding| format!("{} = {}", binding.name(), list(binding.keys.iter().map(|key| key.name()))))
        .collect();
    let text = format!("[keys]\n{}", lines.join("\n"));
    let config = Config::parse(text.as_bytes());
    assert_eq!(config.warnings, []);
    for (number, binding) in KEYMAP.iter().enumerate() {
        assert_eq!(config.keymap.keys(number).collect::<Vec<_>>(), binding.keys, "{}", binding.name());
        for key in binding.keys {
            let is_meant = |scope: &Scope| binding.scopes.contains(scope) && !scope.types(*key);
            for scope in Scope::ALL.into_iter().filter(is_meant) {
                assert_eq!(config.keymap.lookup(scope, key.event()), Some(binding.command));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn any_bytes_give_settings_or_warnings_in_order(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let config = Config::parse(&bytes);
        prop_assert!(config.warnings.is_sorted_by_key(|warning| warning.at));
        let is_safe = |warning: &Warning| !warning.reason.contains(char::is_control);
        prop_assert!(config.warnings.iter().all(is_safe), "{:?}", config.warnings);
    }

    #[test]
    fn quoted_texts_are_read_back(text in any::<String>()) {
        prop_assert!(!quote(&text).contains(char::is_control));
        prop_assert_eq!(settings(&format!("a = {}", quote(&text))), [("a".to_owned(), Value::Word(text))]);
    }
}
