//! search
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use earth::Config;
use earth_signal::{Weakness, weakened};
use crate::cases::{By, Case, schedule};
use crate::programs::*;

#[test]
#[ignore]
fn search() {
    use Weakness::*;
    let all = [Answer, Claim, GiveBack, NeverBusy, QuietOnce, Steal, AnnounceAfter, NoRing, SleepsUnrung, ParksBlind];
    let programs: [(&str, fn(Case)); 11] = [("fib", fib), ("ring", ring), ("reads", reads), ("blocks", blocks), ("shared", shared_tokens), ("floods", floods), ("runs", runs), ("input", input), ("cancels", cancels), ("fails", fails), ("deadlocks", deadlocks)];
    let within: usize = std::env::var("WITHIN").map_or(200, |w| w.parse().unwrap());
    let only = std::env::var("ONLY").ok();
    for weakness in all {
        if only.as_ref().is_some_and(|o| *o != format!("{weakness:?}")) { continue; }
        for (name, program) in programs {
            for (config, nodes, cores) in [(Config::Spn, 2, 2), (Config::Spn, 3, 3), (Config::Spn, 3, 2), (Config::Dual, 1, 2), (Config::Dual, 2, 4), (Config::Dual, 3, 2), (Config::Dual, 3, 4)] {
                let case = Case { config, nodes, cores };
                let mut line = String::new();
                for by in [By::Random, By::Pct(2), By::Pct(4)] {
                    let count = Arc::new(AtomicUsize::new(0));
                    let counter = Arc::clone(&count);
                    let out = catch_unwind(AssertUnwindSafe(|| weakened(weakness, || schedule(by, within, move || { counter.fetch_add(1, Ordering::Relaxed); program(case) }))));
                    if let Err(payload) = out {
                        let what = payload.downcast_ref::<String>().cloned().or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default();
                        line += &format!("  {by:?} {}: {}", count.load(Ordering::Relaxed), what.replace('\n', " ").chars().take(110).collect::<String>());
                    }
                }
                if !line.is_empty() { println!("FOUND {weakness:?} {name} {case}{line}"); }
            }
        }
        println!("DONE {weakness:?}");
    }
}
