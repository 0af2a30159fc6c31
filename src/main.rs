//! A stand-in for the program: browses its arguments.

use duke::scan::Scan;
use duke::size::Units;
use duke::ui::rows::Order;
use duke::ui::theme::{ColorChoice, Colors, Glyphs, Theme};

fn main() {
    let mut roots: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    let ascii = roots.first().is_some_and(|root| root.as_os_str() == "--ascii");
    if ascii {
        roots.remove(0);
    }
    let colors = Colors::detect(ColorChoice::Auto, |name| std::env::var_os(name));
    let glyphs = if ascii { Glyphs::Ascii } else { Glyphs::Unicode };
    let settings = duke::ui::Settings::new(Order::default(), Units::Binary, Theme { colors, glyphs });
    let scan = Scan::start(roots, duke::scan::Options::default()).expect("a thread for the scan");
    if let Err(error) = duke::ui::run(&scan, &settings) {
        eprintln!("duke: {error}");
        std::process::exit(1);
    }
    std::process::exit(0)
}
