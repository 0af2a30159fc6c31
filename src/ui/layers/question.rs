//! Question dialog in the middle of the screen.
//!
//! ```text
//! ┌─────────────────────────────┐
//! │  Quit? The scan took 1:05   │
//! │                             │
//! │      [ Yes ]   [ No ]       │
//! └─────────────────────────────┘
//! ```
//!
//! On a screen that is too small for the box, the question is a single line: `Quit? y/n`. While the dialog
//! does not accept Yes yet, the Yes button has no brackets, and the single line omits `y/`.

use std::time::Duration;

use ratatui::layout::{Alignment, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph, Widget};

use super::dialog::{BUTTONS, bordered, columns, draw_button, side_by_side};
use crate::base::format::{counted, duration, grouped, plain_size};
use crate::base::sync::Arc;
use crate::base::text::{escape, fit, width};
use crate::delete::CopySharing;
use crate::source::SourceKind;
use crate::ui::answer_gate::AnswerGate;
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::hit_map::{Button, Canvas, Hit};
use crate::ui::keys::{Answer, Command, Scope};
use crate::ui::message::Effect;
use crate::ui::operations::export::ExportRequest;
use crate::ui::theme::Role;
use crate::ui::widgets::status_line_texts::operation_verb;

const HEIGHT: u16 = 5;
/// Maximum width of a file name in the question, in columns.
const FILE: usize = 30;
/// Scan duration above which the browser asks the user before quitting.
pub const PRECIOUS: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionDialog {
    pub about: Question,
    pub button: Button,
    gate: AnswerGate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Quit. The question is asked if the scan has taken longer than [`PRECIOUS`], if an operation or an export is
    /// running, or if the settings always require it.
    Quit,
    /// Replace the tree with a scan of the parent directory.
    Above,
    Replace(ExportRequest),
    /// Let files with the same contents share their data on disk.
    Share(Arc<CopySharing>),
}

impl QuestionDialog {
    pub fn new(about: Question, button: Button) -> Self {
        Self { about, button, gate: AnswerGate::default() }
    }

    /// Returns the question as a sentence for the box, and a short form for a single line.
    fn texts(&self, cx: &Context<'_>, columns: u16) -> (String, &'static str) {
        let (text, brief) = match &self.about {
            Question::Quit => (loss(cx), ["Quit?   n", "Quit? y/n"]),
            Question::Replace(order) => {
                (replace(cx, order, usize::from(columns)), ["Replace?   n", "Replace? y/n"])
            }
            Question::Share(sharing) => {
                (share(cx, sharing), ["Let copies share data?   n", "Let copies share data? y/n"])
            }
            Question::Above => (
                above(cx, usize::from(columns)),
                ["Scan the parent directory?   n", "Scan the parent directory? y/n"],
            ),
        };
        (text, brief[usize::from(self.gate.is_open())])
    }
}

/// Returns the question about scanning the parent directory. Mentions the number of marks that would be lost.
fn above(cx: &Context<'_>, columns: usize) -> String {
    let path = cx.above().unwrap_or_default();
    let cost = match cx.marks().count() {
        0 => String::new(),
        1 => " and lose 1 mark".to_owned(),
        marks => format!(" and lose {} marks", grouped(marks)),
    };
    let room = columns.saturating_sub(30 + cost.len()).max(10);
    format!("Scan {}{cost}?", fit(&escape(&path), room, cx.theme.glyphs.gap()))
}

fn replace(cx: &Context<'_>, order: &ExportRequest, columns: usize) -> String {
    format!("Replace {}?", fit(&order.shown(), columns.saturating_sub(20).max(10), cx.theme.glyphs.gap()))
}

fn share(cx: &Context<'_>, sharing: &CopySharing) -> String {
    let size = plain_size(sharing.disk(), cx.units);
    match sharing.files() {
        1 => format!("Make 1 file ({size}) share its data with its copy? Nothing is deleted"),
        files => {
            format!("Make {} files ({size}) share data with their copies? Nothing is deleted", grouped(files))
        }
    }
}

/// Returns the question asked before quitting, which names what would be lost or stopped.
fn loss(cx: &Context<'_>) -> String {
    if let Some(running) = &cx.deletion.running {
        return format!("Quit and stop {} midway?", operation_verb(running.kind));
    }
    if let Some(order) = cx.written() {
        let shown = fit(&order.shown(), FILE, cx.theme.glyphs.gap()).into_owned();
        return format!("Quit and cancel writing {shown}?");
    }
    let lost = match cx.marks().count() {
        0 => String::new(),
        marks => format!(" and lose {}", counted(marks, "mark", "marks")),
    };
    let elapsed = cx.scan.last.elapsed;
    if elapsed <= PRECIOUS {
        return format!("Quit{lost}?");
    }
    let elapsed = duration(elapsed);
    let is_live = cx.source_kind == SourceKind::Live;
    if cx.is_scanning() {
        let quit = if lost.is_empty() { "Quit and" } else { "Quit," };
        let job = if is_live { "the scan" } else { "reading" };
        return format!("{quit} stop {job} (running for {elapsed}){lost}?");
    }
    let job = if is_live { "The scan" } else { "Reading" };
    format!("Quit{lost}? {job} took {elapsed}")
}

impl<'t> Component<'t> for QuestionDialog {
    fn scope(&self) -> Scope {
        Scope::Question
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        let Input::Command(Command::Answer(answer)) = input else { return Handled::Yes(None) };
        let button = match answer {
            Answer::Other => {
                self.button = self.button.other();
                return Handled::Yes(None);
            }
            Answer::Yes => Button::Yes,
            // Pressing the quit key again means Yes.
            Answer::Leave if self.about == Question::Quit => Button::Yes,
            Answer::No | Answer::Leave => Button::No,
            Answer::Selected => self.button,
        };
        Handled::Close(match (&self.about, button) {
            (_, Button::No) => None,
            (Question::Quit, Button::Yes) => Some(Effect::Quit),
            (Question::Above, Button::Yes) => cx.above().map(Effect::ScanAbove),
            (Question::Replace(order), Button::Yes) => cx.replace_file(order.clone()),
            (Question::Share(sharing), Button::Yes) => cx.share(sharing),
        })
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        canvas.hits.clear();
        let (text, brief) = self.texts(cx, screen.width);
        let style = cx.theme.style(Role::Strong);
        let Some(frame) = frame_of(&text, screen) else {
            let line = Rect { y: screen.bottom().saturating_sub(1), height: screen.height.min(1), ..screen };
            Clear.render(line, canvas.buffer);
            Paragraph::new(Line::styled(brief, style)).render(line, canvas.buffer);
            // The letters `y` and `n` can be clicked like buttons.
            let end = line.x.saturating_add(u16::try_from(brief.len()).unwrap_or(u16::MAX));
            for (back, (button, ..)) in [3, 1].into_iter().zip(BUTTONS) {
                let letter = Rect { x: end.saturating_sub(back), width: 1, ..line };
                canvas.hits.add(letter, Hit::Button(button));
            }
            return;
        };
        Clear.render(frame, canvas.buffer);
        let text = Paragraph::new(Line::styled(text, style)).alignment(Alignment::Center);
        text.block(bordered(cx.theme)).render(frame, canvas.buffer);
        let rects = side_by_side(BUTTONS, Rect { y: frame.y + 3, height: 1, ..frame });
        for (rect, (button, ..)) in rects.into_iter().zip(BUTTONS) {
            draw_button(cx.theme, (button, rect), self.button, &self.gate, canvas);
        }
    }

    fn selected(&self) -> Option<Button> {
        Some(self.button)
    }

    fn gate(&mut self) -> Option<&mut AnswerGate> {
        Some(&mut self.gate)
    }
}

/// Returns the area of the box, or `None` if there is no room for it.
fn frame_of(text: &str, area: Rect) -> Option<Rect> {
    let width = u16::try_from(width(text)).unwrap_or(u16::MAX).max(columns(BUTTONS)).saturating_add(6);
    (area.width >= width && area.height >= HEIGHT).then(|| Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - HEIGHT) / 2,
        width,
        height: HEIGHT,
    })
}
