//! Translates the globs in a search (`*`, `?`, `[a-z]` and `{a,b}`) to regexes.
//!
//! Globs have the same meaning as in `--exclude` (`scan::exclude_patterns`), with two differences. A search compares
//! characters, not bytes, so `?` matches a whole character. A byte that is not UTF-8 counts as a character. A search
//! also ignores case, unless the term contains a capital (`query::parse`).
//!
//! Invariant: every glob gives a valid regex or an error.

/// Regex for any character, or for a byte that is not UTF-8.
const ANY: &str = "(?:(?s:.)|(?s-u:.))";
/// Regex like [`ANY`] that does not match a slash.
const ANY_IN_NAME: &str = "(?:[^/]|(?-u:[^/]))";

pub(crate) fn is_glob(word: &str) -> bool {
    word.contains(['*', '?', '['])
}

/// Returns a regex for a glob without a slash. The regex matches whole names.
pub(crate) fn name_regex(glob: &str) -> Result<String, &'static str> {
    Ok(format!(r"\A{}\z", translate(glob, ANY)?))
}

/// Returns a regex for a glob with a slash. The regex matches paths whose last components match the glob.
pub(crate) fn path_regex(glob: &str) -> Result<String, &'static str> {
    let trimmed = glob.trim_start_matches('/');
    let regex = translate(trimmed.trim_end_matches('/'), ANY_IN_NAME)?;
    Ok(format!(r"\A(?:(?s-u:.)*/)?{regex}\z"))
}

fn translate(glob: &str, any: &str) -> Result<String, &'static str> {
    let mut regex = String::new();
    let mut open_braces = 0_usize;
    let mut rest = glob;
    while let Some(letter) = rest.chars().next() {
        let at = glob.len() - rest.len();
        let begins_name = at == 0 || glob[..at].ends_with('/');
        let mut taken = letter.len_utf8();
        match letter {
            '*' if begins_name && rest.starts_with("**/") => {
                regex.push_str("(?:(?s-u:.)*/)?");
                taken = 3;
            }
            '*' if begins_name && rest == "**" => {
                regex.push_str("(?s-u:.)*");
                taken = 2;
            }
            '*' => regex = regex + any + "*",
            '?' => regex.push_str(any),
            '[' => {
                let (class, length) = class(rest).ok_or("']' missing after '['")?;
                regex.push_str(&class);
                taken = length;
            }
            '{' => {
                open_braces += 1;
                regex.push_str("(?:");
            }
            ',' if open_braces > 0 => regex.push('|'),
            '}' if open_braces > 0 => {
                open_braces -= 1;
                regex.push(')');
            }
            '\\' => {
                let escaped = rest.chars().nth(1);
                let escaped = escaped.ok_or("backslash at the end")?;
                regex.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
                taken += escaped.len_utf8();
            }
            other => regex.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[taken..];
    }
    if open_braces > 0 { Err("'}' missing after '{'") } else { Ok(regex) }
}

/// Returns the regex for the character class (`[a-z]`) at the start of `glob`, and the length of the class. Returns
/// `None` if the class is not closed.
fn class(glob: &str) -> Option<(String, usize)> {
    let inside = &glob[1..];
    let negated = inside.starts_with(['!', '^']);
    let inside = &inside[usize::from(negated)..];
    // A `]` at the start does not close the class.
    let first = inside.chars().next()?.len_utf8();
    let end = first + inside[first..].find(']')?;
    let letters: Vec<char> = inside[..end].chars().collect();
    let mut regex = String::from(if negated { "[^/" } else { "[" });
    let mut at = 0;
    while let Some(&from) = letters.get(at) {
        if let (Some('-'), Some(&to)) = (letters.get(at + 1), letters.get(at + 2)) {
            // A reversed range matches nothing. A regex must not contain reversed ranges, so this range is omitted.
            if from <= to {
                regex = regex + &hexadecimal(from) + "-" + &hexadecimal(to);
            }
            at += 3;
        } else {
            regex.push_str(&hexadecimal(from));
            at += 1;
        }
    }
    if regex == "[" {
        regex.push_str("a&&b");
    }
    regex.push(']');
    Some((regex, glob.len() - inside.len() + end + 1))
}

/// Returns a character as an escape sequence for a regex class.
fn hexadecimal(letter: char) -> String {
    format!(r"\x{{{:x}}}", u32::from(letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::cases;
    use proptest::prelude::*;
    use regex::bytes::RegexBuilder;

    fn matches(glob: &str, name: &[u8]) -> bool {
        let regex = if glob.contains('/') { path_regex(glob) } else { name_regex(glob) }.unwrap();
        RegexBuilder::new(&regex).build().unwrap().is_match(name)
    }

    #[test]
    fn a_question_mark_matches_a_letter_or_an_invalid_byte() {
        assert!(matches("caf?", "café".as_bytes()));
        assert!(matches("caf?", b"caf\xff"));
        assert!(!matches("caf?", b"caf\xff\xff"));
        assert!(matches("*", b"\xff\xfe new\nline"));
    }

    #[test]
    fn classes_and_braces() {
        assert!(matches("[a-c]x", b"bx") && !matches("[!a-c]x", b"bx") && !matches("[^a-c]x", b"bx"));
        assert!(matches("[]]", b"]") && matches("[a-]", b"-") && matches("[é]", "é".as_bytes()));
        assert!(!matches("[z-a]", b"b"));
        assert!(matches("*.{jp{,e}g,png}", b"x.jpeg") && !matches("*.{jp{,e}g,png}", b"x.gif"));
        assert!(matches(r"\*", b"*") && !matches(r"\*", b"x"));
    }

    #[test]
    fn patterns_match_whole_names_from_the_end_of_a_path() {
        assert!(matches("src/*.o", b"/home/me/src/main.o"));
        assert!(!matches("src/*.o", b"/home/me/xsrc/main.o"));
        assert!(!matches("src/*.o", b"src/deep/main.o"));
        assert!(matches("src/**/*.o", b"src/deep/main.o") && matches("src/**/*.o", b"src/main.o"));
        assert!(matches("/src/*", b"src/main.o"));
    }

    #[test]
    fn errors_name_the_missing_character() {
        assert_eq!(name_regex("ab[c").unwrap_err(), "']' missing after '['");
        assert_eq!(path_regex("/b/{c{d}").unwrap_err(), "'}' missing after '{'");
        assert_eq!(name_regex(r"a\").unwrap_err(), "backslash at the end");
    }

    proptest! {
        #![proptest_config(cases(512))]

        #[test]
        fn a_glob_matches_like_exclude(glob in "[ab/*?{},!\\[\\]-]{0,8}", name in "[ab]{0,4}(/[ab.-]{1,4}){0,2}") {
            let has_slash = glob.trim_end_matches('/').contains('/');
            let trimmed = glob.trim_end_matches('/').trim_start_matches('/');
            let built = globset::GlobBuilder::new(&if has_slash { format!("**/{trimmed}") } else { trimmed.to_owned() })
                .literal_separator(true)
                .backslash_escape(true)
                .build();
            // `globset` does not accept every glob.
            if let (Ok(oracle), false) = (built, name.is_empty()) {
                let whole = if has_slash { name.as_str() } else { name.rsplit('/').next().unwrap() };
                let regex = if has_slash { path_regex(&glob) } else { name_regex(trimmed) };
                if let Ok(regex) = regex {
                    let ours = RegexBuilder::new(&regex).build().unwrap().is_match(whole.as_bytes());
                    prop_assert_eq!(ours, oracle.compile_matcher().is_match(whole), "{} {}", regex, whole);
                }
            }
        }

        #[test]
        fn any_text_gives_a_regex_or_an_error(glob in "\\PC{0,12}") {
            for regex in [name_regex(&glob), path_regex(&glob)].into_iter().flatten() {
                prop_assert!(RegexBuilder::new(&regex).build().is_ok(), "{}", regex);
            }
        }
    }
}
