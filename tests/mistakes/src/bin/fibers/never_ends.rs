//! A function that no fiber ends.

use earth::{Eu, Machine, Reply, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(eu.reply(Self::add().left), n);
        eu.put(eu.reply(Self::add().right), n);
        Sum { out }
    }

    #[slot]
    fn add(&mut self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 10:6 no fiber ends this function: let one take `self` by value (it ends the frame) or return `Then` (`Then::Wait` or `Then::End`)
