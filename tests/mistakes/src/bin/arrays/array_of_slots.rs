//! An array of inlets in an array of slots.

use earth::{Eu, Machine, Reply, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(n: usize, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let _ = eu.reply(Self::add(0).parts);
        Sum { out }
    }

    #[slots(len = n)]
    fn add(self, _index: usize, #[inlets] parts: [u64; 2], eu: &mut Eu<Self>) {
        eu.put(self.out, parts.iter().sum());
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 17:43 an array of inlets needs a single slot: write `#[slot]` above its fiber, not `#[slots]`
