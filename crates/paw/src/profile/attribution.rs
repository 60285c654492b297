//! Places in files become functions, loops and source lines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::SystemTime;

use paw_binary::{Image, Lines};
use paw_data::profile::{Function, Loop, Module, ModuleKind, Place, Profile};
use paw_perf::sampling::{self, ImageKind, Sampled};

use super::code_loops::CodeLoops;
use super::symbol_map::SymbolMap;

/// A place of a sample, or of a caller, of which the function alone is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// Where.
    pub place: sampling::Place,
    /// Whether samples were taken there.
    pub is_innermost: bool,
}

/// Functions and places that were found, and the places of all spots.
#[derive(Debug, Default)]
pub struct Attribution {
    /// A profile with modules, functions, loops and places, and notes on files that could not be read.
    pub profile: Profile,
    /// The index of the place of each spot.
    pub places: HashMap<Spot, u32>,
    /// The modules whose files could not be read.
    pub unread: BTreeSet<u32>,
    functions: HashMap<Key, u32>,
    /// By function and first address.
    loops: HashMap<(u32, u64), u32>,
    known: HashMap<(u32, Option<u32>, String, u32), u32>,
}

/// The name of all code of paw itself, where paw calls what is profiled.
const DRIVER: &str = "paw's driver";

/// Module, first address and name of a function.
type Key = (u32, Option<u64>, Option<String>);

impl Attribution {
    /// Finds the functions, loops and lines of `spots`. Every file is read once; the code of `driver` is one function.
    pub fn of(sampled: &Sampled, spots: &BTreeSet<Spot>, driver: Option<&Path>) -> Self {
        let mut found = Self::default();
        let mut by_image: BTreeMap<u32, Vec<Spot>> = BTreeMap::new();
        for spot in spots {
            by_image.entry(spot.place.image).or_default().push(*spot);
        }
        for (index, spots) in by_image {
            let image = sampled.images.get(index as usize);
            if let Some(image) = image.filter(|image| image.kind == ImageKind::Generated) {
                found.generated(image, sampled.since, &spots);
            } else if driver.is_some_and(|driver| image.is_some_and(|image| Path::new(&image.path) == driver)) {
                found.driver(image, &spots);
            } else {
                found.module(image, &spots);
            }
        }
        found
    }

    fn driver(&mut self, image: Option<&sampling::Image>, spots: &[Spot]) {
        let module = self.profile.modules.len() as u32;
        let path = image.map_or_else(String::new, |image| image.path.clone());
        self.profile.modules.push(Module { path, kind: ModuleKind::File });
        let function = self.function(Function { name: Some(DRIVER.to_owned()), address: None, module });
        spots.iter().for_each(|spot| self.add(*spot, Place { function, ..Place::default() }));
    }

    /// Code that the process made, with the names that it has written down.
    fn generated(&mut self, image: &sampling::Image, since: Option<SystemTime>, spots: &[Spot]) {
        let module = self.profile.modules.len() as u32;
        let map = match SymbolMap::of_process(image.pid, since) {
            Ok(map) => map,
            Err(why) => {
                self.profile.notes.push(format!("Names of code that a program made were not read: {why}."));
                None
            }
        };
        let path = map.as_ref().map_or_else(|| image.path.clone(), |map| map.path().to_owned());
        self.profile.modules.push(Module { path, kind: ModuleKind::Generated });
        for spot in spots {
            let found = map.as_ref().and_then(|map| map.function_at(spot.place.offset));
            let (name, address) = found.map_or((None, None), |(name, start)| (Some(name.to_owned()), Some(start)));
            let function = self.function(Function { name, address, module });
            self.add(*spot, Place { function, ..Place::default() });
        }
    }

    fn module(&mut self, image: Option<&sampling::Image>, spots: &[Spot]) {
        let module = self.profile.modules.len() as u32;
        let kind = image.map_or(ModuleKind::Unknown, |image| kind(image.kind));
        let path = image.map_or_else(String::new, |image| image.path.clone());
        self.profile.modules.push(Module { path: path.clone(), kind });
        let opened = (kind == ModuleKind::File).then(|| Image::open(Path::new(&path)));
        let image = match opened {
            Some(Ok(image)) => image,
            Some(Err(why)) => {
                self.unread.insert(module);
                self.profile.notes.push(format!("Functions of one file are not known: {why}"));
                return self.unreadable(module, spots);
            }
            None => return self.unreadable(module, spots),
        };
        let sections = image.debug_sections().ok();
        let lines = sections.as_ref().and_then(|sections| sections.lines());
        let mut loops = CodeLoops::default();
        for spot in spots {
            self.spot(&image, lines.as_ref(), &mut loops, module, *spot);
        }
    }

    fn unreadable(&mut self, module: u32, spots: &[Spot]) {
        for spot in spots {
            let function = self.function(Function { module, ..Function::default() });
            self.add(*spot, Place { function, ..Place::default() });
        }
    }

    fn spot(&mut self, image: &Image, lines: Option<&Lines<'_>>, loops: &mut CodeLoops, module: u32, spot: Spot) {
        let address = image.address_of_offset(spot.place.offset);
        let found = address.and_then(|address| image.function_at(address));
        let (name, start) = found.as_ref().map_or((None, None), |found| (found.name.clone(), Some(found.start)));
        let function = self.function(Function { name, address: start, module });
        let mut place = Place { function, ..Place::default() };
        let Some(address) = address.filter(|_| spot.is_innermost) else { return self.add(spot, place) };
        if let Some(found) = lines.and_then(|lines| lines.place(address)) {
            (place.file, place.line) = (found.file, found.line);
        }
        let within = found.as_ref().and_then(|function| loops.at(image, function, lines, address));
        place.within = within.map(|within| self.code_loop(Loop { function, ..within }));
        self.add(spot, place);
    }

    fn code_loop(&mut self, found: Loop) -> u32 {
        let next = self.loops.len() as u32;
        let number = *self.loops.entry((found.function, found.address)).or_insert(next);
        if number == next {
            self.profile.loops.push(found);
        }
        number
    }

    fn function(&mut self, function: Function) -> u32 {
        let next = self.functions.len() as u32;
        let key = (function.module, function.address, function.name.clone());
        let number = *self.functions.entry(key).or_insert(next);
        if number == next {
            self.profile.functions.push(function);
        }
        number
    }

    fn add(&mut self, spot: Spot, place: Place) {
        let next = self.known.len() as u32;
        let key = (place.function, place.within, place.file.clone(), place.line);
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.profile.places.push(place);
        }
        self.places.insert(spot, number);
    }
}

fn kind(kind: ImageKind) -> ModuleKind {
    match kind {
        ImageKind::File => ModuleKind::File,
        ImageKind::Generated => ModuleKind::Generated,
        ImageKind::Vdso => ModuleKind::Vdso,
        ImageKind::Kernel => ModuleKind::Kernel,
        ImageKind::Unknown => ModuleKind::Unknown,
    }
}
