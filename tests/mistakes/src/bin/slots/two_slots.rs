//! A fiber with two slots.

use earth::{Eu, Machine, Reply, Then, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::add());
        Sum { out }
    }

    #[slot(sync)]
    #[slot(syncs = 2)]
    fn add(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.put(self.out, 1);
        Then::End
    }
}

fn main() {
    let _ = Machine::threads(1).run(Sum::call);
}

//~ ERROR 17:5 a fiber has only one slot: write another fiber for another slot, and let both call one function
