//! TI's guide: each command that docs/coming-from.md has for its steps runs on the model of the AM335x.

use outboard_tests::modelled::Modelled;

use crate::device_coming_from::run_section;
use crate::model_omap::AM335X;

#[test]
fn the_commands_for_the_steps_of_the_guide_run() {
    let Some(modelled) = Modelled::find("the_commands_for_the_steps_of_the_guide_run", &AM335X) else {
        return;
    };
    modelled.allow(AM335X.ciphers);
    let commands = run_section(&modelled.machine, "TI: ");
    modelled.assert_nothing_unsupported();
    modelled.report("its guide", format!("{commands} commands"));
}
