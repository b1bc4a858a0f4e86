//! What an execution unit publishes of the fiber that it runs, on a machine with a stall monitor.
//!
//! Fibers are published by the code that observes them (the `TRACED` variants of what runs fibers), so a machine
//! without a monitor has no instruction for it.

use earth_signal::{Activity, ActivityView};

use super::execution_unit::ExecutionUnit;
use super::functions;
use crate::vocabulary::layout::Layout;

impl ExecutionUnit {
    /// Publishes its fibers from now on.
    pub(crate) fn watched(&mut self) {
        self.recorder.activity = Some(Box::new(Activity::new()));
        self.recorder.observed = true;
    }

    /// The view of its activity, if it publishes its fibers.
    pub(crate) fn activity(&self) -> Option<ActivityView> {
        self.recorder.activity.as_ref().map(|activity| activity.view())
    }

    /// A fiber of the function with this layout is going to run.
    pub(super) fn publish(&mut self, layout: &'static Layout, fiber: u32) {
        if let Some(activity) = &mut self.recorder.activity {
            activity.begin(functions::number_of(layout), fiber);
        }
    }

    /// The fiber has returned, or has panicked.
    pub(crate) fn publish_rest(&self) {
        if let Some(activity) = &self.recorder.activity {
            activity.rest();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use earth_signal::ActivityView;

    use crate::{Config, Error, Eu, Machine, Reply, threaded};

    /// The view of the unit whose fiber ran last.
    static VIEW: Mutex<Option<ActivityView>> = Mutex::new(None);

    struct Looks;

    #[threaded]
    impl Looks {
        fn start(panics: bool, out: Reply<bool>, eu: &mut Eu<Self>) {
            let view = eu.unit.activity();
            let seen = view.as_ref().and_then(ActivityView::running).is_some();
            *VIEW.lock().expect("no panic happens while it is locked") = view;
            assert!(!panics, "as a test");
            eu.put(out, seen);
        }
    }

    #[test]
    fn a_fiber_is_published_until_it_has_returned_or_panicked() {
        let still_runs = || {
            let view = VIEW.lock().expect("no panic happens while it is locked").take();
            view.map(|view| view.running().is_some())
        };
        for config in [Config::Spn, Config::Dual] {
            for machine in [Machine::threads(1), Machine::threads(2), Machine::stepper(0)] {
                let machine = machine.config(config);
                let mut watched = machine.stall_monitor(Duration::MAX, |_| {});
                assert_eq!(watched.run(|out| Looks::call(false, out)).map(|run| run.value), Ok(true));
                assert_eq!(still_runs(), Some(false));
                assert!(matches!(watched.run(|out| Looks::call(true, out)), Err(Error::Panicked { .. })));
                assert_eq!(still_runs(), Some(false));
            }
            let mut machine = Machine::threads(1).config(config);
            assert_eq!(machine.run(|out| Looks::call(false, out)).map(|run| run.value), Ok(false));
            assert_eq!(still_runs(), None);
        }
    }
}
