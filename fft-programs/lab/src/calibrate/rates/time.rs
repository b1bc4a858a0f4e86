//! Timing of calls.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use earth_report::spread::median;

use super::CalibrationEffort;

/// Shortest sample; short calls are repeated.
const SAMPLE: Duration = Duration::from_micros(20);

/// Fewest samples.
const FEWEST: usize = 5;

/// Measures the nanoseconds of a call that cannot fail.
pub(in crate::calibrate) fn of_work(care: CalibrationEffort, mut work: impl FnMut()) -> f64 {
    let time = of(care, || {
        work();
        Ok::<_, Infallible>(())
    });
    time.unwrap_or_else(|never| match never {})
}

/// Measures the nanoseconds of a call: the median of samples, after a first call that does not count.
pub(super) fn of<E>(care: CalibrationEffort, mut call: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    call()?;
    let mut sample = |calls: u32| {
        let begin = Instant::now();
        (0..calls).try_for_each(|_| call())?;
        Ok(begin.elapsed())
    };
    let first = sample(1)?;
    let calls =
        SAMPLE.as_nanos().checked_div(first.as_nanos()).map_or(1000, |calls| calls.clamp(1, 10_000) as u32);
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.len() < FEWEST || begin.elapsed().as_secs_f64() * 1e3 < care.milliseconds {
        times.push(sample(calls)?.as_secs_f64() * 1e9 / f64::from(calls));
    }
    Ok(median(times).unwrap_or(f64::NAN))
}
