//! A plot as SVG: colours come from the page, so that light, dark and paper look right; each curve has marks of its own shape.

use std::fmt::Write;

use crate::html::escape;
use crate::page::{bytes, figure};
use crate::plot::{Axis, Curve, Plot};

/// Of the drawing, in its own units.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 310.0;
/// Of the field of the curves.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 392.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 264.0;
/// Names of curves beside their ends do not touch.
const APART: f64 = 15.0;
const MOST_TICKS: usize = 7;

/// A logarithmic scale.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Over positive values. One value alone stands in the middle.
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (mut low, mut high) = values
            .map(f64::ln)
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (0.0, 0.0);
        }
        // Room, so that no mark lies on the border.
        let room = ((high - low) * 0.05).max(0.2);
        Scale { low: low - room, high: high + room, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value.ln() - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Those of these that are on it, thinned out evenly.
    fn ticks(&self, candidates: impl Iterator<Item = f64>) -> Vec<f64> {
        let is_on_it = |value: &f64| (self.low..=self.high).contains(&value.ln());
        let all: Vec<f64> = candidates.filter(is_on_it).collect();
        let step = all.len().div_ceil(MOST_TICKS).max(1);
        all.into_iter().step_by(step).collect()
    }

    /// Round values; where they are too far apart, less round ones.
    fn of_digits(&self) -> Vec<f64> {
        let round = self.ticks(decades(&[1.0, 2.0, 5.0]));
        if round.len() > 2 {
            round
        } else {
            self.ticks(decades(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]))
        }
    }
}

/// The drawing. `id` is its own on the page.
pub fn draw(plot: &Plot, id: &str) -> String {
    let all = || plot.curves.iter().flat_map(|curve| curve.points.iter().copied());
    let sizes = Scale::new(all().map(|point| point.0), LEFT, RIGHT);
    let values = Scale::new(all().map(|point| point.1), BOTTOM, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n",
        escape(&plot.title),
        escape(&plot.description)
    );
    axes(&mut svg, plot, &sizes, &values);
    if let Some(size) = plot.crossover {
        crossover(&mut svg, size, &sizes);
    }
    let mut names = Vec::new();
    for curve in &plot.curves {
        let points: Vec<(f64, f64)> =
            curve.points.iter().map(|&(size, value)| (sizes.at(size), values.at(value))).collect();
        line(&mut svg, curve, &points);
        let falls = points.len() > 1 && points[points.len() - 1].1 > points[points.len() - 2].1;
        names
            .extend(points.last().map(|&(x, y)| (x, if falls && is_early(x) { y + 26.0 } else { y }, curve)));
    }
    label(&mut svg, names);
    svg + "</svg>\n"
}

fn axes(svg: &mut String, plot: &Plot, sizes: &Scale, values: &Scale) {
    // Sizes span more powers of two than there is room for.
    let step = if plot.axis == Axis::Bytes { 2 } else { 1 };
    for size in sizes.ticks((0..64).step_by(step).map(|power| 2_f64.powi(power))) {
        let x = sizes.at(size);
        put(svg, format_args!("<path class=\"grid\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>\n"));
        let y = BOTTOM + 16.0;
        text(svg, (x, y), "middle", "tick", &plot.axis.value(size));
    }
    for value in values.of_digits() {
        let y = values.at(value);
        put(svg, format_args!("<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>\n"));
        text(svg, (LEFT - 6.0, y + 4.0), "end", "tick", &tick(value));
    }
    text(svg, (LEFT, TOP - 14.0), "start", "tick", plot.unit);
    text(svg, ((LEFT + RIGHT) / 2.0, BOTTOM + 36.0), "middle", "tick", plot.axis.name());
}

/// These digits in every power of ten that a figure could have.
fn decades(digits: &[f64]) -> impl Iterator<Item = f64> {
    (-12..16).flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)))
}

fn tick(value: f64) -> String {
    if (0.000_99..1e6).contains(&value) { format!("{}", (value * 1e3).round() / 1e3) } else { figure(value) }
}

fn crossover(svg: &mut String, size: u64, sizes: &Scale) {
    let x = sizes.at(size.max(1) as f64);
    let words = format!("hardware from {}", bytes(size));
    if !(LEFT..=RIGHT).contains(&x) {
        return text(svg, (RIGHT, TOP - 4.0), "end", "", &words);
    }
    put(svg, format_args!("<path class=\"cross\" d=\"M{x:.1} {TOP}V{BOTTOM}\"/>\n"));
    let anchor = if x > (LEFT + RIGHT) / 2.0 { "end" } else { "start" };
    let x = x.max(LEFT + 60.0);
    text(svg, (x, TOP - 4.0), anchor, "", &words);
}

fn line(svg: &mut String, curve: &Curve, points: &[(f64, f64)]) {
    let class = curve.class;
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    put(svg, format_args!("<path class=\"curve {class}\" d=\"M{}\"/>\n", path.join("L")));
    for &(x, y) in points {
        put(svg, format_args!("{}\n", mark(class, x, y)));
    }
}

/// Each kind of curve has a shape of its own.
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

/// A curve that ends here has others behind it.
fn is_early(x: f64) -> bool {
    x < RIGHT - 30.0
}

/// Names beside the ends of the curves, pushed down where they would lie on each other.
fn label(svg: &mut String, mut names: Vec<(f64, f64, &Curve)>) {
    names.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut free = f64::MIN;
    for (x, y, curve) in names {
        // One that ends early has its name before its end, where the others are not.
        if is_early(x) {
            text(svg, (x - 8.0, y - 6.0), "end", curve.class, &curve.name);
            continue;
        }
        let y = (y + 4.0).max(free);
        free = y + APART;
        text(svg, (x + 9.0, y), "start", curve.class, &curve.name);
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

/// Writing to a string cannot fail.
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
