//! Tests that parse queries and check the entries found or the errors reported.

use super::*;
use crate::analysis::fixture::{Item, NOW, directory, file, paths_of, request, tree};
use crate::analysis::search::Request;
use crate::fixture::cases;
use crate::tree::DirId;
use proptest::prelude::*;

fn items() -> Vec<Item> {
    vec![
        directory("src"),
        file("src/Main.rs", 3000),
        file("src/two words.txt", 2000).days_old(100),
        file("film.MKV", 2 << 30).days_old(400),
        file(".hidden", 0),
        directory("void"),
        file("naïve", 100).days_old(10),
        file("broken", 1).failed(13),
        file("left out", 1).excluded(),
        file("a", 9).linked(7, 2),
        file("only", 9).linked(8, 1),
    ]
}

/// Returns the paths that a query finds below the root, sorted.
fn found(text: &str) -> Vec<String> {
    let tree = tree(&items());
    let from = tree.listing(DirId::TOP).directories().next().unwrap();
    let mut paths = paths_of(Request { from, ..request(&tree, text) });
    paths.sort();
    paths
}

fn complaint(text: &str) -> (std::ops::Range<usize>, String) {
    let complaint = Query::parse(text, NOW).unwrap_err();
    (complaint.at, complaint.reason)
}

#[test]
fn a_word_matches_parts_of_names_and_its_case_only_with_a_capital() {
    assert_eq!(found("MAIN"), [""; 0]);
    assert_eq!(found("main"), ["src/Main.rs"]);
    assert_eq!(found("Main"), ["src/Main.rs"]);
    assert_eq!(found("NAÏVE"), [""; 0]);
    assert_eq!(found("aï"), ["naïve"]);
    assert_eq!(found("\"two words\""), ["src/two words.txt"]);
    assert_eq!(found("words two"), ["src/two words.txt"]);
}

#[test]
fn a_term_with_a_slash_matches_the_path() {
    assert_eq!(found("src/m"), ["src/Main.rs"]);
    assert_eq!(found("root/src/*.txt"), ["src/two words.txt"]);
    assert_eq!(found("/c\\/m/"), ["src/Main.rs"]);
}

#[test]
fn globs_and_regexes() {
    assert_eq!(found("*.{mkv,rs}"), ["film.MKV", "src/Main.rs"]);
    assert_eq!(found("?"), ["a"]);
    assert_eq!(found("/^v.{3}$/"), ["void"]);
    assert_eq!(found(r"/^\S+\.mkv$/"), ["film.MKV"]);
    assert_eq!(found("/a b|two w/"), ["src/two words.txt"]);
}

#[test]
fn sizes_ages_types_and_properties() {
    assert_eq!(found(">1G type:file"), ["film.MKV"]);
    assert_eq!(found("size>=2GiB apparent<3GB type:video"), ["film.MKV"]);
    assert_eq!(found("older:90d -older:1y"), ["src/two words.txt"]);
    assert_eq!(found("newer:2w older:1w"), ["naïve"]);
    assert_eq!(found("ext:rs,txt"), ["src/Main.rs", "src/two words.txt"]);
    assert_eq!(found("is:empty"), [".hidden", "void"]);
    assert_eq!(found("is:hidden"), [".hidden"]);
    assert_eq!(found("is:linked"), ["a"]);
    assert_eq!(found("is:error"), ["broken"]);
    assert_eq!(found("is:excluded"), ["left out"]);
    assert_eq!(found("type:dir,video"), ["film.MKV", "src", "void"]);
    assert_eq!(found("=0"), [".hidden"]);
}

#[test]
fn a_minus_negates_a_term() {
    assert_eq!(found("-*[aoi]* -\"left out\""), ["src"]);
    assert_eq!(found("type:file -ext:rs,mkv >1"), ["a", "naïve", "only", "src/two words.txt"]);
}

#[test]
fn an_unfinished_term_is_ignored_and_reported() {
    for text in
        ["a >", "a older:", "a older:9", "a type:vid", "a ext:", "a is:e", "a -", "a [b", "a /(b", "a \""]
    {
        let query = Query::parse(text, NOW).unwrap();
        assert_eq!(query.unfinished().map(|it| it.at.clone()), Some(2..text.len()), "{text}");
        assert_eq!(found(text), found("a"), "{text}");
    }
    assert!(Query::parse("a \"b", NOW).unwrap().unfinished().is_none());
}

#[test]
fn an_age_without_a_unit_lists_the_units() {
    let awaited = |text: &str| Query::parse(text, NOW).unwrap().unfinished().unwrap().reason.clone();
    assert_eq!(awaited("older:90"), "missing unit; write 90h, 90d, 90w, 90mo or 90y");
    assert!(awaited("newer:").contains("such as 90d"));
    assert!(awaited("newer:3m").contains("3mo"));
}

#[test]
fn an_unclosed_glob_names_the_missing_character() {
    let awaited = |text: &str| Query::parse(text, NOW).unwrap().unfinished().unwrap().reason.clone();
    assert_eq!(awaited("*[abc"), "']' missing after '['");
    assert_eq!(awaited("*{abc"), "'}' missing after '{'");
}

#[test]
fn query_errors_have_a_position_and_a_hint() {
    assert_eq!(complaint("ab type:vid x").0, 3..11);
    assert_eq!(complaint("é >1x").0, 4..6);
    assert_eq!(complaint("older:3q").0, 7..8);
    assert_eq!(complaint("-is:big").0, 4..7);
    assert!(complaint("-is:big").1.contains("hidden, empty"));
    assert_eq!(complaint("x size:1G"), (7..9, "write size>1G, size<1G or size=1G".to_owned()));
    assert_eq!(complaint("type:dir,nonsense").0, 9..17);
    let (at, reason) = complaint("x /(a/");
    assert_eq!(at, 3..5);
    assert!(reason.contains("unclosed group"), "{reason}");
    assert!(complaint("/(a{1000}){1000}/").1.contains("limit"));
    assert!(complaint(&"a ".repeat(65)).1.contains("64"));
}

#[test]
fn words_that_resemble_qualifiers_are_words() {
    for text in ["12:30", "a=b", "http://x", "c++", "x>y"] {
        assert!(Query::parse(text, NOW).unwrap().unfinished().is_none(), "{text}");
    }
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn any_text_gives_a_query_or_an_error_about_a_part_of_it(
        text in "([-\"/\\\\*?\\[\\]{}<>=:. ,a-z0-9é]|type:|older:|size|is:){0,12}",
    ) {
        let complaint = match Query::parse(&text, NOW) {
            Ok(query) => query.unfinished().cloned(),
            Err(complaint) => Some(complaint),
        };
        if let Some(complaint) = complaint {
            prop_assert!(text.get(complaint.at.clone()).is_some(), "{:?}", complaint);
            prop_assert!(!complaint.reason.is_empty());
        }
    }
}
