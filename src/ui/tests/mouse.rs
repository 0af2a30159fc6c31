//! Tests of mouse input.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::*;
use crate::table::column::Column;

fn event(
    app: &mut App<'_>,
    kind: MouseEventKind,
    (column, row): (u16, u16),
    milliseconds: u64,
) -> Option<Effect> {
    let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    app.update(Event::Mouse(event, Duration::from_millis(milliseconds)))
}

/// Waits as long as a user needs to read a question, then clicks on the screen. `milliseconds` is the time
/// since the session began.
pub fn click(app: &mut App<'_>, at: (u16, u16), milliseconds: u64) -> Option<Effect> {
    read(app);
    screen(app);
    event(app, MouseEventKind::Down(MouseButton::Left), at, milliseconds)
}

/// Waits as long as a user needs to read a question. Returns the column and line at which `text` is on the screen.
fn position_of(app: &mut App<'_>, text: &str) -> Option<(u16, u16)> {
    read(app);
    let (columns, lines) = app.cx.size;
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    (0..lines).find_map(|y| {
        let line = (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        // A byte offset can differ from the column: a frame character has three bytes but fills one column.
        let at = line.find(text)?;
        Some((u16::try_from(line[..at].chars().count()).unwrap(), y))
    })
}

#[test]
fn a_click_moves_the_cursor_and_a_double_click_opens() {
    let tree = home();
    let mut app = finished(&tree);
    // Lines are counted from 0. The first row is on line 3, and `pictures` is on line 4.
    click(&mut app, (30, 4), 0);
    assert_eq!(selected(&app), "pictures");
    click(&mut app, (30, 4), 1000);
    assert_eq!(path(&app), "/shown", "too slow for a double click");
    click(&mut app, (31, 4), 1200);
    assert_eq!(path(&app), "/shown/pictures");
    click(&mut app, (31, 4), 1300);
    assert_eq!(path(&app), "/shown/pictures", "three clicks open one directory");
    click(&mut app, (30, 10), 2000);
    assert_eq!(selected(&app), "2024", "there is no row");
}

#[test]
fn a_click_on_a_title_sorts_and_another_reverses() {
    let tree = home();
    let mut app = finished(&tree);
    let mut terminal = Terminal::new(TestBackend::new(80, 12)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    let titles: String = (0..80).map(|x| terminal.backend().buffer()[(x, 2)].symbol().to_owned()).collect();
    let at = |title: &str| u16::try_from(titles.find(title).expect(title)).unwrap();
    for (title, column, first) in [
        ("Name", Column::Name, ".secret"),
        ("Name", Column::Name, "proc"),
        ("Items", Column::Items, "music"),
        ("Disk", Column::Size, "music"),
        ("Disk", Column::Size, ".secret"),
    ] {
        // The arrow of the sorted column may shift the title `Name` by one cell.
        click(&mut app, (at(title) + u16::from(title == "Name"), 2), 0);
        press(&mut app, "g");
        assert_eq!((app.cx.order.column, names(&app)[0].as_str()), (column, first), "{titles}");
    }
}

#[test]
fn the_wheel_moves_the_cursor_and_scrolls_the_help() {
    let tree = home();
    let mut app = finished(&tree);
    event(&mut app, MouseEventKind::ScrollDown, (0, 0), 0);
    assert_eq!(app.cx.window.index, 3);
    event(&mut app, MouseEventKind::ScrollUp, (0, 0), 0);
    assert_eq!(app.cx.window.index, 0);
    press(&mut app, "?");
    event(&mut app, MouseEventKind::ScrollDown, (0, 0), 0);
    assert_eq!(help_line(&app), 3);
}

#[test]
fn a_click_on_a_hint_presses_its_key() {
    let tree = home();
    let mut app = finished(&tree);
    click(&mut app, (2, 11), 0);
    assert_eq!(layer(&app), Some(Scope::Help));
    press(&mut app, "Esc");
    let quit = position_of(&mut app, "q quit").unwrap();
    assert_eq!(click(&mut app, quit, 0), Some(Effect::Quit));
}

#[test]
fn cells_results_and_marks_are_clicked_as_rows_are() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    press(&mut app, "5");
    let tile = app.cx.views.tiles.iter().find(|tile| tile.index == 1).unwrap().area;
    let at = (tile.x + 1, tile.y / 2 + 1);
    click(&mut app, at, 0);
    assert_eq!(selected(&app), "pictures");
    click(&mut app, at, 100);
    assert_eq!(path(&app), "/shown/pictures");
    press(&mut app, "q Left 2");
    work(&mut app, &tree);
    click(&mut app, (30, 4), 1000);
    click(&mut app, (30, 4), 1100);
    assert_eq!(path(&app), "/shown/pictures/2024");
    press(&mut app, "Left Left + Tab");
    click(&mut app, (30, 5), 2000);
    assert_eq!(marks_list(&app).unwrap().cursor.index, 2);
}

#[test]
fn a_click_on_a_tab_opens_its_view_and_one_on_the_path_goes_up() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    press(&mut app, "j Enter Enter 4");
    work(&mut app, &tree);
    assert_eq!(path(&app), "/shown/pictures/2024");
    let types = position_of(&mut app, "3 Types").unwrap();
    click(&mut app, types, 0);
    work(&mut app, &tree);
    assert_eq!(app.cx.views.page.as_ref().map(|page| page.title.text()), Some("types"));
    let pictures = position_of(&mut app, "pictures/").unwrap();
    click(&mut app, pictures, 1000);
    assert_eq!((path(&app).as_str(), app.scope()), ("/shown/pictures", Scope::List));
    assert_eq!(selected(&app), "2024", "the cursor is on the directory that was left");
    click(&mut app, (1, 0), 2000);
    assert_eq!(path(&app), "/shown/pictures");
    assert_eq!(question(&app).map(|(about, _)| about), Some(Question::Above), "the directory above the root");
    press(&mut app, "n");
    click(&mut app, (2, 0), 2000);
    assert_eq!(path(&app), "/shown");
    click(&mut app, (2, 0), 3000);
    assert_eq!(path(&app), "/shown", "nothing is above the root");
}

#[test]
fn clicks_beside_a_question_and_the_wheel_do_not_answer_it() {
    let tree = home();
    let mut app = finished(&tree);
    tick(&mut app, 60_000, Some(Outcome::Complete));
    press(&mut app, "q");
    let before = question(&app);
    for at in [(0, 0), (40, 6), (2, 11), (79, 11)] {
        assert_eq!(click(&mut app, at, 0), None);
        event(&mut app, MouseEventKind::ScrollDown, at, 0);
    }
    assert!(before.is_some() && question(&app) == before);
}

#[test]
fn the_buttons_of_a_question_are_clicked_where_they_are_drawn() {
    let tree = home();
    for size in [(80, 12), (20, 6)] {
        for (text, letter, effect) in [("Yes", 'y', Some(Effect::Quit)), ("No", 'n', None)] {
            let mut app = finished(&tree);
            app.update(Event::Resize(size.0, size.1));
            tick(&mut app, 60_000, Some(Outcome::Complete));
            press(&mut app, "q");
            let brief =
                position_of(&mut app, "? y/n").map(|(x, y)| (x + if letter == 'y' { 2 } else { 4 }, y));
            let at = position_of(&mut app, &format!("[ {text} ]")).or(brief).expect("there is a button");
            assert_eq!(click(&mut app, at, 0), effect, "{text} at {size:?}");
            assert_eq!(question(&app), None);
        }
    }
}

#[test]
fn buttons_stay_off_the_frame_however_short_the_question() {
    let tree = home();
    let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/r".to_vec())], &settings(), (80, 12));
    tick(&mut app, 1000, Some(Outcome::Complete));
    press(&mut app, "h");
    read(&mut app);
    let text = screen(&mut app);
    assert!(text.contains("│       Scan /?      │"), "{text}");
    assert!(text.contains("│  [ Yes ]   [ No ]  │"), "{text}");
}

#[test]
fn the_buttons_of_the_dialog_are_clicked_where_they_are_drawn() {
    use crate::ui::operations::deletion::DeletionRequest;
    let tree = home();
    for size in [(80, 12), (81, 13), (30, 6), (15, 4)] {
        let mut app = finished(&tree);
        app.update(Event::Resize(size.0, size.1));
        deleting::asked(&mut app);
        let at =
            position_of(&mut app, "[ No ]").or(position_of(&mut app, "[ Yes ]")).expect("there is a button");
        assert_eq!(click(&mut app, (at.0, at.1.saturating_sub(1)), 0), None, "beside the buttons");
        assert_eq!(layer(&app), Some(Scope::Confirm), "{size:?}");
        let yes = position_of(&mut app, "[ Yes ]").expect("there is a Yes");
        let effect = click(&mut app, (yes.0 + 6, yes.1), 0);
        assert!(
            matches!(effect, Some(Effect::Deletion(DeletionRequest::Begin(..)))),
            "{effect:?} at {size:?}"
        );
        let mut app = finished(&tree);
        app.update(Event::Resize(size.0, size.1));
        press(&mut app, "d");
        assert_eq!(position_of(&mut app, "[ Yes ]"), None, "nothing is known yet");
        let no = position_of(&mut app, "[ No ]").expect("there is a No");
        assert_eq!(click(&mut app, no, 0), Some(Effect::Deletion(DeletionRequest::StopPreview)), "{size:?}");
    }
}

#[test]
fn two_clicks_at_once_do_not_answer_two_questions() {
    let tree = home();
    let mut app = finished(&tree);
    // For a file, the dialogs of both questions have the same height, so [ Yes ] is in the same position.
    press(&mut app, "j j j");
    deleting::asked_twice(&mut app);
    let yes = position_of(&mut app, "[ Yes ]").expect("there is a Yes");
    let down = MouseEventKind::Down(MouseButton::Left);
    assert_eq!((event(&mut app, down, yes, 1000), event(&mut app, down, yes, 1200)), (None, None));
    assert!(
        screen(&mut app).contains("Other users can change this directory")
            && !screen(&mut app).contains("[ Yes ]")
    );
    assert_eq!(position_of(&mut app, "[ Yes ]"), Some(yes));
    assert!(click(&mut app, yes, 2000).is_some());
}

#[test]
fn a_click_on_the_help_page_presses_no_hidden_key() {
    let tree = home();
    let mut app = finished(&tree);
    press(&mut app, "?");
    for x in 0..80 {
        assert_eq!(click(&mut app, (x, 11), 0), None);
        assert_eq!(layer(&app), Some(Scope::Help), "{x}");
    }
}
