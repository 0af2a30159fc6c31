//! Tests of nested roots that the user opens while they are being read.

use super::*;
use crate::base::kind::Kind;
use crate::tree::{Batch, DirId, Entry, EntryState, Metadata};

/// Tree with the root `/r` and the root `/r/d` below it, neither of which has been read.
struct Nested {
    tree: Tree,
    outer: DirId,
    placeholder: DirId,
}

impl Nested {
    fn new() -> Self {
        let (tree, mut batch) = (Tree::default(), Batch::default());
        let [outer, placeholder] = [b"/r".as_slice(), b"/r/d"]
            .map(|root| batch.push_directory(&tree, DirId::TOP, root, Metadata::default(), 0));
        let sealed = batch.seal(&tree, DirId::TOP).unwrap();
        tree.publish(&mut batch, DirId::TOP, &sealed);
        tree.begin(DirId::TOP);
        tree.begin(outer);
        Self { tree, outer, placeholder }
    }

    fn app(&self) -> App<'_> {
        let roots =
            [("/r", "/shown"), ("/r/d", "/shown/d")].map(|(given, shown)| (given.into(), shown.into()));
        App::new(&self.tree, roots.to_vec(), &settings(), (80, 12))
    }

    /// Completes the tree as a scan of the outer root would. Returns the directory that replaces the placeholder.
    fn finish(&self) -> DirId {
        let (tree, mut batch) = (&self.tree, Batch::default());
        let found = batch.push_directory(tree, self.outer, b"d", Metadata::default(), 0);
        let sealed = batch.seal(tree, self.outer).unwrap();
        tree.publish(&mut batch, self.outer, &sealed);
        let file = Metadata { apparent: 512, blocks: 1, ..Metadata::default() };
        batch.push(found, &Entry { name: b"file", kind: Kind::File, state: EntryState::Known(file) });
        let sealed = batch.seal(tree, found).unwrap();
        tree.publish(&mut batch, found, &sealed);
        for (name, directory) in [(b"/r".as_slice(), self.outer), (b"/r/d", found)] {
            let state = EntryState::Known(Metadata { directory: Some(directory), ..Metadata::default() });
            batch.push(DirId::TOP, &Entry { name, kind: Kind::Directory, state });
        }
        batch.replace_listing(tree, DirId::TOP);
        tree.discard(self.placeholder);
        for id in [found, self.outer, DirId::TOP] {
            tree.release(id);
        }
        found
    }
}

#[test]
fn an_open_root_found_inside_another_shows_its_contents() {
    let nested = Nested::new();
    let mut app = nested.app();
    tick(&mut app, 100, None);
    press(&mut app, "G Enter");
    assert_eq!((path(&app).as_str(), app.cx.window.rows), ("/shown/d", 0));
    nested.finish();
    tick(&mut app, 200, Some(Outcome::Complete));
    assert_eq!((path(&app).as_str(), names(&app)), ("/shown/d", vec!["file".to_owned()]));
    press(&mut app, "h");
    assert_eq!(selected(&app), "/r/d");
}

#[test]
fn keys_do_not_keep_the_placeholder_of_a_root() {
    let nested = Nested::new();
    let mut app = nested.app();
    tick(&mut app, 100, None);
    press(&mut app, "G Space");
    let found = nested.finish();
    // The rows change only with the next tick, so Enter still applies to the old row.
    press(&mut app, "Enter");
    tick(&mut app, 200, Some(Outcome::Complete));
    assert_eq!(names(&app), ["file"]);
    press(&mut app, "h");
    assert_eq!(press(&mut app, "r"), [Effect::Rescan(found)]);
}
