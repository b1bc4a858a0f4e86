//! The planner of the process: its effort and its wisdom.

use std::sync::LazyLock;

use earth_fft::{Effort, Kernel, Planner, Wisdom};
use earth_signal::ProcessLock;

/// Effort and wisdom.
#[derive(Debug, Default)]
struct Settings {
    effort: Effort,
    /// `None` until a plan is measured or a wisdom is loaded: looking a plan up takes time.
    wisdom: Option<Wisdom>,
}

static SETTINGS: LazyLock<ProcessLock<Settings>> = LazyLock::new(ProcessLock::default);

/// Its clones share the machines, so that all plans of a number of threads have the same threads.
static PLANNER: LazyLock<Planner> = LazyLock::new(|| Planner::new().kernel(Kernel::Earth));

/// Returns a planner by the settings of the process.
pub(crate) fn planner(effort: Effort) -> Planner {
    let planner = PLANNER.clone();
    let planner = if effort == Effort::Estimate { planner } else { planner.effort(effort) };
    let Some(mut settings) = SETTINGS.lock() else { return planner };
    match &settings.wisdom {
        None if effort == Effort::Estimate => planner,
        _ => planner.wisdom(settings.wisdom.get_or_insert_default().clone()),
    }
}

/// Returns the effort of plans that name none.
pub(crate) fn effort() -> Effort {
    SETTINGS.lock().map_or(Effort::Estimate, |settings| settings.effort)
}

/// Sets the effort of plans that name none.
pub(crate) fn set_effort(effort: Effort) {
    if let Some(mut settings) = SETTINGS.lock() {
        settings.effort = effort;
    }
}

/// Returns the wisdom.
pub(crate) fn wisdom() -> Wisdom {
    SETTINGS.lock().and_then(|settings| settings.wisdom.clone()).unwrap_or_default()
}

/// Adds to the wisdom. Returns whether the settings could be locked.
pub(crate) fn learn(read: &Wisdom) -> bool {
    let Some(mut settings) = SETTINGS.lock() else { return false };
    settings.wisdom.get_or_insert_default().merge(read);
    true
}

/// Forgets the wisdom.
pub(crate) fn forget() {
    if let Some(mut settings) = SETTINGS.lock() {
        settings.wisdom = None;
    }
}
