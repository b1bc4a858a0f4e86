//! A value that does not travel in line.

use earth::{Eu, Machine, Reply, Start, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded(in_line)]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
        if n < 2 {
            eu.put(out, n);
            return Start::End;
        }
        eu.put(eu.reply(Self::add().left), [n; 7]);
        eu.token(Sum::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, left: [u64; 7], right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left[0] + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 22:24 evaluation panicked: a value of this type takes more than 48 bytes, so it does not travel in line
