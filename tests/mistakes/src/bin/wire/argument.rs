//! A generic type with an argument that cannot travel.

use std::rc::Rc;

use earth::{Eu, Reply, Wire};

#[derive(Wire)]
struct Pair<T>(T, T);

fn send(eu: &mut Eu, to: Reply<Pair<Rc<u64>>>, one: Rc<u64>) {
    eu.put(to, Pair(Rc::clone(&one), one));
}

fn main() {}

//~ ERROR 11:8 a value of type `Rc<u64>` cannot travel between nodes
//~ NOTE a value that is only read travels within its process as `Shared`
