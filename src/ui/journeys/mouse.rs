//! What people do with the mouse.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::*;
use crate::rows::Column;

fn event(
    app: &mut App<'_>,
    kind: MouseEventKind,
    (column, row): (u16, u16),
    milliseconds: u64,
) -> Option<Effect> {
    let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    app.update(Action::Mouse(event, Duration::from_millis(milliseconds)))
}

fn click(app: &mut App<'_>, at: (u16, u16), milliseconds: u64) -> Option<Effect> {
    event(app, MouseEventKind::Down(MouseButton::Left), at, milliseconds)
}

#[test]
fn a_click_goes_there_and_two_at_once_open() {
    let tree = home();
    let mut app = finished(&tree);
    // Two lines stand above the first row.
    click(&mut app, (30, 3), 0);
    assert_eq!(selected(&app), "pictures");
    click(&mut app, (30, 3), 1000);
    assert_eq!(path(&app), "/shown", "too slow for a double click");
    click(&mut app, (31, 3), 1200);
    assert_eq!(path(&app), "/shown/pictures");
    click(&mut app, (31, 3), 1300);
    assert_eq!(path(&app), "/shown/pictures", "three clicks open one directory");
    click(&mut app, (30, 9), 2000);
    assert_eq!(selected(&app), "2024", "there is no row");
}

#[test]
fn titles_sort_and_again_turn_round() {
    let tree = home();
    let mut app = finished(&tree);
    let mut terminal = Terminal::new(TestBackend::new(80, 12)).unwrap();
    terminal.draw(|frame| crate::ui::view::draw(&app, frame)).unwrap();
    let titles: String = (0..80).map(|x| terminal.backend().buffer()[(x, 1)].symbol().to_owned()).collect();
    let at = |title: &str| u16::try_from(titles.find(title).expect(title)).unwrap();
    for (title, column, first) in [
        ("Name", Column::Name, ".secret"),
        ("Name", Column::Name, "proc"),
        ("Items", Column::Items, "music"),
        ("Disk", Column::Size, "music"),
        ("Disk", Column::Size, ".secret"),
    ] {
        // The arrow of a sorted column moves its title.
        click(&mut app, (at(title) + u16::from(title == "Name"), 1), 0);
        press(&mut app, "g");
        assert_eq!((app.order.column, names(&app)[0].as_str()), (column, first), "{titles}");
    }
}

#[test]
fn the_wheel_moves_the_cursor_and_scrolls_the_help() {
    let tree = home();
    let mut app = finished(&tree);
    event(&mut app, MouseEventKind::ScrollDown, (0, 0), 0);
    assert_eq!(app.window.index, 3);
    event(&mut app, MouseEventKind::ScrollUp, (0, 0), 0);
    assert_eq!(app.window.index, 0);
    press(&mut app, "?");
    event(&mut app, MouseEventKind::ScrollDown, (0, 0), 0);
    assert_eq!(app.mode, Mode::Help(3));
}

#[test]
fn hints_of_the_footer_are_their_keys() {
    let tree = home();
    let mut app = finished(&tree);
    click(&mut app, (2, 11), 0);
    assert_eq!(app.mode, Mode::Help(0));
    press(&mut app, "Esc");
    assert_eq!(click(&mut app, (10, 11), 0), Some(Effect::Quit));
}

#[test]
fn cells_results_and_marks_are_clicked_as_rows_are() {
    let tree = Arc::new(home());
    let mut app = finished(&tree);
    press(&mut app, "5");
    let tile = app.views.tiles.iter().find(|tile| tile.index == 1).unwrap().area;
    click(&mut app, (tile.x, tile.y), 0);
    assert_eq!(selected(&app), "pictures");
    click(&mut app, (tile.x, tile.y), 100);
    assert_eq!(path(&app), "/shown/pictures");
    press(&mut app, "q Left 2");
    work(&mut app, &tree);
    click(&mut app, (30, 3), 1000);
    click(&mut app, (30, 3), 1100);
    assert_eq!(path(&app), "/shown/pictures/2024");
    press(&mut app, "Left Left + Tab");
    click(&mut app, (30, 4), 2000);
    assert_eq!(app.pane().index, 2);
}

#[test]
fn a_question_is_not_answered_by_a_click_beside_it_or_the_wheel() {
    let tree = home();
    let mut app = finished(&tree);
    tick(&mut app, 60_000, Some(Outcome::Complete));
    press(&mut app, "q");
    let before = app.question.clone();
    for at in [(0, 0), (40, 6), (2, 11), (79, 11)] {
        assert_eq!(click(&mut app, at, 0), None);
        event(&mut app, MouseEventKind::ScrollDown, at, 0);
    }
    assert!(before.is_some() && app.question == before);
}

#[test]
fn the_buttons_of_a_question_are_clicked_where_they_are_drawn() {
    let tree = home();
    for size in [(80, 12), (20, 6)] {
        for (text, letter, effect) in [("Yes", 'y', Some(Effect::Quit)), ("No", 'n', None)] {
            let mut app = finished(&tree);
            app.update(Action::Resize(size.0, size.1));
            tick(&mut app, 60_000, Some(Outcome::Complete));
            press(&mut app, "q");
            let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
            terminal.draw(|frame| crate::ui::view::draw(&app, frame)).unwrap();
            let line = |y| -> Vec<String> {
                (0..size.0).map(|x| terminal.backend().buffer()[(x, y)].symbol().to_owned()).collect()
            };
            let place = |word: &str| {
                (0..size.1).find_map(|y| {
                    let line = line(y).concat();
                    // Frames are one column wide and three bytes long.
                    let at = line.find(word)?;
                    Some((u16::try_from(line[..at].chars().count()).unwrap(), y))
                })
            };
            let brief = place("? y/n").map(|(x, y)| (x + if letter == 'y' { 2 } else { 4 }, y));
            let at = place(&format!("[ {text} ]")).or(brief).expect("there is a button");
            assert_eq!(click(&mut app, at, 0), effect, "{text} at {size:?}");
            assert_eq!(app.question, None);
        }
    }
}
