//! Lantiq (now MaxLinear).

use crate::family::Completion::Polled;
use crate::family::{Board, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[Family {
    id: "ltq-deu",
    vendor: "Lantiq",
    kind: EngineKind::SocEngine,
    found_in: "Lantiq Danube, AR9, VR9 gateways",
    algorithms: "cbc(aes)|ecb(aes)|ctr(aes)|cbc(des)|cbc(des3_ede)|md5|sha1",
    limits: &[Limit {
        text: "out of tree, in OpenWrt for the lantiq target: kmod-ltq-deu-danube, -ar9, \
                    -vr9",
        source: "https://github.com/openwrt/openwrt/tree/openwrt-22.03/package/kernel/\
                    lantiq/ltq-deu",
    }],
    source: "https://github.com/openwrt/openwrt/tree/openwrt-22.03/package/kernel/lantiq/\
            ltq-deu",
    names: "ltq_deu*|ltqdeu*|*-ltq_deu*",
    modules: "ltq_deu_danube|ltq_deu_ar9|ltq_deu_vr9",
    completion: Polled,
    chip: "Lantiq Data Encryption Unit (out of tree)",
    boards: &[Board {
        words: &["lantiq,vr9", "lantiq,ar9", "lantiq,danube"],
        name: "Lantiq VR9, AR9 or Danube",
    }],
    ..Family::ROW
}];
