//! Draws a plot as SVG. The page defines the colours, for light, dark and printed pages; each curve
//! has marks of a distinct shape.

mod legend;

use std::fmt::Write;

use crate::pages::html::escape;
use crate::pages::page::figure;
use crate::pages::plot::{Axis, Curve, Plot, Sample};
use legend::Legend;

/// Width of the drawing in its own units.
const WIDTH: f64 = 480.0;
/// Left and right edges of the plot area; its top is below the legend.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 468.0;
const FIELD: f64 = 236.0;
const ABOVE: f64 = 28.0;
const BELOW: f64 = 46.0;
const MOST_TICKS: usize = 7;
/// Minimum length of an error bar that is drawn.
const BAR: f64 = 3.0;
/// An error bar ends at this share of its value at the lowest: a logarithmic scale has no zero.
const LEAST_PART: f64 = 0.2;

struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (mut low, mut high) = values
            .map(f64::ln)
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (0.0, 0.0);
        }
        // Leave space, so that no mark is on the edge.
        let room = ((high - low) * 0.05).max(0.2);
        Scale { low: low - room, high: high + room, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value.ln() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    fn ticks(&self, candidates: impl Iterator<Item = f64>) -> Vec<f64> {
        let is_on_it = |value: &f64| (self.low..=self.high).contains(&value.ln());
        let all: Vec<f64> = candidates.filter(is_on_it).collect();
        let step = all.len().div_ceil(MOST_TICKS).max(1);
        all.into_iter().step_by(step).collect()
    }

    /// Returns round values, or less round ones if too few are on the scale.
    fn of_digits(&self) -> Vec<f64> {
        let round = self.ticks(decades(&[1.0, 2.0, 5.0]));
        if round.len() > 2 {
            round
        } else {
            self.ticks(decades(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]))
        }
    }
}

/// Draws the plot. `id` must be unique in the page.
pub fn draw(plot: &Plot, id: &str) -> String {
    let legend = Legend::new(plot, LEFT - 40.0, RIGHT);
    let top = legend.bottom + ABOVE;
    let (bottom, height) = (top + FIELD, top + FIELD + BELOW);
    let all = || plot.curves.iter().flat_map(|curve| &curve.points);
    let sizes = Scale::new(all().map(|point| point.at), LEFT, RIGHT);
    let values =
        Scale::new(all().flat_map(|point| [point.value, low(point), point.value + point.off]), bottom, top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n",
        escape(&plot.title),
        escape(&plot.description)
    );
    legend.draw(&mut svg);
    axes(&mut svg, plot, &sizes, &values, (top, bottom));
    if let Some(size) = plot.crossover {
        let x = sizes.at(size.max(1) as f64);
        if (LEFT..=RIGHT).contains(&x) {
            put(&mut svg, format_args!("<path class=\"cross\" d=\"M{x:.1} {top}V{bottom}\"/>\n"));
        }
    }
    plot.curves.iter().for_each(|curve| line(&mut svg, curve, &sizes, &values));
    svg + "</svg>\n"
}

fn low(point: &Sample) -> f64 {
    (point.value - point.off).max(point.value * LEAST_PART)
}

fn axes(svg: &mut String, plot: &Plot, sizes: &Scale, values: &Scale, (top, bottom): (f64, f64)) {
    // Sizes span more powers of two than fit on the axis.
    let step = if plot.axis == Axis::Bytes { 2 } else { 1 };
    for size in sizes.ticks((0..64).step_by(step).map(|power| 2_f64.powi(power))) {
        let x = sizes.at(size);
        put(svg, format_args!("<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/>\n"));
        text(svg, (x, bottom + 16.0), "middle", "tick", &plot.axis.value(size));
    }
    for value in values.of_digits() {
        let y = values.at(value);
        put(svg, format_args!("<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\n"));
        text(svg, (LEFT - 6.0, y + 4.0), "end", "tick", &tick(value));
    }
    text(svg, (LEFT - 40.0, top - 12.0), "start", "tick", plot.unit);
    text(svg, ((LEFT + RIGHT) / 2.0, bottom + 36.0), "middle", "tick", plot.axis.name());
}

/// Returns these digits for every power of ten that a figure can have.
fn decades(digits: &[f64]) -> impl Iterator<Item = f64> {
    (-12..16).flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)))
}

fn tick(value: f64) -> String {
    if (0.000_99..1e6).contains(&value) { format!("{}", (value * 1e3).round() / 1e3) } else { figure(value) }
}

fn line(svg: &mut String, curve: &Curve, sizes: &Scale, values: &Scale) {
    let class = curve.class;
    let points: Vec<(f64, f64)> =
        curve.points.iter().map(|point| (sizes.at(point.at), values.at(point.value))).collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    put(svg, format_args!("<path class=\"curve {class}\" d=\"M{}\"/>\n", path.join("L")));
    for (&(x, y), point) in points.iter().zip(&curve.points) {
        let (low, high) = (values.at(low(point)), values.at(point.value + point.off));
        // An error bar that the mark would cover is not drawn.
        if low - high > BAR {
            put(
                svg,
                format_args!(
                    "<path class=\"bars {class}\" d=\"M{x:.1} {low:.1}V{high:.1}M{:.1} {high:.1}h6m-6 {:.1}h6\"/>\n",
                    x - 3.0,
                    low - high
                ),
            );
        }
        put(svg, format_args!("{}\n", mark(class, x, y)));
    }
}

fn mark(class: &str, x: f64, y: f64) -> String {
    let path = |at: f64, shape: &str| format!("<path class=\"mark {class}\" d=\"M{x:.1} {at:.1}{shape}\"/>");
    match class {
        "software" => format!("<circle class=\"mark {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
        "hardware" => format!(
            "<rect class=\"mark {class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"7\" height=\"7\"/>",
            x - 3.5,
            y - 3.5
        ),
        "without" => path(y + 5.5, "l5 -9h-10z"),
        "third" => path(y - 5.0, "l5 5l-5 5l-5 -5z"),
        "kernel" => path(y - 5.0, "v10m-5 -5h10"),
        _ => path(y - 5.5, "l5 9h-10z"),
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, class: &str, words: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    put(
        svg,
        format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{class}>{}</text>\n",
            escape(words)
        ),
    );
}

fn put(svg: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = svg.write_fmt(what);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_logarithmic_and_hold_all_values() {
        let scale = Scale::new([64.0, 65536.0].into_iter(), 0.0, 100.0);
        let [low, middle, high] = [64.0, 2048.0, 65536.0].map(|size| scale.at(size));
        assert!((middle - 50.0).abs() < 1e-9 && (low - 4.5).abs() < 0.1 && (high - 95.5).abs() < 0.1);
        let one = Scale::new([5.0].into_iter(), 0.0, 100.0);
        assert!((one.at(5.0) - 50.0).abs() < 1e-9);
        assert!(Scale::new(std::iter::empty(), 0.0, 100.0).at(1.0).is_finite());
    }

    #[test]
    fn ticks_are_few_and_round() {
        let scale = Scale::new([0.9, 1100.0].into_iter(), 0.0, 100.0);
        let ticks = scale.of_digits();
        assert!((3..=MOST_TICKS).contains(&ticks.len()), "{ticks:?}");
        let narrow = Scale::new([60.0, 70.0].into_iter(), 0.0, 100.0);
        assert_eq!(narrow.of_digits().into_iter().map(tick).collect::<Vec<_>>(), ["50", "60", "70", "80"]);
        assert_eq!([0.001, 0.5, 20.0, 1e7].map(tick), ["0.001", "0.5", "20", "10000000"]);
    }
}
