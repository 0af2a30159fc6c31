//! The name of a file to which everything is written, and what becomes of it.
//!
//! Invariant: one file is written at a time, and none that is there is replaced without a Yes.

use std::ffi::OsString;
use std::path::PathBuf;

use ratatui::crossterm::event::KeyEvent;

use super::{About, App, Effect, Mode};
use crate::scan::Outcome;
use crate::size::plain_size;
use crate::text::escape;
use crate::ui::export::{Order, Told};
use crate::ui::field::Field;
use crate::ui::keys::Command;
use crate::writing::{ENDINGS, Format, Old, Unwritten};

/// The state of exporting.
#[derive(Clone, Debug, Default)]
pub struct Exporting {
    /// The name of the file, as far as it is typed.
    pub name: Field,
    /// What is wrong with it.
    pub complaint: Option<String>,
    /// What is being written.
    pub order: Option<Order>,
}

impl App<'_> {
    /// Asks for the name of a file.
    pub(super) fn ask_for_file(&mut self) {
        if let Some(reason) = self.may_not_export() {
            self.say(reason);
            return;
        }
        let before = self.export.name.as_str();
        self.export.name =
            Field::offering(if before.is_empty() { self.usual_name() } else { before.to_owned() });
        self.export.complaint = None;
        self.mode = Mode::FileName;
    }

    /// Why nothing can be written at present.
    fn may_not_export(&self) -> Option<String> {
        if let Some(order) = self.written() {
            return Some(format!("{} is still being written", order.shown()));
        }
        let reason = match self.scan.last.outcome {
            None => "Wait until everything was read: an export of a part would look whole",
            Some(Outcome::Complete) if self.rescan().is_some() || self.is_deleting() => {
                "Wait until everything is read again"
            }
            Some(Outcome::Complete) => return None,
            Some(_) => "Not everything was read: an export would look whole",
        };
        Some(reason.to_owned())
    }

    /// What is being written.
    pub fn written(&self) -> Option<&Order> {
        self.export.order.as_ref()
    }

    /// A name that says what is in the file.
    fn usual_name(&self) -> String {
        let root = self.roots.first().map(|(_, shown)| shown.as_slice()).unwrap_or_default();
        let last = root.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or(b"root");
        let is_plain = |letter: &char| letter.is_alphanumeric() || ['-', '_', '.'].contains(letter);
        let name: String = String::from_utf8_lossy(last).chars().filter(is_plain).collect();
        let name = name.trim_start_matches(['-', '.']);
        // ncdu's format holds one directory.
        let ending = if self.roots.len() == 1 { "json.zst" } else { "duke" };
        format!("{}.{ending}", if name.is_empty() { "files" } else { name })
    }

    /// A key while the name is typed; letters that are no command are part of it.
    pub(super) fn file_name_key(&mut self, event: KeyEvent, command: Option<Command>) -> Option<Effect> {
        self.export.complaint = None;
        match command {
            Some(Command::Accept) => return self.accept_file(),
            Some(Command::Back) => self.mode = Mode::List,
            _ => {
                // What is no key of a text does nothing.
                let _ = self.export.name.take(event, command);
            }
        }
        None
    }

    /// Puts a text into the name.
    pub(super) fn paste_file_name(&mut self, text: &str) {
        self.export.complaint = None;
        self.export.name.paste(text);
    }

    fn accept_file(&mut self) -> Option<Effect> {
        let name = self.export.name.as_str().trim();
        let Some(format) = Format::of_name(name.as_bytes()) else {
            self.export.complaint = Some(format!("end it in {}", ENDINGS.join(" ")));
            return None;
        };
        if matches!(format, Format::Ncdu(_)) && self.roots.len() != 1 {
            self.export.complaint = Some("ncdu's format holds one directory; .duke holds several".to_owned());
            return None;
        }
        let path = PathBuf::from(OsString::from(name));
        self.mode = Mode::List;
        self.write_file(Order { path, format, old: Old::Kept })
    }

    fn write_file(&mut self, order: Order) -> Option<Effect> {
        // What has begun meanwhile may change what would be written.
        if let Some(reason) = self.may_not_export() {
            self.say(reason);
            return None;
        }
        self.say(format!("Writing {}", order.shown()));
        self.export.order = Some(order.clone());
        Some(Effect::Export(order))
    }

    /// Replaces a file that is there: somebody said Yes.
    pub(super) fn replace_file(&mut self, order: Order) -> Option<Effect> {
        self.write_file(Order { old: Old::Replaced, ..order })
    }

    /// Takes what became of it.
    pub(super) fn take_export(&mut self, told: Told) {
        let Told { order, written } = told;
        let shown = order.shown();
        self.export.order = None;
        self.unask_quit();
        let text = match written {
            Ok(bytes) => format!("Wrote {} to {shown}", plain_size(bytes, self.units)),
            Err(Unwritten::Exists) => {
                // Whoever does something else by now is not interrupted.
                if self.mode == Mode::List && self.question.is_none() {
                    self.ask(About::Replace(order));
                }
                format!("{shown} is there already")
            }
            Err(Unwritten::Stopped) => format!("{shown} was not written"),
            Err(Unwritten::Failed(reason)) => format!("{shown}: {}", escape(reason.as_bytes())),
        };
        self.say(text);
    }
}
