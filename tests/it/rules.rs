//! Checks of the repository's rules, such as the dependencies between the layers described in ARCHITECTURE.md.
//!
//! A rule that existing code breaks has a limit, which must equal the number of violations and may only be lowered.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

mod source;
use source::MODULES;

/// Layers, the lowest first, each with the other layers and modules that its files may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("platform", &["base"]),
    ("tree", &["platform/memory", "base"]),
    ("scan", &["tree", "platform", "base"]),
    ("exclusive", &["scan", "tree", "platform", "base"]),
    ("query", &["tree", "base"]),
    ("analysis", &["query", "tree", "base"]),
    ("duplicates", &["analysis", "scan", "tree", "platform", "base"]),
    ("table", &["analysis", "query", "tree", "base"]),
    ("df", &["scan", "tree", "platform", "base"]),
    ("formats", &["tree", "platform/memory", "base"]),
    ("source", &["formats", "analysis", "scan", "tree", "platform", "base"]),
    ("delete", &["tree", "platform", "base"]),
    (
        "output",
        &[
            "delete",
            "duplicates",
            "exclusive",
            "source",
            "df",
            "formats",
            "analysis",
            "query",
            "table",
            "scan",
            "tree",
            "platform",
            "base",
        ],
    ),
    (
        "ui",
        &[
            "delete",
            "duplicates",
            "exclusive",
            "source",
            "df",
            "formats",
            "analysis",
            "query",
            "table",
            "scan",
            "tree",
            "platform",
            "base",
        ],
    ),
    (
        "run",
        &[
            "ui",
            "output",
            "delete",
            "duplicates",
            "exclusive",
            "source",
            "df",
            "formats",
            "analysis",
            "query",
            "table",
            "scan",
            "tree",
            "platform",
            "base",
        ],
    ),
    (
        "cli",
        &[
            "run",
            "ui/keys",
            "ui/theme",
            "ui/options",
            "table",
            "source",
            "formats/lists",
            "scan",
            "platform/entry/secure_read",
            "base",
        ],
    ),
];

/// Files and folders that belong to a layer although they are outside its folder, each with its layer.
const ELSEWHERE: &[(&str, &str)] = &[("fixture", "base"), ("testing", "run")];

/// Crates, each with the only layer that may use it.
const CRATES: &[(&str, &str)] = &[
    ("libc", "platform"),
    ("nix", "platform"),
    ("blake3", "duplicates"),
    ("regex", "query"),
    ("flate2", "formats"),
    ("ruzstd", "formats"),
    ("ratatui", "ui"),
    ("crossterm", "ui"),
    ("clap", "cli"),
    ("clap_complete", "cli"),
    ("toml", "cli"),
];

/// Exceptions to [`CRATES`]: crates, each with a file that may use the crate from outside its layer. `base/os_error`
/// takes the texts of system errors from `nix`.
const CRATES_ELSEWHERE: &[(&str, &str)] = &[("nix", "base/os_error")];

/// Retired names, each with its replacement. The glossary is in CONTRIBUTING.md.
const RETIRED: &[(&str, &str)] = &[
    ("About", "SnapshotInfo or Question"),
    ("Act", "Visitor"),
    ("Action", "Event"),
    ("Again", "RescanMessage"),
    ("Basis", "Baseline"),
    ("Became", "Previous"),
    ("Bench", "Runner"),
    ("Border", "Boundary"),
    ("Bound", "Precision"),
    ("Brood", "ChildQueue"),
    ("Careful", "RatioLimit"),
    ("Class", "Category"),
    ("Complaint", "QueryError"),
    ("Concern", "DeleteWarning"),
    ("Deed", "OperationKind"),
    ("Desk", "Runner"),
    ("Earlier", "BaselineSpec"),
    ("Entrance", "DirectoryStart"),
    ("Errand", "Launch"),
    ("Errands", "Runner"),
    ("Facts", "Metadata"),
    ("Fate", "ChangeKind or Disposition"),
    ("Filtered", "Filter"),
    ("Findings", "Loader"),
    ("Fine", "Success"),
    ("Hint", "CleanupCandidate"),
    ("Hints", "CandidateList"),
    ("Inquiry", "Loader"),
    ("Judge", "Policy"),
    ("Keeper", "FilterCursor or SnapshotWriter"),
    ("Lonely", "Unmatched"),
    ("Look", "Recheck"),
    ("LookedAt", "ViewedDirectories"),
    ("Looker", "Previewer"),
    ("Looks", "ThemeOptions"),
    ("Met", "CountedInodes"),
    ("NOT_OURS", "NO_CTTY"),
    ("Nature", "SourceKind"),
    ("News", "DeletionMessage"),
    ("Offer", "BaselineInfo"),
    ("Old", "Overwrite"),
    ("Origin", "Return"),
    ("Outside", "NotScanned"),
    ("Place", "ListState, Position or DirContext"),
    ("Reach", "ProcessAccess"),
    ("Reclaim", "DeletionState"),
    ("Record", "Entry"),
    ("Refusal", "UnsafePath or Blocked"),
    ("Regions", "MountMap"),
    ("Remainder", "Unexplained"),
    ("Remark", "Note"),
    ("Replacement", "AtomicFile"),
    ("RowLook", "RowOptions"),
    ("Safety", "DeletePolicy"),
    ("Said", "Prefetched"),
    ("Shadow", "CoveredFiles"),
    ("Sheet", "TableView"),
    ("SheetLine", "Row"),
    ("Shelf", "SaveTarget"),
    ("Skeleton", "AncestorGraph"),
    ("Successors", "Relocation"),
    ("Summed", "GroupBy"),
    ("Tally", "Collector"),
    ("Telling", "DiffOptions"),
    ("Tick", "ScanProgress"),
    ("Told", "ExportMessage"),
    ("Tools", "WorkerState"),
    ("Unkept", "KeepError"),
    ("Unopened", "OpenError"),
    ("Unsaved", "WriteError"),
    ("Unusable", "NoTrash"),
    ("Unwritten", "SaveError or ScriptError"),
    ("Useless", "Failure"),
    ("Verdict", "Decision"),
    ("Wish", "Loader"),
    ("Work", "Operation"),
    ("barren", "check_roots"),
    ("journeys", "tests"),
    ("look_again", "recheck"),
    ("looked_at", "viewed"),
    ("refusals", "blocked"),
    ("remark", "note"),
    ("second_way", "firmlink_target"),
    ("sheets", "tables"),
    ("sweep", "parallel_walk"),
];

const FORBIDDEN_USES: usize = 0;
const FILES_IN_CIRCLES: usize = 0;
const FILES_WITH_ANOTHER_LAYERS_CRATE: usize = 0;
const TYPE_NAMES_USED_TWICE: usize = 33;
const TARGET_OS_LINES: usize = 20;
const FILES_OVER_400_LINES: usize = 3;
const DOC_LINES_THAT_BEGIN_WITH_A_QUESTION: usize = 0;

/// Fails unless `found` has exactly `limit` elements. If it has fewer, the limit should be lowered.
fn hold(limit: usize, found: &[String]) {
    assert!(
        found.len() <= limit,
        "{} for at most {limit}, among them {:#?}",
        found.len(),
        &found[..found.len().min(100)]
    );
    assert!(found.len() == limit, "better than the limit of {limit}: lower it to {}", found.len());
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the path of a file relative to `src/`, without its extension.
fn module_path(file: &Path) -> String {
    file.strip_prefix("src").unwrap().with_extension("").to_str().unwrap().to_owned()
}

/// Returns the layer of a file, or `None` for `main` and `lib`, which may use everything.
fn layer(path: &str) -> Option<&'static str> {
    if ["main", "lib"].contains(&path) {
        return None;
    }
    let elsewhere = ELSEWHERE.iter().find(|(prefix, _)| is_below(path, prefix)).map(|(_, layer)| *layer);
    let own = || LAYERS.iter().find(|(layer, _)| is_below(path, layer)).map(|(layer, _)| *layer);
    Some(elsewhere.or_else(own).unwrap_or_else(|| panic!("src/{path} is in no layer")))
}

fn may_use(user: &str, item: &str) -> bool {
    let (Some(from), Some(to)) = (layer(user), layer(item)) else { return layer(user).is_none() };
    let (_, allowed) = LAYERS.iter().find(|(layer, _)| *layer == from).unwrap();
    from == to || allowed.iter().any(|allowed| *allowed == to || is_below(item, allowed))
}

#[test]
fn a_layer_uses_the_layers_below_it() {
    let uses = MODULES
        .values()
        .flat_map(|module| module.used.iter().map(|used| (module_path(&module.file), module_path(used))));
    let wrong: Vec<String> = uses
        .filter(|(user, used)| !may_use(user, used))
        .map(|(user, used)| format!("{user} uses {used}"))
        .collect();
    hold(FORBIDDEN_USES, &wrong);
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let uses: BTreeMap<&PathBuf, &BTreeSet<PathBuf>> =
        MODULES.values().map(|module| (&module.file, &module.used)).collect();
    let reachable = |from: &PathBuf| {
        let mut seen: BTreeSet<&PathBuf> = BTreeSet::new();
        let mut open: Vec<&PathBuf> = uses[from].iter().collect();
        while let Some(file) = open.pop() {
            if seen.insert(file) {
                open.extend(uses.get(file).into_iter().flat_map(|used| used.iter()));
            }
        }
        seen.contains(from)
    };
    let circular: Vec<String> =
        uses.keys().filter(|file| reachable(file)).map(|file| file.display().to_string()).collect();
    hold(FILES_IN_CIRCLES, &circular);
}

#[test]
fn a_crate_is_named_in_one_layer() {
    let named = |module: &source::Module| {
        let own = layer(&module_path(&module.file));
        let others =
            CRATES.iter().filter(|(name, of)| module.first_segments.contains(*name) && own != Some(of));
        let others =
            others.filter(|(name, _)| !CRATES_ELSEWHERE.contains(&(name, &module_path(&module.file))));
        others.map(|(name, _)| format!("{} names {name}", module.file.display())).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = MODULES.values().flat_map(named).collect();
    hold(FILES_WITH_ANOTHER_LAYERS_CRATE, &wrong);
}

/// Checks only the manifest. `ci/features.sh` compiles the library without features and with `formats` alone.
#[test]
fn without_features_the_library_needs_few_crates() {
    let manifest = include_str!("../../Cargo.toml");
    let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap();
    let lines = dependencies.lines().take_while(|line| !line.is_empty());
    let needed: Vec<&str> = lines
        .filter(|line| !line.contains("optional = true"))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(needed, ["libc", "nix", "rayon"]);
}

#[test]
fn a_type_has_a_name_of_its_own() {
    let mut places: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for module in MODULES.values() {
        for name in &module.types {
            places.entry(name.clone()).or_default().insert(module.file.clone());
        }
    }
    // A type that is defined once for each operating system counts as one type.
    let folder = |file: &PathBuf| file.parent().unwrap().to_path_buf();
    let is_twice = |files: &BTreeSet<PathBuf>| {
        files.len() > 1
            && !(module_path(files.first().unwrap()).starts_with("platform/")
                && files.iter().map(folder).collect::<BTreeSet<_>>().len() == 1)
    };
    let twice: Vec<String> = places
        .iter()
        .filter(|(_, files)| is_twice(files))
        .map(|(name, files)| format!("{name}: {files:?}"))
        .collect();
    hold(TYPE_NAMES_USED_TWICE, &twice);
}

/// Returns the source lines that `pick` selects, each with its position.
fn lines(pick: impl Fn(&str) -> bool) -> Vec<String> {
    let of = |module: &source::Module| {
        let lines = module.text.lines().enumerate().filter(|(_, line)| pick(line));
        lines
            .map(|(at, line)| format!("{}:{}: {}", module.file.display(), at + 1, line.trim()))
            .collect::<Vec<_>>()
    };
    MODULES.values().flat_map(of).collect()
}

#[test]
fn systems_are_distinguished_in_few_places() {
    hold(TARGET_OS_LINES, &lines(|line| line.contains("target_os")));
}

#[test]
fn files_are_short() {
    let long = MODULES
        .values()
        .map(|module| (module.text.lines().count(), &module.file))
        .filter(|(lines, _)| *lines > 400);
    let long: Vec<String> = long.map(|(lines, file)| format!("{}: {lines}", file.display())).collect();
    hold(FILES_OVER_400_LINES, &long);
}

#[test]
fn doc_comments_begin_with_a_statement() {
    let questions = ["What", "Whether", "How", "Where", "Who", "Why"];
    let begins = |line: &str| {
        let text = line.trim_start();
        let text = text.strip_prefix("///").or_else(|| text.strip_prefix("//!"));
        let first = text.and_then(|text| text.split_whitespace().next());
        first.is_some_and(|word| questions.contains(&word.trim_end_matches(['\'', ',', ':'])))
    };
    hold(DOC_LINES_THAT_BEGIN_WITH_A_QUESTION, &lines(begins));
}

#[test]
fn retired_names_do_not_come_back() {
    for (file, code) in code() {
        let words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        for word in words {
            let retired = RETIRED.iter().find(|(old, _)| *old == word);
            assert!(retired.is_none(), "{}: {word} is {} now", file.display(), retired.unwrap().1);
        }
    }
}

#[test]
fn the_glossary_names_existing_types() {
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRIBUTING.md")).unwrap();
    let glossary = guide.split("\n## ").find(|section| section.starts_with("Glossary\n")).unwrap();
    let rows = glossary.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = rows.map(|row| row.trim_matches('|').rsplit('|').next().unwrap().trim().trim_matches('`'));
    let named: Vec<&str> = cells.filter(|name| !name.is_empty()).collect();
    assert!(named.len() > 60, "{named:?}");
    for name in named {
        let is_defined = MODULES.values().any(|module| module.types.iter().any(|known| known == name));
        assert!(is_defined, "{name}");
    }
}

#[test]
fn unit_tests_of_properties_ask_the_system_for_no_random_numbers() {
    for (file, code) in code() {
        let properties = code.matches("proptest! {").count();
        assert_eq!(properties, code.matches("#![proptest_config(cases(").count(), "{}", file.display());
    }
}

#[test]
fn locks_and_atomics_come_from_one_module() {
    for (file, code) in code().filter(|(file, _)| !file.ends_with("sync.rs")) {
        // Channels are allowed: tests use them, and threads pass bytes through them. The functions `sync` and
        // `syncfs` of nix::unistd are system calls, not locks.
        let code = code.replace("unistd::sync", "");
        let other = code.split("std::sync").skip(1).find(|rest| !rest.starts_with("::mpsc::"));
        assert_eq!(other.map(|rest| rest.lines().next()), None, "{}", file.display());
        assert!(!code.contains("thread_local!"), "{}", file.display());
    }
}

#[test]
fn only_the_platform_is_unsafe() {
    for (file, code) in code().filter(|(file, _)| !file.starts_with("src/platform")) {
        let mut words = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        assert!(!words.any(|word| word == "unsafe"), "{}", file.display());
    }
}

#[test]
fn the_map_of_the_program_names_every_module() {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let top: BTreeSet<String> =
        code().map(|(file, _)| module_path(file).split('/').next().unwrap().to_owned()).collect();
    for module in top.iter().filter(|module| *module != "lib") {
        let named = |ending: &str| map.contains(&format!("`src/{module}{ending}`"));
        assert!(named("/") || named(".rs"), "ARCHITECTURE.md does not name {module}");
    }
}

/// Returns every source file with its code, without comments.
fn code() -> impl Iterator<Item = (&'static PathBuf, String)> {
    MODULES.values().map(|module| {
        let code = module.text.lines().map(|line| line.split("//").next().unwrap());
        (&module.file, code.collect::<Vec<_>>().join("\n"))
    })
}
