//! A first fiber that returns `Then`, as later fibers do.

use earth::{Eu, Machine, Reply, Then, threaded};

struct Sum {
    out: Reply<u64>,
}

#[threaded]
impl Sum {
    fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Then {
        if n < 2 {
            eu.put(out, n);
            return Then::End;
        }
        eu.token(Sum::call(n - 1, eu.reply(Self::add().left)));
        eu.token(Sum::call(n - 2, eu.reply(Self::add().right)));
        Then::Wait
    }

    #[slot]
    fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
        eu.put(self.out, left + right);
    }
}

fn main() {
    let _ = Machine::threads(1).run(|out| Sum::call(3, out));
}

//~ ERROR 11:61 the first fiber of `Sum` cannot return `Then`
//~ NOTE it returns `Self` (the state of a frame that waits), `Start<Self>` (it waits or ends), `()` (it ends), or a `Result` of one of these
