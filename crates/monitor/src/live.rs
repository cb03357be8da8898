//! The counters that rise while accelerators and services work.

use outboard_counters::Table;
use outboard_documents::live::{AlgorithmCounts, DeviceCounts, DriverCounts, Live, ServiceCounts};
use outboard_drivers::root::Root;
use outboard_measure::driver_devices::DriverDevices;
use outboard_measure::meter;
use outboard_services::enable::APPLICATIONS;

use crate::{DriverSample, ModuleSample, ServiceSample};

#[must_use]
pub fn live(root: &Root) -> Live {
    let interrupts = meter::snapshot(root, &DriverDevices::now(root));
    let device = |device: outboard_drivers::interrupts::DeviceInterrupts| DeviceCounts {
        name: device.device,
        driver: device.driver,
        interrupts: device.total,
    };
    let drivers = ModuleSample::read(root).map(|module| module.drivers).unwrap_or_default();
    Live {
        devices: interrupts.ok().map(|snapshot| snapshot.devices.into_iter().map(device).collect()),
        drivers: drivers.into_iter().map(driver).collect(),
        services: ServiceSample::all(root).into_iter().map(service).collect(),
    }
}

fn driver(sample: DriverSample) -> DriverCounts {
    let errors = sample.errors.zip(sample.timeouts);
    DriverCounts {
        name: sample.name,
        requests: sample.requests,
        bytes: sample.bytes,
        errors: errors.map(|(errors, timeouts)| errors.saturating_add(timeouts)),
    }
}

fn service(sample: ServiceSample) -> ServiceCounts {
    let unit = sample.unit.as_str();
    let known =
        APPLICATIONS.iter().find(|known| known.units.contains(&unit) || known.programs.contains(&unit));
    ServiceCounts {
        service: known.map_or_else(|| sample.unit.clone(), |known| known.name.to_owned()),
        algorithms: sample.counters.ok().map(|table| algorithms(&table)),
        unit: sample.unit,
    }
}

fn algorithms(table: &Table) -> Vec<AlgorithmCounts> {
    let algorithm = |(name, counts): (String, outboard_counters::Counts)| AlgorithmCounts {
        name,
        hardware_bytes: counts.hw_bytes,
        software_bytes: counts.sw_bytes,
        failures: counts.failures,
        mismatches: counts.mismatches,
    };
    table.snapshot().into_iter().map(algorithm).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use outboard_counters::COUNTERS_NAME;

    use super::*;

    #[test]
    fn the_counters_of_a_service_have_its_name_and_its_algorithms() {
        let tree = tempfile::tempdir().unwrap();
        for unit in ["nginx.service", "own.service"] {
            let directory = tree.path().join(format!("run/outboard-{unit}"));
            fs::create_dir_all(&directory).unwrap();
            let table = Table::open_in(&directory, COUNTERS_NAME.as_ref()).unwrap();
            let row = table.row("AES-128-GCM").unwrap();
            row.add_hw(1, 16384);
            row.add_sw(1, 100);
        }
        fs::create_dir_all(tree.path().join("run/outboard-gone.service")).unwrap();
        let live = live(&Root::saved(tree.path()).unwrap());
        let names: Vec<_> =
            live.services.iter().map(|one| (one.service.as_str(), one.unit.as_str())).collect();
        let expected =
            [("gone.service", "gone.service"), ("nginx", "nginx.service"), ("own.service", "own.service")];
        assert_eq!(names, expected);
        assert!(live.services[0].algorithms.is_none());
        let [gcm] = &live.services[1].algorithms.as_ref().unwrap()[..] else { panic!("{live:?}") };
        assert_eq!((gcm.name.as_str(), gcm.hardware_bytes, gcm.software_bytes), ("AES-128-GCM", 16384, 100));
        assert_eq!((live.devices.is_none(), live.drivers.len()), (true, 0));
    }
}
