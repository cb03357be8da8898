//! SP 800-38A, appendix F.2: the examples of AES in CBC mode.

/// The IV of all of them.
pub(super) const IV: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

/// The plaintext of all of them.
pub(super) const PLAIN: [u128; 4] = [
    0x6bc1_bee2_2e40_9f96_e93d_7e11_7393_172a,
    0xae2d_8a57_1e03_ac9c_9eb7_6fac_45af_8e51,
    0x30c8_1c46_a35c_e411_e5fb_c119_1a0a_52ef,
    0xf69f_2445_df4f_9b17_ad2b_417b_e66c_3710,
];

/// Each key, and the ciphertext.
pub(super) const CBC: [(&[u8], [u128; 4]); 3] = [
    (
        &[0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c],
        [
            0x7649_abac_8119_b246_cee9_8e9b_12e9_197d,
            0x5086_cb9b_5072_19ee_95db_113a_9176_78b2,
            0x73be_d6b8_e3c1_743b_7116_e69e_2222_9516,
            0x3ff1_caa1_681f_ac09_120e_ca30_7586_e1a7,
        ],
    ),
    (
        &[
            0x8e, 0x73, 0xb0, 0xf7, 0xda, 0x0e, 0x64, 0x52, 0xc8, 0x10, 0xf3, 0x2b, 0x80, 0x90, 0x79, 0xe5,
            0x62, 0xf8, 0xea, 0xd2, 0x52, 0x2c, 0x6b, 0x7b,
        ],
        [
            0x4f02_1db2_43bc_633d_7178_183a_9fa0_71e8,
            0xb4d9_ada9_ad7d_edf4_e5e7_3876_3f69_145a,
            0x571b_2420_12fb_7ae0_7fa9_baac_3df1_02e0,
            0x08b0_e279_8859_8881_d920_a9e6_4f56_15cd,
        ],
    ),
    (
        &[
            0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
            0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
        ],
        [
            0xf58c_4c04_d6e5_f1ba_779e_abfb_5f7b_fbd6,
            0x9cfc_4e96_7edb_808d_679f_777b_c670_2c7d,
            0x39f2_3369_a9d9_bacf_a530_e263_0423_1461,
            0xb2eb_05e2_c39b_e9fc_da6c_1907_8c6a_9d1b,
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::super::aes::Aes;
    use super::*;

    #[test]
    fn the_reference_gives_the_examples() {
        let plain = PLAIN.map(u128::to_be_bytes).concat();
        for (key, cipher) in CBC {
            let cipher = cipher.map(u128::to_be_bytes).concat();
            assert_eq!(Aes::new(key).cbc(true, IV.to_be_bytes(), &plain), cipher);
            assert_eq!(Aes::new(key).cbc(false, IV.to_be_bytes(), &cipher), plain);
        }
    }
}
