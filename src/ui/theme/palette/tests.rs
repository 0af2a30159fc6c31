//! Tests that colors are legible and distinct. Contrast is computed as defined by the W3C (WCAG 2, relative
//! luminance), color blindness is simulated as described by Machado, Oliveira and Fernandes (2009), and
//! differences are distances in CIE L*a*b*.

use super::convert::{distance, exact, nearest, nearest_of_palette};
use super::*;

type Linear = [f64; 3];

/// Matrix for normal vision, which changes no color.
const ALL_CONES: [Linear; 3] = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
const PROTANOPIA: [Linear; 3] = [
    [0.152_286, 1.052_583, -0.204_868],
    [0.114_503, 0.786_281, 0.099_216],
    [-0.003_882, -0.048_116, 1.051_998],
];
const DEUTERANOPIA: [Linear; 3] = [
    [0.367_322, 0.860_646, -0.227_968],
    [0.280_085, 0.672_501, 0.047_413],
    [-0.011_820, 0.042_940, 0.968_881],
];
const TRITANOPIA: [Linear; 3] = [
    [1.255_528, -0.076_749, -0.178_779],
    [-0.078_411, 0.930_809, 0.147_602],
    [0.004_733, 0.691_367, 0.303_900],
];

/// Returns the `degree`-th root of a number from 0 to 2, computed by Newton's method. `f64::powf` and `cbrt` need the
/// C library, which is missing when the tests of the macOS build run on Linux.
fn root(number: f64, degree: u8) -> f64 {
    let before = |power: f64, root: f64| (1..degree).fold(power, |power, _| power / root);
    (0..60).fold(1., |root, _| root + (before(number, root) - root) / f64::from(degree))
}

fn linear(color: [u8; 3]) -> Linear {
    color.map(|part| {
        let part = f64::from(part) / 255.;
        if part <= 0.040_45 { part / 12.92 } else { root((part + 0.055) / 1.055, 5).powi(12) }
    })
}

fn times(matrix: &[Linear; 3], color: Linear) -> Linear {
    matrix.map(|row| (row[0] * color[0] + row[1] * color[1] + row[2] * color[2]).clamp(0., 1.))
}

fn luminance(color: Linear) -> f64 {
    0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(linear(one)), luminance(linear(other)));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn lab([red, green, blue]: Linear) -> Linear {
    let x = 0.4124 * red + 0.3576 * green + 0.1805 * blue;
    let z = 0.0193 * red + 0.1192 * green + 0.9505 * blue;
    let [x, y, z] = [x / 0.950_47, luminance([red, green, blue]), z / 1.088_83]
        .map(|t| if t > 216. / 24_389. { root(t, 3) } else { (24_389. / 27. * t + 16.) / 116. });
    [116. * y - 16., 500. * (x - y), 200. * (y - z)]
}

fn difference(eyes: &[Linear; 3], one: [u8; 3], other: [u8; 3]) -> f64 {
    let [one, other] = [one, other].map(|color| lab(times(eyes, linear(color))));
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
}

/// Returns the red, green and blue components of a role's color; `None` if the role has no color in `preset`.
/// `colors` must be `Palette` or `True`, because the appearance of the sixteen ANSI colors is unknown.
fn known(preset: Preset, background: Background, role: Role, colors: Colors) -> Option<[u8; 3]> {
    match preset.color(role, background, colors)? {
        Color::Indexed(index) => Some(exact(index)),
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        _ => None,
    }
}

const COLORED: [Preset; 2] = [Preset::Default, Preset::ColorBlind];
const DEEP: [Colors; 2] = [Colors::Palette, Colors::True];

#[test]
fn text_is_legible_on_its_background() {
    for (preset, colors) in COLORED.into_iter().flat_map(|preset| DEEP.map(|colors| (preset, colors))) {
        // Common backgrounds of terminals. The theme's own backgrounds are added below.
        for (background, plain) in [
            (Background::Dark, [[0; 3], [0x1e, 0x1e, 0x1e], [0x28, 0x2a, 0x36]]),
            (Background::Light, [[255; 3], [0xfa, 0xfa, 0xfa], [0xfd, 0xf6, 0xe3]]),
        ] {
            let color = |role| known(preset, background, role, colors);
            let own = [Role::Surface, Role::Selected].map(|role| color(role).unwrap());
            let texts = Role::ALL.into_iter().filter(|role| {
                !role.is_cell() && !role.is_background() && !matches!(role, Role::Bar | Role::BarStart)
            });
            for (role, text) in texts.filter_map(|role| Some((role, color(role)?))) {
                for below in plain.into_iter().chain(own) {
                    // Unimportant text may be fainter.
                    let least = if role == Role::Faint { 3.0 } else { 4.0 };
                    let found = contrast(text, below);
                    let on = format!("{preset:?} {role:?} {colors:?} on {below:?}");
                    assert!(found >= least, "{on}: {found:.2}");
                }
            }
        }
    }
}

#[test]
fn text_in_cells_is_legible_on_every_color() {
    let ratio = |color: Color, [red, green, blue]: [u8; 3]| {
        let style = filled(Style::new().fg(color));
        assert_eq!(style.bg, Some(color));
        let Some(Color::Indexed(ink)) = style.fg else { panic!("{style:?}") };
        contrast(exact(ink), [red, green, blue])
    };
    for (preset, colors) in COLORED.into_iter().flat_map(|preset| DEEP.map(|colors| (preset, colors))) {
        for background in [Background::Dark, Background::Light] {
            for role in Role::ALL {
                let Some(color) = preset.color(role, background, colors) else { continue };
                let found = ratio(color, known(preset, background, role, colors).unwrap());
                assert!(found >= 4.5, "{preset:?} {role:?} {colors:?}: {found:.2}");
            }
        }
    }
    for index in 16..=255 {
        let found = ratio(Color::Indexed(index), exact(index));
        assert!(found >= 4.3, "{index}: {found:.2}");
    }
    // The terminal defines the components of these colors, so their contrast with black and white is unknown.
    for color in [Color::Indexed(3), Color::Red] {
        assert_eq!(filled(Style::new().fg(color)), Style::new().fg(color).reversed());
    }
}

#[test]
fn no_two_colors_are_confused() {
    let cells = || Role::ALL.into_iter().filter(|role| role.is_category());
    let pairs: Vec<(Role, Role)> = cells()
        .flat_map(|one| {
            cells().filter(move |other| *other as usize > one as usize).map(move |other| (one, other))
        })
        .chain([(Role::More, Role::Less), (Role::Directory, Role::Link), (Role::Directory, Role::Special)])
        .collect();
    let blind = [&PROTANOPIA, &DEUTERANOPIA, &TRITANOPIA];
    for (preset, eyes, least) in [
        (Preset::Default, &[&ALL_CONES][..], 18.),
        (Preset::ColorBlind, &[&ALL_CONES][..], 18.),
        (Preset::ColorBlind, &blind[..], 9.),
    ] {
        for eyes in eyes {
            for (background, (one, other)) in [Background::Dark, Background::Light]
                .into_iter()
                .flat_map(|it| pairs.iter().map(move |pair| (it, *pair)))
            {
                let color = |role| known(preset, background, role, Colors::True).unwrap();
                let found = difference(eyes, color(one), color(other));
                assert!(found >= least, "{preset:?} {background:?} {one:?} {other:?}: {found:.1}");
            }
        }
    }
}

#[test]
fn bars_stand_out_from_their_track_and_ages_have_an_order() {
    const AGES: [Role; 5] = [Role::Age1, Role::Age2, Role::Age3, Role::Age4, Role::Age5];
    for (preset, colors) in COLORED.into_iter().flat_map(|preset| DEEP.map(|colors| (preset, colors))) {
        for background in [Background::Dark, Background::Light] {
            let color = |role| known(preset, background, role, colors).unwrap();
            let found = |role| contrast(color(role), color(Role::Track));
            for role in Role::ALL.into_iter().filter(|role| role.is_cell()) {
                let found = found(role);
                assert!(found >= 2., "{preset:?} {background:?} {role:?} {colors:?}: {found:.2}");
            }
            assert!(AGES.map(found).is_sorted_by(|one, next| *one > 1.1 * next), "{:?}", AGES.map(found));
        }
    }
}

#[test]
fn roles_differ_without_colors() {
    for preset in Preset::ALL {
        let options = ThemeOptions { preset, ..ThemeOptions::default() };
        let style = |role| options.style(role, Colors::None);
        assert!(Role::ALL.into_iter().all(|role| style(role).fg.is_none() && style(role).bg.is_none()));
        let distinct = [Role::Plain, Role::Strong, Role::Selected].map(style);
        assert!(distinct[0] != distinct[1] && distinct[1] != distinct[2]);
        assert_ne!(style(Role::Warning), style(Role::Plain));
    }
}

#[test]
fn presets_determine_the_colored_roles() {
    let colored = |preset| {
        let options = ThemeOptions { preset, ..ThemeOptions::default() };
        Role::ALL.into_iter().filter(|role| options.style(*role, Colors::True).fg.is_some()).count()
    };
    assert_eq!(Preset::ALL.map(colored), [26, 26, 26, 26, 13, 0]);
    let high = ThemeOptions { preset: Preset::HighContrast, ..ThemeOptions::default() };
    let dimmed = |role: &Role| high.style(*role, Colors::None).add_modifier.contains(Modifier::DIM);
    assert!(!Role::ALL.iter().any(dimmed));
}

#[test]
fn the_users_color_has_precedence_as_far_as_the_terminal_supports_it() {
    let mut options = ThemeOptions { preset: Preset::Plain, ..ThemeOptions::default() };
    options.set(Role::Bar, Color::Rgb(0xff, 0x00, 0x01));
    let bar = |colors| options.style(Role::Bar, colors).fg;
    assert_eq!(bar(Colors::True), Some(Color::Rgb(0xff, 0x00, 0x01)));
    assert_eq!(bar(Colors::Palette), Some(Color::Indexed(196)));
    assert_eq!(bar(Colors::Sixteen), Some(Color::Indexed(9)));
    assert_eq!(bar(Colors::None), None);
    options.set(Role::Faint, Color::Indexed(232));
    assert_eq!(options.style(Role::Faint, Colors::Sixteen).fg, Some(Color::Indexed(0)));
    assert_eq!(options.style(Role::Faint, Colors::Sixteen).add_modifier, Modifier::empty());
    assert_eq!(options.style(Role::Plain, Colors::True).fg, None);
}

#[test]
fn colors_are_read_back_from_their_names() {
    let named = ["blue", "bright-blue", "Light Red", "gray", "white", "#3A80c4", "0", "255", "terminal"];
    for word in named {
        let read = color(word).unwrap();
        assert_eq!(color(&color_name(read)), Ok(read), "{word}");
    }
    for word in ["", "bleu", "#3a80c", "#3a80cg", "256", "-1", "é"] {
        assert!(color(word).unwrap_err().starts_with("unknown color; "), "{word}");
    }
}

#[test]
fn every_number_of_the_palette_is_nearest_to_itself() {
    for index in 16..=255 {
        assert_eq!(exact(nearest(16..=255, exact(index))), exact(index));
    }
    for index in 0..16 {
        assert_eq!(nearest(0..16, exact(index)), index);
    }
}

#[test]
fn a_color_is_replaced_by_one_of_the_nearest_in_the_palette() {
    let steps = || (0..=255).step_by(15);
    let grays = (0..=255).map(|part| [part; 3]);
    let colors =
        steps().flat_map(|red| steps().flat_map(move |green| steps().map(move |blue| [red, green, blue])));
    for wanted in colors.chain(grays) {
        let found = distance(nearest_of_palette(wanted), wanted);
        assert_eq!(found, distance(nearest(16..=255, wanted), wanted), "{wanted:?}");
    }
}

#[test]
fn the_environment_names_the_background() {
    for (variable, background) in [
        (None, Background::Dark),
        (Some("15;0"), Background::Dark),
        (Some("0;15"), Background::Light),
        (Some("0;default;15"), Background::Light),
        (Some("12;8"), Background::Dark),
        (Some("0;7"), Background::Light),
        (Some("default;default"), Background::Dark),
    ] {
        assert_eq!(Background::detect(variable), background, "{variable:?}");
    }
}
