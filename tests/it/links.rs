//! Tests that links in the documents lead to existing files and headings.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::path::{Path, PathBuf};

/// Documents that must exist in docs/.
const PROMISED: [&str; 10] = [
    "coming-from.md",
    "config.md",
    "df.md",
    "duplicates.md",
    "exchange.md",
    "json.md",
    "keys.md",
    "macos.md",
    "performance.md",
    "snapshot.md",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every document in the top directory, in docs/ and in packaging/.
fn pages() -> Vec<PathBuf> {
    let folders = [root().to_owned(), root().join("docs"), root().join("packaging")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Returns the lines of a document that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence && !line.starts_with("    ")
    })
}

/// Returns the targets of a document's links and pictures.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        // Text in backquotes contains no links.
        let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next().map(str::to_owned));
        links.extend(targets);
        for mark in ["src=\"", "href=\""] {
            links.extend(
                line.split(mark).skip(1).filter_map(|rest| rest.split('"').next().map(str::to_owned)),
            );
        }
    }
    links
}

/// Returns the anchor of a heading: the text in lower case, with each blank replaced by `-`. All characters except
/// letters, digits, `-` and `_` are omitted.
fn anchor(heading: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter(kept)
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text)
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    headings.map(anchor).collect()
}

/// Returns the error in a link of `page`, if any.
fn fault(page: &Path, link: &str) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (file, wanted) = link.split_once('#').map_or((link, None), |(file, wanted)| (file, Some(wanted)));
    let path = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    if !path.exists() {
        return Some(format!("{}: there is no {link}", page.display()));
    }
    let wanted = wanted?;
    let text = fs::read_to_string(&path).ok()?;
    (!anchors(&text).iter().any(|anchor| anchor == wanted))
        .then(|| format!("{}: no heading for {link}", page.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let mut count = 0;
    let mut faults = Vec::new();
    for page in pages() {
        for link in links(&fs::read_to_string(&page).unwrap()) {
            count += 1;
            faults.extend(fault(&page, &link));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 30, "{count}");
}

#[test]
fn every_page_that_is_promised_is_there_and_every_page_can_be_found() {
    for name in PROMISED {
        assert!(root().join("docs").join(name).exists(), "{name}");
    }
    let at_the_top = pages().into_iter().filter(|page| page.parent() == Some(root()));
    let found: Vec<String> = at_the_top.flat_map(|page| links(&fs::read_to_string(page).unwrap())).collect();
    for page in pages().iter().filter(|page| page.starts_with(root().join("docs"))) {
        let name = page.strip_prefix(root()).unwrap().to_str().unwrap();
        assert!(found.iter().any(|link| link.split('#').next() == Some(name)), "nothing leads to {name}");
    }
}

#[test]
fn links_and_headings_are_checked() {
    let text =
        "# One: `b`, two\n[a](b.md#c) `[x](y)` ![p](q.svg) <img src=\"r.svg\">\n```\n[no](no)\n# no\n```\n";
    assert_eq!(links(text), ["b.md#c", "q.svg", "r.svg"]);
    assert_eq!(anchors(text), ["one-b-two"]);
    let readme = root().join("README.md");
    assert!(fault(&readme, "no-such-file.md").unwrap().contains("there is no"));
    assert!(fault(&readme, "#no-such-heading").unwrap().contains("no heading"));
    assert_eq!(fault(&readme, "LICENSE-MIT"), None);
}
