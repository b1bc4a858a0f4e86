//! An array of slots, addressed without an index.

use earth::{Eu, Machine, Reply, Start, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.token(Sum::call(n - 1, eu.reply(Self::add(0).left)));
        eu.token(Sum::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Sum { out })
    }

    #[slots(len = n as usize)]
    fn add(self, index: usize, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right + index as u64);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 17:44 this function takes 1 argument but 0 arguments were supplied
