//! Searches that draw points: at random, and by what earlier points have taught.

use earth_console::work::Progress;
use rand::RngExt as _;
use rand::rngs::Xoshiro256PlusPlus;
use tpe::TpeOptimizer;

use super::space::Space;
use super::trials::{Objective, Stop, Trials};

/// Random points before the first that is drawn by densities.
const RANDOM_FIRST: usize = 10;

/// Draws the place of each parameter uniformly from its grid.
pub(super) fn places(space: &Space, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    space.axes().iter().map(|axis| rng.random_range(0..axis.len()) as f64).collect()
}

/// Runs random points until the limit.
pub(super) fn random<O: Objective, P: Progress>(
    space: &Space,
    mut rng: Xoshiro256PlusPlus,
    trials: &mut Trials<'_, O, P>,
) -> Result<(), Stop<O::Error>> {
    while !trials.is_idle() {
        trials.cost(&space.nearest(&places(space, &mut rng)))?;
    }
    Ok(())
}

/// Search by tree-structured Parzen estimators.
///
/// For each parameter it estimates two densities: of the tenth of all points with the least costs, and of the
/// others. It draws values from the first density and takes the value at which the ratio of the first to the
/// second is greatest. The first points are `start` and random ones.
///
/// Source: Bergstra, Bardenet, Bengio, Kegl, "Algorithms for Hyper-Parameter Optimization", NIPS 2011.
///
/// *When it loses.* Each parameter has densities of its own, so a valley along several parameters is not
/// seen.
pub(super) fn by_densities<O: Objective, P: Progress>(
    space: &Space,
    start: &[usize],
    mut rng: Xoshiro256PlusPlus,
    trials: &mut Trials<'_, O, P>,
) -> Result<(), Stop<O::Error>> {
    // A place is the middle of a range of length 1, which is never empty.
    let range = |len: usize| tpe::range(-0.5, len as f64 - 0.5).ok();
    let ranges = space.axes().iter().filter_map(|axis| range(axis.len()));
    let mut densities: Vec<_> =
        ranges.map(|range| TpeOptimizer::new(tpe::parzen_estimator(), range)).collect();
    let mut begun = 0;
    while !trials.is_idle() {
        let drawn = match begun {
            0 => space.places(start),
            1..=RANDOM_FIRST => places(space, &mut rng),
            _ => densities.iter_mut().map(|density| asked(density, &mut rng)).collect(),
        };
        let before = trials.runs();
        let cost = trials.cost(&space.nearest(&drawn))?;
        begun += usize::from(cost < f64::INFINITY);
        // A second copy of a point would make it seem twice as good.
        if trials.runs() > before || cost.is_infinite() {
            for (density, at) in densities.iter_mut().zip(drawn) {
                // The densities take no cost that is not a number.
                let _ = density.tell(at.round(), cost);
            }
        }
    }
    Ok(())
}

fn asked(density: &mut TpeOptimizer, rng: &mut Xoshiro256PlusPlus) -> f64 {
    let Ok(drawn) = density.ask(rng);
    drawn
}
