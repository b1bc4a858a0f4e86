//! The serialized form of records. The documentation of [`records`](super) has its keys.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::{FiberId, FiberRef, NodeRecords, Records};

/// A list that is serialized an element at a time: the function returns its iterator.
struct List<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

impl Serialize for Records {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut records = to.serialize_struct("Records", 2)?;
        records.serialize_field("clock", &self.clock())?;
        records.serialize_field("nodes", &List(|| self.nodes()))?;
        records.end()
    }
}

impl Serialize for NodeRecords<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut node = to.serialize_struct("NodeRecords", 6)?;
        node.serialize_field("number", &self.number())?;
        node.serialize_field("dropped", &self.dropped())?;
        node.serialize_field("clock_error_ticks", &self.clock_error())?;
        node.serialize_field("fibers", &List(|| self.fibers()))?;
        node.serialize_field("signals", &List(|| self.signals()))?;
        node.serialize_field("services", &List(|| self.services()))?;
        node.end()
    }
}

impl Serialize for FiberId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fiber = to.serialize_struct("FiberId", 2)?;
        fiber.serialize_field("function", &self.function())?;
        fiber.serialize_field("name", self.name())?;
        fiber.end()
    }
}

impl Serialize for FiberRef {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fiber = to.serialize_struct("FiberRef", 2)?;
        fiber.serialize_field("node", &self.node())?;
        fiber.serialize_field("number", &self.number())?;
        fiber.end()
    }
}
