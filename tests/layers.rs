//! The modules of the program use one another in one direction, and only the platform is unsafe.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::path::{Path, PathBuf};

/// Used by all, using none but each other.
const BASE: [&str; 3] = ["kind", "sync", "table"];

/// Each module with what it may use beside the base and itself.
const ARROWS: &[(&str, &[&str])] = &[
    ("kind", &[]),
    ("sync", &[]),
    ("table", &[]),
    ("size", &[]),
    ("text", &[]),
    ("platform", &[]),
    ("message", &["platform::words", "exit"]),
    ("tree", &["platform::memory", "platform::blocks"]),
    ("snapshot", &["tree", "platform", "replacement"]),
    ("scan", &["platform", "tree", "job::message"]),
    // Trees for unit tests.
    ("fixture", &["tree"]),
    ("delete", &["platform", "tree", "job", "text", "json::Writer"]),
    ("hints", &["tree", "job", "search"]),
    ("job", &[]),
    ("search", &["tree", "job", "size"]),
    ("survey", &["tree", "job", "search"]),
    ("space", &["platform", "tree", "scan", "job", "size", "text"]),
    ("inspect", &["platform", "scan", "tree", "job"]),
    ("exit", &["tree"]),
    ("rows", &["tree", "size", "search", "growth", "job"]),
    ("replacement", &[]),
    ("exchange", &["tree", "json", "text", "platform", "scan", "job::message", "snapshot::MAGIC"]),
    ("writing", &["exchange", "snapshot", "replacement", "source", "scan", "platform"]),
    ("growth", &["tree", "source", "scan", "job", "search", "size"]),
    ("source", &["scan", "exchange", "snapshot", "tree", "text", "platform"]),
    ("json", &["tree", "space", "text", "platform::error_text"]),
    (
        "batch",
        &[
            "tree",
            "scan",
            "source",
            "exchange",
            "space",
            "snapshot",
            "replacement",
            "json",
            "rows",
            "size",
            "text",
            "exit",
            "message",
            "platform",
            "search",
            "survey",
            "job",
            "writing",
        ],
    ),
    (
        "ui",
        &[
            "tree", "scan", "source", "rows", "size", "text", "delete", "inspect", "search", "hints",
            "survey", "space", "job", "platform", "growth", "writing",
        ],
    ),
    ("config", &["ui::keys", "ui::theme", "text", "platform::words", "platform::trusted"]),
    (
        "browse",
        &[
            "tree",
            "scan",
            "source",
            "snapshot",
            "ui",
            "rows",
            "size",
            "text",
            "exit",
            "message",
            "delete",
            "platform::streams",
            "platform::words",
            "growth",
        ],
    ),
];

/// Where the arrow begins: these may use everything, and only the program itself uses them.
const FRONT: [&str; 3] = ["main", "lib", "cli"];

fn sources(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Every source file: its module and its code, comments left out.
fn code() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    assert!(paths.len() > 10);
    let read = |path: PathBuf| {
        let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
        let module = Path::new(first.as_os_str()).with_extension("").to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().map(|line| line.split("//").next().unwrap());
        (module, path, code.collect::<Vec<_>>().join("\n"))
    };
    paths.into_iter().map(read).collect()
}

/// The modules behind every `crate::` of the code, also those in braces: `tree`, `platform::memory`.
fn used(code: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        let path = |text: &str| -> String {
            let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':');
            text[..end.unwrap_or(text.len())].trim_end_matches(':').to_owned()
        };
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = list.split_once("};").map_or(list, |(list, _)| list);
                let mut depth = 0;
                let parts = list.split(|letter: char| {
                    depth += i32::from(letter == '{') - i32::from(letter == '}');
                    letter == ',' && depth == 0
                });
                used.extend(parts.map(|part| path(part.trim())).filter(|part| !part.is_empty()));
            }
            None => used.push(path(rest)),
        }
    }
    used
}

fn may_use(module: &str, path: &str) -> bool {
    let starts =
        |prefix: &str| path == prefix || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with("::"));
    let allowed = ARROWS.iter().find(|(name, _)| *name == module).map(|(_, allowed)| *allowed);
    starts(module)
        // Only there for unit tests, of any module.
        || starts("fixture")
        || BASE.iter().any(|base| starts(base))
        || FRONT.contains(&module)
        || allowed.is_some_and(|allowed| allowed.iter().any(|module| starts(module)))
}

#[test]
fn every_arrow_points_forward() {
    let mut wrong = Vec::new();
    for (module, path, code) in code() {
        let known = FRONT.contains(&module.as_str()) || ARROWS.iter().any(|(name, _)| *name == module);
        assert!(known, "{module} is not in the table of this test");
        let back = used(&code).into_iter().filter(|used| !may_use(&module, used));
        wrong.extend(back.map(|used| format!("{} uses {used}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_arrow_is_allowed_that_is_not_there() {
    let code = code();
    for (module, arrows) in ARROWS {
        let paths: Vec<String> =
            code.iter().filter(|(of, ..)| of == module).flat_map(|(.., code)| used(code)).collect();
        for arrow in *arrows {
            let is_used = |path: &String| path == arrow || path.starts_with(&format!("{arrow}::"));
            assert!(paths.iter().any(is_used), "{module} does not use {arrow}");
        }
    }
}

#[test]
fn locks_and_atomics_come_from_one_module() {
    for (_, path, code) in code().into_iter().filter(|(module, ..)| module != "sync") {
        // Channels are for tests, and for bytes from one thread to another.
        let other = code.split("std::sync").skip(1).find(|rest| !rest.starts_with("::mpsc::"));
        assert_eq!(other.map(|rest| rest.lines().next()), None, "{}", path.display());
        // An allocator has nowhere else to keep what a thread has to spare.
        let is_allocator = path.ends_with("platform/allocator.rs");
        assert!(is_allocator || !code.contains("thread_local!"), "{}", path.display());
    }
}

#[test]
fn the_map_of_the_program_names_every_module() {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    for module in code().into_iter().map(|(module, ..)| module).filter(|module| module != "lib") {
        let named = |as_what: &str| map.contains(&format!("`src/{module}{as_what}`"));
        assert!(named("/") || named(".rs"), "ARCHITECTURE.md does not name {module}");
    }
}

#[test]
fn only_the_platform_is_unsafe() {
    for (module, path, code) in code() {
        let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        assert!(
            module == "platform" || !words.into_iter().any(|word| word == "unsafe"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn the_table_of_this_test_says_what_it_means() {
    let list = "use crate::tree::{Batch, encoding::Draft};\nuse crate::{kind::Kind, scan::{Scan, Filter}, ui};\ncrate::json::write()";
    let modules: Vec<String> =
        used(list).iter().map(|path| path.split("::").next().unwrap().to_owned()).collect();
    assert_eq!(modules, ["tree", "kind", "scan", "ui", "json"]);
    assert!(may_use("tree", "platform::memory::Arena"));
    assert!(!may_use("tree", "platform::Directory"));
    assert!(!may_use("tree", "scan"));
    assert!(!may_use("platform", "tree::DirId"));
    assert!(!may_use("json", "cli::Arguments"));
    assert!(may_use("main", "cli"));
}
