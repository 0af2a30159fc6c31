//! Settings of a browser, from the command line and the configuration.

use jiff::tz::TimeZone;

use super::keys::Keymap;
use super::notice::Notice;
use super::options::{DeletePolicy, MouseCapture, Start, TabProgress};
use super::theme::Theme;
use crate::base::format::Units;
use crate::source::SourceKind;
use crate::table::rows::Order;

/// Settings of a browser.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Initial order of entries, and the measure of sizes.
    pub order: Order,
    /// Unit system of sizes.
    pub units: Units,
    /// Theme.
    pub theme: Theme,
    /// Key bindings.
    pub keymap: Keymap,
    /// Notice that is shown until the first key.
    pub notice: Option<Notice>,
    /// Time zone of displayed times.
    pub zone: TimeZone,
    /// Use of the mouse.
    pub mouse: MouseCapture,
    /// Progress in the terminal's tab.
    pub tab: TabProgress,
    /// Policy for deletion.
    pub policy: DeletePolicy,
    /// Kind of the source, which determines if the tree can be rescanned and changed.
    pub source_kind: SourceKind,
    /// View that is shown first.
    pub start: Start,
}

impl Settings {
    /// Returns the default settings.
    pub fn new(order: Order, units: Units, theme: Theme, zone: TimeZone) -> Self {
        Self {
            order,
            units,
            theme,
            keymap: Keymap::default(),
            notice: None,
            zone,
            mouse: MouseCapture::default(),
            tab: TabProgress::default(),
            source_kind: SourceKind::default(),
            start: Start::default(),
            policy: DeletePolicy::default(),
        }
    }
}
