//! What the device costs and what goes wrong with it, by the environment.

use std::env;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::OnceLock;

/// Read once, when the mock library is first called. Each field is the variable of its name in capitals, behind the library's own
/// prefix: `MOCK_CUDA_`.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// How many devices there are.
    pub devices: usize,
    /// Host to device, in 10⁹ bytes a second.
    pub in_gbs: f64,
    /// Device to host.
    pub out_gbs: f64,
    /// Within a device.
    pub device_gbs: f64,
    /// The number of a device whose link to the host has a quarter of that speed; there is none by default.
    pub slow_device: usize,
    /// To and from memory that is not page-locked, at most.
    pub pageable_gbs: f64,
    /// Before the first byte of a copy.
    pub latency_us: f64,
    /// A kernel, before the first byte it moves.
    pub launch_us: f64,
    /// Products and kernels that compute, in 10⁹ operations a second.
    pub gflops: f64,
    /// Seconds of computing after which a device is too hot; it never is by default.
    pub hot_after_s: f64,
    /// The share of its speed and clock that a hot device has left.
    pub hot_speed: f64,
    /// The clock that units count, in GHz.
    pub unit_ghz: f64,
    /// An allocation.
    pub alloc_us: f64,
    /// Giving memory back, after everything queued has ended.
    pub free_us: f64,
    /// Memory of each device.
    pub memory_bytes: usize,
    /// The copies of all devices share one link.
    pub shared_bus: bool,
    /// Devices reach each other.
    pub peer: bool,
    /// From one device that another reaches to that other, in 10⁹ bytes a second.
    pub peer_gbs: f64,
    /// The way from the first of these devices to the second, `1-2`, has a quarter of that speed.
    pub slow_pair: DevicePair,
    /// These two devices do not reach each other.
    pub cut_pair: DevicePair,
    /// A load that waits for the one before it, from the device's memory.
    pub chase_ns: f64,
    /// The same from a peer's memory.
    pub peer_chase_ns: f64,
    /// An update of a word, of all threads together.
    pub update_ns: f64,
    /// Pages of managed memory can move one by one.
    pub managed: bool,
    /// Managed memory that moves when it is used, in 10⁹ bytes a second.
    pub managed_gbs: f64,
    /// The same when it is asked to.
    pub prefetch_gbs: f64,
    /// NVLinks from each device to each other one.
    pub nvlinks: u32,
    /// All of a device's NVLinks lead to a switch.
    pub nvswitch: bool,
    /// C2C links of each device.
    pub c2c_links: u32,
    /// NVML knows of C2C links.
    pub knows_c2c: bool,
    /// Devices use the host's page tables.
    pub shares_tables: bool,
    /// What the library's start answers (cuInit); 0 is success.
    pub init_error: i32,
    /// What nvmlInit_v2 answers; 0 is success.
    pub nvml_init_error: i32,
    /// Every `wrong`-th copy, and every product, has a wrong byte; 0 is none.
    pub wrong: u64,
    /// How many copies in a row have one.
    pub wrong_for: u64,
    /// How many gates open; later ones hang. With 1, only the gate of the device's self-test opens.
    pub hang: u64,
    /// What a gate's time-out is multiplied by, so that a test need not wait for it.
    pub gate_scale: f64,
    /// Marks carry no times: there is nothing between any two.
    pub bogus_events: bool,
    /// The version of the library as it counts, 12040 for CUDA 12.4; 0 is its usual one.
    pub version: i32,
    /// The compute capability of the devices: 90 is 9.0.
    pub compute: i32,
    /// The architecture of the devices, as AMD names them.
    pub architecture: String,
    /// The generation of PCIe that links have now; at most it is 4.
    pub link_generation: u32,
    /// Reasons for a low clock that NVML gives, as its bits.
    pub throttle: u64,
    /// A file that holds how many reads there were of a device's memory that was never written; there is none before the first.
    pub unwritten: PathBuf,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            devices: 1,
            in_gbs: 20.0,
            out_gbs: 16.0,
            device_gbs: 1000.0,
            slow_device: usize::MAX,
            pageable_gbs: 6.0,
            latency_us: 5.0,
            launch_us: 3.0,
            gflops: 1000.0,
            hot_after_s: f64::INFINITY,
            hot_speed: 0.5,
            unit_ghz: 1.41,
            alloc_us: 100.0,
            free_us: 100.0,
            memory_bytes: 4 << 30,
            shared_bus: false,
            peer: false,
            peer_gbs: 1000.0,
            slow_pair: DevicePair::default(),
            cut_pair: DevicePair::default(),
            chase_ns: 500.0,
            peer_chase_ns: 1500.0,
            update_ns: 0.1,
            managed: true,
            managed_gbs: 4.0,
            prefetch_gbs: 12.0,
            nvlinks: 0,
            nvswitch: false,
            c2c_links: 0,
            knows_c2c: true,
            shares_tables: false,
            init_error: 0,
            nvml_init_error: 0,
            wrong: 0,
            wrong_for: 1,
            hang: u64::MAX,
            gate_scale: 1.0,
            bogus_events: false,
            version: 0,
            compute: 90,
            architecture: "gfx90a:sramecc+:xnack-".to_owned(),
            link_generation: 4,
            throttle: 0,
            unwritten: PathBuf::new(),
        }
    }
}

static CHOSEN: OnceLock<Config> = OnceLock::new();

impl Config {
    /// As the environment says by variables of that prefix; what is not set is as by default. A value that is not one ends the
    /// process: a test is mistyped.
    pub fn of(prefix: &str) -> &'static Config {
        CHOSEN.get_or_init(|| {
            Config::read(|name| {
                let name = format!("{prefix}{name}");
                env::var(&name).ok().map(|text| (name, text))
            })
        })
    }

    /// The configuration that the library has read.
    pub(crate) fn chosen() -> &'static Config {
        CHOSEN.get().expect("a mock library reads its configuration before it calls the device")
    }

    fn read(variable: impl Fn(&str) -> Option<(String, String)>) -> Config {
        let usual = Config::default();
        let is = |name, usual| value(&variable, name, i32::from(usual)) != 0;
        Config {
            devices: value(&variable, "DEVICES", usual.devices),
            in_gbs: value(&variable, "IN_GBS", usual.in_gbs),
            out_gbs: value(&variable, "OUT_GBS", usual.out_gbs),
            device_gbs: value(&variable, "DEVICE_GBS", usual.device_gbs),
            slow_device: value(&variable, "SLOW_DEVICE", usual.slow_device),
            pageable_gbs: value(&variable, "PAGEABLE_GBS", usual.pageable_gbs),
            latency_us: value(&variable, "LATENCY_US", usual.latency_us),
            launch_us: value(&variable, "LAUNCH_US", usual.launch_us),
            gflops: value(&variable, "GFLOPS", usual.gflops),
            hot_after_s: value(&variable, "HOT_AFTER_S", usual.hot_after_s),
            hot_speed: value(&variable, "HOT_SPEED", usual.hot_speed),
            unit_ghz: value(&variable, "UNIT_GHZ", usual.unit_ghz),
            alloc_us: value(&variable, "ALLOC_US", usual.alloc_us),
            free_us: value(&variable, "FREE_US", usual.free_us),
            memory_bytes: value(&variable, "MEMORY_BYTES", usual.memory_bytes),
            shared_bus: is("SHARED_BUS", usual.shared_bus),
            peer: is("PEER", usual.peer),
            peer_gbs: value(&variable, "PEER_GBS", usual.peer_gbs),
            slow_pair: value(&variable, "SLOW_PAIR", usual.slow_pair),
            cut_pair: value(&variable, "CUT_PAIR", usual.cut_pair),
            chase_ns: value(&variable, "CHASE_NS", usual.chase_ns),
            peer_chase_ns: value(&variable, "PEER_CHASE_NS", usual.peer_chase_ns),
            update_ns: value(&variable, "UPDATE_NS", usual.update_ns),
            managed: is("MANAGED", usual.managed),
            managed_gbs: value(&variable, "MANAGED_GBS", usual.managed_gbs),
            prefetch_gbs: value(&variable, "PREFETCH_GBS", usual.prefetch_gbs),
            nvlinks: value(&variable, "NVLINKS", usual.nvlinks),
            nvswitch: is("NVSWITCH", usual.nvswitch),
            c2c_links: value(&variable, "C2C_LINKS", usual.c2c_links),
            knows_c2c: is("KNOWS_C2C", usual.knows_c2c),
            shares_tables: is("SHARES_TABLES", usual.shares_tables),
            init_error: value(&variable, "INIT_ERROR", usual.init_error),
            nvml_init_error: value(&variable, "NVML_INIT_ERROR", usual.nvml_init_error),
            wrong: value(&variable, "WRONG", usual.wrong),
            wrong_for: value(&variable, "WRONG_FOR", usual.wrong_for),
            hang: value(&variable, "HANG", usual.hang),
            gate_scale: value(&variable, "GATE_SCALE", usual.gate_scale),
            bogus_events: is("BOGUS_EVENTS", usual.bogus_events),
            version: value(&variable, "VERSION", usual.version),
            compute: value(&variable, "COMPUTE", usual.compute),
            architecture: value(&variable, "ARCHITECTURE", usual.architecture),
            link_generation: value(&variable, "LINK_GENERATION", usual.link_generation),
            throttle: value(&variable, "THROTTLE", usual.throttle),
            unwritten: value(&variable, "UNWRITTEN", usual.unwritten),
        }
    }
}

/// Two devices, written `1-2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DevicePair(Option<(usize, usize)>);

impl DevicePair {
    /// Whether it is this pair, this way round.
    pub(crate) fn is(self, first: usize, second: usize) -> bool {
        self.0 == Some((first, second))
    }
}

impl FromStr for DevicePair {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (first, second) = text.split_once('-').ok_or(())?;
        Ok(Self(Some((first.parse().map_err(|_| ())?, second.parse().map_err(|_| ())?))))
    }
}

/// The value of the variable for `name`, which is handed over by its whole name and its text.
fn value<T: FromStr>(variable: impl Fn(&str) -> Option<(String, String)>, name: &str, usual: T) -> T {
    let Some((name, text)) = variable(name).filter(|(_, text)| !text.is_empty()) else { return usual };
    text.trim().parse().unwrap_or_else(|_| panic!("{name}={text} is no value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_is_as_usual() {
        assert_eq!(Config::read(|_| None), Config::default());
        let set = |name: &str| {
            let text =
                [("DEVICES", "2"), ("SHARED_BUS", "1"), ("IN_GBS", "")].into_iter().find(|(set, _)| *set == name)?.1;
            Some((name.to_owned(), text.to_owned()))
        };
        assert_eq!(Config::read(set), Config { devices: 2, shared_bus: true, ..Config::default() });
    }
}
