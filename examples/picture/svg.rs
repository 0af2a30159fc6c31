//! Terminal screens as SVG. Each character takes one cell of a grid. Bars are drawn as rectangles, so that no font
//! leaves gaps between their cells.

use std::fmt::Write as _;
use std::ops::Range;

use vt100::{Cell, Color, Screen};

/// Number of length units in a pixel. Bars grow in steps of an eighth of a cell's width, and each step is a whole
/// number of length units.
const EIGHTHS: u32 = 8;
const WIDTH: u32 = 9 * EIGHTHS;
const HEIGHT: u32 = 19 * EIGHTHS;
const MARGIN: u32 = 14 * EIGHTHS;
const LETTERS: u32 = 15 * EIGHTHS;
const BASELINE: u32 = 14 * EIGHTHS;
const THIN: u32 = EIGHTHS;
const TEXT: &str = "#d4d8e0";
const GROUND: &str = "#15171c";
/// Colors 0 to 15, which differ between terminals.
const SIXTEEN: [&str; 16] = [
    "#2a2d35", "#e06c75", "#8cc265", "#d8a657", "#5a9ae0", "#c678dd", "#4fb3bf", "#c8ccd4", "#6b7280",
    "#f08a92", "#a5d98a", "#ecc57a", "#7db4f0", "#d99bec", "#76cbd6", "#ffffff",
];
/// Style of a cell. Neighboring cells of the same style are drawn together.
#[derive(Clone, PartialEq)]
struct Style {
    front: String,
    back: Option<String>,
    is_bold: bool,
    is_dim: bool,
}

impl Style {
    fn of(cell: &Cell) -> Self {
        let front = colour(cell.fgcolor()).unwrap_or_else(|| TEXT.to_owned());
        let back = colour(cell.bgcolor());
        let (front, back) = if cell.inverse() {
            (back.unwrap_or_else(|| GROUND.to_owned()), Some(front))
        } else {
            (front, back)
        };
        Self { front, back, is_bold: cell.bold(), is_dim: cell.dim() }
    }
}

/// Renders a screen as SVG.
pub fn picture(screen: &Screen) -> String {
    let (lines, columns) = screen.size();
    let (lines, columns) = (lines.get(), columns.get());
    let shown: String = (0..lines).map(|number| line(screen, number)).collect();
    document((columns, lines), &shown)
}

/// Returns an SVG document that is `columns` wide and `lines` high and contains `elements`.
pub fn document((columns, lines): (u16, u16), elements: &str) -> String {
    let (width, height) = (u32::from(columns) * WIDTH + 2 * MARGIN, u32::from(lines) * HEIGHT + 2 * MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"{}\" fill=\"{GROUND}\"/>\n<g font-family=\"ui-monospace, 'DejaVu \
         Sans Mono', Menlo, Consolas, monospace\" font-size=\"{LETTERS}\" xml:space=\"preserve\">\n{elements}</g>\n</svg>\n",
        width / EIGHTHS,
        height / EIGHTHS,
        8 * EIGHTHS
    )
}

/// Renders a line of a screen as SVG elements.
pub fn line(screen: &Screen, line: u16) -> String {
    let columns = screen.size().1.get();
    let (mut svg, mut column) = (String::new(), 0);
    while column < columns {
        let style = screen.cell(line, column).map(Style::of);
        let end = (column..columns).find(|at| screen.cell(line, *at).map(Style::of) != style);
        let end = end.unwrap_or(columns);
        if let Some(style) = style {
            run(&mut svg, screen, line, column..end, &style);
        }
        column = end;
    }
    svg
}

/// Rectangle: distance from the left, distance from the top, width and height.
type Area = [u32; 4];

/// Adds cells of one style: their background, shapes and text.
fn run(svg: &mut String, screen: &Screen, line: u16, columns: Range<u16>, style: &Style) {
    let (x, y) = (MARGIN + u32::from(columns.start) * WIDTH, MARGIN + u32::from(line) * HEIGHT);
    if let Some(back) = &style.back {
        rectangle(svg, [x, y, u32::from(columns.end - columns.start) * WIDTH, HEIGHT], back);
    }
    let mut drawn: Vec<Area> = Vec::new();
    let mut text = String::new();
    for column in columns {
        let letter = screen.cell(line, column).map(Cell::contents).unwrap_or_default();
        let pieces = letter.chars().next().map(pieces).unwrap_or_default();
        text.push_str(if letter.is_empty() || !pieces.is_empty() { " " } else { letter });
        for [left, top, width, height] in pieces {
            let piece = [MARGIN + u32::from(column) * WIDTH + left, y + top, width, height];
            match drawn.last_mut() {
                // Adjacent shapes are merged, because otherwise the edge between them would be visible.
                Some(last) if last[0] + last[2] == piece[0] && last[1] == piece[1] && last[3] == piece[3] => {
                    last[2] += piece[2];
                }
                _ => drawn.push(piece),
            }
        }
    }
    for piece in drawn {
        rectangle(svg, piece, &style.front);
    }
    words(svg, &text, x, y, style);
}

/// Returns the rectangles that draw a block character or a line character, or an empty list for text.
fn pieces(letter: char) -> Vec<Area> {
    let (middle, center) = ((WIDTH - THIN) / 2, (HEIGHT - THIN) / 2);
    if let Some((eighths, _)) = (1..).zip("▏▎▍▌▋▊▉█".chars()).find(|(_, bar)| *bar == letter)
    {
        return vec![[0, 0, WIDTH / 8 * eighths, HEIGHT]];
    }
    let (left, right) = ([0, center, middle + THIN, THIN], [middle, center, WIDTH - middle, THIN]);
    let (up, down) = ([middle, 0, THIN, center + THIN], [middle, center, THIN, HEIGHT - center]);
    match letter {
        '─' => vec![[0, center, WIDTH, THIN]],
        '│' => vec![[middle, 0, THIN, HEIGHT]],
        '┌' => vec![right, down],
        '┐' => vec![left, down],
        '└' => vec![right, up],
        '┘' => vec![left, up],
        '▀' => vec![[0, 0, WIDTH, HEIGHT / 2]],
        '▄' => vec![[0, HEIGHT / 2, WIDTH, HEIGHT - HEIGHT / 2]],
        '■' => vec![[WIDTH / 8, HEIGHT / 4, WIDTH * 3 / 4, HEIGHT / 2]],
        '▘' => vec![[0, 0, WIDTH / 2, HEIGHT / 2]],
        '▖' => vec![[0, HEIGHT / 2, WIDTH / 2, HEIGHT - HEIGHT / 2]],
        _ => Vec::new(),
    }
}

fn rectangle(svg: &mut String, [x, y, width, height]: Area, colour: &str) {
    // Writing to a string cannot fail.
    let _ =
        writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\"/>");
}

/// Adds `text` without its leading and trailing blanks. `x` and `y` are the position of its first cell, even if that
/// cell is blank.
fn words(svg: &mut String, text: &str, x: u32, y: u32, style: &Style) {
    let cells = |text: &str| u32::try_from(text.chars().count()).unwrap_or_default();
    let shown = text.trim();
    if shown.is_empty() {
        return;
    }
    let (x, y) = (x + WIDTH * (cells(text) - cells(text.trim_start())), y + BASELINE);
    let weight = if style.is_bold { " font-weight=\"bold\"" } else { "" };
    let faint = if style.is_dim { " fill-opacity=\"0.6\"" } else { "" };
    let (length, colour) = (cells(shown) * WIDTH, &style.front);
    let shown = shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" fill=\"{colour}\"{weight}{faint}>{shown}</text>"
    );
}

/// Returns a color for SVG, or `None` for the terminal's default.
fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Idx(number @ 0..16) => Some(SIXTEEN[usize::from(number)].to_owned()),
        Color::Idx(number @ 16..232) => {
            let part = |number: u8| if number == 0 { 0 } else { 55 + 40 * number };
            let cube = number - 16;
            let [red, green, blue] = [cube / 36, cube / 6 % 6, cube % 6].map(part);
            Some(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
        Color::Idx(number) => {
            let gray = 8 + 10 * (number - 232);
            Some(format!("#{gray:02x}{gray:02x}{gray:02x}"))
        }
    }
}
