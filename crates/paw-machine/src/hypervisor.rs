//! The hypervisor below this system, if there is one.

use crate::cpuinfo::CpuInfo;
use crate::root::Root;

/// Words in firmware strings, and the hypervisor they mean.
const FIRMWARE: &[(&str, &str)] = &[
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("qemu", "QEMU/KVM"),
    ("kvm", "KVM"),
    ("amazon ec2", "KVM (Amazon EC2)"),
    ("google compute engine", "KVM (Google Compute Engine)"),
    ("openstack", "KVM (OpenStack)"),
    ("xen", "Xen"),
    ("parallels", "Parallels"),
    ("bochs", "Bochs"),
    ("apple virtualization", "Apple Virtualization"),
    // Microsoft also makes Surfaces: the product name decides.
    ("virtual machine", "Hyper-V"),
];

/// Signatures of CPUID leaf 0x4000_0000 (Intel and AMD leave it to hypervisors), and the hypervisor they mean.
#[cfg(target_arch = "x86_64")]
const SIGNATURES: &[(&str, &str)] = &[
    ("KVMKVMKVM", "KVM"),
    ("VMwareVMware", "VMware"),
    ("Microsoft Hv", "Hyper-V"),
    ("XenVMMXenVMM", "Xen"),
    ("TCGTCGTCGTCG", "QEMU (emulated)"),
    ("VBoxVBoxVBox", "VirtualBox"),
    ("bhyve bhyve ", "bhyve"),
    ("ACRNACRNACRN", "ACRN"),
    ("prl hyperv  ", "Parallels"),
];

/// The detected hypervisor; `None` on bare metal, and under a hypervisor that hides itself.
pub fn seen(root: &Root, cpuinfo: &CpuInfo) -> Option<String> {
    let by_files = || {
        let firmware = ["sys_vendor", "product_name", "bios_vendor"];
        let strings: Vec<String> =
            firmware.iter().filter_map(|f| root.word(&format!("/sys/class/dmi/id/{f}"))).collect();
        let text = strings.join(" ").to_lowercase();
        FIRMWARE.iter().find(|(word, _)| text.contains(word)).map(|(_, name)| (*name).to_owned())
    };
    // On x86 a processor flag reveals a hypervisor; a cloud vendor's name without that flag means a bare-metal machine.
    let x86 = cpuinfo.arch().is_some_and(|arch| arch.starts_with("x86"));
    if x86 && !cpuinfo.has_flag("hypervisor") {
        return root.word("/sys/hypervisor/type").map(|kind| capitalised(&kind));
    }
    let told = root.word("/sys/hypervisor/type").map(|kind| capitalised(&kind));
    let tree = || root.word("/proc/device-tree/hypervisor/compatible").map(|_| "a hypervisor (device tree)".to_owned());
    let named = told.or_else(|| signature(root)).or_else(by_files).or_else(tree);
    named.or_else(|| x86.then(|| "unnamed hypervisor".to_owned()))
}

/// The hypervisor's signature, which only the running machine can give.
#[cfg(target_arch = "x86_64")]
fn signature(root: &Root) -> Option<String> {
    if !root.is_host() {
        return None;
    }
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].iter().flat_map(|r| r.to_le_bytes()).collect();
    let text = String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned();
    SIGNATURES.iter().find(|(signature, _)| *signature == text).map(|(_, name)| (*name).to_owned())
}

#[cfg(not(target_arch = "x86_64"))]
fn signature(_root: &Root) -> Option<String> {
    None
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
