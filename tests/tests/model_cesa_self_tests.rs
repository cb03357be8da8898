//! The kernel's self-tests of CESA's ciphers, in a boot of their own: the other boots have none
//! (cryptomgr.notests), since the hashes of this driver fail theirs.

use outboard_tests::modelled::ModelNames;

use crate::model_cesa::CESA;

const WITH_DES: ModelNames = ModelNames {
    ciphers: &["mv-ecb-aes", "mv-cbc-aes", "mv-ecb-des", "mv-cbc-des", "mv-ecb-des3-ede", "mv-cbc-des3-ede"],
    ..CESA
};

outboard_tests::tests_of_model! { WITH_DES: the_kernel_finds_every_cipher_right }
