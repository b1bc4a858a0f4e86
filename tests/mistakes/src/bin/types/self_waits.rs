//! A fiber that takes `self` by value and returns `Then`.

use earth::{Eu, Machine, Reply, Start, Then, threaded};

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
        eu.token(Sum::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Sum::call(n - 2, eu.reply(Self::add().right)));
        Start::Wait(Sum { out })
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) -> Then {
        eu.put(self.out, left + right);
        Then::Wait
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 22:63 a fiber of `self` cannot return `Then`
//~ NOTE it returns `()` or a `Result<(), _>`; a fiber that may wait takes `&mut self` and returns `Then`
