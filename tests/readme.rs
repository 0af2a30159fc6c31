//! What the README says is what the program does.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

mod program;

use program::place::Place;
use program::run_in;

const README: &str = include_str!("../README.md");

/// The first column of the README's table of flags.
fn flags() -> Vec<&'static str> {
    let (_, table) = README.split_once("| flag | |\n").expect("the README has a table of flags");
    let cells =
        table.lines().take_while(|line| line.starts_with('|')).filter_map(|line| line.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_keys_of_the_readme_are_those_of_the_browser() {
    let table = duke::ui::keys::markdown();
    assert!(README.contains(&table), "the README lacks this table:\n{table}");
}

#[test]
fn the_flags_of_the_readme_are_those_of_the_help() {
    let place = Place::new();
    let help = run_in(place.path(), ["--help"]).ended(0);
    let is_flag = |word: &&str| word.starts_with('-') && word.len() > 1;
    let flag =
        |word: &str| word.trim_end_matches([',', '.', ':', ';']).split(['=', ' ']).next().unwrap().to_owned();
    // A line of the help that begins with a flag describes it.
    let described = help.text().lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let mut helped: Vec<_> = described
        .flat_map(|line| line.split_whitespace().take_while(is_flag).map(flag).collect::<Vec<_>>())
        .collect();
    let mut told: Vec<_> = flags().into_iter().filter(is_flag).map(flag).collect();
    // The table names a COL and the like as values, and `-` as a file.
    helped.sort();
    told.sort();
    assert_eq!(told, helped);
}

#[test]
fn the_exit_codes_of_the_readme_are_those_of_the_help() {
    let place = Place::new();
    let help = run_in(place.path(), ["--help"]).ended(0);
    let (_, told) = help.text().split_once("\nExit codes:\n").unwrap();
    let mut count = 0;
    for line in told.lines().take_while(|line| !line.is_empty()) {
        let (code, meaning) = line.trim_start().split_once(' ').unwrap();
        assert!(README.contains(&format!("\n| {code} | {}", meaning.trim_start())), "{line}");
        count += 1;
    }
    assert_eq!(count, 4);
}
