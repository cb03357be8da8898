use crate::sham_driver::{Bench, bytes, kind, software, update};

#[test]
fn no_update_waits_for_a_driver_that_computes_key_stream() {
    let lines = [("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0"), ("THRESHOLDS", "ALL:256")];
    let (bench, kind) = (Bench::new("no-wait-ctr", &lines), kind("AES-128-CTR"));
    let (ours, soft) = (bench.context(kind), software(kind));
    for context in [&ours, &soft] {
        assert!(context.init(true, Some(&bytes(16, 1)), Some(&[7; 16])));
    }
    let go_on = |len| assert!(update(&ours, &bytes(len, len)) == update(&soft, &bytes(len, len)), "{len}");
    (0..8).for_each(|_| go_on(1400));
    let direct = bench.sham.state().submitted.len();
    assert!(bench.sham.state().ahead > 0);
    bench.sham.state().is_late = true;
    (0..300).for_each(|place| go_on(1400 + place * 100));
    assert_eq!(bench.sham.state().submitted.len(), direct, "no direct request");
    bench.sham.state().is_late = false;
    go_on(100_000);
    assert_eq!(bench.sham.state().submitted.len(), direct);
}
