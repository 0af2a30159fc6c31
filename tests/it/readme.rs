//! Tests that the documented keys, flags, exit codes and search terms match the program.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use crate::generated::check_generated;
use crate::program::run_in;
use crate::program::test_dir::TestDir;

const REFERENCE: &str = include_str!("../../docs/keys.md");

/// Returns the code spans in the first column of the table of flags.
fn flags() -> Vec<&'static str> {
    let (_, table) = REFERENCE.split_once("| flag | effect |\n").expect("docs/keys.md has a table of flags");
    let cells =
        table.lines().take_while(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_documented_keys_are_those_of_the_browser() {
    check_generated("docs/keys.md", "keys", &duke::testing::ui::markdown());
}

#[test]
fn the_documented_settings_of_keys_are_those_of_the_browser() {
    check_generated("docs/config.md", "settings of keys", &duke::testing::ui::settings_markdown());
}

#[test]
fn the_documented_flags_of_ncdu_are_those_that_duke_understands() {
    check_generated("docs/coming-from.md", "flags of ncdu", &duke::ncdu_flags());
}

#[test]
fn the_documented_flags_are_those_of_the_help() {
    let temp = TestDir::new();
    let help = run_in(temp.path(), ["--help"]).ended(0);
    let is_flag = |word: &&str| word.starts_with('-') && word.len() > 1;
    let flag =
        |word: &str| word.trim_end_matches([',', '.', ':', ';']).split(['=', ' ']).next().unwrap().to_owned();
    // In the help, a line that begins with a flag describes this flag.
    let described = help.text().lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let mut helped: Vec<_> = described
        .flat_map(|line| line.split_whitespace().take_while(is_flag).map(flag).collect::<Vec<_>>())
        .collect();
    let mut in_docs: Vec<_> = flags().into_iter().filter(is_flag).map(flag).collect();
    helped.sort();
    in_docs.sort();
    assert_eq!(in_docs, helped);
}

#[test]
fn the_documented_exit_codes_are_those_of_the_help() {
    let temp = TestDir::new();
    let help = run_in(temp.path(), ["--help"]).ended(0);
    let (_, in_docs) = help.text().split_once("\nExit codes:\n").unwrap();
    let mut count = 0;
    for line in in_docs.lines().take_while(|line| !line.is_empty()) {
        let (code, meaning) = line.trim_start().split_once(' ').unwrap();
        assert!(REFERENCE.contains(&format!("\n| {code} | {}", meaning.trim_start())), "{line}");
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn the_search_terms_in_the_documents_are_those_of_the_program() {
    let document = include_str!("../../docs/search.md");
    let temp = TestDir::new();
    let manual = run_in(temp.path(), ["man"]).ended(0).text().replace("\\-", "-");
    let known = duke::testing::analysis::search::vocabulary();
    assert!(known.len() > 30, "{known:?}");
    for word in &known {
        assert!(document.contains(&format!("`{word}")), "{word} is not in docs/search.md");
        assert!(manual.contains(word.as_str()), "{word} is not in the manual");
    }
    let quoted = document.split('`').skip(1).step_by(2);
    for word in quoted.filter(|word| word.starts_with("type:") || word.starts_with("is:")) {
        assert!(
            duke::testing::analysis::search::Query::parse(word, 0).unwrap().unfinished().is_none(),
            "{word}"
        );
    }
}
