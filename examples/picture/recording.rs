//! Recording of a sequence of screens as one animated SVG, which shows each screen for a given time.
//!
//! Most lines stay the same from one screen to the next. Each line is therefore animated on its own, and each version
//! of a line is stored only once.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use vt100::Screen;

use crate::svg;

/// Recording of the screens shown so far.
#[derive(Default)]
pub struct Recording {
    /// Times at which each version of a line appears and disappears, in milliseconds since the start of the
    /// recording. A version is identified by the line number and the SVG elements that draw the line.
    lines: BTreeMap<(u16, String), Vec<(u32, u32)>>,
    size: (u16, u16),
    end: u32,
}

impl Recording {
    /// Adds a screen that is shown for `milliseconds`.
    pub fn show(&mut self, screen: &Screen, milliseconds: u32) {
        let (lines, columns) = screen.size();
        let (lines, columns) = (lines.get(), columns.get());
        self.size = (columns, lines);
        let (start, end) = (self.end, self.end + milliseconds);
        for number in 0..lines {
            let times = self.lines.entry((number, svg::line(screen, number))).or_default();
            match times.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => times.push((start, end)),
            }
        }
        self.end = end;
    }

    /// Renders the recording as an SVG whose animation repeats forever.
    pub fn drawn(&self) -> String {
        let mut elements = String::from("<style>\ng g{visibility:hidden}\n");
        let mut pictures = String::new();
        let percent = |time: u32| f64::from(time) * 100.0 / f64::from(self.end);
        for (number, ((_, line), times)) in
            self.lines.iter().filter(|((_, line), _)| !line.is_empty()).enumerate()
        {
            // Writing to a string cannot fail.
            let _ = write!(elements, "@keyframes k{number}{{0%{{visibility:hidden}}");
            for (start, end) in times {
                let _ = write!(elements, "{:.3}%{{visibility:visible}}", percent(*start));
                if *end < self.end {
                    let _ = write!(elements, "{:.3}%{{visibility:hidden}}", percent(*end));
                }
            }
            let _ = writeln!(elements, "}}");
            let seconds = f64::from(self.end) / 1000.0;
            let _ = writeln!(
                pictures,
                "<g style=\"animation:k{number} {seconds}s step-end infinite\">{line}</g>"
            );
        }
        elements.push_str("</style>\n");
        svg::document(self.size, &(elements + &pictures))
    }
}
