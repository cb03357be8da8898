//! Words for "not permitted", in one place: a device that exists and that this user may not open.

pub const MAY_NOT_OPEN: &str = "this user may not open it";

/// The same, and what helps where mode and group of the device are not known.
pub const CLOSED_DEVICE: &str = "this user may not open it: the members of its group may (ls -l names it; for a service \
    SupplementaryGroups=GROUP), and where that is root, only root";

/// What helps for the device `path` with the permission bits `mode`, in octal, and this group.
#[must_use]
pub fn next_step(path: &str, mode: Option<&str>, group: Option<&str>) -> String {
    let bits = mode.and_then(|mode| u32::from_str_radix(mode, 8).ok());
    match (group, bits) {
        (Some("root" | "0"), _) => for_root(path),
        // Its group may not read and write it.
        (_, Some(bits)) if bits & 0o060 != 0o060 => for_root(path),
        (Some(group), _) => {
            format!("add the user to the group {group} (usermod -aG {group} USER), and log in again")
        }
        (None, _) => "ls -l names the group whose members may".to_owned(),
    }
}

fn for_root(path: &str) -> String {
    match path {
        // packaging/udev/60-outboard.rules
        "/dev/outboard" => {
            "only root may: use sudo; outboard's rule for udev gives it to the group outboard \
            (udevadm trigger /dev/outboard)"
                .to_owned()
        }
        _ => "only root may: use sudo, or give it to a group with a rule for udev".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_the_group_root_or_one_without_access_is_not_advised() {
        for (mode, group) in [("0600", "root"), ("0660", "root"), ("0660", "0"), ("0600", "outboard")] {
            let step = next_step("/dev/outboard", Some(mode), Some(group));
            assert!(step.contains("only root may") && step.contains("udevadm"), "{mode} {group}: {step}");
            assert!(!step.contains("usermod"), "{step}");
        }
        let step = next_step("/dev/outboard", Some("0660"), Some("outboard"));
        assert!(step.contains("usermod -aG outboard USER"), "{step}");
        assert!(!next_step("/dev/crypto", Some("0600"), Some("root")).contains("group outboard"));
        assert!(next_step("/dev/crypto", None, None).contains("ls -l"));
    }
}
