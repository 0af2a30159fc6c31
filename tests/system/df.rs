//! Tests of file-system accounting. The tests create file systems with known contents.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{program, run};
use crate::support::child::Killed;
use crate::support::fixtures::{self, Fixture};
use crate::support::image::{Image, clone, in_namespace, mount, succeeds};
use crate::support::{child, skip};
use duke::scan::{Mounts, Options, Scan};
use duke::testing::df;
use duke::testing::df::{
    CountedAs, Errno, FileSystemUsage, NotScanned, Note, OverheadKind, ProcessAccess, Report, Through,
    Unexplained,
};
use duke::tree::DirId;

const MIB: u64 = 1 << 20;
const SCHEMA: &str = include_str!("../../docs/schema.json");

fn report(roots: &[&Path], mounts: Mounts) -> Report {
    let roots = roots.iter().map(|root| (*root).to_owned()).collect();
    let scan = Scan::run(roots, Options { threads: Some(2), mounts, ..Options::default() });
    df::report(scan.tree(), DirId::TOP, &|| false)
}

fn first(root: &Path) -> FileSystemUsage {
    report(&[root], Mounts::Real).spaces.swap_remove(0)
}

/// Returns the disk usage of everything below `path` on its file system, in bytes.
fn du(path: &Path) -> u64 {
    let output = Command::new("du").args(["-sx", "-B1"]).arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split('\t').next().unwrap().parse().unwrap()
}

/// Returns the size, the free space and the available space according to `stat -f`.
fn statfs(path: &Path) -> [u64; 3] {
    let output = Command::new("stat").args(["-f", "-c", "%S %b %f %a"]).arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    [1, 2, 3].map(|at| numbers[0] * numbers[at])
}

/// Writes a file of random bytes, which no file system can compress or store as holes.
fn random(path: &Path, bytes: u64) {
    let mut source = File::open("/dev/urandom").unwrap().take(bytes);
    let mut file = File::create(path).unwrap();
    std::io::copy(&mut source, &mut file).unwrap();
    file.sync_all().unwrap();
}

fn missing(space: &FileSystemUsage) -> u64 {
    match space.unexplained() {
        Some(Unexplained::Missing(bytes)) => bytes,
        other => panic!("{other:?} of {space:?}"),
    }
}

fn part(space: &FileSystemUsage, kind: OverheadKind) -> Option<(u64, CountedAs)> {
    space.parts.iter().find(|part| part.kind == kind).map(|part| (part.bytes, part.counted))
}

#[test]
fn a_deleted_file_counts_once_however_many_descriptors_hold_it() {
    let fixture = fixtures::empty();
    let path = fixture.join("gone");
    fixtures::file(&path, 50_000_000).unwrap();
    let held = File::open(&path).unwrap();
    held.sync_all().unwrap();
    let disk = held.metadata().unwrap().blocks() * 512;
    let again: Vec<File> = (0..500).map(|_| held.try_clone().unwrap()).collect();
    assert_eq!(first(fixture.path()).deleted.iter().filter(|file| file.path.ends_with(b"/gone")).count(), 0);

    let script = format!("exec 7<'{0}' 8<'{0}' 9<'{0}'; echo; read _", path.display());
    let shell = Killed::when_ready(Command::new("sh").args(["-c", &script]));
    fs::remove_file(&path).unwrap();
    drop((held, again));
    let space = first(fixture.path());
    let found: Vec<_> =
        space.deleted.iter().filter(|file| file.path == path.as_os_str().as_encoded_bytes()).collect();
    assert_eq!(found.len(), 1, "{:?}", space.deleted);
    assert_eq!(found[0].disk, Some(disk));
    let holders: Vec<_> = found[0].holders.iter().map(|holder| (holder.pid, holder.through)).collect();
    assert_eq!(holders, [(shell.pid(), Through::Descriptor)]);
    assert_eq!(found[0].holders[0].name, b"sh");
    drop(shell);
    assert!(
        first(fixture.path()).deleted.iter().all(|file| file.path != path.as_os_str().as_encoded_bytes())
    );
}

#[test]
fn a_deleted_program_that_still_runs_is_held_by_memory() {
    let fixture = fixtures::empty();
    let path = fixture.join("program");
    let cat = ["/bin/cat", "/usr/bin/cat"].into_iter().find(|path| Path::new(path).exists()).unwrap();
    fs::copy(cat, &path).unwrap();
    // An executable file can still be run after bytes have been appended to it.
    let mut file = File::options().append(true).open(&path).unwrap();
    file.write_all(&vec![1; 50_000_000]).unwrap();
    file.sync_all().unwrap();
    let disk = file.metadata().unwrap().blocks() * 512;
    drop(file);
    let mut running = loop {
        match Command::new(&path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
            // The file is busy, because a child process forked by another test still has it open for writing.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            spawned => break spawned.unwrap(),
        }
    };
    // The copy of cat echoes a byte, which shows that it is running.
    running.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    running.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let running = Killed(running);
    fs::remove_file(&path).unwrap();
    let space = first(fixture.path());
    let found = space.deleted.iter().find(|file| file.path == path.as_os_str().as_encoded_bytes()).unwrap();
    let expected = if child::is_root() { Some(disk) } else { None };
    assert_eq!(found.disk, expected, "only root may ask how much it takes");
    let holders: Vec<_> = found.holders.iter().map(|holder| (holder.pid, holder.through)).collect();
    assert_eq!(holders, [(running.pid(), Through::Memory)]);
}

#[test]
fn the_lines_of_ext4_add_up() {
    const NAME: &str = "the_lines_of_ext4_add_up";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "ext4", 128 * MIB, &["-q", "-m", "5", "-b", "4096"]) else { return };
    random(&image.join("file"), 10 * MIB);
    fs::create_dir(image.join("covered")).unwrap();
    random(&image.join("covered/below"), 3 * MIB);
    fs::hard_link(image.join("covered/below"), image.join("covered/again")).unwrap();
    let covered = du(&image.join("covered"));
    mount(&["-t", "tmpfs", "none"], &image.join("covered"));
    fixtures::file(image.join("covered/other"), 100_000).unwrap();
    let open = image.join("open");
    random(&open, 5 * MIB);
    let held = File::open(&open).unwrap();
    let held_disk = held.metadata().unwrap().blocks() * 512;
    fs::remove_file(&open).unwrap();

    let report = report(&[&image.path()], Mounts::Real);
    let space = &report.spaces[0];
    let capacity = space.volume.capacity.unwrap();
    let [size, free, available] = statfs(&image.path());
    assert_eq!((capacity.size, capacity.free, capacity.available), (size, free, available));
    let header = Command::new("dumpe2fs").arg("-h").arg(image.fixture.join("image")).output().unwrap();
    let header = String::from_utf8(header.stdout).unwrap();
    let value = |key: &str| header.lines().find_map(|line| line.strip_prefix(key)).unwrap().trim().to_owned();
    let for_root = value("Reserved block count:").parse::<u64>().unwrap() * 4096;
    assert_eq!(part(space, OverheadKind::ForRoot), Some((for_root, CountedAs::Reserved)));
    let for_writing = part(space, OverheadKind::ForWriting).map_or(0, |(bytes, _)| bytes);
    assert_eq!(capacity.reserved(), for_root + for_writing);
    assert_eq!(part(space, OverheadKind::Structures), Some((128 * MIB - size, CountedAs::Beside)));
    let journal = value("Total journal size:");
    let (number, unit) = journal.split_at(journal.len() - 1);
    let journal = number.parse::<u64>().unwrap() * if unit == "M" { MIB } else { 1024 };
    assert_eq!(part(space, OverheadKind::Journal), Some((journal, CountedAs::Within)));

    assert_eq!(space.scanned.disk, du(&image.path()), "without the tmpfs");
    assert_eq!(space.covered.len(), 1);
    assert_eq!(space.covered[0].path, image.join("covered"));
    let hidden = space.covered[0].hidden.unwrap();
    assert_eq!((hidden.disk, hidden.entries, hidden.unreadable), (covered, 2, 0));
    assert_eq!((space.deleted.len(), space.deleted_bytes()), (1, held_disk));
    assert!(space.volume.is_whole());
    // At most one block is unexplained. It belongs to the inode that reserves space for a larger group table.
    assert!(missing(space) <= 4096, "{:?}", space.unexplained());
    assert_eq!(space.scanned.disk + hidden.disk + held_disk + missing(space), capacity.used());

    let memory = &report.spaces[1];
    assert_eq!((memory.volume.path.clone(), memory.scanned.disk), (image.join("covered"), 102_400));
    assert_eq!(memory.volume.capacity.unwrap().used(), 102_400);
    assert_eq!(missing(memory), 0);
    assert!(memory.notes.contains(&Note::Memory) && memory.covered.is_empty());
}

#[test]
fn inaccessible_covered_files_are_reported_as_possible() {
    const NAME: &str = "inaccessible_covered_files_are_reported_as_possible";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "ext4", 64 * MIB, &["-q"]) else { return };
    for name in ["locked", "covered"] {
        fs::create_dir(image.join(name)).unwrap();
        random(&image.join(name).join("file"), 2 * MIB);
    }
    mount(&["-t", "tmpfs", "none"], &image.join("covered"));
    fs::set_permissions(image.join("locked"), fs::Permissions::from_mode(0o700)).unwrap();
    let as_root = first(&image.path());
    assert_eq!((as_root.scanned.unreadable, as_root.access), (0, ProcessAccess::All));
    child::become_nobody();
    let space = first(&image.path());
    assert_eq!(space.scanned.unreadable, 2, "lost+found too");
    assert_eq!(space.covered[0].hidden, Err(Errno::EPERM));
    assert_eq!(space.access, ProcessAccess::Own);
    assert!(space.notes.iter().any(|note| matches!(note, Note::Refused(_))), "{:?}", space.notes);
    assert!(missing(&space) >= 4 * MIB, "both files are in the remainder");
    let words = df::rows::rows(&space, duke::base::format::Units::Binary);
    let labels: Vec<&str> = words.iter().map(|row| row.label.as_str()).collect();
    assert!(labels.contains(&"unreadable: 2 entries"), "{labels:?}");
}

#[test]
fn snapshots_and_reflinks_make_the_scanned_more_than_the_used() {
    const NAME: &str = "snapshots_and_reflinks_make_the_scanned_more_than_the_used";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 400 * MIB, &["-q"]) else { return };
    random(&image.join("file"), 20 * MIB);
    assert!(succeeds(Command::new("sync").arg("-f").arg(image.path())));
    let alone = first(&image.path());
    assert!(
        matches!(alone.unexplained(), Some(Unexplained::Missing(bytes) | Unexplained::Shared(bytes)) if bytes < MIB)
    );
    let [size, free, _] = statfs(&image.path());
    assert_eq!(alone.volume.capacity.unwrap().used(), size - free);

    clone(&image.join("file"), &image.join("clone"));
    let btrfs = |words: &[&str]| succeeds(Command::new("btrfs").args(words).current_dir(image.path()));
    if !btrfs(&["subvolume", "snapshot", "-r", ".", "snapshot"]) {
        skip(&format!("{NAME}: no btrfs program here"));
        return;
    }
    assert!(
        btrfs(&["subvolume", "create", "snapshots"])
            && succeeds(Command::new("sync").arg("-f").arg(image.path()))
    );
    let space = first(&image.path());
    let Some(Unexplained::Shared(shared)) = space.unexplained() else { panic!("{space:?}") };
    // The 20 MiB of data are stored once but have four names: the file, its clone, and both of them again in the
    // snapshot. The scan therefore counts 60 MiB too much.
    assert!(shared.abs_diff(60 * MIB) < MIB, "{shared}");
    let Some(Note::Subvolumes(found)) = space.notes.iter().find(|note| matches!(note, Note::Subvolumes(_)))
    else {
        panic!("{:?}", space.notes);
    };
    let found: Vec<_> =
        found.iter().map(|it| (String::from_utf8(it.path.clone()).unwrap(), it.is_snapshot())).collect();
    assert_eq!(found, [("snapshot".into(), true), ("snapshots".into(), false)]);
    assert_eq!(report(&[&image.path()], Mounts::Real).spaces.len(), 1, "a subvolume is no file system");
    let one = report(&[&image.path()], Mounts::None).spaces.swap_remove(0);
    assert_eq!(one.scanned.excluded, 2, "-x leaves subvolumes out");
}

#[test]
fn a_mounted_subvolume_is_not_the_whole_file_system() {
    const NAME: &str = "a_mounted_subvolume_is_not_the_whole_file_system";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 400 * MIB, &["-q"]) else { return };
    if !succeeds(Command::new("btrfs").args(["subvolume", "create"]).arg(image.join("home"))) {
        skip(&format!("{NAME}: no btrfs program here"));
        return;
    }
    random(&image.join("elsewhere"), 8 * MIB);
    assert!(succeeds(Command::new("sync").arg("-f").arg(image.path())));
    let path = fixtures::empty();
    let source = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let line = source.lines().find(|line| line.contains(image.path().to_str().unwrap())).unwrap();
    let device = line.rsplit(' ').nth(1).unwrap().to_owned();
    mount(&["-t", "btrfs", "-o", "subvol=home", &device], path.path());
    let space = first(path.path());
    assert_eq!(space.volume.outside, [NotScanned::Directory(b"/home".to_vec())]);
    assert!(missing(&space) >= 8 * MIB);
    assert!(succeeds(Command::new("umount").arg(path.path())));
}

#[test]
fn xfs_reports_its_log_and_pool() {
    const NAME: &str = "xfs_reports_its_log_and_pool";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "xfs", 400 * MIB, &["-q"]) else { return };
    random(&image.join("file"), 20 * MIB);
    let space = first(&image.path());
    let [size, ..] = statfs(&image.path());
    assert_eq!(part(&space, OverheadKind::Journal), Some((400 * MIB - size, CountedAs::Beside)));
    let pool = part(&space, OverheadKind::Pool).unwrap().0;
    assert!((MIB..64 * MIB).contains(&pool), "{pool}");
    assert!(missing(&space) < 8 * MIB, "{space:?}");
    assert_eq!(space.scanned.disk, du(&image.path()));
}

#[test]
fn a_full_file_system_adds_up_too() {
    const NAME: &str = "a_full_file_system_adds_up_too";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "ext4", 16 * MIB, &["-q", "-m", "0"]) else { return };
    let mut file = File::create(image.join("file")).unwrap();
    for length in [4096, 1024] {
        while file.write_all(&vec![7; length]).is_ok() {}
    }
    let _ = file.sync_all();
    let space = first(&image.path());
    assert_eq!(space.volume.capacity.unwrap().available, 0);
    assert_eq!(
        space.volume.capacity.unwrap().used() + space.volume.capacity.unwrap().reserved(),
        space.volume.capacity.unwrap().size
    );
    assert_eq!(space.scanned.disk, du(&image.path()));
    assert!(missing(&space) < 64 << 10, "{:?}", space.unexplained());
}

#[test]
fn a_file_system_mounted_twice_counts_once() {
    const NAME: &str = "a_file_system_mounted_twice_counts_once";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "ext4", 64 * MIB, &["-q"]) else { return };
    for name in ["origin/deep", "again", "origin/covered", "file-mount"] {
        fs::create_dir_all(image.join(name)).unwrap();
    }
    random(&image.join("origin/deep/file"), 2 * MIB);
    random(&image.join("origin/covered/below"), MIB);
    fs::hard_link(image.join("origin/deep/file"), image.join("linked")).unwrap();
    let all = du(&image.path());
    mount(&["--bind", image.join("origin").to_str().unwrap()], &image.join("again"));
    mount(&["-t", "tmpfs", "none"], &image.join("origin/covered"));
    let space = first(&image.path());
    assert_eq!(space.scanned.disk + space.hidden(), all, "{space:?}");
    assert!(missing(&space) <= 4096);
}

#[test]
fn a_covered_mount_point_has_no_owner() {
    const NAME: &str = "a_covered_mount_point_has_no_owner";
    if !in_namespace(NAME) {
        return;
    }
    let fixture = fixtures::empty();
    mount(&["-t", "tmpfs", "one"], fixture.path());
    fs::create_dir_all(fixture.join("a/b")).unwrap();
    mount(&["-t", "tmpfs", "two"], &fixture.join("a/b"));
    fixtures::file(fixture.join("a/b/lost"), 8192).unwrap();
    mount(&["-t", "tmpfs", "three"], &fixture.join("a"));
    fs::create_dir(fixture.join("a/b")).unwrap();
    fixtures::file(fixture.join("a/b/file"), 4096).unwrap();
    let report = report(&[fixture.path()], Mounts::Real);
    let found: Vec<_> =
        report.spaces.iter().map(|space| (space.volume.path.clone(), space.scanned.disk)).collect();
    assert_eq!(found, [(fixture.path().to_owned(), 0), (fixture.join("a"), 4096)]);
    assert_eq!(missing(&report.spaces[1]), 0);
    for path in ["a", "."] {
        let _ = Command::new("umount").arg("-l").arg(fixture.join(path)).status();
    }
}

#[test]
fn a_root_below_the_mount_point_leaves_an_unknown_remainder() {
    let fixture = fixtures::plain();
    let space = first(&fixture.join("a"));
    assert!(!space.volume.is_whole());
    assert!(
        matches!(&space.volume.outside[0], NotScanned::Above(point) if fixture.path().starts_with(point))
    );
    assert_eq!(space.scanned.disk, du(&fixture.join("a")));
    let text = run(program().args(["df", "-q"]).arg(fixture.join("a"))).ended(0);
    assert!(text.text().contains("unexplained or outside the scan"), "{}", text.text());
    let NotScanned::Above(point) = &space.volume.outside[0] else { panic!("{:?}", space.volume.outside) };
    let advice = format!("\nTo scan the whole file system: duke df {}\n", point.display());
    assert!(text.text().ends_with(&advice), "{}", text.text());
}

#[test]
fn long_labels_leave_their_notes_below_each_other() {
    let fixture = fixtures::empty();
    // With this name, the path is 52 bytes long. Its label, indented by 4 columns, has the maximum width of the label
    // column (56) and is longer than all fixed labels.
    let name = "n".repeat(52_usize.saturating_sub(fixture.path().as_os_str().len() + 1));
    let path = fixture.join(&name);
    fixtures::file(&path, 9_000_000).unwrap();
    let nothing = fixture.join("nothing");
    fixtures::file(&nothing, 0).unwrap();
    let script = format!("exec 7<'{}' 8<'{}'; echo; read _", path.display(), nothing.display());
    let _shell = Killed::when_ready(Command::new("sh").args(["-c", &script]));
    fs::remove_file(&path).unwrap();
    fs::remove_file(&nothing).unwrap();
    let text = run(program().args(["df", "-x", "-q"]).arg(fixture.path())).ended(0);
    let column = |note: &str| text.text().lines().find_map(|line| line.find(note));
    assert_eq!(column("sh ("), column("all processes checked"), "{}", text.text());
    // The empty file `nothing` is not listed, because it takes no space.
    assert!(text.text().contains(&name) && !text.text().contains("nothing"), "{}", text.text());
}

#[test]
fn processes_of_others_may_be_hidden() {
    const NAME: &str = "processes_of_others_may_be_hidden";
    if !in_namespace(NAME) {
        return;
    }
    if !succeeds(Command::new("mount").args(["-t", "proc", "-o", "hidepid=2", "proc", "/proc"])) {
        skip(&format!("{NAME}: no hidepid here"));
        return;
    }
    let fixture = Fixture::build(|root| fs::set_permissions(root, fs::Permissions::from_mode(0o755)));
    let path = fixture.join("gone");
    random(&path, MIB);
    let script = format!("exec 9<'{}'; echo; read _", path.display());
    let holder = Killed::when_ready(Command::new("sh").args(["-c", &script]));
    fs::remove_file(&path).unwrap();
    let is_seen = || {
        let space = first(fixture.path());
        let is_seen = space.deleted.iter().any(|file| file.path == path.as_os_str().as_encoded_bytes());
        (is_seen, space.access)
    };
    assert_eq!(is_seen(), (true, ProcessAccess::All));
    child::become_nobody();
    assert_eq!(is_seen(), (false, ProcessAccess::Own), "hidden, and header not to be all");
    drop(holder);
}

#[test]
fn without_proc_the_accounting_is_reduced_and_says_so() {
    const NAME: &str = "without_proc_the_accounting_is_reduced_and_says_so";
    if !in_namespace(NAME) {
        return;
    }
    let fixture = with_memory();
    mount(&["-t", "tmpfs", "none"], Path::new("/proc"));
    let report = report(&[fixture.path()], Mounts::Real);
    let space = &report.spaces[0];
    assert_eq!((space.access, space.volume.mount.clone()), (ProcessAccess::None, None));
    assert_eq!(space.volume.outside, [NotScanned::Unknown]);
    assert_eq!(space.scanned.disk, du(fixture.path()));
    assert!(space.volume.capacity.is_ok());
    let devices: Vec<_> = report.spaces.iter().map(|space| space.scanned.disk).collect();
    assert_eq!(devices[1..], [20_480], "the other device is another file system");
    run(program().args(["df", "-q"]).arg(fixture.path())).ended(0);
}

/// Creates a directory that contains a file of 10,000 bytes and a mounted tmpfs with a file of 20,000 bytes.
fn with_memory() -> Fixture {
    Fixture::build(|root| {
        fixtures::file(root.join("outside"), 10_000)?;
        fs::create_dir(root.join("memory"))?;
        mount(&["-t", "tmpfs", "none"], &root.join("memory"));
        fixtures::file(root.join("memory/file"), 20_000)
    })
}

#[test]
fn several_file_systems_have_a_line_each_and_the_total_last() {
    if !in_namespace("several_file_systems_have_a_line_each_and_the_total_last") {
        return;
    }
    let fixture = with_memory();
    let text = run(program().args(["df", "-q"]).arg(fixture.path())).ended(0);
    let lines: Vec<&str> = text.text().lines().collect();
    let table = lines.iter().position(|line| line.ends_with("  Path")).unwrap();
    let paths: Vec<&str> =
        lines[table + 1..].iter().map(|line| line.split_whitespace().next_back().unwrap()).collect();
    assert_eq!(paths, [fixture.path().to_str().unwrap(), fixture.join("memory").to_str().unwrap(), "total"]);
    let one = run(program().args(["df", "-x", "-q"]).arg(fixture.path())).ended(0);
    assert!(!one.text().contains("total"), "{}", one.text());
    assert!(succeeds(Command::new("umount").arg(fixture.join("memory"))));
}

#[test]
fn json_of_df_has_the_same_figures_and_matches_its_schema() {
    if !in_namespace("json_of_df_has_the_same_figures_and_matches_its_schema") {
        return;
    }
    let fixture = with_memory();
    let held = File::create(fixture.join("memory/gone\u{202e}")).unwrap();
    (&held).write_all(&[1; 5000]).unwrap();
    fs::remove_file(fixture.join("memory/gone\u{202e}")).unwrap();
    let whole = run(program().arg("--json").arg(fixture.join("memory"))).ended(0);
    let part = run(program().args(["--json", "-x"]).arg(fixture.path())).ended(0);
    let all = run(program().args(["df", "-q", "--json"]).arg(fixture.path())).ended(0);
    let schema = crate::program::json::parse(SCHEMA.as_bytes()).unwrap();
    for document in [&whole, &part, &all] {
        let violations =
            crate::program::schema::violations(schema.root(), schema.root(), document.json().root());
        assert_eq!(violations, Vec::<String>::new());
    }
    let known = crate::program::schema::target(schema.root(), "#/$defs/filesystem").get("properties").keys();
    for key in whole.json().root().get("filesystem").keys() {
        assert!(known.contains(&key), "{key} is not in the schema");
    }
    let shown = part.json();
    let shown = shown.root().get("filesystem");
    assert_eq!(shown.get("size").number(), i128::from(statfs(fixture.path())[0]));
    assert!(shown.get("used").number() > 0 && shown.get("inodes").get("free").number() > 0);
    assert_eq!(shown.get("outside").elements()[0].get("reason").text(), "above");
    assert!(shown.find("remainder").is_none(), "nothing is claimed of what was not looked at");
    let document = whole.json();
    let found = document.root().get("filesystem");
    let number = |key: &str| found.get(key).number();
    assert_eq!((number("scanned"), number("used"), number("remainder")), (20_480, 28_672, 0));
    let deleted = found.get("deleted").elements();
    assert_eq!(deleted.len(), 1);
    assert_eq!(deleted[0].get("disk").number(), 8192);
    assert_eq!(all.json().root().get("filesystems").elements().len(), 2);
    assert!(succeeds(Command::new("umount").arg("-l").arg(fixture.join("memory"))));
}

#[test]
fn a_view_agrees_with_statvfs_after_a_deletion() {
    const NAME: &str = "a_view_agrees_with_statvfs_after_a_deletion";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "ext4", 64 * MIB, &["-q"]) else { return };
    random(&image.join("keep"), MIB);
    random(&image.join("go"), 4 * MIB);
    let before = first(&image.path());
    let freed = fs::metadata(image.join("go")).unwrap().blocks() * 512;
    fs::remove_file(image.join("go")).unwrap();
    assert!(succeeds(Command::new("sync").arg("-f").arg(image.path())));
    let after = first(&image.path());
    assert_eq!(before.scanned.disk - after.scanned.disk, freed);
    assert_eq!(before.volume.capacity.unwrap().used() - after.volume.capacity.unwrap().used(), freed);
    assert_eq!(missing(&before), missing(&after));
}
