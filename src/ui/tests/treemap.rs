//! Tests of the areas in the treemap.

use proptest::collection::vec;
use proptest::prelude::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::*;
use crate::fixture::{Plan, cases};
use crate::table::outline::Level;
use crate::ui::cells::{rounding_unit, tiles_area};
use crate::ui::map_colors::MapColors;
use crate::ui::theme::Glyphs;
use crate::ui::treemap_layout::Area;
use crate::ui::widgets::map::{LaidOut, Painter};
use crate::ui::widgets::shape::Shape;

/// Unnamed entry of a random tree.
#[derive(Clone, Debug)]
enum Random {
    File(u64),
    Directory(Vec<Random>),
}

impl Random {
    fn plan(&self, name: &str) -> Plan {
        match self {
            Self::File(size) => file(name, *size, 0),
            Self::Directory(contents) => dir(name, Self::plans(contents)),
        }
    }

    fn plans(all: &[Self]) -> Vec<Plan> {
        all.iter().enumerate().map(|(number, one)| one.plan(&format!("n{number}"))).collect()
    }
}

/// Returns random contents of a directory, up to five levels deep, with file sizes of all magnitudes below 2 GiB.
fn contents() -> impl Strategy<Value = Vec<Random>> {
    let file = (0..32_u32, 1..1_u64 << 20)
        .prop_map(|(shift, size): (u32, u64)| Random::File((size << shift >> 20).max(1)));
    let any = file.prop_recursive(4, 150, 12, |inner| vec(inner, 1..12).prop_map(Random::Directory));
    vec(any, 1..12)
}

/// Compares the tile of every entry with the exact area for the size of the entry. A tile enlarged by one cell in width
/// and height must have at least the exact area. A tile reduced by one cell in width and height must have at most the
/// exact area. If an entry has no tile, its exact area must be at most one column or one line, whichever is larger.
fn check_shares(laid_out: &LaidOut, half_lines: u16) -> Result<(), TestCaseError> {
    let LaidOut { sizes, area, tiles } = laid_out;
    let sides = |area: Area| (f64::from(area.width), f64::from(area.height / half_lines));
    let (width, height) = sides(*area);
    #[allow(clippy::cast_precision_loss)] // the sizes are far below 2^53
    let exact = |size: u64| size as f64 / sizes.iter().sum::<u64>() as f64 * width * height;
    for (index, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0) {
        let exact = exact(*size);
        let Some(tile) = tiles.iter().find(|tile| tile.index == index) else {
            prop_assert!(exact <= width.max(height) + 1e-6, "{exact} of {area:?}");
            continue;
        };
        let (width, height) = sides(tile.area);
        prop_assert_eq!(tile.area.height % half_lines, 0);
        prop_assert!(exact <= (width + 1.0) * (height + 1.0) + 1e-6, "{exact} {tile:?} of {area:?}");
        prop_assert!(exact >= (width - 1.0) * (height - 1.0) - 1e-6, "{exact} {tile:?} of {area:?}");
    }
    Ok(())
}

/// Returns the size of the painted part of an area, in quarters of a cell.
fn painted(buffer: &Buffer, area: Area) -> u32 {
    let halves = |cell: &Cell| {
        let (front, back) = (u32::from(cell.fg != Color::Reset), u32::from(cell.bg != Color::Reset));
        match cell.symbol() {
            "▀" => [2 * front, 2 * back],
            "▄" => [2 * back, 2 * front],
            "▌" => [front; 2],
            "▘" => [front, 0],
            "▖" => [0, front],
            _ => [2 * back; 2],
        }
    };
    let cells = (area.y..area.bottom()).flat_map(|y| (area.x..area.right()).map(move |x| (x, y)));
    cells.map(|(x, y)| halves(&buffer[(x, y / 2)])[usize::from(y % 2)]).sum()
}

/// Checks a rectangle that contains no others: the upper corners of its frame or, without a frame, the painted size.
fn check_drawing(buffer: &Buffer, area: Area, has_frame: bool) -> Result<(), TestCaseError> {
    if has_frame {
        // Only the upper corners are checked, because titles of the rectangles below can cover the lower ones.
        let Rect { x, y, width, .. } = area.on_screen();
        for corner in [(x, y), (x + width, y)] {
            prop_assert!("┌┐├┤┬┴┼└┘".contains(buffer[corner].symbol()), "{corner:?} of {area:?}");
        }
        return Ok(());
    }
    let (columns, lines) = (u32::from(area.width), u32::from(area.height.saturating_sub(1).max(1)));
    // In the last column, only the left half is painted; the right half is a gap. If a cell of that column also
    // contains part of another rectangle, its right half may be painted too, because a cell can show only two colors.
    let shared = u32::from(area.y % 2 == 1 || area.height == 1);
    let (painted, apart) = (painted(buffer, area), (2 * columns - 1) * lines);
    prop_assert!((apart..=apart + shared).contains(&painted), "{painted} of {area:?}");
    Ok(())
}

fn check(app: &App<'_>, level: &Level, size: (u16, u16)) -> Result<(), TestCaseError> {
    let screen = Rect::new(0, 0, size.0, size.1);
    let mut painter = Painter::new(&app.cx, MapColors::Type, screen);
    painter.level(level, tiles_area(screen, app.cx.theme));
    let half_lines = rounding_unit(app.cx.theme).half_lines();
    for laid_out in &painter.laid_out {
        check_shares(laid_out, half_lines)?;
    }
    let (leaves, mut buffer) = (painter.leaves.clone(), Buffer::empty(screen));
    painter.draw(&mut buffer);
    leaves.into_iter().try_for_each(|area| check_drawing(&buffer, area, half_lines == 2))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn every_rectangle_of_the_treemap_has_its_share_of_its_directory(contents in contents()) {
        let tree = Arc::new(build(Random::plans(&contents)).0);
        for colors in [Colors::True, Colors::None] {
            let theme = Theme { colors, glyphs: Glyphs::Unicode, ..Theme::default() };
            for size in [(80, 24), (200, 50)] {
                let settings = Settings { theme, ..settings() };
                let mut app = App::new(&tree, vec![(b"/r".to_vec(), b"/shown".to_vec())], &settings, size);
                tick(&mut app, 1000, Some(Outcome::Complete));
                press(&mut app, "5");
                work(&mut app, &tree);
                let level = app.cx.views.map.value().unwrap();
                check(&app, level, size)?;
            }
        }
    }
}

#[test]
fn a_rectangle_of_six_by_four_cells_is_shaded() {
    let tree = Arc::new(build(vec![file("f", 4096, 0)]).0);
    let mut app = finished(&tree);
    app.cx.theme.colors = Colors::True;
    press(&mut app, "5");
    work(&mut app, &tree);
    let node = app.cx.views.map.value().unwrap().nodes[0].clone();
    let is_shaded = |height| {
        let screen = Rect::new(0, 0, 6, 4);
        let mut painter = Painter::new(&app.cx, MapColors::Type, screen);
        let shape = Shape::of(&node);
        painter.shape(&shape, Area { x: 0, y: 0, width: 6, height });
        let mut buffer = Buffer::empty(screen);
        painter.draw(&mut buffer);
        let colors = |y: u16| (buffer[(4, y)].fg, buffer[(4, y)].bg);
        colors(0) != colors(1)
    };
    assert!(is_shaded(8) && !is_shaded(6));
}

#[test]
fn the_frame_of_the_cursor_does_not_change_the_labels_beside_it() {
    let files = [("first", 40), ("second", 30), ("third", 29)];
    let tree = Arc::new(build(files.map(|(name, size)| file(name, size << 20, 0)).into()).0);
    let mut app = finished(&tree);
    app.update(Event::Resize(80, 24));
    press(&mut app, "5");
    work(&mut app, &tree);
    press(&mut app, "Right Up");
    assert_eq!(selected(&app), "second");
    let screen = drawn(&mut app);
    let line = |y: u16| (0..80).map(|x| screen.buffer()[(x, y)].symbol()).collect::<String>();
    let (y, at) = (3..24).find_map(|y| Some((y, line(y).find("third")?))).unwrap();
    let x = line(y)[..at].chars().count();
    let cell = &screen.buffer()[(u16::try_from(x).unwrap(), y)];
    assert!(!cell.modifier.contains(ratatui::style::Modifier::BOLD), "{}", line(y));
}
