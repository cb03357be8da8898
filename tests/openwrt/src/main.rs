//! `openwrt-tools DIRECTORY`: puts OpenWrt's uci and jshn below a directory, at their places.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Path, mode and content.
const FILES: [(&str, u32, &[u8]); 4] = [
    ("sbin/uci", 0o755, include_bytes!(concat!(env!("OUT_DIR"), "/uci"))),
    ("usr/bin/jshn", 0o755, include_bytes!(concat!(env!("OUT_DIR"), "/jshn"))),
    ("lib/config/uci.sh", 0o644, include_bytes!(concat!(env!("OUT_DIR"), "/uci.sh"))),
    ("usr/share/libubox/jshn.sh", 0o644, include_bytes!(concat!(env!("OUT_DIR"), "/jshn.sh"))),
];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::args_os().nth(1).expect("usage: openwrt-tools DIRECTORY"));
    for (path, mode, content) in FILES {
        let path = root.join(Path::new(path));
        fs::create_dir_all(path.parent().expect("a directory"))?;
        fs::write(&path, content)?;
        fs::set_permissions(&path, PermissionsExt::from_mode(mode))?;
        println!("{}", path.display());
    }
    Ok(())
}
