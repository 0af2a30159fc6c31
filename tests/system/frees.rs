//! Tests of `--frees` on file systems with shared extents. The sizes are compared with the space that deletion frees.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::program::{program, run};
use crate::support::child::Killed;
use crate::support::image::{Image, clone, free, in_namespace, mount, succeeds, sync};
use crate::support::sandbox;
use duke::base::job::{JobEnd, Pool};
use duke::scan::{Mounts, Options, Scan};
use duke::testing::exclusive;
use duke::tree::{Accuracy, EntryState, Exclusive, ExclusiveSizes};

const MIB: u64 = 1 << 20;
const LONG: Duration = Duration::from_secs(60);

/// Computes the exclusive sizes of a scanned tree.
fn search(scan: &Scan) -> Arc<ExclusiveSizes> {
    let job = exclusive::find(&Pool::new(2).unwrap(), scan.tree().clone()).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    job.latest().unwrap().sizes.clone().unwrap()
}

/// Returns the exclusive size of the entry `name` in `root`.
fn size_of(scan: &Scan, sizes: &ExclusiveSizes, root: &Path, name: &str) -> Exclusive {
    let directory = crate::support::id_of(scan.tree(), root);
    let listing = scan.tree().listing(directory);
    let (_, entry) = listing.entries().find(|(_, entry)| entry.name == name.as_bytes()).unwrap();
    let EntryState::Known(metadata) = entry.state else { panic!("{name} was not read") };
    sizes.of(directory, &metadata).unwrap()
}

/// Returns the exclusive size of the entry `name` in `root`, and the number of files that could not be read.
fn frees(root: &Path, name: &str) -> (Exclusive, u64) {
    let scan = crate::support::scan(root, 2);
    let sizes = search(&scan);
    (size_of(&scan, &sizes, root, name), sizes.coverage.unread)
}

fn noise(path: &Path, bytes: u64) {
    let mut contents = vec![0; usize::try_from(bytes).unwrap()];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut contents).unwrap();
    fs::write(path, contents).unwrap();
}

/// Creates directories with clones, a clone that was partly overwritten, hard links, and plain files.
fn fill(root: &Path) {
    for name in ["pair", "half", "single", "links", "outside"] {
        fs::create_dir(root.join(name)).unwrap();
    }
    noise(&root.join("pair/a"), 8 * MIB);
    noise(&root.join("half/a"), 8 * MIB);
    noise(&root.join("single/a"), 4 * MIB);
    noise(&root.join("links/a"), 2 * MIB);
    sync(root);
    clone(&root.join("pair/a"), &root.join("pair/b"));
    clone(&root.join("half/a"), &root.join("outside/half"));
    fs::hard_link(root.join("links/a"), root.join("outside/link")).unwrap();
    let file = fs::File::options().write(true).open(root.join("half/a")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &vec![7; 1 << 20], 0).unwrap();
    drop(file);
    sync(root);
}

/// Creates the directories of [`fill`]. For each of them except `outside`, compares the exclusive size with the space
/// freed by deleting the directory. `is_bounded` is `true` if each size must have an upper bound.
fn compare(image: &Image, is_bounded: bool) {
    let root = image.path();
    fill(&root);
    // With this option, each read of a file changes its access time.
    mount(&["-o", "remount,strictatime"], &root);
    let accessed = || fs::metadata(root.join("single/a")).map(|it| (it.atime(), it.atime_nsec())).ok();
    for (name, least) in [("pair", 0), ("half", MIB), ("single", 4 * MIB), ("links", 0)] {
        let accessed_before = accessed();
        let (promised, unread) = frees(&root, name);
        assert_eq!(unread, 0);
        assert_eq!(accessed(), accessed_before, "the access time has changed");
        assert!(promised.at_least >= least, "{name}: {promised:?}");
        assert_eq!(promised.at_most.is_some(), is_bounded, "{name}: {promised:?}");
        let before = free(&root);
        fs::remove_dir_all(root.join(name)).unwrap();
        sync(&root);
        // XFS frees the blocks of deleted files in the background.
        let end = Instant::now() + Duration::from_secs(10);
        let mut freed = free(&root).saturating_sub(before);
        while freed < promised.at_least && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
            freed = free(&root).saturating_sub(before);
        }
        // Metadata that other operations write at the same time may take a few blocks.
        assert!(promised.at_least <= freed + 256 * 1024, "{name}: {promised:?}, freed {freed}");
        if let Some(most) = promised.at_most {
            assert!(freed <= most + 256 * 1024, "{name}: {promised:?}, freed {freed}");
        }
    }
}

#[test]
fn btrfs_frees_the_promised_bytes_for_root() {
    const NAME: &str = "btrfs_frees_the_promised_bytes_for_root";
    if !sandbox::enter(NAME) {
        return;
    }
    if let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q"]) {
        compare(&image, true);
    }
}

#[test]
fn data_that_is_not_on_the_disk_yet_may_be_freed_too() {
    const NAME: &str = "data_that_is_not_on_the_disk_yet_may_be_freed_too";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 400 * MIB, &["-q"]) else { return };
    noise(&image.join("file"), 8 * MIB);
    let (unwritten, _) = frees(&image.path(), "file");
    assert_eq!((unwritten.at_least, unwritten.at_most), (0, Some(8 * MIB)));
    fs::write(image.join("small"), "in the metadata").unwrap();
    sync(&image.path());
    let (written, _) = frees(&image.path(), "file");
    assert_eq!((written.at_least, written.at_most), (8 * MIB, Some(8 * MIB)));
    let (small, _) = frees(&image.path(), "small");
    assert_eq!((small.at_least, small.at_most), (0, Some(0)));
}

#[test]
fn an_overwritten_file_may_free_other_bytes_until_its_new_data_is_on_the_disk() {
    const NAME: &str = "an_overwritten_file_may_free_other_bytes_until_its_new_data_is_on_the_disk";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 400 * MIB, &["-q"]) else { return };
    let root = image.path();
    mount(&["-o", "remount,compress=zstd"], &root);
    for name in ["alone", "both/one"] {
        fs::create_dir_all(root.join("both")).unwrap();
        noise(&root.join(name), 8 * MIB);
    }
    sync(&root);
    clone(&root.join("both/one"), &root.join("both/two"));
    sync(&root);
    let sizes = || {
        let scan = crate::support::scan(&root, 2);
        let sizes = search(&scan);
        let of = |root: &Path, name: &str| size_of(&scan, &sizes, root, name);
        let both = root.join("both");
        let found = [of(&root, "alone"), of(&both, "one"), of(&both, "two"), of(&root, "both")];
        assert_eq!(found[0].shared, 0, "no other file has its data");
        found.map(|size| (size.at_least, size.at_most.unwrap()))
    };
    let whole = (8 * MIB, 8 * MIB);
    assert_eq!(sizes(), [whole, (0, 0), (0, 0), whole]);
    for name in ["alone", "both/one"] {
        let file = fs::File::options().write(true).open(root.join(name)).unwrap();
        let zeros = vec![0; usize::try_from(8 * MIB).unwrap()];
        std::os::unix::fs::FileExt::write_all_at(&file, &zeros, 0).unwrap();
    }
    // `both/two` was not overwritten, but the file is new. duke assumes that a new file may have data that is not on
    // the disk yet.
    let dirty = sizes();
    assert_eq!(dirty, [(0, 16 * MIB), (0, 16 * MIB), (0, 16 * MIB), (0, 32 * MIB)]);
    sync(&root);
    // The 8 MiB of zeros are compressed to 64 extents of one block each.
    let zeros = (64 * 4096, 64 * 4096);
    assert_eq!(sizes(), [zeros, zeros, whole, (whole.0 + zeros.0, whole.1 + zeros.1)]);
    let is_within = |(now, before): (&(u64, u64), &(u64, u64))| before.0 <= now.0 && now.1 <= before.1;
    assert!(sizes().iter().zip(&dirty).all(is_within));
}

#[test]
fn all_names_of_a_file_may_free_its_new_data() {
    const NAME: &str = "all_names_of_a_file_may_free_its_new_data";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 400 * MIB, &["-q"]) else { return };
    let root = image.path();
    noise(&root.join("one"), 8 * MIB);
    fs::hard_link(root.join("one"), root.join("two")).unwrap();
    let scan = crate::support::scan(&root, 2);
    let sizes = search(&scan);
    let [one, two] = ["one", "two"].map(|name| size_of(&scan, &sizes, &root, name));
    assert_eq!((one.at_least, one.at_most, one.shared), (0, Some(0), 8 * MIB));
    let both = Exclusive::together([one, two]);
    assert_eq!((both.at_least, both.at_most), (0, Some(8 * MIB)));
}

#[test]
fn links_made_or_deleted_after_the_scan_are_taken_into_account() {
    const NAME: &str = "links_made_or_deleted_after_the_scan_are_taken_into_account";
    if !in_namespace(NAME) {
        return;
    }
    let mapped = ["-q", "-m", "reflink=1,rmapbt=1"];
    let unmapped = ["-q", "-m", "reflink=1,rmapbt=0"];
    for (kind, options) in [("btrfs", &["-q"][..]), ("xfs", &mapped), ("xfs", &unmapped)] {
        let Some(image) = Image::new(NAME, kind, 400 * MIB, options) else { return };
        let root = image.path();
        for name in ["linked", "unlinked"] {
            noise(&root.join(name), MIB);
        }
        fs::hard_link(root.join("unlinked"), root.join("other")).unwrap();
        sync(&root);
        let scan = crate::support::scan(&root, 2);
        fs::hard_link(root.join("linked"), root.join("new")).unwrap();
        fs::remove_file(root.join("other")).unwrap();
        let sizes = search(&scan);
        let of = |name| {
            let size = size_of(&scan, &sizes, &root, name);
            (size.at_least, size.at_most)
        };
        assert_eq!(of("linked"), (0, Some(0)), "{kind} {options:?}");
        assert_eq!(of("unlinked"), (0, None), "{kind} {options:?}");
    }
}

#[test]
fn nothing_is_certain_if_a_subvolume_cannot_be_read() {
    const NAME: &str = "nothing_is_certain_if_a_subvolume_cannot_be_read";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 400 * MIB, &["-q"]) else { return };
    let root = image.path();
    noise(&root.join("file"), MIB);
    sync(&root);
    let scan = crate::support::scan(&root, 2);
    let find = || {
        let sizes = search(&scan);
        let size = size_of(&scan, &sizes, &root, "file");
        (size.at_least, size.at_most, sizes.coverage.accuracy)
    };
    assert_eq!(find(), (MIB, Some(MIB), Accuracy::Exact));
    for name in ["one", "two", "three"] {
        let mut command = Command::new("btrfs");
        assert!(succeeds(command.args(["-q", "subvolume", "snapshot"]).args([&root, &root.join(name)])));
    }
    sync(&root);
    let log = tempfile::NamedTempFile::new().unwrap();
    // In each thread, the eighth and all later `ioctl` calls fail. Only the thread that reads the btrfs trees makes so
    // many calls.
    let faults = ["inject=ioctl:error=EIO:when=8+"];
    let Some(tracer) = crate::faults::trace(&log.path().display().to_string(), &faults) else {
        return crate::support::skip(&format!("{NAME}: no strace that injects"));
    };
    let found = find();
    drop(tracer);
    let log = fs::read_to_string(log.path()).unwrap();
    assert!(log.is_empty() || log.contains("(INJECTED)"), "no call failed");
    assert_eq!(found, (0, None, Accuracy::Failed(5)));
}

#[test]
fn data_on_a_mixed_file_system_is_freed_once_it_is_on_the_disk() {
    const NAME: &str = "data_on_a_mixed_file_system_is_freed_once_it_is_on_the_disk";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q", "--mixed"]) else { return };
    noise(&image.join("file"), MIB);
    let least = || {
        let (size, _) = frees(&image.path(), "file");
        assert_eq!((size.at_most, size.shared), (None, 0));
        size.at_least
    };
    assert_eq!(least(), 0);
    sync(&image.path());
    assert_eq!(least(), MIB);
    let printed = run(program().args(["-q", "--frees", "--json"]).arg(image.path()));
    let printed = printed.ended(0);
    let reason =
        "duke: --frees: sizes are minimums: cannot tell whether all data was found (mixed block groups)\n";
    assert_eq!(printed.stderr, reason);
    assert_eq!(printed.json().root().get("frees_files").get("accuracy").text(), "at least");
}

#[test]
fn blocks_after_the_end_of_a_file_may_be_freed_before() {
    const NAME: &str = "blocks_after_the_end_of_a_file_may_be_freed_before";
    if !in_namespace(NAME) {
        return;
    }
    for map in ["rmapbt=1", "rmapbt=0"] {
        let options = format!("reflink=1,{map}");
        let Some(image) = Image::new(NAME, "xfs", 320 * MIB, &["-q", "-m", &options]) else { return };
        let path = image.join("log");
        let mut log = fs::File::create(&path).unwrap();
        for _ in 0..160 {
            log.write_all(&vec![7; 1 << 16]).unwrap();
        }
        sync(&image.path());
        // XFS has reserved blocks after the end of the file for further writes. They count toward the disk usage.
        let disk = 512 * fs::metadata(&path).unwrap().blocks();
        assert!(disk > 10 * MIB);
        let (size, _) = frees(&image.path(), "log");
        assert_eq!((size.at_least, size.at_most), (10 * MIB, Some(disk)));
        let preview = crate::compressed::asked(&image.path(), "log");
        assert_eq!((preview.least, preview.most), (10 * MIB, disk));
        drop(log);
        let (size, _) = frees(&image.path(), "log");
        assert_eq!((size.at_least, size.at_most), (10 * MIB, Some(10 * MIB)));
    }
}

#[test]
fn metadata_of_btrfs_is_not_counted() {
    const NAME: &str = "metadata_of_btrfs_is_not_counted";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q"]) else { return };
    let root = image.path();
    std::os::unix::fs::symlink("nowhere", root.join("link")).unwrap();
    assert!(fs::symlink_metadata(&root).unwrap().blocks() > 0, "the top-level directory has blocks");
    sync(&root);
    let frees = || {
        let scan = crate::support::scan(&root, 2);
        let sizes = search(&scan);
        let size = sizes.directory(crate::support::id_of(scan.tree(), &root)).unwrap();
        (size.at_least, size.at_most)
    };
    assert_eq!(frees(), (0, Some(0)));
    let become_user = |id| nix::unistd::seteuid(nix::unistd::Uid::from_raw(id)).unwrap();
    become_user(65534);
    let of_nobody = frees();
    become_user(0);
    assert_eq!(of_nobody, (0, None));
}

#[test]
fn a_directory_with_an_excluded_subvolume_frees_a_minimum() {
    const NAME: &str = "a_directory_with_an_excluded_subvolume_frees_a_minimum";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 400 * MIB, &["-q"]) else { return };
    fs::create_dir(image.join("directory")).unwrap();
    let subvolume = image.join("directory/subvolume");
    assert!(succeeds(Command::new("btrfs").args(["-q", "subvolume", "create"]).arg(subvolume)));
    noise(&image.join("directory/file"), MIB);
    sync(&image.path());
    let options = Options { mounts: Mounts::None, ..Options::default() };
    let scan = crate::support::scan_with(&image.path(), options);
    let size = size_of(&scan, &search(&scan), &image.path(), "directory");
    assert_eq!((size.at_least, size.at_most), (MIB, None));
}

#[test]
fn xfs_frees_the_promised_bytes() {
    const NAME: &str = "xfs_frees_the_promised_bytes";
    if !sandbox::enter(NAME) {
        return;
    }
    if let Some(image) = Image::new(NAME, "xfs", 320 * MIB, &["-q", "-m", "reflink=1"]) {
        compare(&image, true);
    }
}

#[test]
fn special_files_are_not_opened() {
    const NAME: &str = "special_files_are_not_opened";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "xfs", 320 * MIB, &["-q", "-m", "reflink=1"]) else { return };
    let root = image.path();
    let make_pipe = |name: &str| assert!(succeeds(Command::new("mkfifo").arg(root.join(name))));
    make_pipe("pipe");
    noise(&root.join("file"), MIB);
    noise(&root.join("replaced"), MIB);
    fs::set_permissions(root.join("file"), fs::Permissions::from_mode(0o600)).unwrap();
    sync(&root);
    let scan = crate::support::scan(&root, 2);
    fs::remove_file(root.join("replaced")).unwrap();
    make_pipe("replaced");
    // The search must not open a pipe, because it would block until another program opens the pipe for writing.
    let sizes = search(&scan);
    assert_eq!((size_of(&scan, &sizes, &root, "file").at_least, sizes.coverage.unread), (MIB, 1));
}

/// Starts a process whose write to the file at `path` never ends. Until the process is killed, the kernel keeps the
/// file locked for this write.
fn stuck_writer(program: &Path, path: &Path) -> Result<Killed, &'static str> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/stuck_writer.c");
    if !succeeds(Command::new("cc").arg("-o").arg(program).arg(source)) {
        return Err("no C compiler");
    }
    let mut writer = Killed(Command::new(program).arg(path).spawn().unwrap());
    let waits_in = Path::new("/proc").join(writer.pid().to_string()).join("wchan");
    while fs::read_to_string(&waits_in).is_ok_and(|function| function != "handle_userfault") {
        if writer.0.try_wait().unwrap().is_some() {
            return Err("no userfaultfd(2)");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(writer)
}

/// Returns the nice values of this process's threads called `name`.
fn nice_of_threads(name: &str) -> Vec<i32> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
    let stats = tasks.filter_map(|task| fs::read_to_string(task.join("stat")).ok());
    let nice = |stat: String| {
        let (start, fields) = stat.rsplit_once(')')?;
        start.ends_with(&format!("({name}")).then(|| fields.split_whitespace().nth(16)?.parse().ok())?
    };
    stats.filter_map(nice).collect()
}

/// Starts a search for exclusive sizes in `root`, cancels it, and checks that it ends without a result. The caller
/// must have locked one of the files with [`stuck_writer`], so that the query for its extents blocks.
fn stop_while_waiting(root: &Path) {
    let scan = crate::support::scan(root, 2);
    let job = exclusive::find(&Pool::new(2).unwrap(), scan.tree().clone()).unwrap();
    job.cancel();
    assert_eq!(job.wait(LONG), Some(JobEnd::Stopped));
    assert!(job.latest().is_none_or(|found| found.sizes.is_none()) && scan.tree().exclusive().is_none());
}

#[test]
fn a_file_that_is_being_written_is_skipped_after_a_moment() {
    const NAME: &str = "a_file_that_is_being_written_is_skipped_after_a_moment";
    if !in_namespace(NAME) {
        return;
    }
    let options = ["-q", "-m", "reflink=1,rmapbt=0"];
    let Some(image) = Image::new(NAME, "xfs", 320 * MIB, &options) else { return };
    let root = image.path();
    for name in ["before", "busy", "later"] {
        noise(&root.join(name), MIB);
    }
    sync(&root);
    let scan = crate::support::scan(&root, 2);
    let writer = match stuck_writer(&image.fixture.join("writer"), &root.join("busy")) {
        Ok(writer) => writer,
        Err(reason) => return crate::support::skip(reason),
    };
    let begun = Instant::now();
    let sizes = search(&scan);
    let elapsed = begun.elapsed();
    // One thread is still blocked by the lock on `busy`. Other threads may not have ended yet.
    let nice = nice_of_threads("extents");
    assert!(!nice.is_empty() && nice.iter().all(|nice| *nice >= 10), "{nice:?}");
    stop_while_waiting(&root);
    // The blocked threads cannot be interrupted. Killing the writer releases the lock.
    drop(writer);
    assert_eq!((sizes.coverage.read, sizes.coverage.unread), (2, 1));
    for name in ["before", "later"] {
        assert_eq!(size_of(&scan, &sizes, &root, name).at_least, MIB, "{name}");
    }
    // The search gives up on a recently changed file after 50 ms, and on any other file after two seconds. `busy` was
    // changed recently.
    assert!((Duration::from_millis(50)..Duration::from_secs(1)).contains(&elapsed), "{elapsed:?}");
}
