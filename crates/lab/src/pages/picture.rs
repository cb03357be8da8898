//! Pictures of the output of a random number generator, as SVG: a histogram and an image of bits.
//! The page defines the colours.

use std::fmt::Write;

use crate::pages::html::escape;

/// Width of a histogram in its own units, and the height of its longest bar.
const WIDTH: f64 = 512.0;
const HEIGHT: f64 = 160.0;
const MOST_BARS: usize = 256;
const ROW: usize = 128;
const MOST_ROWS: usize = 128;

pub struct Picture {
    pub title: String,
    pub description: String,
    pub caption: String,
    drawing: Drawing,
}

enum Drawing {
    Histogram(Vec<u64>),
    Bits(Vec<bool>),
}

impl Picture {
    /// The number of samples of each value; `None` without samples.
    pub fn histogram(source: &str, counts: &[u64]) -> Option<Picture> {
        let counts = counts.get(..MOST_BARS).unwrap_or(counts);
        let (least, most) = (counts.iter().min()?, counts.iter().max().filter(|&&most| most > 0)?);
        let sum = counts.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        let mean = sum as f64 / counts.len() as f64;
        Some(Picture {
            title: format!("Values of the samples of {source}"),
            description: format!("A bar for each of {} values. The line is the mean.", counts.len()),
            caption: format!(
                "Histogram of {source}: each of the {} values occurs {least} to {most} times, on average {mean:.1} times.",
                counts.len()
            ),
            drawing: Drawing::Histogram(counts.to_vec()),
        })
    }

    /// The bits of a hexadecimal text; `None` if it has none.
    pub fn bits(source: &str, digits: &str) -> Option<Picture> {
        let digits = digits.chars().map_while(|digit| digit.to_digit(16)).take(ROW * MOST_ROWS / 4);
        let bits: Vec<bool> =
            digits.flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1)).collect();
        let ones = bits.iter().filter(|&&bit| bit).count();
        (!bits.is_empty()).then(|| Picture {
            title: format!("The first bits of {source}"),
            description: format!("Rows of {ROW} bits; ones are dark. A good source shows no pattern."),
            caption: format!("The first {} bits of {source}, in rows of {ROW}: {ones} are ones.", bits.len()),
            drawing: Drawing::Bits(bits),
        })
    }

    /// Draws the picture. `id` must be unique in the page.
    pub fn svg(&self, id: &str) -> String {
        let (width, height, path) = match &self.drawing {
            Drawing::Histogram(counts) => (WIDTH, HEIGHT, bars(counts)),
            Drawing::Bits(bits) => (ROW as f64, bits.len().div_ceil(ROW) as f64, dots(bits)),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">{}</title>\n\
             <desc id=\"{id}-d\">{}</desc>\n{path}</svg>\n",
            escape(&self.title),
            escape(&self.description)
        )
    }
}

fn bars(counts: &[u64]) -> String {
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let width = WIDTH / counts.len() as f64;
    let mut path = String::new();
    for (number, &count) in counts.iter().enumerate() {
        let height = HEIGHT * count as f64 / most;
        let (left, top) = (number as f64 * width, HEIGHT - height);
        // Writing to a string cannot fail.
        let _ = write!(path, "M{left:.1} {top:.1}h{width:.1}v{height:.1}h-{width:.1}z");
    }
    let mean = counts.iter().map(|&count| count as f64).sum::<f64>() / counts.len() as f64;
    let mean = HEIGHT - HEIGHT * mean / most;
    format!("<path class=\"fill\" d=\"{path}\"/>\n<path class=\"cross\" d=\"M0 {mean:.1}H{WIDTH}\"/>\n")
}

fn dots(bits: &[bool]) -> String {
    let mut path = String::new();
    for (y, row) in bits.chunks(ROW).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if run[0] {
                let _ = write!(path, "M{x} {y}h{0}v1h-{0}z", run.len());
            }
            x += run.len();
        }
    }
    format!("<path class=\"ink\" d=\"{path}\"/>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_their_share_of_the_longest() {
        let svg = Picture::histogram("x", &[5, 10]).expect("counts").svg("id");
        assert!(svg.contains("M0.0 80.0h256.0v80.0h-256.0zM256.0 0.0h256.0v160.0h-256.0z"), "{svg}");
        assert!(svg.contains("M0 40.0H512"), "{svg}");
    }

    #[test]
    fn ones_are_dots_in_their_row() {
        let picture = Picture::bits("x", &format!("{}9", "0".repeat(32))).expect("bits");
        let svg = picture.svg("id");
        assert!(svg.contains("M0 1h1v1h-1zM3 1h1v1h-1z") && svg.contains("0 0 128 2"), "{svg}");
        assert!(picture.caption.contains("first 132 bits of x, in rows of 128: 2 are ones"));
    }

    #[test]
    fn nothing_and_damaged_counts_have_no_picture_or_a_finite_one() {
        assert!(Picture::histogram("x", &[]).is_none() && Picture::histogram("x", &[0, 0]).is_none());
        assert!(Picture::bits("x", "").is_none() && Picture::bits("x", "zz").is_none());
        let large = Picture::histogram("x", &[u64::MAX; 1000]).expect("counts").svg("id");
        assert!(!large.contains("NaN") && !large.contains("inf") && large.len() < 20_000);
        let many = Picture::bits("x", &"f".repeat(1_000_000)).expect("bits").svg("id");
        assert!(many.contains("0 0 128 128"));
    }
}
