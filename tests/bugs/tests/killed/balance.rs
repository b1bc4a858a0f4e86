//! Tokens: each runs once, where it may, and idle nodes get some.

use earth::{Config, Machine, NodeId, Reply, Schedule, Then, threaded_old};

use crate::machines::{On, STEPS, Verdict, checked, everywhere, gives, manna50, same};

threaded_old! {
    /// The n-th Fibonacci number, two tokens a call.
    fn Fib(n: u64, out: Reply<u64>)
    inlets { left: u64, right: u64 }
    slots  { done: 2 => add }
    fiber start(this, eu) {
        if this.n < 2 {
            eu.put(this.out, this.n);
            return Then::End;
        }
        eu.token_old::<Fib>((this.n - 1, eu.reply_to(Self::left, Self::done)));
        eu.token_old::<Fib>((this.n - 2, eu.reply_to(Self::right, Self::done)));
        Then::Wait
    }
    fiber add(this, eu) {
        let sum = eu.take(Self::left) + eu.take(Self::right);
        eu.put(this.out, sum);
        Then::End
    }
}

/// By hand: fib(9) is 34 and takes 109 calls, 54 of which join; all but the first are tokens.
pub(crate) fn fib() -> Verdict {
    everywhere(4, |machine| {
        let counters = checked(machine.run_old::<Fib>(9), 34)?.counters;
        let found = (counters.fibers, counters.tokens, counters.frames, counters.signals);
        same("fibers, tokens, frames, signals", &found, &(163, 108, 54, 109))
    })
}

threaded_old! {
    /// Makes `count` tokens at once, for the nodes `first..end`; gives the sum of their numbers and the lowest
    /// and the highest node that one ran on.
    fn Fan(count: u64, first: usize, end: usize, out: Reply<(u64, u64, u64)>)
    state  { left: u64 = 0, sum: u64 = 0, low: u64 = u64::MAX, high: u64 = 0 }
    calls  { Where }
    inlets { place: (u64, u64) }
    slots  { came: 1, reset 1 => note }
    fiber start(this, eu) {
        this.left = this.count;
        for i in 0..this.count {
            let place = eu.reply_to(Self::place, Self::came);
            eu.token_within_old::<Where>(NodeId::new(this.first)..NodeId::new(this.end), (i, place));
        }
        Then::Wait
    }
    fiber note(this, eu) {
        let (number, node) = eu.take(Self::place);
        this.sum += number;
        (this.low, this.high) = (this.low.min(node), this.high.max(node));
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, (this.sum, this.low, this.high));
        Then::End
    }
}

threaded_old! {
    /// Says its number and where it runs.
    fn Where(number: u64, out: Reply<(u64, u64)>)
    fiber start(this, eu) {
        eu.put(this.out, (this.number, eu.node().index() as u64));
        Then::End
    }
}

/// More tokens than three chunks hold.
pub(crate) fn fan() -> Verdict {
    everywhere(1, |machine| {
        let run = machine.run_old::<Fan>((200, 0, 3)).map_err(|error| error.to_string())?;
        same("the sum", &run.value.0, &(199 * 200 / 2))?;
        same("fibers", &run.counters.fibers, &(1 + 2 * 200))?;
        same("frames ended", &run.counters.frames_ended, &run.counters.frames)
    })
}

pub(crate) fn ranged() -> Verdict {
    everywhere(4, |machine| {
        let sum = 39 * 40 / 2;
        gives(machine.run_old::<Fan>((40, 0, 1)), (sum, 0, 0))?;
        let run = machine.run_old::<Fan>((40, 1, 2));
        gives(run, (sum, 1, 1))
    })
}

threaded_old! {
    /// Makes a token, then invokes a function here; gives who came first.
    fn Order(out: Reply<u64>)
    state  { digits: u64 = 0 }
    calls  { Where }
    inlets { place: (u64, u64) }
    slots  { came: 1, reset 1 => note }
    fiber start(_this, eu) {
        let place = eu.reply_to(Self::place, Self::came);
        eu.token_old::<Where>((1, place));
        eu.invoke_old::<Where>(eu.node(), (2, place));
        Then::Wait
    }
    fiber note(this, eu) {
        let first = this.digits;
        let (number, _) = eu.take(Self::place);
        this.digits = 10 * first + number;
        if first == 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.digits);
        Then::End
    }
}

pub(crate) fn order() -> Verdict {
    On { nodes: 1, ..On::SPN }.each(|machine| gives(machine.run_old::<Order>(()), 21))
}

/// In virtual time each of four nodes has something to do most of the time.
pub(crate) fn idle() -> Verdict {
    for config in [Config::Spn, Config::Dual] {
        let machine =
            Machine::simulated(&manna50()).schedule(Schedule::Time).nodes(4).config(config).step_limit(STEPS);
        let run = checked({ machine }.run_old::<Fib>(12), 144)?;
        let stolen = run.counters.tokens_stolen;
        if stolen < 10 {
            return Err(format!("{config}: idle nodes stole {stolen} tokens"));
        }
    }
    Ok(())
}
