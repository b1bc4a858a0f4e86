//! A type that also implements the trait by hand.

use earth::{Packer, Undecodable, Unpacker, Wire};

#[derive(Wire)]
struct Short(u16);

impl Wire for Short {
    fn pack(self, _: &mut Packer) {}
    fn unpack(_: &mut Unpacker<'_>) -> Result<Self, Undecodable> {
        Err(Undecodable)
    }
}

fn main() {}

//~ ERROR 5:10 conflicting implementations of trait `Wire` for type `Short`
