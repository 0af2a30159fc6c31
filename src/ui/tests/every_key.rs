//! Tests of every key, in every scope, and of windows of any size.

use super::*;

/// Returns a state in which the keys of `binding` have an effect in `scope`.
fn ready<'t>(tree: &'t Arc<Tree>, scope: Scope, binding: &Binding) -> App<'t> {
    let mut app = finished(tree);
    app.update(Event::Resize(40, 8));
    tick(&mut app, 60_000, Some(Outcome::Complete));
    press(&mut app, "j j j");
    match scope {
        Scope::List if binding.command == Command::Parent => press(&mut app, "g Enter"),
        Scope::List if binding.command == Command::Open => press(&mut app, "g"),
        Scope::List => press(&mut app, "Ctrl-D"),
        Scope::Help => press(&mut app, "? j j"),
        Scope::Question => press(&mut app, "q"),
        Scope::Table => press(&mut app, "2"),
        Scope::Treemap if binding.command == Command::Parent => press(&mut app, "5 g Enter"),
        Scope::Treemap if binding.command == Command::Open => press(&mut app, "5 g"),
        Scope::Treemap => press(&mut app, "5"),
        Scope::Overview => press(&mut app, "`"),
        Scope::Prompt => press(&mut app, "/"),
        Scope::FileName => press(&mut app, "E"),
        Scope::Marks => press(&mut app, "+ Tab j j"),
        Scope::Confirm if binding.command == Command::Retry => deleting::changed(&mut app),
        Scope::Confirm => deleting::asked(&mut app),
        Scope::Typing => deleting::typing(&mut app),
        Scope::Failures => deleting::failed(&mut app),
        Scope::Details => {
            // The info page does not fit into a window of this size, so the page can be scrolled.
            app.update(Event::Resize(20, 5));
            press(&mut app, "i j j")
        }
    };
    if binding.command == Command::Restore {
        app = finished(tree);
        app.update(Event::Resize(40, 8));
        deleting::trashed(&mut app);
        match scope {
            Scope::Table => press(&mut app, "2"),
            Scope::Treemap => press(&mut app, "5"),
            Scope::Overview => press(&mut app, "`"),
            _ => Vec::new(),
        };
    }
    if binding.command == Command::PrintMarks && matches!(scope, Scope::List | Scope::Treemap) {
        press(&mut app, "Space");
    }
    match (scope, binding.command) {
        (Scope::Table, _) => {
            work(&mut app, tree);
            press(&mut app, "Ctrl-D j");
            if binding.command == Command::PrintMarks {
                press(&mut app, "Space");
            }
        }
        (Scope::Prompt, _) => {
            write(&mut app, "0");
            work(&mut app, tree);
            press(&mut app, "Down");
        }
        (Scope::Typing, _) => write(&mut app, "0"),
        // Moves to a cell that has a neighbor on the requested side, so that the command has an effect.
        (Scope::Treemap, Command::Cell(side)) => move_away_from(&mut app, side),
        (Scope::Overview, command) => {
            app.update(Event::Resize(100, 40));
            work(&mut app, tree);
            match command {
                Command::Cell(side) => move_away_from(&mut app, side),
                _ => drop(press(&mut app, "j")),
            }
        }
        _ => {}
    }
    if let Command::Step(motion) | Command::Erase(motion) = binding.command
        && matches!(motion, TextMotion::Right | TextMotion::WordRight | TextMotion::End)
    {
        press(&mut app, "Home");
    }
    if binding.command == Command::Answer(Answer::Selected) {
        press(&mut app, "Right");
    }
    app
}

/// Formats all parts of the state that a key may change.
fn picture(app: &App<'_>) -> String {
    let (ranging, views, layers) = (app.cx.is_ranging(), &app.cx.views, &app.layers);
    format!(
        "{layers:?} {:?} {:?} {:?} {ranging} {views:?} {:?} {:?} {:?} {:?}",
        app.cx.export,
        app.cx.panes,
        app.cx.order,
        app.cx.shown,
        app.cx.window,
        app.cx.notice,
        app.cx.deletion
    )
}

/// Moves the cursor as far as possible away from the given side, so that the treemap cell or the part of the overview
/// under the cursor has a neighbor on that side.
fn move_away_from(app: &mut App<'_>, side: Side) {
    let key = match side {
        Side::Left => "l",
        Side::Right => "h",
        Side::Above => "j",
        Side::Below => "k",
    };
    (0..40).for_each(|_| assert!(press(app, key).is_empty()));
}

#[test]
fn every_key_of_the_table_does_something() {
    let mut plan: Vec<_> =
        (0..40).map(|n| file(&format!("{n:02}"), n * 4096, i64::try_from(n % 7).unwrap())).collect();
    plan.push(dir("dir", vec![file("x", 1 << 20, 0)]));
    plan.push(file(".dot", 5 << 20, 0));
    plan.push(dir("a", vec![dir("b", vec![file("y", 8 << 20, 0)])]));
    let tree = Arc::new(build(plan).0);
    for binding in KEYMAP {
        for (scope, key) in
            binding.scopes.iter().flat_map(|scope| binding.keys.iter().map(move |key| (*scope, key)))
        {
            // These keys have no effect: Esc in the list, and the key of a view in that same view.
            let idle = [Command::Back, Command::View(&LIST)];
            let is_idle = idle.contains(&binding.command) && scope == Scope::List
                || binding.command == Command::View(&TREEMAP) && scope == Scope::Treemap
                || binding.command == Command::View(&OVERVIEW) && scope == Scope::Overview;
            if is_idle {
                continue;
            }
            let mut app = ready(&tree, scope, binding);
            read(&mut app);
            let before = picture(&app);
            let effect = app.update(Event::Key(Key::event(*key)));
            // Any key makes an open question reject a Yes for a short time (see `AnswerGate`), which changes the
            // picture. This change must not count as an effect of the key, so the test waits until a Yes is accepted
            // again.
            read(&mut app);
            let has_changed = picture(&app) != before;
            assert!(effect.is_some() || has_changed, "{} in {scope:?}", key.name());
        }
    }
}

#[test]
fn motions_of_the_help_page_stay_inside_it() {
    let tree = home();
    let mut app = finished(&tree);
    app.update(Event::Resize(40, 8));
    press(&mut app, "? G");
    let last = help_line(&app);
    press(&mut app, "j PgDn");
    assert_eq!(help_line(&app), last);
    app.update(Event::Resize(200, 100));
    assert_eq!(help_line(&app), 0);
}

#[test]
fn a_screen_of_any_size_can_be_drawn_in_every_mode() {
    use ratatui::{Terminal, backend::TestBackend};
    let (tree, _) = build(vec![
        dir("日本語のとても長い名前のディレクトリ", vec![file("x", 1 << 30, 0)]),
        file("bad\u{1b}[31m\u{202e}name", u64::MAX, i64::MIN),
        unreadable("locked"),
        excluded("proc"),
        failed("lost"),
        stopped("later"),
    ]);
    let tree = Arc::new(tree);
    let modes = [
        "i", "m", "?", "q", "B c", "`", "2", "3", "4", "5", "6", "7", "8", "W", "E", "/", "+", "+ Tab",
        "+ q", "Tab",
    ];
    let sizes = (0..50).flat_map(|columns| (0..9).map(move |lines| (columns, lines)));
    let sizes = sizes.chain([(65_535, 1), (1, 65_535), (1000, 500), (80, 24)]);
    for (number, (columns, lines)) in sizes.enumerate() {
        // To save time, each small size is tested with only a fifth of the modes.
        let (first, step) = if columns < 50 && lines < 9 { (number % 5, 5) } else { (0, 1) };
        for keys in modes.into_iter().skip(first).step_by(step) {
            let mut app = finished(&tree);
            tick(&mut app, 60_000, Some(Outcome::Stopped));
            app.update(Event::Resize(columns, lines));
            press(&mut app, keys);
            if keys == "i" {
                details::find(&mut app);
            } else {
                work(&mut app, &tree);
            }
            let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
            terminal.draw(|frame| app.draw(frame)).unwrap();
            // Drawing must not panic if the terminal still has its old size when the state already has the new one.
            app.update(Event::Resize(80, 24));
            terminal.draw(|frame| app.draw(frame)).unwrap();
        }
    }
}
