//! outboard-models MODEL SOCKET [OPTION=VALUE...]: serves one engine to QEMU by vfio-user until QEMU
//! ends, then prints its counters. See README.md.

mod allwinner;
mod amlogic;
#[cfg(test)]
mod bench;
mod block;
mod caam;
mod ccp;
mod cesa;
mod dcp;
mod eip93;
mod engine;
mod faults;
mod geode;
mod hash;
mod hifn;
mod omap;
mod options;
mod registers;
mod rockchip;
mod s5p;
mod safexcel;
mod stm32;
mod sun4i;
mod sun8i;
mod sun8i_ss;
mod vfio;

use std::path::Path;
use std::process::ExitCode;

use engine::{Engine, Model};
use faults::Faults;
use options::Options;

/// The engine that a name stands for.
fn engine(name: &str, options: &mut Options) -> Result<Box<dyn Engine>, String> {
    match name {
        "amlogic" => Ok(Box::new(amlogic::Amlogic::default())),
        "caam" => Ok(Box::new(caam::Caam::new())),
        "ccp" => Ok(Box::new(ccp::Ccp::new())),
        "cesa" => Ok(Box::new(cesa::Cesa::new(options)?)),
        "dcp" => Ok(Box::new(dcp::Dcp::new())),
        "eip93" => Ok(Box::new(eip93::Eip93::new())),
        "geode" => Ok(Box::new(geode::Geode::new())),
        "hifn" => Ok(Box::new(hifn::Hifn::new())),
        "omap" => Ok(Box::new(omap::Omap::new())),
        "rockchip" => Ok(Box::new(rockchip::Rockchip::new())),
        "s5p" => Ok(Box::new(s5p::S5p::new())),
        "safexcel" => Ok(Box::new(safexcel::Safexcel::new())),
        "stm32" => Ok(Box::new(stm32::Stm32::new())),
        "sun4i" => Ok(Box::new(sun4i::Sun4i::new())),
        "sun8i" => Ok(Box::new(sun8i::Sun8i::new())),
        "sun8i-ss" => Ok(Box::new(sun8i_ss::Sun8iSs::new())),
        _ => Err(format!(
            "there is no model {name}; there are: amlogic, caam, ccp, cesa, dcp, eip93, geode, hifn, omap, rockchip, s5p, safexcel, stm32, sun4i, sun8i, sun8i-ss"
        )),
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [name, socket, rest @ ..] = arguments else {
        return Err("usage: outboard-models MODEL SOCKET [OPTION=VALUE...]".into());
    };
    let mut options = Options::parse(rest)?;
    let faults = Faults::new(&mut options)?;
    let engine = engine(name, &mut options)?;
    options.finish()?;
    let mut model = Model::new(engine, faults);
    let result = vfio::serve(Path::new(socket), &mut model);
    let interrupts = *result.as_ref().unwrap_or(&0);
    eprintln!("{name}: interrupts={interrupts} {}", model.faults.summary());
    result.map(|_| ()).map_err(|error| format!("{socket}: {error}"))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("outboard-models: {error}");
            ExitCode::FAILURE
        }
    }
}
