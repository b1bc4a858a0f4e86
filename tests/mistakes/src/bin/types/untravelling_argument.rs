//! An argument that belongs to a process.

use earth::{Eu, Machine, Reply, threaded};

struct Shouts;

#[threaded]
impl Shouts {
    fn start(file: std::fs::File, out: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(out, file.metadata().map_or(0, |file| file.len()));
    }
}

fn main() {
    let Ok(file) = std::fs::File::open("text") else { return };
    let _ = Machine::threads(1).run(|out| Shouts::call(file, out));
}

//~ ERROR 9:13 a value of type `File` cannot travel between nodes
//~ NOTE derive it for a type of your own: `#[derive(Wire)]`
//~ NOTE a value that is only read travels within its process as `Shared`
