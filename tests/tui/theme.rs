//! Tests of the list, the treemap, the overview, the file types and the help in common window sizes, with truecolor,
//! with 16 colors, without colors and in ASCII. A stored screen consists of its characters, followed by the colors of
//! each line.

use std::fmt::Write as _;

use duke::base::format::{Measure, Units};
use duke::base::job::Pool;
use duke::scan::Scan;
use duke::testing::table::rows::Order;
use duke::testing::ui::Settings;
use duke::testing::ui::app::App;
use duke::testing::ui::loader::Sources;
use duke::testing::ui::message::Event;
use duke::testing::ui::{Background, Colors, Glyphs, Preset, Theme, ThemeOptions};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use crate::screens::{finish, home, press, scan};

const SIZES: [(u16, u16); 4] = [(40, 10), (80, 24), (120, 36), (200, 50)];

const LOOKS: [(&str, Colors, Glyphs); 4] = [
    ("truecolor", Colors::True, Glyphs::Unicode),
    ("16 colors", Colors::Sixteen, Glyphs::Unicode),
    ("no color", Colors::None, Glyphs::Unicode),
    ("ASCII", Colors::None, Glyphs::Ascii),
];

fn drawn(app: &mut App<'_>) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(app.cx.size.0, app.cx.size.1)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// Answers the browser's requests from the tree alone, because the system's answers differ between machines.
fn work(app: &mut App<'_>, scan: &Scan) {
    let sources =
        Sources { pool: &Pool::new(1).unwrap(), tree: scan.tree(), basis: None, may_ask_system: false };
    while app.poll(&sources) || app.is_loading() || app.cx.views.preview.is_busy() {
        std::thread::yield_now();
    }
}

/// Returns the lines of the screen. A wide character covers the next cell, which is skipped.
fn text(buffer: &Buffer) -> Vec<String> {
    let lines = buffer.content.chunks(usize::from(buffer.area.width));
    let line = |cells: &[Cell]| {
        let (mut text, mut covered) = (String::new(), 0);
        for cell in cells {
            if covered == 0 {
                text.push_str(cell.symbol());
                covered = duke::base::text::width(cell.symbol());
            }
            covered -= 1;
        }
        text
    };
    lines.map(line).collect()
}

/// Describes the runs of cells with the same style in a line: first column, colors and attributes of each run.
fn colors(cells: &[Cell]) -> String {
    let name = |color: Color| match color {
        Color::Reset => "-".to_owned(),
        Color::Rgb(red, green, blue) => format!("{red:02x}{green:02x}{blue:02x}"),
        color => format!("{color:?}"),
    };
    let style = |cell: &Cell| (cell.fg, cell.bg, cell.modifier);
    let (mut text, mut column) = (String::new(), 0);
    for run in cells.chunk_by(|one, other| style(one) == style(other)) {
        let (front, back, modifier) = style(&run[0]);
        let signs = [(Modifier::BOLD, "b"), (Modifier::UNDERLINED, "u"), (Modifier::REVERSED, "r")];
        let signs: String =
            signs.iter().filter(|(bit, _)| modifier.contains(*bit)).map(|(_, sign)| *sign).collect();
        write!(text, " {column}:{}/{}{signs}", name(front), name(back)).unwrap();
        column += run.len();
    }
    text
}

fn picture(buffer: &Buffer) -> String {
    let mut picture = String::new();
    for line in text(buffer) {
        writeln!(picture, "|{line}|").unwrap();
    }
    let lines: Vec<String> = buffer.content.chunks(usize::from(buffer.area.width)).map(colors).collect();
    let mut number = 0;
    for same in lines.chunk_by(|one, other| one == other) {
        writeln!(picture, "{number}-{}{}", number + same.len() - 1, same[0]).unwrap();
        number += same.len();
    }
    picture
}

#[test]
fn screens_of_every_size_with_every_number_of_colors() {
    let folder = home();
    let scan = scan(vec![folder.path().to_owned()]);
    for size in SIZES {
        for (name, colors, glyphs) in LOOKS {
            let theme = Theme { colors, glyphs, ..Theme::default() };
            insta::assert_snapshot!(format!("{}x{} {name}", size.0, size.1), pictures(&scan, theme, size));
        }
    }
}

#[test]
fn the_selected_part_of_the_overview_is_visible_at_any_size() {
    let folder = home();
    let scan = scan(vec![folder.path().to_owned()]);
    let settings = Settings::new(Order::default(), Units::Binary, Theme::default(), TimeZone::UTC);
    for size in [(40, 10), (60, 14), (30, 6), (80, 12), (80, 24)] {
        let mut app = App::new(scan.tree(), vec![(Vec::new(), b"/home/me".to_vec())], &settings, size);
        finish(&mut app, 1);
        press(&mut app, "`");
        work(&mut app, &scan);
        for key in ["j"; 7].into_iter().chain(["k"; 7]) {
            let part = app.cx.views.overview.selected().unwrap();
            let lines = text(&drawn(&mut app));
            let (_, line) =
                app.cursor().unwrap_or_else(|| panic!("{} is not visible: {lines:#?}", part.name));
            let heading = format!("{} {}", part.key, part.tab[0]);
            assert!(lines[usize::from(line)].contains(&heading), "{heading}: {lines:#?}");
            press(&mut app, key);
        }
        assert_eq!(app.cx.views.overview.index, 0, "{size:?}");
    }
}

#[test]
fn the_overview_omits_the_smallest_ages() {
    let folder = home();
    let scan = scan(vec![folder.path().to_owned()]);
    let order = Order { measure: Measure::Apparent, ..Order::default() };
    let settings = Settings::new(order, Units::Binary, Theme::default(), TimeZone::UTC);
    let mut app = App::new(scan.tree(), vec![(Vec::new(), b"/home/me".to_vec())], &settings, (40, 10));
    finish(&mut app, 1);
    // At this time, the two largest files are older than 30 days, and all others are younger.
    app.update(Event::Clock(1_700_000_000 + 32 * 86_400 + 43_200));
    press(&mut app, "` j j j");
    work(&mut app, &scan);
    let ages = app.cx.views.overview.parts[3].clone();
    let largest = ages.rows.iter().max_by_key(|(row, _)| row.size()).unwrap();
    assert!(ages.rows[0].0.label != largest.0.label, "the largest are not the youngest");
    let lines = text(&drawn(&mut app));
    assert!(lines.iter().any(|line| line.contains(&largest.0.label)), "{}: {lines:#?}", largest.0.label);
}

#[test]
fn screens_of_every_theme() {
    let folder = home();
    let scan = scan(vec![folder.path().to_owned()]);
    let options = |preset, background| {
        let mut options = ThemeOptions::default();
        (options.preset, options.background) = (preset, background);
        options
    };
    let high = options(Preset::HighContrast, Background::Dark);
    let light = options(Preset::Light, Background::Light);
    for (name, colors, options) in [
        ("high-contrast", Colors::True, high),
        ("high-contrast, 16 colors", Colors::Sixteen, high),
        ("color-blind", Colors::True, options(Preset::ColorBlind, Background::Dark)),
        ("color-blind, light", Colors::True, options(Preset::ColorBlind, Background::Light)),
        ("light", Colors::True, light),
        ("light, 16 colors", Colors::Sixteen, light),
        ("256 colors", Colors::Palette, ThemeOptions::default()),
    ] {
        let theme = Theme { colors, options, ..Theme::default() };
        insta::assert_snapshot!(name, pictures(&scan, theme, (80, 24)));
    }
}

/// Returns pictures of the list, the treemap, the overview, the file types and the help, each below its title.
fn pictures(scan: &Scan, theme: Theme, size: (u16, u16)) -> String {
    let order = Order { measure: Measure::Apparent, ..Order::default() };
    let settings = Settings::new(order, Units::Binary, theme, TimeZone::UTC);
    let roots = vec![(
        scan.tree().path(scan.tree().listing(duke::tree::DirId::TOP).directories().next().unwrap()),
        b"/home/me".to_vec(),
    )];
    let mut app = App::new(scan.tree(), roots, &settings, size);
    finish(&mut app, 1);
    app.update(Event::Clock(1_700_000_000 + 100 * 86_400));
    let mut pictures = Vec::new();
    for (title, keys) in
        [("list", "j Space g"), ("treemap", "5"), ("overview", "`"), ("types", "3 Enter"), ("help", "?")]
    {
        press(&mut app, keys);
        work(&mut app, scan);
        pictures.push(format!("{title}\n{}", picture(&drawn(&mut app))));
    }
    pictures.join("\n")
}
