//! Keys as objects (EVP_SKEY). Such an object belongs to a provider, and libcrypto accepts it only for
//! ciphers of that provider: what a program gets for a cipher of this one.

use outboard_tests::bytes::{array, bytes};
use outboard_tests::evp::{Context, Direction, KeyObject, clear, lacks_key_objects};
use outboard_tests::skip::skip;
use outboard_tests::world::worlds_with_drivers;

const NAME: &str = "AES-128-CBC";

#[test]
fn a_key_object_is_for_its_own_provider_and_a_refusal_leaves_the_context_usable() {
    let test = "a_key_object_is_for_its_own_provider_and_a_refusal_leaves_the_context_usable";
    if let Some(missing) = lacks_key_objects() {
        skip(test, missing);
        return;
    }
    for world in worlds_with_drivers(test, &[("THRESHOLDS", "ALL:16"), ("KEY_BYTES", "0")]) {
        let (hard, soft) = (world.hard(NAME), world.soft(NAME));
        let (key, iv, text) = (bytes(1, 16), array(2), bytes(3, 4096));
        let encrypted = |context: &mut Context| {
            let mut output = vec![0; text.len() + 16];
            let written = context.update(&text, &mut output).expect("update");
            output.truncate(written);
            output
        };
        let expected = encrypted(&mut Context::keyed(&soft, &key, &iv, Direction::Encrypt));

        // As any other program, with the properties of the default provider.
        let object = KeyObject::import(&world.context, &key, "provider=default").expect("a key");
        let mut context = Context::new();
        context.init_with_object(&soft, Some(&object), &iv, Direction::Encrypt).expect("its own cipher");
        assert_eq!(encrypted(&mut context), expected);

        // libcrypto compares the providers before it calls a function of the cipher.
        assert!(KeyObject::import(&world.context, &key, "provider=outboard").is_none());
        clear();
        let mut context = Context::new();
        let refused = context.init_with_object(&hard, Some(&object), &iv, Direction::Encrypt);
        assert_eq!(refused.returned, 0);
        assert_eq!(refused.reasons, [Some("initialization error".to_owned())]);

        // The key is set in the other way, in the same context and in one that has the IV already.
        context.init(Some(&hard), Some(&key), Some(&iv), Some(Direction::Encrypt)).expect("the bytes");
        assert_eq!(encrypted(&mut context), expected);
        let mut context = Context::new();
        context.init_with_object(&hard, None, &iv, Direction::Encrypt).expect("no key yet");
        context.init(None, Some(&key), None, None).expect("the bytes");
        assert_eq!(encrypted(&mut context), expected);
        world.assert_driver_used();
    }
}
