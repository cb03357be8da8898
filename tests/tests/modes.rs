//! Every cipher except AES in CBC mode, with software drivers of the kernel: the same code in the
//! provider as with an accelerator. `device_modes` does the same with the simulated one.

use outboard_tests::modes;
use outboard_tests::world::world_of_every_cipher;

#[test]
fn any_sequence_of_calls_of_any_cipher_returns_what_the_default_provider_does() {
    let test = "any_sequence_of_calls_of_any_cipher_returns_what_the_default_provider_does";
    for threshold in ["ALL:0", "ALL:17", "ALL:4096"] {
        if let Some(world) = world_of_every_cipher(test, &[("THRESHOLDS", threshold)]) {
            modes::any_sequence_of_calls_is_answered_alike(&world, 45);
        }
    }
}

#[test]
fn sequences_at_which_implementations_differ_give_equal_results() {
    let test = "sequences_at_which_implementations_differ_give_equal_results";
    for threshold in ["ALL:1", "ALL:4096"] {
        if let Some(world) = world_of_every_cipher(test, &[("THRESHOLDS", threshold)]) {
            modes::chosen_sequences_are_answered_alike(&world);
        }
    }
}

#[test]
fn either_provider_decrypts_what_the_other_encrypted_with_any_cipher() {
    let test = "either_provider_decrypts_what_the_other_encrypted_with_any_cipher";
    if let Some(world) = world_of_every_cipher(test, &[("THRESHOLDS", "ALL:1024")]) {
        modes::either_provider_decrypts_what_the_other_encrypted(&world);
    }
}

#[test]
fn counters_carry_and_wrap_as_the_default_providers_do() {
    let test = "counters_carry_and_wrap_as_the_default_providers_do";
    if let Some(world) = world_of_every_cipher(test, &[("THRESHOLDS", "ALL:64")]) {
        modes::counters_carry_and_wrap(&world);
    }
}

#[test]
fn each_update_of_xts_is_a_data_unit() {
    let test = "each_update_of_xts_is_a_data_unit";
    if let Some(world) = world_of_every_cipher(test, &[("THRESHOLDS", "ALL:512")]) {
        modes::each_update_of_xts_is_a_data_unit(&world);
    }
}

#[test]
fn records_of_triple_des_are_sealed_and_opened_alike() {
    let test = "records_of_triple_des_are_sealed_and_opened_alike";
    if let Some(world) = world_of_every_cipher(test, &[("THRESHOLDS", "ALL:64")]) {
        modes::records_of_triple_des_are_sealed_and_opened_alike(&world);
    }
}

#[test]
fn the_published_vectors_of_every_mode_hold_in_both_directions() {
    let test = "the_published_vectors_of_every_mode_hold_in_both_directions";
    if let Some(world) = world_of_every_cipher(test, &[("THRESHOLDS", "ALL:1")]) {
        modes::the_published_vectors_hold(&world);
    }
}

#[test]
fn ciphers_of_every_mode_describe_themselves_as_the_default_providers_do() {
    let test = "ciphers_of_every_mode_describe_themselves_as_the_default_providers_do";
    if let Some(world) = world_of_every_cipher(test, &[]) {
        modes::descriptions_are_the_default_providers(&world);
    }
}
