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
