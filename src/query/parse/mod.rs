//! Query parser.
//!
//! ```text
//! query = terms separated by blanks
//! term  = ["-"] ( "two words" | /regex/ | qualifier | glob | word )
//! qualifier = (">" | ">=" | "<" | "<=" | "=") size            disk usage; also `size>1G`, `disk>1G`,
//!                                                             `apparent>1G`, `frees>1G`
//!           | "older:" age | "newer:" age                     h d w mo y
//!           | "type:" names | "ext:" names | "is:" property   names separated by commas
//! ```
//!
//! A lower-case letter matches both cases unless the term contains a capital. A word or glob with a slash is compared
//! with the path. So is a regex with `\/`.
//!
//! Invariant: every string produces a query, or an error about a part of the string.

use regex::bytes::{Regex, RegexBuilder};

use super::glob;
use crate::base::format;
use crate::base::format::AgeFault;
use crate::base::kind::Kind;
use crate::query::category::{Category, Extension};
use crate::query::size::Size;
use crate::query::terms::{MOST_NAMED, Query, QueryError, Term, Test, Types};

/// Memory limit in bytes for one compiled pattern, far more than realistic patterns need. The limit rejects patterns
/// such as `(a{1000}){1000}`.
const PATTERN_LIMIT: usize = 1 << 22;

/// Reason why a term cannot be parsed.
enum Trouble {
    /// The term may become valid if the user keeps typing. Contains a description of the missing part.
    Unfinished(String),
    /// The term is invalid.
    Wrong(QueryError),
}

/// Term that is not parsed yet, without its minus sign, quotes or slashes.
struct Word<'q> {
    text: &'q str,
    /// Position of `text` in the query.
    at: usize,
    sort: Sort,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Text of a quoted term, without the quotes.
    Quoted,
    /// Regex, without its slashes.
    Regex,
    /// Regex whose closing slash is still missing.
    OpenRegex,
    Plain,
}

impl Query {
    /// Parses the text of a search; `now` is in seconds since 1970.
    ///
    /// The last term may be unfinished, as in `type:vid`. The query then consists of the terms before it, and
    /// [`Query::unfinished`] returns an error that says what the last term lacks.
    ///
    /// # Errors
    /// Returns an error if a term is invalid, if a term before the last one is unfinished, or if there are too many
    /// terms.
    pub fn parse(text: &str, now: i64) -> Result<Self, QueryError> {
        let mut query = Self::default();
        let mut at = 0;
        while let Some((word, negated, end)) = next_word(text, at) {
            let whole = skip_blanks(text, at)..end;
            at = end;
            match word.read(now) {
                Ok(asked) => {
                    if !query.push(Term { test: asked, negated }) {
                        let reason = format!("more than {MOST_NAMED} search terms");
                        return Err(QueryError { at: whole, reason });
                    }
                }
                Err(Trouble::Unfinished(reason)) => {
                    let complaint = QueryError { at: whole, reason };
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
}

/// Returns the position of the first character at or after `at` that is not a blank.
fn skip_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// Returns the first term at or after `at`, and the position of its end. The flag is `true` if the term is negated.
/// Returns `None` if no term follows.
fn next_word(text: &str, at: usize) -> Option<(Word<'_>, bool, usize)> {
    let start = skip_blanks(text, at);
    let rest = text[start..].strip_prefix('-').unwrap_or(&text[start..]);
    let at = text.len() - rest.len();
    let negated = at != start;
    let (first, sort, length) = if let Some(inside) = rest.strip_prefix('"') {
        let inside = inside.split_once('"').map_or(inside, |(inside, _)| inside);
        // The user may not have typed the closing quote yet.
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

/// Returns the regex at the start of `rest`, the text after an opening slash. The regex ends at the first unescaped
/// slash. Returns `None` if the regex is empty, or if a character other than a blank follows the closing slash. If
/// there is no closing slash yet, returns all of `rest`, but only if it contains a character typical of a regex.
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
            Sort::Quoted if self.text.is_empty() => Err(unfinished("expected a name in quotes")),
            Sort::Quoted => self.literal(),
            Sort::Regex | Sort::OpenRegex => self.regex(),
            Sort::Plain if self.text.is_empty() => Err(unfinished("expected a term to exclude")),
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
        // A glob with a slash is compared with paths instead of names. As in `--exclude`, a trailing slash does not
        // count.
        let in_path = self.text.trim_end_matches('/').contains('/');
        let regex = if in_path {
            glob::path_regex(self.text)
        } else {
            glob::name_regex(self.text.trim_end_matches('/'))
        };
        // A glob is invalid only if it is incomplete, for example if a closing bracket is missing. The user is probably
        // still typing.
        let regex = regex.map_err(|reason| Trouble::Unfinished(reason.to_owned()))?;
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

    /// Parses the word as a qualifier and returns its test. Returns `None` if the word is not a qualifier.
    fn qualifier(&self, now: i64) -> Option<Result<Test, Trouble>> {
        let text = self.text;
        let comparison = text.find(['<', '>', '=']);
        if let Some(at) = comparison {
            let key = text[..at].trim_end_matches(':');
            let of = SIZES.iter().find(|(known, _)| *known == key)?.1;
            return Some(self.size(&text[at..]).map(of));
        }
        let (key, value) = text.split_once(':')?;
        if !key.is_empty() && SIZES.iter().any(|(known, _)| *known == key) {
            let signs = format!("write {key}>1G, {key}<1G or {key}=1G");
            return Some(Err(if value.is_empty() { unfinished(&signs) } else { self.wrong(value, signs) }));
        }
        let read = QUALIFIERS.iter().find(|(known, _)| *known == key)?.1;
        Some(read(self, value, now))
    }

    /// Parses a size comparison, such as `>=1.5G`.
    fn size(&self, text: &str) -> Result<Size, Trouble> {
        let (of, value): (fn(u64) -> Size, _) = match text.as_bytes() {
            [b'>', b'=', ..] => (Size::AtLeast, &text[2..]),
            [b'<', b'=', ..] => (Size::AtMost, &text[2..]),
            [b'>', ..] => (Size::Above, &text[1..]),
            [b'<', ..] => (Size::Below, &text[1..]),
            _ => (Size::Is, &text[1..]),
        };
        if value.is_empty() {
            return Err(unfinished("expected a size such as 10k, 1.5G or 200MB"));
        }
        format::parse(value).map(of).ok_or_else(|| {
            let reason = "not a size: expected a number, then k M G T P E (1024), or kB MB GB (1000)";
            self.wrong(value, reason.to_owned())
        })
    }

    /// Parses an age, such as `90d`, into seconds.
    fn age(&self, value: &str) -> Result<i64, Trouble> {
        format::age(value).map_err(|fault| match fault {
            AgeFault::Empty => unfinished("expected an age such as 90d (units: h, d, w, mo, y)"),
            AgeFault::UnitMissing(number) => unfinished(&unit_missing(number)),
            AgeFault::Minutes(number) => {
                unfinished(&format!("minutes are not supported; for months, write {number}mo"))
            }
            AgeFault::UnknownUnit(unit) => self.wrong(unit, "unknown unit; use h, d, w, mo or y".to_owned()),
            AgeFault::NumberMissing => {
                self.wrong(value, "missing number; write an age such as 90d".to_owned())
            }
        })
    }

    fn types(&self, value: &str) -> Result<Test, Trouble> {
        let mut types = Types::default();
        for name in value.split(',') {
            let kind = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
            let class = Category::named(name);
            types = match (kind, class) {
                (Some(kind), _) => types.with_kind(kind),
                (None, Some(class)) => types.with_category(class),
                (None, None) => return Err(self.unknown(name, type_names())),
            };
        }
        Ok(Test::Type(types))
    }

    fn extensions(&self, value: &str) -> Result<Test, Trouble> {
        let extension = |text: &str| {
            if text.is_empty() {
                return Err(unfinished("expected an extension such as log, or several such as jpg,png"));
            }
            let bytes = text.trim_start_matches('.').as_bytes();
            let reason = "not an extension: at most 15 bytes, with at least one letter and no dot";
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

    /// Returns the error for an unknown name, which counts as unfinished if it is the beginning of a known name.
    fn unknown(&self, name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Trouble {
        let list = known.clone().collect::<Vec<_>>().join(", ");
        if known.into_iter().any(|known| known.starts_with(name)) {
            return Trouble::Unfinished(format!("expected one of {list}"));
        }
        self.wrong(name, format!("unknown; expected one of {list}"))
    }

    /// Returns an error about `part`, which must be a slice of the word's text.
    fn wrong(&self, part: &str, reason: String) -> Trouble {
        let start = self.at + (part.as_ptr().addr() - self.text.as_ptr().addr());
        Trouble::Wrong(QueryError { at: start..start + part.len(), reason })
    }
}

fn unit_missing(number: &str) -> String {
    format!("missing unit; write {number}h, {number}d, {number}w, {number}mo or {number}y")
}

type SizeTest = fn(Size) -> Test;

/// Keys that can precede a size comparison, and the tests they stand for.
const SIZES: [(&str, SizeTest); 5] = [
    ("", Test::Disk),
    ("size", Test::Disk),
    ("disk", Test::Disk),
    ("apparent", Test::Apparent),
    ("frees", Test::Frees),
];

/// Parser for the value after a colon. The last argument is the current time in seconds since 1970.
type Qualifier = fn(&Word<'_>, &str, i64) -> Result<Test, Trouble>;

/// Keys that precede a colon, such as `older` in `older:30d`, and the parsers for their values.
const QUALIFIERS: [(&str, Qualifier); 5] = [
    ("older", |word, value, now| Ok(Test::Modified(i64::MIN..now.saturating_sub(word.age(value)?)))),
    ("newer", |word, value, now| Ok(Test::Modified(now.saturating_sub(word.age(value)?)..i64::MAX))),
    ("type", |word, value, _| word.types(value)),
    ("ext", |word, value, _| word.extensions(value)),
    ("is", |word, value, _| word.property(value)),
];

/// Returns the words of the search syntax: keys of sizes as `KEY>`, all other keys as `KEY:`, and the values of `type:`
/// and `is:` as `KEY:VALUE`.
pub fn vocabulary() -> Vec<String> {
    let sizes = SIZES.iter().map(|(key, _)| format!("{key}>"));
    let keys = QUALIFIERS.iter().map(|(key, _)| format!("{key}:"));
    let types = type_names().map(|name| format!("type:{name}"));
    let properties = PROPERTIES.iter().map(|name| format!("is:{name}"));
    sizes.chain(keys).chain(types).chain(properties).collect()
}

/// Names of entry kinds, for `type:`.
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
    KINDS.iter().map(|(name, _)| *name).chain(Category::ALL.into_iter().map(Category::name))
}

fn unfinished(awaited: &str) -> Trouble {
    Trouble::Unfinished(awaited.to_owned())
}

fn has_capital(text: &str) -> bool {
    text.chars().any(char::is_uppercase)
}

/// Returns `true` if a regex contains a literal capital letter. The capital in `\S` is not literal.
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
