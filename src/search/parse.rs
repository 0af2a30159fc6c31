//! Reading a query from what a person types.
//!
//! ```text
//! query = terms with blanks between
//! term  = ["-"] ( "two words" | /regex/ | qualifier | glob | word )
//! qualifier = (">" | ">=" | "<" | "<=" | "=") size            disk usage; also `size>1G`, `disk>1G`, `apparent>1G`
//!           | "older:" age | "newer:" age                     h d w mo y
//!           | "type:" names | "ext:" names | "is:" property   names with commas between
//! ```
//!
//! Letters match either case unless a term has a capital. A word or glob with a slash is held against the path, and so is
//! a regex with `\/`.
//!
//! Knows no tree. Invariant: every text gives a query or a complaint about a part of the text.

use regex::bytes::{Regex, RegexBuilder};

use super::class::{Class, Extension};
use super::glob::{self, BadGlob};
use super::query::{Complaint, MOST_NAMED, Query, Size, Term, Test, Types};
use crate::kind::Kind;
use crate::size;

/// Memory one pattern may take. Far more than anybody types; what needs more is a bomb, like `(a{1000}){1000}`.
const PATTERN_LIMIT: usize = 1 << 22;

/// Why a term is no test.
enum Trouble {
    /// It could become one if typing goes on; what is awaited.
    Unfinished(String),
    /// It could not.
    Wrong(Complaint),
}

/// A term as it stands in the text.
struct Word<'q> {
    text: &'q str,
    /// Where `text` begins in the query.
    at: usize,
    sort: Sort,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Without its quotes.
    Quoted,
    /// Without its slashes.
    Regex,
    /// A regex without its closing slash, so far.
    OpenRegex,
    Plain,
}

pub(super) fn parse(text: &str, now: i64) -> Result<Query, Complaint> {
    let mut query = Query::default();
    let mut at = 0;
    while let Some((word, negated, end)) = next_word(text, at) {
        let whole = skip_blanks(text, at)..end;
        at = end;
        match word.read(now) {
            Ok(asked) => {
                if !query.push(Term { test: asked, negated }) {
                    let reason = format!("more than {MOST_NAMED} words to look for");
                    return Err(Complaint { at: whole, reason });
                }
            }
            Err(Trouble::Unfinished(reason)) => {
                let complaint = Complaint { at: whole, reason };
                if end < text.len() {
                    return Err(complaint);
                }
                query.set_unfinished(complaint);
            }
            Err(Trouble::Wrong(complaint)) => return Err(complaint),
        }
    }
    Ok(query)
}

/// Where the next term begins.
fn skip_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// The term that begins at or behind `at`, whether it is negated, and where it ends.
fn next_word(text: &str, at: usize) -> Option<(Word<'_>, bool, usize)> {
    let start = skip_blanks(text, at);
    let rest = text[start..].strip_prefix('-').unwrap_or(&text[start..]);
    let at = text.len() - rest.len();
    let negated = at != start;
    let (first, sort, length) = if let Some(inside) = rest.strip_prefix('"') {
        let inside = inside.split_once('"').map_or(inside, |(inside, _)| inside);
        // The closing quote may not have been typed yet.
        (inside, Sort::Quoted, (inside.len() + 2).min(rest.len()))
    } else if let Some((inside, sort)) = rest.strip_prefix('/').and_then(regex_inside) {
        (inside, sort, (inside.len() + 2).min(rest.len()))
    } else {
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        (word, Sort::Plain, word.len())
    };
    let is_there = negated || length != 0;
    let word = Word { text: first, at: at + usize::from(sort != Sort::Plain), sort };
    is_there.then_some((word, negated, at + length))
}

/// The regex in `rest`, which stands behind a slash: up to the next slash that is not escaped, if a term ends there. Or
/// all of it, if it can only be a regex that is still being typed.
fn regex_inside(rest: &str) -> Option<(&str, Sort)> {
    let mut escaped = false;
    for (at, letter) in rest.char_indices() {
        if letter == '/' && !escaped {
            let ends = rest[at + 1..].chars().next().is_none_or(char::is_whitespace);
            return (ends && at != 0).then(|| (&rest[..at], Sort::Regex));
        }
        escaped = letter == '\\' && !escaped;
    }
    rest.contains(['^', '$', '(', '|', '+', '\\']).then_some((rest, Sort::OpenRegex))
}

impl Word<'_> {
    fn read(&self, now: i64) -> Result<Test, Trouble> {
        match self.sort {
            Sort::Quoted if self.text.is_empty() => Err(unfinished("a name in quotes")),
            Sort::Quoted => self.literal(),
            Sort::Regex | Sort::OpenRegex => self.regex(),
            Sort::Plain if self.text.is_empty() => Err(unfinished("what to leave out")),
            Sort::Plain => match self.qualifier(now) {
                Some(test) => test,
                None if glob::is_glob(self.text) => self.glob(),
                None => self.literal(),
            },
        }
    }

    fn literal(&self) -> Result<Test, Trouble> {
        let pattern = self.compile(&regex::escape(self.text), has_capital(self.text))?;
        Ok(if self.text.contains('/') { Test::Path(pattern) } else { Test::Name(pattern) })
    }

    fn glob(&self) -> Result<Test, Trouble> {
        // As in `--exclude`, a slash at the end does not make it a path.
        let in_path = self.text.trim_end_matches('/').contains('/');
        let regex = if in_path {
            glob::path_regex(self.text)
        } else {
            glob::name_regex(self.text.trim_end_matches('/'))
        };
        // What is not closed may be closed by the next key.
        let regex = regex.map_err(|BadGlob { at, reason }| {
            Trouble::Unfinished(format!("{reason}: {}", &self.text[at..]))
        })?;
        let pattern = self.compile(&regex, has_capital(self.text))?;
        Ok(if in_path { Test::Path(pattern) } else { Test::Name(pattern) })
    }

    fn regex(&self) -> Result<Test, Trouble> {
        let pattern = self.compile(self.text, has_capital_in_regex(self.text))?;
        Ok(if self.text.contains('/') { Test::Path(pattern) } else { Test::Name(pattern) })
    }

    fn compile(&self, regex: &str, exact_case: bool) -> Result<Regex, Trouble> {
        let built = RegexBuilder::new(regex)
            .case_insensitive(!exact_case)
            .dot_matches_new_line(true)
            .size_limit(PATTERN_LIMIT)
            .build();
        built.map_err(|error| {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            if self.sort == Sort::OpenRegex {
                Trouble::Unfinished(reason)
            } else {
                self.wrong(self.text, reason)
            }
        })
    }

    /// The test of a qualifier; none if it is not one.
    fn qualifier(&self, now: i64) -> Option<Result<Test, Trouble>> {
        let text = self.text;
        let comparison = text.find(['<', '>', '=']);
        if let Some(at) = comparison {
            let of: fn(Size) -> Test = match text[..at].trim_end_matches(':') {
                "" | "size" | "disk" => Test::Disk,
                "apparent" => Test::Apparent,
                _ => return None,
            };
            return Some(self.size(&text[at..]).map(of));
        }
        let (key, value) = text.split_once(':')?;
        match key {
            "older" => Some(self.age(value).map(|age| Test::Modified(i64::MIN..now.saturating_sub(age)))),
            "newer" => Some(self.age(value).map(|age| Test::Modified(now.saturating_sub(age)..i64::MAX))),
            "type" => Some(self.types(value)),
            "ext" => Some(self.extensions(value)),
            "is" => Some(self.property(value)),
            _ => None,
        }
    }

    /// A comparison with a size, such as `>=1.5G`.
    fn size(&self, text: &str) -> Result<Size, Trouble> {
        let (of, value): (fn(u64) -> Size, _) = match text.as_bytes() {
            [b'>', b'=', ..] => (Size::AtLeast, &text[2..]),
            [b'<', b'=', ..] => (Size::AtMost, &text[2..]),
            [b'>', ..] => (Size::Above, &text[1..]),
            [b'<', ..] => (Size::Below, &text[1..]),
            _ => (Size::Is, &text[1..]),
        };
        if value.is_empty() {
            return Err(unfinished("a size such as 10k, 1.5G or 200MB"));
        }
        size::parse(value).map(of).ok_or_else(|| {
            let reason = "not a size: a number, then k M G T P E (1024), or kB MB GB (1000)";
            self.wrong(value, reason.to_owned())
        })
    }

    /// An age in seconds, such as `90d`.
    fn age(&self, value: &str) -> Result<i64, Trouble> {
        let digits = value.len() - value.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (number, unit) = value.split_at(digits);
        let seconds = match unit {
            "h" => 3600,
            "d" => DAY,
            "w" => 7 * DAY,
            "mo" => 30 * DAY,
            "y" => 365 * DAY,
            "" | "m" => return Err(unfinished("an age: a number, then h, d, w, mo or y, such as 90d")),
            _ => return Err(self.wrong(unit, "not a unit of age: h, d, w, mo or y".to_owned())),
        };
        let number = if number.is_empty() { None } else { Some(number.parse::<i64>().unwrap_or(i64::MAX)) };
        let number = number.ok_or_else(|| self.wrong(value, "a number is missing".to_owned()))?;
        Ok(number.saturating_mul(seconds))
    }

    fn types(&self, value: &str) -> Result<Test, Trouble> {
        let mut types = Types::default();
        for name in value.split(',') {
            let kind = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
            let class = Class::ALL.into_iter().find(|class| class.name() == name);
            types = match (kind, class) {
                (Some(kind), _) => types.with_kind(kind),
                (None, Some(class)) => types.with_class(class),
                (None, None) => return Err(self.unknown(name, type_names())),
            };
        }
        Ok(Test::Type(types))
    }

    fn extensions(&self, value: &str) -> Result<Test, Trouble> {
        let extension = |text: &str| {
            if text.is_empty() {
                return Err(unfinished("an extension such as log, or several: jpg,png"));
            }
            let bytes = text.trim_start_matches('.').as_bytes();
            let reason = "not an extension: at most 15 bytes, a letter among them, no dot";
            Extension::new(bytes).ok_or_else(|| self.wrong(text, reason.to_owned()))
        };
        value.split(',').map(extension).collect::<Result<_, _>>().map(Test::Extension)
    }

    fn property(&self, value: &str) -> Result<Test, Trouble> {
        Ok(match value {
            "hidden" => Test::Hidden,
            "empty" => Test::Empty,
            "linked" => Test::Linked,
            "error" => Test::Error,
            "excluded" => Test::Excluded,
            other => return Err(self.unknown(other, PROPERTIES.into_iter())),
        })
    }

    /// What is wrong with a name that is none of those known; the beginning of one is only not finished.
    fn unknown(&self, name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Trouble {
        let list = known.clone().collect::<Vec<_>>().join(", ");
        if known.into_iter().any(|known| known.starts_with(name)) {
            return Trouble::Unfinished(format!("one of {list}"));
        }
        self.wrong(name, format!("not known; one of {list}"))
    }

    /// A complaint about `part`, which is a part of the word's text.
    fn wrong(&self, part: &str, reason: String) -> Trouble {
        let start = self.at + (part.as_ptr().addr() - self.text.as_ptr().addr());
        Trouble::Wrong(Complaint { at: start..start + part.len(), reason })
    }
}

const DAY: i64 = 24 * 3600;

/// The words for kinds.
const KINDS: [(&str, Kind); 12] = [
    ("dir", Kind::Directory),
    ("directory", Kind::Directory),
    ("file", Kind::File),
    ("symlink", Kind::Symlink),
    ("link", Kind::Symlink),
    ("fifo", Kind::Fifo),
    ("pipe", Kind::Fifo),
    ("socket", Kind::Socket),
    ("block", Kind::BlockDevice),
    ("char", Kind::CharDevice),
    ("unknown", Kind::Unknown),
    ("folder", Kind::Directory),
];

const PROPERTIES: [&str; 5] = ["hidden", "empty", "linked", "error", "excluded"];

fn type_names() -> impl Iterator<Item = &'static str> + Clone {
    KINDS.iter().map(|(name, _)| *name).chain(Class::ALL.into_iter().map(Class::name))
}

fn unfinished(awaited: &str) -> Trouble {
    Trouble::Unfinished(awaited.to_owned())
}

fn has_capital(text: &str) -> bool {
    text.chars().any(char::is_uppercase)
}

/// Whether a regex has a capital that stands for itself; the one in `\S` does not.
fn has_capital_in_regex(text: &str) -> bool {
    let mut escaped = false;
    text.chars().any(|letter| {
        let is_literal = !escaped;
        escaped = letter == '\\' && !escaped;
        is_literal && letter.is_uppercase()
    })
}

#[cfg(test)]
mod tests;
