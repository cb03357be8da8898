//! The upper tail of the chi-square distribution.

/// The probability that a chi-square variable exceeds `value`: the regularized upper incomplete
/// gamma function of half of both (DLMF 8.7.1 and 8.9.2).
pub(super) fn exceeding(value: f64, degrees: usize) -> f64 {
    let (a, x) = (degrees as f64 / 2.0, value / 2.0);
    if x <= 0.0 {
        return 1.0;
    }
    let factor = (a * x.ln() - x - log_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (1.0 - factor * sum).max(0.0);
    }
    // The continued fraction, by Lentz's method.
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let mut fraction = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let step = -i * (i - a);
        b += 2.0;
        d = 1.0 / (step * d + b);
        c = b + step / c;
        let change = d * c;
        fraction *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    factor * fraction
}

/// The logarithm of the gamma function for positive numbers: Stirling's series (DLMF 5.11.1), with
/// the recurrence for small ones.
fn log_gamma(x: f64) -> f64 {
    if x < 15.0 {
        return log_gamma(x + 1.0) - x.ln();
    }
    let square = x * x;
    let series = 1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series / x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Critical values of the chi-square distribution at 0.001 and 0.05, from tables.
    #[test]
    fn tails_are_those_of_tables() {
        for (value, degrees, probability) in [
            (10.828, 1, 0.001),
            (27.877, 9, 0.001),
            (149.449, 100, 0.001),
            (3.841, 1, 0.05),
            (16.919, 9, 0.05),
            (124.342, 100, 0.05),
            (1.386_294_361, 2, 0.5),
        ] {
            let found = exceeding(value, degrees);
            assert!((found / probability - 1.0).abs() < 1e-3, "{value} {degrees}: {found}");
        }
        // Many degrees: near the normal distribution.
        assert!((exceeding(65_000.0 - 2.0 / 3.0, 65_000) - 0.5).abs() < 1e-4);
    }
}
