//! The driver families: the accelerators with their devices and boards, one file per vendor or
//! engine; the CPUs' own instructions; software. A new accelerator needs a row in such a file and a
//! name in `families_tests.rs`.

mod allwinner;
mod amcc;
mod amd;
mod amlogic;
mod arm;
mod aspeed;
mod axis;
mod broadcom;
mod chelsio;
mod cortina;
mod cpu_instructions;
mod eip93;
mod hifn;
mod hisilicon;
mod ibm;
mod imagination;
mod intel;
mod lantiq;
mod marvell;
mod mediatek;
mod microchip;
mod nvidia;
mod nxp;
mod qualcomm;
mod rockchip;
mod safexcel;
mod samsung;
mod software;
mod st;
mod starfive;
mod sun;
mod ti;
mod virtio;

use crate::family::{BoardWithoutDriver, Family};

/// Every table: the accelerators first, because some of their names end like those of CPU code
/// (`cbc-aes-sun8i-ce`).
pub(crate) const TABLES: [&[Family]; 33] = [
    allwinner::ROWS,
    amcc::ROWS,
    amd::ROWS,
    amlogic::ROWS,
    arm::ROWS,
    aspeed::ROWS,
    axis::ROWS,
    broadcom::ROWS,
    chelsio::ROWS,
    cortina::ROWS,
    eip93::ROWS,
    hifn::ROWS,
    hisilicon::ROWS,
    ibm::ROWS,
    imagination::ROWS,
    intel::ROWS,
    lantiq::ROWS,
    marvell::ROWS,
    mediatek::ROWS,
    microchip::ROWS,
    nvidia::ROWS,
    nxp::ROWS,
    qualcomm::ROWS,
    rockchip::ROWS,
    safexcel::ROWS,
    samsung::ROWS,
    st::ROWS,
    starfive::ROWS,
    sun::ROWS,
    ti::ROWS,
    virtio::ROWS,
    cpu_instructions::ROWS,
    software::ROWS,
];

pub(crate) const WITHOUT_DRIVER: [&[BoardWithoutDriver]; 2] =
    [broadcom::WITHOUT_DRIVER, rockchip::WITHOUT_DRIVER];
