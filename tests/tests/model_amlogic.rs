//! Mainline's driver for Amlogic's engine (amlogic-gxl-crypto) on a model of the GXL's (models/), whose
//! only source is this driver: it proves plumbing only.

use outboard_tests::modelled::ModelNames;

const GXL: ModelNames = ModelNames {
    driver: "amlogic-gxl-crypto",
    module: "amlogic_gxl_crypto",
    id: ("0x17ef", "0x6c58"),
    device: "3e0b0000.crypto",
    lines: "gxl-crypto",
    starts_per_request: 1,
    ciphers: &["ecb-aes-gxl", "cbc-aes-gxl"],
    cbc: "cbc-aes-gxl",
    ecb: "ecb-aes-gxl",
};

outboard_tests::tests_of_model!(GXL);
