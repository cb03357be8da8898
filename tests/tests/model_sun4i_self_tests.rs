//! The kernel's self-tests of the ciphers of sun4i-ss, in a boot of their own: the other boots have none
//! (cryptomgr.notests), since its hashes, which the model does not have, fail theirs.

use crate::model_sun4i::A20;

outboard_tests::tests_of_model! { A20: the_kernel_finds_every_cipher_right }
