//! Amounts of data and shares, in words.

/// Formats a size: `4 KiB`; in bytes unless it is a whole number of a unit.
pub fn size(bytes: u64) -> String {
    match bytes {
        n if n >= 1 << 20 && n % (1 << 20) == 0 => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 && n % (1 << 10) == 0 => format!("{} KiB", n >> 10),
        n => format!("{n} B"),
    }
}

/// Formats an amount of data with one decimal above bytes: `16 B`, `1.5 KiB`, `64.0 MiB`.
pub fn amount(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = bytes as f64;
    let mut unit = "B";
    for next in units {
        if scaled < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{scaled:.1} {unit}") }
}

/// Formats a share in percent, truncated: `100 %` means all, and `0 %` nothing.
pub fn percent(share: f64) -> String {
    let cut = (share * 10.0).floor() / 10.0;
    if share > 0.0 && cut == 0.0 {
        return "under 0.1 %".to_owned();
    }
    if cut == cut.trunc() { format!("{cut:.0} %") } else { format!("{cut:.1} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_amounts_and_shares_have_units() {
        for (value, text) in [
            (64, "64 B"),
            (1024, "1 KiB"),
            (1448, "1448 B"),
            (1 << 20, "1 MiB"),
            (u64::MAX, "18446744073709551615 B"),
        ] {
            assert_eq!(size(value), text);
        }
        for (value, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (64 << 20, "64.0 MiB")] {
            assert_eq!(amount(value), text);
        }
        assert_eq!(amount(u64::MAX), "16.0 EiB");
        for (value, text) in
            [(100.0, "100 %"), (99.999, "99.9 %"), (0.04, "under 0.1 %"), (0.0, "0 %"), (12.34, "12.3 %")]
        {
            assert_eq!(percent(value), text);
        }
    }
}
