//! A tally never decreases, never exceeds the true count, and is exact once the counting thread is joined.

use earth_model::checked::tally::tally;
use earth_model::explore_all;
use loom::thread::spawn;

#[test]
fn a_tally_is_late_at_most() {
    explore_all(|| {
        let (mut tally, reader) = tally();
        let thread = spawn(move || (0..3).for_each(|_| tally.raise()));
        let looks = [reader.get(), reader.get()];
        assert!(looks[0] <= looks[1] && looks[1] <= 3, "{looks:?}");
        thread.join().unwrap();
        assert_eq!(reader.get(), 3);
    });
}
