//! Width of text in terminal columns: measuring, truncating, padding and wrapping.
//!
//! Invariant: a character is never split. The results of [`fit`] and [`pad`] have at most the requested number of
//! columns.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Returns the width of `text` in terminal columns.
pub fn width(text: &str) -> usize {
    // The width is measured by grapheme, because the screen is drawn one grapheme at a time.
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Shortens `text` to `columns` columns if it is wider: keeps its beginning and its end with `gap` between them, or
/// only its beginning if `gap` leaves no room for text. The middle is not read, so a long text takes no extra time.
pub fn fit<'t>(text: &'t str, columns: usize, gap: &str) -> Cow<'t, str> {
    let whole = start(text, columns);
    if whole.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(width(gap)).filter(|room| *room > 0) else {
        return Cow::Borrowed(whole);
    };
    // Both ends are kept, because the end of a name may contain a distinguishing suffix or number.
    let head = start(text, room - room / 2);
    let tail = end(text, room - width(head));
    Cow::Owned(format!("{head}{gap}{tail}"))
}

/// Shortens `text` to `columns` columns if it is wider, by replacing its end with `gap`. Returns an empty string if
/// not even `gap` fits.
pub fn beginning<'t>(text: &'t str, columns: usize, gap: &str) -> Cow<'t, str> {
    if start(text, columns).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(width(gap)) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{}{gap}", start(text, room).trim_end()))
}

/// Shortens `text` to `columns` columns if it is wider, by replacing its end with `gap`. The kept part ends with a
/// whole word, unless the first word does not fit.
pub fn first_words<'t>(text: &'t str, columns: usize, gap: &str) -> Cow<'t, str> {
    if start(text, columns).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let head = start(text, columns.saturating_sub(width(gap)));
    let words = if text[head.len()..].starts_with(' ') {
        head
    } else {
        head.rsplit_once(' ').map_or(head, |it| it.0)
    };
    // Words in parentheses are either all kept or all dropped.
    let words = words.rfind('(').filter(|at| !words[*at..].contains(')')).map_or(words, |at| &words[..at]);
    let words = words.trim_end_matches([' ', ',', ';', ':']);
    Cow::Owned(format!("{words}{}", start(gap, columns)))
}

/// Wraps `text` into lines of at most `columns` columns, breaking after spaces and slashes where possible. A character
/// wider than a line gets its own line.
pub fn wrap(text: &str, columns: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let most = start(rest, columns);
        if most.len() == rest.len() {
            lines.push(rest);
            return lines;
        }
        let behind = most.rfind([' ', '/']).map_or(most.len(), |at| at + 1);
        // Each line takes at least one character; otherwise the loop would never end.
        let first = || rest.graphemes(true).next().map_or(rest.len(), str::len);
        let end = if behind == 0 { first() } else { behind };
        lines.push(&rest[..end]);
        rest = &rest[end..];
        if rest.is_empty() {
            return lines;
        }
    }
}

/// Truncates or pads `text` to exactly `columns` columns.
pub fn pad(text: &str, columns: usize, gap: &str) -> String {
    let mut padded = fit(text, columns, gap).into_owned();
    let missing = columns - width(&padded).min(columns);
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

/// Returns the longest prefix of `text` that fits into `columns` columns.
fn start(text: &str, columns: usize) -> &str {
    let mut left = columns;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let Some(rest) = left.checked_sub(UnicodeWidthStr::width(grapheme)) else { break };
        left = rest;
        end = at + grapheme.len();
    }
    &text[..end]
}

/// Returns the longest suffix of `text` that fits into `columns` columns.
fn end(text: &str, columns: usize) -> &str {
    let mut left = columns;
    let mut start = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        let Some(rest) = left.checked_sub(UnicodeWidthStr::width(grapheme)) else { break };
        left = rest;
        start = at;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(fit("abcdefghij", 10, "…"), "abcdefghij");
        assert_eq!(fit("abcdefghij", 7, "…"), "abc…hij");
        assert_eq!(fit("abcdefghij", 4, ".."), "a..j");
        assert_eq!(fit("abcdefghij", 2, "…"), "a…");
        assert_eq!(fit("abcdefghij", 1, "…"), "a");
        assert_eq!(fit("abcdefghij", 0, "…"), "");
        assert_eq!(beginning("abc defghij", 11, "…"), "abc defghij");
        assert_eq!(beginning("abc defghij", 5, "…"), "abc…");
        assert_eq!([0, 1].map(|columns| beginning("abc", columns, "…")), ["", "…"]);
    }

    #[test]
    fn a_long_sentence_ends_after_a_word() {
        let sentence = "Cannot mark a total (Enter lists its entries)";
        assert_eq!(first_words(sentence, 45, "…"), sentence);
        assert_eq!(first_words(sentence, 44, "…"), "Cannot mark a total…", "no half parenthesis");
        assert_eq!(first_words(sentence, 22, "…"), "Cannot mark a total…");
        assert_eq!(first_words(sentence, 20, "…"), "Cannot mark a total…");
        assert_eq!(first_words(sentence, 19, "…"), "Cannot mark a…");
        assert_eq!(first_words("unbroken", 5, "…"), "unbr…");
        assert_eq!(first_words("unbroken", 0, "…"), "");
    }

    #[test]
    fn lines_break_behind_blanks_and_slashes_and_nothing_is_lost() {
        assert_eq!(wrap("/usr/share/doc", 8), ["/usr/", "share/", "doc"]);
        assert_eq!(wrap("two words here", 9), ["two ", "words ", "here"]);
        assert_eq!(wrap("unbroken", 3), ["unb", "rok", "en"]);
        assert_eq!(wrap("日本", 1), ["日", "本"]);
        assert_eq!(wrap("", 0), [""]);
        for columns in 0..20 {
            let text = "a 日本語/of some length, e\u{301} too";
            assert_eq!(wrap(text, columns).concat(), text);
            assert!(columns < 2 || wrap(text, columns).iter().all(|line| width(line) <= columns));
        }
    }

    #[test]
    fn a_wide_character_is_never_split() {
        for columns in 0..12 {
            let fitted = fit("日本語日本語", columns, "…").into_owned();
            assert!(width(&fitted) <= columns);
            assert!(fitted.chars().all(|character| "日本語…".contains(character)));
            assert_eq!(width(&pad("日本語日本語", columns, "…")), columns);
        }
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2, "…"), "e\u{301}…");
    }
}
