//! Offers: no token stays in a shared end while its only thief sleeps.

use std::sync::Arc;

use earth_model::checked::offers::Offers;
use earth_model::checked::shared_end::shared_end;
use earth_model::checked::sleepers::Sleepers;
use earth_model::{explore, misused, weak_fence};
use loom::thread::spawn;

/// A thief sleeps until it has stolen two tokens. The main thread publishes one token, and another when the
/// first is gone. In between it clears its bit if it finds its shared end empty.
macro_rules! publish_and_steal {
    ($shared_end:ident, $offers:ident, $sleepers:ident) => {
        || {
            let (mut publisher, stealer) = $shared_end(2);
            let shared = Arc::new(($offers::new(1), $sleepers::new(1)));
            let thief = Arc::clone(&shared);
            let thread = spawn(move || {
                let (offers, sleepers) = &*thief;
                let mut stolen = 0;
                while stolen < 2 {
                    sleepers.park_unless(0, || offers.find_from(0, |_| !stealer.is_empty()).is_some());
                    while offers.find_from(0, |_| true).and_then(|_| stealer.steal()).is_some() {
                        stolen += 1;
                    }
                }
            });
            let (offers, sleepers) = &*shared;
            let mut offering = false;
            for token in 0..2 {
                if offering && publisher.is_empty() {
                    offers.lower(0);
                    offering = false;
                }
                assert!(publisher.publish(token).is_ok());
                if !offering {
                    offers.raise(0);
                    offering = true;
                }
                sleepers.wake_any();
            }
            thread.join().unwrap();
        }
    };
}

#[test]
fn no_offer_is_unseen() {
    explore(publish_and_steal!(shared_end, Offers, Sleepers));
}

use misused::shared_end::shared_end as leaked_end;
use weak_fence::offers::Offers as FencelessOffers;
use weak_fence::sleepers::Sleepers as Fenceless;

#[test]
#[should_panic(expected = "deadlock")]
fn without_the_fence_an_offer_is_unseen() {
    explore(publish_and_steal!(leaked_end, FencelessOffers, Fenceless));
}

/// A thief must not clear the bit of a publisher, because the publisher may meanwhile have published another
/// token.
#[test]
#[should_panic(expected = "no thief would look here")]
fn a_thief_that_lowers_the_bit_hides_a_token() {
    explore(|| {
        let (mut publisher, stealer) = misused::shared_end::shared_end(2);
        let offers = Arc::new(misused::offers::Offers::new(1));
        let (thief, there) = (stealer.clone(), Arc::clone(&offers));
        let thread = spawn(move || {
            while let Some(node) = there.find_from(0, |_| true) {
                if thief.steal().is_none() {
                    there.lower(node);
                }
            }
        });
        for token in 0..2 {
            assert!(publisher.publish(token).is_ok());
            if offers.find_from(0, |_| true).is_none() {
                offers.raise(0);
            }
        }
        thread.join().unwrap();
        assert!(stealer.is_empty() || offers.find_from(0, |_| true).is_some(), "no thief would look here");
    });
}
