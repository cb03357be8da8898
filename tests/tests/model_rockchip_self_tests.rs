//! The kernel's self-tests of the ciphers of rk_crypto, in a boot of their own: the other boots have none
//! (cryptomgr.notests), since its hashes, which the model does not have, fail theirs.

use crate::model_rockchip::RK3288;

outboard_tests::tests_of_model! { RK3288: the_kernel_finds_every_cipher_right }
