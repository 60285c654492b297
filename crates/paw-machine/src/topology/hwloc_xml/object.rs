//! One object of hwloc's XML, and the sets in it.

use roxmltree::Node;

use super::XmlError;
use crate::cpuset::CpuSet;

/// One object: a package, a core, a cache, a device.
pub struct Object<'a, 'i> {
    /// `Package`, `PU` …
    pub kind: &'a str,
    /// The operating system's number.
    pub os_index: Option<u32>,
    /// Its processors; empty for devices.
    pub cpus: CpuSet,
    /// Its element.
    pub node: Node<'a, 'i>,
}

impl<'a, 'i> Object<'a, 'i> {
    pub fn new(node: Node<'a, 'i>) -> Result<Self, XmlError> {
        let kind = node.attribute("type").unwrap_or_default();
        let cpus = set(kind, node.attribute("cpuset").unwrap_or_default())?;
        Ok(Self { kind, os_index: node.attribute("os_index").and_then(|text| text.parse().ok()), cpus, node })
    }

    /// A set among its attributes; `None` where it is missing or damaged.
    pub fn set(&self, name: &str) -> Option<CpuSet> {
        set(self.kind, self.node.attribute(name)?).ok()
    }

    /// A number among its attributes.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.node.attribute(name)?.parse().ok()
    }

    /// The nearest object around it that has processors.
    pub fn place(&self) -> Option<Self> {
        let around = self.node.ancestors().skip(1).filter(|n| n.has_tag_name("object"));
        around.filter_map(|node| Self::new(node).ok()).find(|object| !object.cpus.is_empty())
    }
}

/// The value of the `info` of this name in an element.
pub fn info<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let named = |child: &Node<'a, '_>| child.has_tag_name("info") && child.attribute("name") == Some(name);
    node.children().find(named)?.attribute("value").map(str::trim).filter(|value| !value.is_empty())
}

/// A set as hwloc writes it: 32-bit words, the highest first, words without a bit left empty.
pub fn set(object: &str, text: &str) -> Result<CpuSet, XmlError> {
    if text.is_empty() {
        return Ok(CpuSet::new());
    }
    let words: Vec<&str> = text.split(',').map(|word| if word.is_empty() { "0" } else { word }).collect();
    let bad = |_| XmlError::BadSet { object: object.to_owned(), text: text.to_owned() };
    CpuSet::from_mask(&words.join(",")).map_err(bad)
}
