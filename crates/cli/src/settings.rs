//! Options that configure outboard for a run; the provider's parser checks them.

use std::path::PathBuf;

use clap::Args;
use outboard_policy::Policy;

/// What overrides the system's configuration.
#[derive(Args, Debug)]
pub struct Settings {
    /// Use only this kernel driver, by its exact name in /proc/crypto; may be repeated
    #[arg(long = "driver", value_name = "NAME", value_parser = |v: &str| checked("DRIVERS", v))]
    pub drivers: Vec<String>,

    /// The smallest request that goes to hardware: bytes for all, or ALGORITHM:BYTES,...
    #[arg(long, value_name = "BYTES|ALG:BYTES,...", value_parser = threshold)]
    pub threshold: Option<String>,

    /// Which ciphers may go to hardware: ALL, NONE or OpenSSL names separated by commas
    #[arg(long, value_name = "LIST", value_parser = |v: &str| checked("CIPHERS", v))]
    pub ciphers: Option<String>,

    /// Which digests may go to hardware: NONE unless given, ALL, or OpenSSL names separated by commas
    #[arg(long, value_name = "LIST", value_parser = |v: &str| checked("DIGESTS", v))]
    pub digests: Option<String>,

    /// Which drivers count as hardware: 0 known accelerators, 1 all drivers, 2 all but known software
    #[arg(long, value_name = "0|1|2", value_parser = |v: &str| checked("USE_SOFTDRIVERS", v))]
    pub soft_drivers: Option<String>,

    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    pub module: Option<PathBuf>,

    /// Ignore the system's openssl.cnf, or the one that OPENSSL_CONF names
    #[arg(long)]
    pub no_system_config: bool,
}

impl Settings {
    pub fn keys(&self) -> Vec<(String, String)> {
        let drivers = (!self.drivers.is_empty()).then(|| self.drivers.join(","));
        let all = [
            ("CIPHERS", self.ciphers.clone()),
            ("DIGESTS", self.digests.clone()),
            ("USE_SOFTDRIVERS", self.soft_drivers.clone()),
            ("DRIVERS", drivers),
            ("THRESHOLDS", self.threshold.clone()),
        ];
        all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }
}

/// Parses a value with the provider's own parser. Names that the provider skips in openssl.cnf are
/// an error here.
fn checked(key: &str, value: &str) -> Result<String, String> {
    let mut skipped = Policy::default().set(key, value).map_err(|why| why.on_command_line())?;
    skipped.pop().map_or(Ok(value.to_owned()), |why| Err(why.on_command_line()))
}

fn threshold(value: &str) -> Result<String, String> {
    let for_all = !value.contains([':', ',']);
    checked("THRESHOLDS", &if for_all { format!("ALL:{value}") } else { value.to_owned() })
}
