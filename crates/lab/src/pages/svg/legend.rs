//! The legend above a plot, in as many lines as it needs, so that no name is in the plot area.

use super::{mark, put, text};
use crate::pages::plot::Plot;
use outboard_console::size as bytes;

const LINE: f64 = 19.0;
/// Length of the line sample before a name.
const SAMPLE: f64 = 24.0;
/// Average width of a character; a wide font can exceed it by a fifth, which GAP absorbs.
const CHARACTER: f64 = 7.2;
/// Distance between the line sample and its name.
const NAME_GAP: f64 = 6.0;
/// Distance between entries.
const GAP: f64 = 26.0;
/// Height of the middle of a letter above the baseline.
const MIDDLE: f64 = 4.5;

/// A name and the line sample before it.
struct LegendEntry {
    /// None: the dotted line of the crossover.
    class: Option<&'static str>,
    name: String,
    x: f64,
    y: f64,
}

pub struct Legend {
    entries: Vec<LegendEntry>,
    pub bottom: f64,
}

impl Legend {
    pub fn new(plot: &Plot, left: f64, right: f64) -> Legend {
        let curves = plot.curves.iter().map(|curve| (Some(curve.class), curve.name.clone()));
        let crossover = plot.crossover.map(|size| (None, format!("hardware from {}", bytes(size))));
        let (mut x, mut y) = (left, LINE);
        let mut entries = Vec::new();
        for (class, name) in curves.chain(crossover) {
            let width = SAMPLE + NAME_GAP + name.chars().count() as f64 * CHARACTER;
            if x > left && x + width > right {
                (x, y) = (left, y + LINE);
            }
            entries.push(LegendEntry { class, name, x, y });
            x += width + GAP;
        }
        Legend { entries, bottom: y + 6.0 }
    }

    pub fn draw(&self, svg: &mut String) {
        for LegendEntry { class, name, x, y } in &self.entries {
            let class_of_line = class.map_or("cross".to_owned(), |class| format!("curve {class}"));
            let middle = y - MIDDLE;
            put(svg, format_args!("<path class=\"{class_of_line}\" d=\"M{x:.1} {middle:.1}h{SAMPLE}\"/>\n"));
            if let Some(class) = class {
                put(svg, format_args!("{}\n", mark(class, x + SAMPLE / 2.0, middle)));
            }
            text(svg, (x + SAMPLE + NAME_GAP, *y), "start", class.unwrap_or_default(), name);
        }
    }
}
