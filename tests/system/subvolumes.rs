//! Tests of `duke subvolumes` on file systems filled by `clones.sh`: deleting subvolumes frees exactly the predicted
//! number of bytes.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::json::Document;
use crate::program::{program, run};
use crate::support::image::{Image, free_immediately, in_namespace, succeeds, sync};
use crate::support::skip;

const MIB: u64 = 1 << 20;

/// Creates a file system filled by `clones.sh`. If that is not possible, reports the reason and returns `None`.
pub fn filled(test: &str, kind: &str, options: &[&str], seed: u64) -> Option<Image> {
    if !succeeds(Command::new("bash").arg("-c").arg("type fallocate dd truncate seq mktemp")) {
        skip(&format!("{test}: bash or util-linux is missing"));
        return None;
    }
    // mkfs.xfs refuses to make a file system smaller than 300 MB.
    let image = Image::new(test, kind, 400 * MIB, options)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/clones.sh");
    let mut fill = Command::new("bash");
    let filled = fill.arg(script).arg(kind).arg(image.path()).arg(seed.to_string()).output().unwrap();
    assert!(filled.status.success(), "{}", String::from_utf8_lossy(&filled.stderr));
    free_immediately(&image.path());
    Some(image)
}

/// Returns the number of bytes used in data block groups, as reported by btrfs(8).
pub fn data_used(root: &Path) -> u64 {
    sync(root);
    let found = Command::new("btrfs").args(["filesystem", "df", "-b"]).arg(root).output().unwrap();
    let text = String::from_utf8(found.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("Data,")).unwrap();
    line.rsplit_once("used=").unwrap().1.parse().unwrap()
}

fn report(root: &Path, without: &[u64]) -> Document {
    let ids: Vec<String> = without.iter().map(|id| format!("--without={id}")).collect();
    let document = run(program().args(["subvolumes", "--json"]).args(ids).arg(root)).ended(0).json();
    let value = document.root();
    assert_eq!(value.get("schema").text(), "duke-subvolumes/1");
    assert_eq!(value.get("accuracy").text(), "exact");
    document
}

fn number(document: &Document, key: &str) -> u64 {
    u64::try_from(document.root().get(key).number()).unwrap()
}

/// Returns the ID and the path of every subvolume except the top-level one (ID 5), which cannot be deleted.
fn subvolumes(document: &Document, root: &Path) -> Vec<(u64, PathBuf)> {
    let found = document.root().get("subvolumes").elements().into_iter();
    let found =
        found.map(|it| (u64::try_from(it.get("id").number()).unwrap(), root.join(it.get("path").text())));
    found.filter(|(id, _)| *id != 5).collect()
}

#[test]
fn deleting_subvolumes_frees_exactly_the_predicted_bytes() {
    const NAME: &str = "deleting_subvolumes_frees_exactly_the_predicted_bytes";
    if !in_namespace(NAME) {
        return;
    }
    for seed in [1, 2] {
        let Some(image) = filled(NAME, "btrfs", &["-q"], seed) else { return };
        let root = image.path();
        let mut order = seed;
        loop {
            let before = data_used(&root);
            let document = report(&root, &[]);
            assert_eq!(number(&document, "data"), before, "all extents add up to the used data");
            let mut left = subvolumes(&document, &root);
            if left.is_empty() {
                break;
            }
            // Of the six subvolumes, one is deleted first, then two, two again, and finally the last one.
            let count = left.len().min(1 + left.len() % 2);
            order = order.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let first = usize::try_from(order >> 33).unwrap() % left.len();
            left.rotate_left(first);
            let deleted = &left[..count];
            let ids: Vec<u64> = deleted.iter().map(|(id, _)| *id).collect();
            let predicted = number(&report(&root, &ids), "freed");
            let mut delete = Command::new("btrfs");
            delete.args(["subvolume", "delete"]).args(deleted.iter().map(|(_, path)| path));
            assert!(succeeds(&mut delete));
            // A remount wakes the thread that cleans up deleted subvolumes.
            assert!(succeeds(Command::new("mount").args(["-o", "remount,commit=1"]).arg(&root)));
            assert!(succeeds(Command::new("btrfs").args(["subvolume", "sync", "-s", "1"]).arg(&root)));
            assert_eq!(before - data_used(&root), predicted, "seed {seed}, {deleted:?}");
        }
    }
}

#[test]
fn the_table_names_subvolumes_and_errors_name_a_remedy() {
    const NAME: &str = "the_table_names_subvolumes_and_errors_name_a_remedy";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = filled(NAME, "btrfs", &["-q"], 3) else { return };
    let root = image.path();
    let subvolumes = |words: &[&str], path: &Path| run(program().arg("subvolumes").args(words).arg(path));
    let text = subvolumes(&["--without=snapshots/one"], &root).ended(0).text().to_owned();
    for part in [
        "  (top level)\n",
        "256  data\n",
        "257  snapshots/one  (snapshot)\n",
        "260  snapshots/four  (snapshot)\n",
        "would be freed by deleting subvolume 257\n",
        "data in 7 subvolumes; sizes are exact\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let errors = |words: &[&str], path: &Path| subvolumes(words, path).ended(2).stderr;
    let expected = "duke: --without nowhere: no such subvolume; omit --without to list IDs and paths\n";
    assert_eq!(errors(&["--without=nowhere"], &root), expected);
    let expected = "duke: --without 5: the top-level subvolume cannot be deleted\n";
    assert_eq!(errors(&["--without=5"], &root), expected);
    let expected = "duke: /proc: cannot read subvolumes: not a btrfs file system\n";
    assert_eq!(errors(&[], Path::new("/proc")), expected);
}
