//! GHASH by this CPU's instructions: equal to that of OpenSSL.

use outboard_ghash::Powers;
use outboard_tests::bytes::{array, bytes};
use outboard_tests::evp::{Cipher, Context, Direction, LibraryContext};
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};

const BLOCK: usize = 16;

/// Of an empty message GHASH is 0, so that its tag is what is added to the hash of each message under
/// the same nonce (SP 800-38D, 7.1).
#[test]
fn messages_of_any_length_have_the_hash_that_is_in_the_tag_of_openssl() {
    let world = LibraryContext::new();
    let fetch = |name| Cipher::fetch(&world, name, "provider=default").expect("a cipher");
    let (gcm, ecb) = (fetch("AES-128-GCM"), fetch("AES-128-ECB"));
    let nonce: [u8; NONCE] = array(1);
    for seed in 0..8 {
        let key = bytes(seed, BLOCK);
        let mut context = Context::keyed(&ecb, &key, &[0; BLOCK], Direction::Encrypt);
        context.set_padding(false).expect("padding off");
        let mut hash_key = [0; 2 * BLOCK];
        context.update(&[0; BLOCK], &mut hash_key).expect("a block");
        let hash_key = hash_key[..BLOCK].try_into().expect("a block");
        let powers: Vec<Powers> = Powers::by_each_method(hash_key).collect();
        assert!(!powers.is_empty(), "no method of this CPU");
        let mut stream = MessageStream::new(&gcm, &key, Direction::Encrypt);
        let mut sealed = |aad: &[u8], text: Vec<u8>| {
            let message = StreamMessage { nonce, aad: aad.to_vec(), text, tag: Vec::new() };
            stream.process(&message, false).expect("sealed")
        };
        let mask = sealed(&[], Vec::new()).tag;
        let long = 1 + seed as usize * 251;
        for length in [0, 1, 15, 16, 17, 64, 239, 240, 256, 257, 511, 1400, 4096, long] {
            for aad in [0, 5, 13, 16, 300].map(|length| bytes(seed + 9, length)) {
                let message = sealed(&aad, bytes(seed + 20, length));
                let hash: Vec<u8> = message.tag.iter().zip(&mask).map(|(tag, mask)| tag ^ mask).collect();
                for powers in &powers {
                    let found = powers.of_message(&aad, &message.text);
                    assert_eq!(hash, found, "seed {seed}, {} and {length} bytes", aad.len());
                }
            }
        }
    }
}
