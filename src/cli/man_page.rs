//! Man page, written with the man(7) macros.
//!
//! ```text
//! definition of the flags, help_text, keymap  ->  lines of roff
//! ```
//!
//! Invariant: all text is escaped. Therefore no text can become a macro, and flags copied from the page have ASCII
//! hyphens.

use std::fmt::Write;

use clap::{Arg, Command};

use crate::cli::help_text;
use crate::run::exit::Exit;
use crate::ui::keys::{HelpGroup, in_group};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the man page of `command`.
pub fn page(mut command: Command) -> String {
    // Building the command sets the full names of its subcommands.
    command.build();
    let mut page = Page(String::new());
    page.line(&format!(".TH DUKE 1 \"\" \"duke {VERSION}\" \"User Commands\""));
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.section("NAME");
    page.text(&format!("duke - {}", lowered(&about)));
    page.section("SYNOPSIS");
    page.synopsis(&mut command);
    page.section("DESCRIPTION");
    page.text(&command.get_long_about().map(ToString::to_string).unwrap_or_default());
    page.paragraph();
    page.text(help_text::SIZES);
    page.section("OPTIONS");
    page.options(&command);
    page.section("COMMANDS");
    page.commands(&command);
    page.section("KEYS");
    page.keys();
    page.table("SEARCHES", help_text::TERMS.iter().copied());
    page.table("ENVIRONMENT", help_text::ENVIRONMENT.iter().copied());
    page.table("FILES", help_text::FILES.iter().copied());
    let codes = Exit::ALL.map(|exit| (exit.code().to_string(), exit.meaning()));
    page.table("EXIT STATUS", codes.iter().map(|(code, meaning)| (code.as_str(), *meaning)));
    page.table("EXAMPLES", help_text::EXAMPLES.iter().copied());
    page.section("SEE ALSO");
    page.line("\\fBdu\\fR(1), \\fBdf\\fR(1), \\fBncdu\\fR(1), \\fBjq\\fR(1)");
    page.0
}

struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn section(&mut self, title: &str) {
        self.line(&format!(".SH {title}"));
    }

    fn paragraph(&mut self) {
        self.line(".PP");
    }

    /// Adds paragraphs of text, which are separated by empty lines in `text`.
    fn text(&mut self, text: &str) {
        for (number, part) in text.split("\n\n").enumerate() {
            if number > 0 {
                self.paragraph();
            }
            self.line(&escaped(part));
        }
    }

    /// Adds a term in bold, with its meaning.
    fn entry(&mut self, term: &str, meaning: &str) {
        self.line(".TP");
        self.line(&format!("\\fB{}\\fR", escaped(term)));
        self.meaning(meaning);
    }

    /// Adds the meaning of a term. Empty lines in `meaning` separate paragraphs.
    fn meaning(&mut self, meaning: &str) {
        for (number, part) in meaning.split("\n\n").filter(|part| !part.is_empty()).enumerate() {
            if number > 0 {
                self.line(".IP");
            }
            self.line(&escaped(part));
        }
    }

    fn table<'t>(&mut self, title: &str, entries: impl Iterator<Item = (&'t str, &'t str)>) {
        self.section(title);
        for (term, meaning) in entries {
            self.entry(term, meaning);
        }
    }

    /// Adds usage lines for the program and each subcommand.
    fn synopsis(&mut self, command: &mut Command) {
        self.usage(command);
        for command in command.get_subcommands_mut() {
            self.usage(command);
        }
    }

    fn usage(&mut self, command: &mut Command) {
        let usage = command.render_usage().to_string();
        let lines = usage.lines().map(|line| line.trim_start_matches("Usage:").trim());
        // The line with `<SUBCOMMAND>` is omitted, because each subcommand has its own line.
        for line in lines.filter(|line| !line.ends_with("<SUBCOMMAND>")) {
            let (name, words) = line
                .split_once(" [")
                .map_or((line, String::new()), |(name, words)| (name, format!(" [{words}")));
            self.line(&format!("\\fB{}\\fR{}", escaped(name), escaped(&words)));
            self.line(".br");
        }
    }

    /// Adds the flags, under the same headings as in the help.
    fn options(&mut self, command: &Command) {
        let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
        let mut headings = Vec::new();
        for heading in shown().map(Arg::get_help_heading) {
            if !headings.contains(&heading) {
                headings.push(heading);
            }
        }
        for heading in headings {
            if let Some(heading) = heading {
                self.line(&format!(".SS {}", escaped(heading)));
            }
            for arg in shown().filter(|arg| arg.get_help_heading() == heading) {
                self.option(arg);
            }
        }
    }

    fn option(&mut self, arg: &Arg) {
        self.line(".TP");
        self.line(&term(arg));
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        self.meaning(&help);
        if let ([default], true) = (arg.get_default_values(), arg.get_action().takes_values()) {
            self.line(".IP");
            self.line(&format!("Default: {}", escaped(&default.to_string_lossy())));
        }
        let values = arg.get_possible_values();
        if !arg.get_action().takes_values() || values.is_empty() {
            return;
        }
        self.line(".RS");
        for value in values {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            self.entry(value.get_name(), &help);
        }
        self.line(".RE");
    }

    fn commands(&mut self, command: &Command) {
        for command in command.get_subcommands() {
            self.line(&format!(".SS duke {}", escaped(command.get_name())));
            let about = command.get_long_about().or(command.get_about());
            self.text(&about.map(ToString::to_string).unwrap_or_default());
            // The help flag of each subcommand is omitted, because the section OPTIONS already describes this flag.
            let help = |arg: Arg| arg.hide(true);
            self.options(&command.clone().mut_arg("help", help));
        }
    }

    fn keys(&mut self) {
        self.text(
            "The configuration can change these keys, except `Ctrl-C` and the keys that answer questions. In the \
                browser, `?` shows the keys of the current view.",
        );
        for group in HelpGroup::ALL {
            self.line(&format!(".SS {}", escaped(group.name())));
            if group == HelpGroup::Search {
                self.text(help_text::SEARCH);
            }
            self.line(".PD 0");
            for (_, binding) in in_group(group) {
                let keys: Vec<String> = binding.keys.iter().map(|key| key.name()).collect();
                self.line(".TP 18");
                self.line(&format!("\\fB{}\\fR", literal(&keys.join(", "))));
                self.meaning(binding.help);
            }
            self.line(".PD");
        }
    }
}

/// Formats a flag or argument: the names of a flag in bold, the name of a value in italics.
fn term(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> =
        short.into_iter().chain(long).map(|name| format!("\\fB{}\\fR", escaped(&name))).collect();
    let mut term = names.join(", ");
    if arg.get_action().takes_values() {
        let values = arg.get_value_names().unwrap_or_default();
        for value in values {
            // Writing to a string cannot fail.
            let _ = write!(term, "{}\\fI{}\\fR", if term.is_empty() { "" } else { " " }, escaped(value));
        }
    }
    term
}

/// Escapes text for roff. Text in backquotes becomes bold.
fn escaped(text: &str) -> String {
    let part = |(number, part): (usize, &str)| {
        if number % 2 == 1 { format!("\\fB{}\\fR", literal(part)) } else { literal(part) }
    };
    text.split('`').enumerate().map(part).collect()
}

/// Escapes text for roff. Unlike in [`escaped`], backquotes are ordinary characters.
fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            escaped.push('\n');
        }
        if line.starts_with(['.', '\'']) {
            escaped.push_str("\\&");
        }
        for letter in line.chars() {
            match letter {
                '\\' => escaped.push_str("\\e"),
                '-' => escaped.push_str("\\-"),
                '\'' => escaped.push_str("\\(aq"),
                '`' => escaped.push_str("\\(ga"),
                _ => escaped.push(letter),
            }
        }
    }
    escaped
}

/// Returns the text with a lower-case first letter and without a final period.
fn lowered(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;
    use crate::ui::keys::KEYMAP;

    fn section(title: &str) -> String {
        let page = page(Cli::definition());
        let (_, rest) = page.split_once(&format!(".SH {title}\n")).unwrap();
        rest.split("\n.SH ").next().unwrap().to_owned() + "\n"
    }

    #[test]
    fn every_flag_of_the_program_and_of_its_commands_is_in_it() {
        for (title, command) in std::iter::once(("OPTIONS", Cli::definition()))
            .chain(Cli::definition().get_subcommands().map(|command| ("COMMANDS", command.clone())))
        {
            let section = section(title);
            let is_shown = |arg: &&Arg| title == "OPTIONS" || arg.get_id() != "help";
            for arg in command.get_arguments().filter(is_shown) {
                assert!(section.contains(&format!(".TP\n{}\n", term(arg))), "{title} lacks {}", term(arg));
            }
        }
    }

    #[test]
    fn every_key_variable_file_code_and_example_is_in_it() {
        let keys = section("KEYS");
        for binding in KEYMAP {
            assert!(keys.contains(&format!("\n{}\n", escaped(binding.help))), "{}", binding.help);
        }
        for (title, table) in [
            ("ENVIRONMENT", help_text::ENVIRONMENT),
            ("FILES", help_text::FILES),
            ("EXAMPLES", help_text::EXAMPLES),
        ] {
            let section = section(title);
            for (term, _) in table {
                assert!(section.contains(&format!("\\fB{}\\fR\n", escaped(term))), "{term}");
            }
        }
        assert_eq!(section("EXIT STATUS").matches(".TP").count(), Exit::ALL.len());
    }

    #[test]
    fn no_text_becomes_a_macro() {
        assert_eq!(escaped(".TH \\ -x\n'so `b` it's"), "\\&.TH \\e \\-x\n\\&\\(aqso \\fBb\\fR it\\(aqs");
        let page = page(Cli::definition());
        let macros = [".TH", ".SH", ".SS", ".TP", ".IP", ".PP", ".RS", ".RE", ".PD", ".br"];
        for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
            assert!(macros.contains(&line.split(' ').next().unwrap()), "{line}");
        }
    }
}
