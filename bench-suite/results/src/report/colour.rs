//! A colour per family of engines, a pattern per member: the same in every run and chart.

use maud::PreEscaped;

use crate::format::Run;

/// Okabe and Ito's colours, which people with any colour vision can tell apart, in a form for light
/// and one for dark ground. Their yellow is darkened to be seen on white.
const COLOURS: [(&str, &str); 8] = [
    ("#0072b2", "#56a8e0"),
    ("#d55e00", "#f08a3c"),
    ("#009e73", "#2fc79b"),
    ("#b5548b", "#e08cbb"),
    ("#a88700", "#e6c84a"),
    ("#4a8fbf", "#9fd3f5"),
    ("#7a7a7a", "#a8a8a8"),
    ("#333333", "#dddddd"),
];

/// Dashes of lines, for the members of a family.
const DASHES: [&str; 6] = ["none", "6 3", "2 3", "8 3 2 3", "12 3", "1 5"];

/// How much of its colour a member has.
const STRENGTHS: [f64; 6] = [1.0, 0.62, 0.42, 0.8, 0.52, 0.34];

/// How an engine is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Style {
    /// The class of its colour.
    pub(super) class: String,
    pub(super) dash: &'static str,
    pub(super) strength: f64,
    /// Which member of its family it is.
    pub(super) member: usize,
}

/// All engines of all runs.
pub(super) struct Palette {
    families: Vec<String>,
    engines: Vec<(String, Style)>,
}

impl Palette {
    pub(super) fn new(runs: &[Run]) -> Self {
        let mut palette = Self { families: Vec::new(), engines: Vec::new() };
        for engine in runs.iter().flat_map(|run| &run.engines) {
            palette.add(&engine.name, engine.again.as_deref().unwrap_or(&engine.name));
        }
        palette
    }

    fn add(&mut self, name: &str, family_of: &str) {
        if self.engines.iter().any(|(known, _)| known == name) {
            return;
        }
        let family = family_of.split('/').next().unwrap_or(family_of);
        let at = self.families.iter().position(|known| known == family).unwrap_or_else(|| {
            self.families.push(family.to_owned());
            self.families.len() - 1
        });
        let class = format!("c{}", at % COLOURS.len());
        let member = self.engines.iter().filter(|(_, style)| style.class == class).count();
        let dash = DASHES[member % DASHES.len()];
        let strength = STRENGTHS[member % STRENGTHS.len()];
        self.engines.push((name.to_owned(), Style { class, dash, strength, member }));
    }

    pub(super) fn of(&self, engine: &str) -> Style {
        let plain = || Style { class: "c6".into(), dash: "none", strength: 1.0, member: 0 };
        let known = self.engines.iter().find(|(name, _)| name == engine);
        known.map_or_else(plain, |(_, style)| style.clone())
    }

    /// The colours as CSS classes.
    pub(super) fn css(&self) -> PreEscaped<String> {
        let class = |at: usize, colour: &str| format!(".c{at}{{color:{colour}}}");
        let all = |dark: bool| -> String {
            let each = COLOURS.iter().enumerate();
            each.map(|(at, pair)| class(at, if dark { pair.1 } else { pair.0 })).collect()
        };
        // Paper is light.
        PreEscaped(format!(
            "{}@media screen and (prefers-color-scheme:dark){{{}}}",
            all(false),
            all(true)
        ))
    }
}
