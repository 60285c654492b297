//! Things behind numbers that are used again.

/// Items found by handles `base`, `base + 1`, …
#[derive(Debug)]
pub(crate) struct Slots<T> {
    base: usize,
    items: Vec<Option<T>>,
    free: Vec<usize>,
    /// From which place on handles are greater, and by how much.
    skipped: Option<(usize, usize)>,
}

impl<T> Slots<T> {
    pub(crate) fn from(base: usize) -> Self {
        Slots { base, items: Vec::new(), free: Vec::new(), skipped: None }
    }

    pub(crate) fn insert(&mut self, item: T) -> usize {
        let index = self.free.pop().unwrap_or_else(|| {
            self.items.push(None);
            self.items.len() - 1
        });
        self.items[index] = Some(item);
        self.handle(index)
    }

    /// Numbers of later items begin here; those before stay what they are.
    pub(crate) fn skip_to(&mut self, handle: usize) {
        self.skipped = Some((self.items.len(), handle - self.base - self.items.len()));
    }

    /// The place of a handle.
    fn index(&self, handle: usize) -> Option<usize> {
        let index = handle.checked_sub(self.base)?;
        match self.skipped {
            Some((from, by)) if index >= from => index.checked_sub(by).filter(|index| *index >= from),
            _ => Some(index),
        }
    }

    fn handle(&self, index: usize) -> usize {
        let skip = self.skipped.map_or(0, |(from, by)| if index >= from { by } else { 0 });
        self.base + index + skip
    }

    pub(crate) fn get(&self, handle: usize) -> Option<&T> {
        self.items.get(self.index(handle)?)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, handle: usize) -> Option<&mut T> {
        let index = self.index(handle)?;
        self.items.get_mut(index)?.as_mut()
    }

    pub(crate) fn remove(&mut self, handle: usize) -> Option<T> {
        let index = self.index(handle)?;
        let item = self.items.get_mut(index)?.take()?;
        self.free.push(index);
        Some(item)
    }

    /// Takes an item out whose number stays taken until it is given back.
    pub(crate) fn lend(&mut self, handle: usize) -> Option<T> {
        let index = self.index(handle)?;
        self.items.get_mut(index)?.take()
    }

    pub(crate) fn give_back(&mut self, handle: usize, item: T) {
        if let Some(index) = self.index(handle) {
            self.items[index] = Some(item);
        }
    }

    pub(crate) fn handles(&self) -> Vec<usize> {
        let taken = self.items.iter().enumerate().filter(|(_, item)| item.is_some());
        taken.map(|(index, _)| self.handle(index)).collect()
    }
}
