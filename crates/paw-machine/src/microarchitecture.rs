//! Names of processor designs: by vendor, family and model on x86, by implementer and part number on Arm.
//!
//! The numbers are those of CPUID leaf 1 (Intel SDM volume 4, table 2-1; AMD's Processor Programming References) and of MIDR_EL1.

use std::ops::RangeInclusive;

/// Models of one family, and the name of their design.
type Models = (u32, &'static [(RangeInclusive<u32>, &'static str)]);

const INTEL: &[Models] = &[
    (
        6,
        &[
            (0x0f..=0x0f, "Core (Merom)"),
            (0x16..=0x16, "Core (Merom)"),
            (0x17..=0x17, "Penryn"),
            (0x1a..=0x1a, "Nehalem"),
            (0x1c..=0x1c, "Bonnell"),
            (0x1d..=0x1d, "Penryn (Dunnington)"),
            (0x1e..=0x1f, "Nehalem"),
            (0x25..=0x25, "Westmere"),
            (0x26..=0x26, "Bonnell"),
            (0x27..=0x27, "Saltwell"),
            (0x2a..=0x2a, "Sandy Bridge"),
            (0x2c..=0x2c, "Westmere"),
            (0x2d..=0x2d, "Sandy Bridge"),
            (0x2e..=0x2e, "Nehalem"),
            (0x2f..=0x2f, "Westmere"),
            (0x35..=0x36, "Saltwell"),
            (0x37..=0x37, "Silvermont"),
            (0x3a..=0x3a, "Ivy Bridge"),
            (0x3c..=0x3c, "Haswell"),
            (0x3d..=0x3d, "Broadwell"),
            (0x3e..=0x3e, "Ivy Bridge"),
            (0x3f..=0x3f, "Haswell"),
            (0x45..=0x46, "Haswell"),
            (0x47..=0x47, "Broadwell"),
            (0x4a..=0x4a, "Silvermont"),
            (0x4c..=0x4c, "Airmont"),
            (0x4d..=0x4d, "Silvermont"),
            (0x4e..=0x4e, "Skylake"),
            (0x4f..=0x4f, "Broadwell"),
            (0x56..=0x56, "Broadwell"),
            (0x57..=0x57, "Knights Landing"),
            (0x5a..=0x5a, "Silvermont"),
            (0x5c..=0x5c, "Goldmont"),
            (0x5d..=0x5d, "Silvermont"),
            (0x5e..=0x5e, "Skylake"),
            (0x5f..=0x5f, "Goldmont"),
            (0x66..=0x66, "Cannon Lake"),
            (0x6a..=0x6a, "Ice Lake (Sunny Cove)"),
            (0x6c..=0x6c, "Ice Lake (Sunny Cove)"),
            (0x75..=0x75, "Airmont"),
            (0x7a..=0x7a, "Goldmont Plus"),
            (0x7d..=0x7e, "Ice Lake (Sunny Cove)"),
            (0x85..=0x85, "Knights Mill"),
            (0x86..=0x86, "Tremont"),
            (0x8a..=0x8a, "Lakefield (Sunny Cove and Tremont)"),
            (0x8c..=0x8d, "Tiger Lake (Willow Cove)"),
            (0x8e..=0x8e, "Kaby Lake or a successor (Skylake cores)"),
            (0x8f..=0x8f, "Sapphire Rapids (Golden Cove)"),
            (0x96..=0x96, "Tremont"),
            (0x97..=0x97, "Alder Lake (Golden Cove and Gracemont)"),
            (0x9a..=0x9a, "Alder Lake (Golden Cove and Gracemont)"),
            (0x9c..=0x9c, "Tremont"),
            (0x9e..=0x9e, "Kaby Lake or Coffee Lake (Skylake cores)"),
            (0xa5..=0xa6, "Comet Lake (Skylake cores)"),
            (0xa7..=0xa7, "Rocket Lake (Cypress Cove)"),
            (0xaa..=0xaa, "Meteor Lake (Redwood Cove and Crestmont)"),
            (0xac..=0xac, "Meteor Lake (Redwood Cove and Crestmont)"),
            (0xad..=0xae, "Granite Rapids (Redwood Cove)"),
            (0xaf..=0xaf, "Sierra Forest (Crestmont)"),
            (0xb5..=0xb5, "Arrow Lake"),
            (0xb6..=0xb6, "Grand Ridge (Crestmont)"),
            (0xb7..=0xb7, "Raptor Lake (Raptor Cove and Gracemont)"),
            (0xba..=0xba, "Raptor Lake (Raptor Cove and Gracemont)"),
            (0xbd..=0xbd, "Lunar Lake (Lion Cove and Skymont)"),
            (0xbe..=0xbe, "Alder Lake-N (Gracemont)"),
            (0xbf..=0xbf, "Raptor Lake (Raptor Cove and Gracemont)"),
            (0xc5..=0xc6, "Arrow Lake (Lion Cove and Skymont)"),
            (0xcc..=0xcc, "Panther Lake (Cougar Cove and Darkmont)"),
            (0xcf..=0xcf, "Emerald Rapids (Raptor Cove)"),
            (0xdd..=0xdd, "Clearwater Forest (Darkmont)"),
        ],
    ),
    (15, &[(0x00..=0xff, "NetBurst")]),
    (19, &[(0x01..=0x01, "Diamond Rapids")]),
];

/// Steppings of Intel's family 6, model 0x55, which tell three designs apart.
const SKYLAKE_SERVERS: &[(RangeInclusive<u32>, &str)] =
    &[(0..=4, "Skylake (server)"), (5..=7, "Cascade Lake"), (8..=15, "Cooper Lake")];

const AMD: &[Models] = &[
    (0x0f, &[(0x00..=0xff, "K8")]),
    (0x10, &[(0x00..=0xff, "K10")]),
    (0x12, &[(0x00..=0xff, "K10 (Llano)")]),
    (0x14, &[(0x00..=0xff, "Bobcat")]),
    (
        0x15,
        &[
            (0x00..=0x01, "Bulldozer"),
            (0x02..=0x02, "Piledriver"),
            (0x10..=0x1f, "Piledriver"),
            (0x30..=0x3f, "Steamroller"),
            (0x60..=0x7f, "Excavator"),
        ],
    ),
    (0x16, &[(0x00..=0x0f, "Jaguar"), (0x30..=0x3f, "Puma")]),
    (
        0x17,
        &[
            (0x08..=0x08, "Zen+"),
            (0x18..=0x18, "Zen+"),
            (0x00..=0x2f, "Zen"),
            (0x30..=0x4f, "Zen 2"),
            (0x60..=0x7f, "Zen 2"),
            (0x84..=0x87, "Zen 2"),
            (0x90..=0xaf, "Zen 2"),
        ],
    ),
    (
        0x19,
        &[
            (0x00..=0x0f, "Zen 3"),
            (0x10..=0x1f, "Zen 4"),
            (0x20..=0x3f, "Zen 3"),
            (0x40..=0x4f, "Zen 3+"),
            (0x50..=0x5f, "Zen 3"),
            (0x60..=0x7f, "Zen 4"),
            (0x90..=0x9f, "Zen 4"),
            (0xa0..=0xaf, "Zen 4c"),
        ],
    ),
    (
        0x1a,
        &[
            (0x10..=0x1f, "Zen 5c"),
            (0x00..=0x4f, "Zen 5"),
            (0x60..=0x7f, "Zen 5"),
            (0x50..=0x5f, "Zen 6"),
            (0x80..=0xaf, "Zen 6"),
            (0xc0..=0xcf, "Zen 6"),
        ],
    ),
];

const HYGON: &[Models] = &[(0x18, &[(0x00..=0xff, "Dhyana (Zen)")])];

/// Arm's implementers and parts beyond those that the processor's name in a run is made of.
const ARM_PARTS: &[(u32, u32, &str)] = &[
    (0x41, 0xd04, "Arm Cortex-A35"),
    (0x41, 0xd06, "Arm Cortex-A65"),
    (0x41, 0xd09, "Arm Cortex-A73"),
    (0x41, 0xd0a, "Arm Cortex-A75"),
    (0x41, 0xd0d, "Arm Cortex-A77"),
    (0x41, 0xd0e, "Arm Cortex-A76AE"),
    (0x41, 0xd41, "Arm Cortex-A78"),
    (0x41, 0xd42, "Arm Cortex-A78AE"),
    (0x41, 0xd44, "Arm Cortex-X1"),
    (0x41, 0xd46, "Arm Cortex-A510"),
    (0x41, 0xd47, "Arm Cortex-A710"),
    (0x41, 0xd48, "Arm Cortex-X2"),
    (0x41, 0xd4a, "Arm Neoverse-E1"),
    (0x41, 0xd4b, "Arm Cortex-A78C"),
    (0x41, 0xd4c, "Arm Cortex-X1C"),
    (0x41, 0xd4d, "Arm Cortex-A715"),
    (0x41, 0xd4e, "Arm Cortex-X3"),
    (0x41, 0xd80, "Arm Cortex-A520"),
    (0x41, 0xd81, "Arm Cortex-A720"),
    (0x41, 0xd82, "Arm Cortex-X4"),
    (0x41, 0xd83, "Arm Neoverse-V3AE"),
    (0x42, 0x516, "Broadcom Vulcan"),
    (0x43, 0x0a1, "Cavium ThunderX"),
    (0x43, 0x0b8, "Marvell ThunderX3"),
    (0x46, 0x003, "Fujitsu MONAKA"),
    (0x48, 0xd02, "HiSilicon TaiShan v120"),
    (0x4e, 0x003, "NVIDIA Denver 2"),
    (0x4e, 0x004, "NVIDIA Carmel"),
    (0x4e, 0x010, "NVIDIA Olympus"),
    (0x51, 0x001, "Qualcomm Oryon"),
    (0x51, 0xc00, "Qualcomm Falkor"),
    (0x61, 0x022, "Apple Icestorm (M1)"),
    (0x61, 0x023, "Apple Firestorm (M1)"),
    (0x61, 0x024, "Apple Icestorm (M1 Pro)"),
    (0x61, 0x025, "Apple Firestorm (M1 Pro)"),
    (0x61, 0x028, "Apple Icestorm (M1 Max)"),
    (0x61, 0x029, "Apple Firestorm (M1 Max)"),
    (0x61, 0x032, "Apple Blizzard (M2)"),
    (0x61, 0x033, "Apple Avalanche (M2)"),
    (0x6d, 0xd49, "Microsoft Azure Cobalt 100 (Neoverse-N2)"),
    (0xc0, 0xac5, "Ampere-1b"),
];

/// The design of an x86 processor; `None` if the tables do not have it.
pub fn x86(vendor: &str, family: u32, model: u32, stepping: u32) -> Option<&'static str> {
    let families = match vendor {
        "GenuineIntel" if (family, model) == (6, 0x55) => return within(SKYLAKE_SERVERS, stepping),
        "GenuineIntel" => INTEL,
        "AuthenticAMD" => AMD,
        "HygonGenuine" => HYGON,
        _ => return None,
    };
    families.iter().find(|(number, _)| *number == family).and_then(|(_, models)| within(models, model))
}

/// The first name whose range has the number.
fn within(ranges: &[(RangeInclusive<u32>, &'static str)], number: u32) -> Option<&'static str> {
    ranges.iter().find(|(range, _)| range.contains(&number)).map(|(_, name)| *name)
}

/// The design of an Arm core among those that no run is named after; `None` if the table does not have it.
pub fn arm(implementer: u32, part: u32) -> Option<&'static str> {
    ARM_PARTS.iter().find(|(i, p, _)| (*i, *p) == (implementer, part)).map(|(_, _, name)| *name)
}
