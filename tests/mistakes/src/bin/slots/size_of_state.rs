//! A length that is computed from the state.

use earth::{Eu, Machine, Reply, Start, threaded};

struct Sum {
    n: usize,
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
        eu.token(Sum::call(n - 2, eu.reply(Self::add(0).right)));
        Start::Wait(Sum { n: n as usize, out })
    }

    #[slots(len = self.n)]
    fn add(self, index: usize, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right + (index + self.n) as u64);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 22:19 sizes are computed before the function has a state: write an expression of the arguments of its first fiber
