//! Tests of a directory so large that its rows are sorted in the background.

use super::*;

/// Number of entries, large enough that they are sorted in the background.
const ENTRIES: u64 = 70_000;

fn tree() -> Arc<Tree> {
    let file = |number: u64| {
        file(&format!("{}_{number:06}", ["odd", "even"][(number % 2) as usize]), number * 512, 0)
    };
    Arc::new(build(vec![dir("giant", (0..ENTRIES).map(file).collect()), file_beside()]).0)
}

fn file_beside() -> crate::fixture::Plan {
    file("beside", 512, 0)
}

#[test]
fn rows_stay_until_the_new_order_is_ready_and_keys_work_meanwhile() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "Enter");
    assert_eq!((path(&app).as_str(), app.cx.window.rows, app.cx.is_sorting()), ("/shown/giant", 0, true));
    work(&mut app, &tree);
    assert_eq!((app.cx.window.rows as u64, app.cx.is_sorting()), (ENTRIES, false));
    assert_eq!(names(&app)[..2], ["even_069999", "odd_069998"]);
    press(&mut app, "n");
    assert!(app.cx.is_sorting());
    assert_eq!(names(&app)[0], "even_069999");
    press(&mut app, "j");
    assert_eq!(selected(&app), "odd_069998");
    work(&mut app, &tree);
    assert_eq!(selected(&app), "odd_069998", "the cursor follows its entry");
    assert_eq!(app.cx.window.index as u64, ENTRIES - 1, "the last by name");
    press(&mut app, "g");
    assert_eq!(selected(&app), "even_000001");
}

#[test]
fn the_order_requested_last_is_shown() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "Enter");
    work(&mut app, &tree);
    press(&mut app, "n");
    let pool = &Pool::new(1).unwrap();
    app.poll(&Sources { pool, tree: &tree, basis: None, may_ask_system: false });
    press(&mut app, "n");
    work(&mut app, &tree);
    assert_eq!(names(&app)[0], "odd_069998");
    press(&mut app, "n h");
    assert_eq!(names(&app), ["beside", "giant"]);
    assert!(!app.cx.is_sorting());
    press(&mut app, "G Enter");
    work(&mut app, &tree);
    assert_eq!((names(&app)[0].as_str(), app.cx.window.index), ("even_000001", 0));
}

#[test]
fn nothing_is_shown_that_a_filter_may_hide() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "Enter");
    work(&mut app, &tree);
    press(&mut app, "/");
    write(&mut app, "odd_06");
    work(&mut app, &tree);
    press(&mut app, "Enter 1");
    assert_eq!(app.cx.window.rows, 0);
    work(&mut app, &tree);
    assert_eq!((app.cx.window.rows, names(&app)[0].as_str()), (5000, "odd_069998"));
    press(&mut app, "Esc");
    assert_eq!(app.cx.window.rows, 0);
    work(&mut app, &tree);
    assert_eq!(app.cx.window.rows as u64, ENTRIES);
}

#[test]
fn rows_are_sorted_again_after_a_rescan() {
    let tree = tree();
    let mut app = finished(&tree);
    press(&mut app, "Enter");
    let above = tree.listing(crate::tree::DirId::TOP).directories().next().unwrap();
    let giant = tree.listing(above).directories().next().unwrap();
    let pool = Pool::new(1).unwrap();
    let sizes = crate::table::rows::SizeSource::default();
    let job = crate::table::rows::in_order(&pool, Arc::clone(&tree), giant, app.cx.order, sizes).unwrap();
    job.wait(Duration::from_secs(60));
    app.cx.sorting.as_mut().unwrap().rows.supply(Ok(job.latest().unwrap()));
    let changes = [(tree.name(giant).to_vec(), None)].into();
    // A rescan finds that the directory was deleted.
    tree.replace_entries(&mut crate::tree::Batch::default(), above, &changes);
    app.poll(&Sources { pool: &pool, tree: &tree, basis: None, may_ask_system: false });
    assert_eq!(app.cx.window.rows, 0, "rows of what was");
}

/// Saves [`tree`] as a snapshot, opens the snapshot, and returns its tree. Only the roots have been loaded.
fn stored() -> Arc<Tree> {
    use crate::formats::snapshot;
    let (stop, mut bytes) = (crate::base::sync::AtomicBool::new(false), Vec::new());
    let control = snapshot::WriteControl::new(&stop);
    snapshot::save(&tree(), &snapshot::SnapshotInfo::default(), &control, &mut bytes).unwrap();
    Arc::new(snapshot::open_bytes(bytes).unwrap().tree)
}

/// Opens the large directory of a snapshot. Only its largest entries are loaded.
fn opened(tree: &Tree) -> App<'_> {
    let mut app = finished(tree);
    press(&mut app, "Enter");
    assert_eq!((app.cx.window.rows as u64, app.cx.is_sorting()), (ENTRIES, false));
    assert_eq!(names(&app)[..2], ["even_069999", "odd_069998"]);
    assert!(unloaded(&app) > 0);
    app
}

fn unloaded(app: &App<'_>) -> u64 {
    app.cx.location.rows().unloaded() as u64
}

#[test]
fn the_largest_entries_of_a_stored_directory_are_shown_without_loading_the_others() {
    let tree = stored();
    let mut app = opened(&tree);
    assert_eq!(unloaded(&app), ENTRIES - 1024);
    press(&mut app, "j PgDn k Space i Esc h Enter");
    assert_eq!(unloaded(&app), ENTRIES - 1024);
    assert!(tree.loaded_listing(app.cx.location.id).is_empty());
    let before = selected(&app);
    // Scrolling past the loaded entries loads all others. The cursor does not stop at the last loaded entry.
    let pages = 1024 / app.cx.lines_here() + 1;
    (0..pages).for_each(|_| _ = press(&mut app, "PgDn"));
    assert_eq!((unloaded(&app), app.cx.is_sorting()), (0, false));
    (0..pages).for_each(|_| _ = press(&mut app, "PgUp"));
    assert_eq!(selected(&app), before);
}

#[test]
fn commands_for_all_rows_load_the_others() {
    let tree = stored();
    let mut app = opened(&tree);
    press(&mut app, "G");
    assert_eq!((unloaded(&app), selected(&app).as_str()), (0, "odd_000000"));
    assert_eq!(app.cx.window.index as u64, ENTRIES - 1);

    for keys in ["+", "*"] {
        let tree = stored();
        let mut app = opened(&tree);
        press(&mut app, keys);
        assert_eq!(app.cx.marks.count(), ENTRIES, "{keys}");
    }

    let tree = stored();
    let mut app = opened(&tree);
    press(&mut app, "n");
    work(&mut app, &tree);
    assert_eq!((unloaded(&app), app.cx.window.rows as u64), (0, ENTRIES));
    press(&mut app, "g");
    assert_eq!(selected(&app), "even_000001");
}

#[test]
fn a_larger_window_loads_the_rows_it_shows() {
    let tree = stored();
    let mut app = opened(&tree);
    app.update(Event::Resize(80, 2000));
    assert_eq!(unloaded(&app), 0);
    assert!(names(&app).len() > 1024);
}
