//! What the model of a machine alone reveals: the engine of its chip, and whether Linux has a
//! driver for it.

use crate::chips::WITHOUT_DRIVER;
use crate::families::all;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownBoard {
    pub name: &'static str,
    /// The id of its engine's driver family.
    pub engine: Option<&'static str>,
    pub remark: Option<&'static str>,
}

/// The board whose word occurs in one of the texts. If several match, the one with the longest
/// word, so that `marvell,armada3700` is not mistaken for `marvell,armada370`.
pub fn recognise<'a>(texts: impl Iterator<Item = &'a str>) -> Option<KnownBoard> {
    let texts: Vec<&str> = texts.collect();
    let with_engine = all().flat_map(|family| {
        let engine = Some(family.id);
        family
            .boards
            .iter()
            .map(move |board| (board.words, KnownBoard { name: board.name, engine, remark: None }))
    });
    let without = WITHOUT_DRIVER.into_iter().flatten().map(|board| {
        (board.words, KnownBoard { name: board.name, engine: None, remark: Some(board.remark) })
    });
    let mut best: Option<(usize, KnownBoard)> = None;
    for (words, board) in with_engine.chain(without) {
        for word in words.iter().filter(|word| texts.iter().any(|text| text.contains(**word))) {
            if best.is_none_or(|(longest, _)| longest < word.len()) {
                best = Some((word.len(), board));
            }
        }
    }
    best.map(|(_, board)| board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_that_guides_name_are_recognised() {
        for (text, engine) in [
            ("marvell,armada388", Some("marvell-cesa")),
            ("marvell,kirkwood-88f6281", Some("marvell-cesa")),
            ("marvell,armada3720", Some("safexcel")),
            ("marvell,armada3700", Some("safexcel")),
            ("marvell,armada370", Some("marvell-cesa")),
            ("fsl,imx6ull-14x14-evk", Some("mxs-dcp")),
            ("fsl,imx6q", Some("caam")),
            ("ti,am335x-bone", Some("omap")),
            ("ti,am437x-gp-evm", Some("omap")),
            ("ti,dra742", Some("omap")),
            ("ti,am625", Some("sa2ul")),
            ("ti,am62l3-evm", Some("dthev2")),
            ("ti,am642-sk", Some("sa2ul")),
            ("ti,j721s2", Some("sa2ul")),
            ("MediaTek MT7621 ver:1 eco:3", Some("eip93")),
            ("Geode(TM) Integrated Processor by AMD PCS", Some("geode")),
            ("brcm,bcm2711", None),
            ("Broadcom BCM5365", None),
        ] {
            let board = recognise([text].into_iter()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(board.engine, engine, "{text}");
        }
        assert!(recognise(["QEMU Standard PC"].into_iter()).is_none());
    }

    #[test]
    fn no_word_names_two_boards() {
        let mut words: Vec<&str> =
            all().flat_map(|family| family.boards).flat_map(|board| board.words).copied().collect();
        words.extend(WITHOUT_DRIVER.into_iter().flatten().flat_map(|board| board.words));
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
