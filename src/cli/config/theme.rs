//! Reads `theme` and `[colors]` in the configuration file.

use toml::de::{DeTable, DeValue};

use super::value::word;
use crate::cli::config::contents::{Config, quoted};
use crate::cli::config::position::{Position, Text};
use crate::ui::theme::{Preset, Role, color};

pub fn read_theme(config: &mut Config, value: &DeValue<'_>, at: Position) {
    let wanted = value.as_str().unwrap_or_default();
    if let Some(preset) = Preset::ALL.into_iter().find(|preset| preset.name() == wanted) {
        config.theme.preset = preset;
    } else {
        let names = Preset::ALL.map(Preset::name).join(", ");
        config.warn(at, &format!("unknown theme; expected one of {names}"));
    }
}

pub fn read_colors(config: &mut Config, text: Text<'_>, roles: &DeTable<'_>) {
    for (name, value) in roles {
        let Some(role) = Role::ALL.into_iter().find(|role| role.name() == name.get_ref()) else {
            let names = Role::ALL.map(Role::name).join(", ");
            let reason = format!("unknown color role '{}'; expected one of {names}", quoted(name.get_ref()));
            config.warn(text.position(name.span().start), &reason);
            continue;
        };
        match color(&word(value.get_ref()).unwrap_or_default()) {
            Ok(color) => config.theme.set(role, color),
            Err(reason) => {
                let reason = format!("'{}': {reason}", role.name());
                config.warn(text.position(value.span().start), &reason);
            }
        }
    }
}
