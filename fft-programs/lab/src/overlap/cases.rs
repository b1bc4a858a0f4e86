//! Settings and published figures of the paper.

use earth_papers::overlap::Parameters;

use super::machines::Machine::{self, Cluster, Hopper};
use super::machines::{SMALL, Setting};

/// A setting of the paper, with its figures in Tables 2, 3 and 4.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Published {
    pub(crate) setting: [usize; 2],
    pub(crate) machine: Machine,
    /// Times of FFTW, NEW and TH in seconds.
    pub(crate) seconds: [f64; 3],
    /// Values of NEW's tuned parameters.
    values: [usize; 10],
    /// Times of their tuning in seconds.
    pub(crate) tuning: [f64; 3],
}

impl Published {
    pub(crate) fn setting(&self) -> Setting {
        let [ranks, n] = self.setting;
        Setting::new(self.machine, ranks, n)
    }

    /// Returns NEW's tuned parameters.
    pub(crate) fn parameters(&self) -> Parameters {
        Parameters::of(self.values)
    }
}

const fn row(
    machine: Machine,
    ranks: usize,
    n: usize,
    seconds: [f64; 3],
    values: [usize; 10],
    tuning: [f64; 3],
) -> Published {
    Published { setting: [ranks, n], machine, seconds, values, tuning }
}

/// Tables 2, 3 and 4.
pub(crate) const PUBLISHED: [Published; 24] = [
    row(Cluster, 16, 256, [0.369, 0.245, 0.319], [32, 3, 8, 2, 16, 4, 32, 8, 8, 16], [22.569, 16.443, 5.732]),
    row(
        Cluster,
        16,
        384,
        [1.207, 0.725, 1.063],
        [16, 2, 16, 1, 16, 2, 16, 16, 8, 16],
        [60.859, 27.178, 13.279],
    ),
    row(
        Cluster,
        16,
        512,
        [2.948, 1.966, 2.514],
        [64, 3, 16, 2, 16, 2, 32, 16, 32, 32],
        [87.568, 123.993, 30.916],
    ),
    row(
        Cluster,
        16,
        640,
        [5.927, 3.515, 5.234],
        [32, 3, 16, 1, 16, 2, 16, 16, 16, 16],
        [202.134, 197.916, 71.724],
    ),
    row(Cluster, 32, 256, [0.189, 0.153, 0.197], [64, 3, 8, 8, 8, 4, 64, 8, 16, 64], [14.388, 11.385, 3.768]),
    row(Cluster, 32, 384, [0.653, 0.477, 0.644], [32, 2, 12, 2, 8, 2, 32, 8, 8, 16], [44.795, 28.489, 7.834]),
    row(
        Cluster,
        32,
        512,
        [1.580, 1.119, 1.520],
        [32, 2, 16, 4, 16, 4, 64, 8, 8, 16],
        [67.426, 45.308, 25.124],
    ),
    row(
        Cluster,
        32,
        640,
        [3.129, 2.158, 3.061],
        [32, 2, 8, 1, 8, 1, 16, 16, 16, 16],
        [174.081, 73.263, 52.897],
    ),
    row(Hopper, 16, 256, [0.096, 0.087, 0.106], [32, 3, 16, 2, 8, 2, 16, 16, 16, 32], [11.413, 9.091, 2.221]),
    row(
        Hopper,
        16,
        384,
        [0.322, 0.293, 0.354],
        [32, 3, 24, 1, 24, 2, 16, 16, 16, 16],
        [37.786, 17.342, 17.984],
    ),
    row(
        Hopper,
        16,
        512,
        [0.836, 0.693, 0.885],
        [64, 3, 32, 1, 16, 2, 64, 64, 64, 64],
        [69.912, 43.718, 27.020],
    ),
    row(
        Hopper,
        16,
        640,
        [1.636, 1.428, 1.725],
        [64, 3, 16, 2, 16, 2, 64, 32, 64, 32],
        [249.358, 87.573, 22.857],
    ),
    row(Hopper, 32, 256, [0.061, 0.046, 0.061], [64, 2, 8, 4, 8, 4, 64, 16, 16, 64], [6.614, 6.467, 1.382]),
    row(
        Hopper,
        32,
        384,
        [0.189, 0.146, 0.198],
        [64, 3, 12, 2, 8, 2, 128, 32, 64, 128],
        [23.317, 155.975, 10.425],
    ),
    row(
        Hopper,
        32,
        512,
        [0.475, 0.340, 0.488],
        [128, 3, 16, 2, 8, 4, 128, 64, 32, 64],
        [41.969, 165.527, 6.666],
    ),
    row(
        Hopper,
        32,
        640,
        [0.920, 0.747, 0.930],
        [64, 3, 16, 2, 16, 2, 64, 64, 64, 64],
        [188.474, 38.279, 15.027],
    ),
    row(
        Hopper,
        128,
        1280,
        [2.426, 1.638, 2.505],
        [256, 4, 10, 2, 8, 2, 512, 128, 256, 512],
        [461.240, 140.986, 34.474],
    ),
    row(
        Hopper,
        128,
        1536,
        [4.722, 3.092, 4.573],
        [128, 3, 12, 1, 8, 2, 1024, 128, 128, 1024],
        [460.229, 198.068, 60.475],
    ),
    row(
        Hopper,
        128,
        1792,
        [8.029, 5.115, 7.746],
        [128, 4, 14, 1, 8, 2, 256, 128, 128, 512],
        [484.678, 335.273, 83.986],
    ),
    row(
        Hopper,
        128,
        2048,
        [11.269, 7.079, 12.994],
        [128, 4, 16, 1, 8, 2, 512, 128, 128, 512],
        [562.398, 396.553, 120.555],
    ),
    row(
        Hopper,
        256,
        1280,
        [1.373, 0.920, 1.389],
        [256, 4, 5, 4, 2, 8, 1280, 64, 64, 1024],
        [400.582, 80.085, 17.172],
    ),
    row(
        Hopper,
        256,
        1536,
        [2.574, 1.650, 2.452],
        [256, 3, 6, 2, 4, 2, 1024, 128, 256, 1024],
        [401.474, 109.250, 34.568],
    ),
    row(
        Hopper,
        256,
        1792,
        [4.781, 2.850, 4.253],
        [256, 3, 7, 2, 4, 2, 512, 128, 256, 1024],
        [414.020, 144.743, 46.684],
    ),
    row(
        Hopper,
        256,
        2048,
        [6.467, 3.679, 6.850],
        [512, 3, 8, 2, 4, 2, 2048, 256, 512, 2048],
        [465.411, 224.744, 75.616],
    ),
];

/// Returns the paper's figures of a setting.
pub(crate) fn published(setting: Setting) -> Option<&'static Published> {
    PUBLISHED.iter().find(|of| (of.machine, of.setting) == (setting.machine, [setting.ranks, setting.n]))
}

/// Part of the paper's settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    Whole,
    /// Two arrays on 16 and 32 ranks.
    Short,
}

impl Scope {
    /// Returns the settings.
    pub(crate) fn settings(self) -> Vec<Setting> {
        let is_in = |setting: &Setting| self == Self::Whole || setting.n <= SMALL;
        PUBLISHED.iter().map(Published::setting).filter(is_in).collect()
    }
}

/// Panel of the paper's tables and figures: (a), (b) or (c).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Group {
    Cluster,
    Hopper,
    Large,
}

impl Group {
    pub(crate) const ALL: [Self; 3] = [Self::Cluster, Self::Hopper, Self::Large];

    /// Returns its title.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cluster => "UMD-Cluster",
            Self::Hopper => "Hopper",
            Self::Large => "Hopper, large scale",
        }
    }

    /// Returns its two numbers of ranks.
    pub(crate) fn ranks(self) -> [usize; 2] {
        if self == Self::Large { [128, 256] } else { [16, 32] }
    }

    /// Returns whether a setting is of the panel.
    pub(crate) fn has(self, setting: &Setting) -> bool {
        let machine = if self == Self::Cluster { Cluster } else { Hopper };
        setting.machine == machine && self.ranks().contains(&setting.ranks)
    }
}

/// Settings of Figure 8.
pub(crate) fn broken_down() -> [Setting; 3] {
    [Setting::new(Cluster, 32, 640), Setting::new(Hopper, 32, 640), Setting::new(Hopper, 256, 2048)]
}

/// Setting of Figure 5, with its random configurations and the paper's least and greatest time.
pub(crate) fn random() -> Setting {
    Setting::new(Cluster, 16, 256)
}

/// Number of random configurations of Figure 5.
pub(crate) const RANDOM: usize = 200;

/// Least and greatest time of Figure 5 in seconds.
pub(crate) const SPREAD: [f64; 2] = [0.16, 0.48];

/// Number of runs after which the paper's search is among the best percent.
pub(crate) const RUNS: usize = 35;

/// Number of seeds of searches that draw points.
pub(crate) const SEEDS: u64 = 20;

/// Setting of the experiments on single parameters and on the speed of the network.
pub(crate) fn examined() -> Setting {
    Setting::new(Cluster, 32, 640)
}

/// Speeds of the network, as powers of the square root of two.
pub(crate) const SPEEDS: [i32; 13] = [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6];

#[cfg(test)]
mod tests {
    use super::super::machines::FEW;
    use super::*;

    /// Ratios of the paper's table, as they are in its text.
    #[test]
    fn the_tables_are_those_of_the_paper() {
        let ratios = |at: usize, group: Group| {
            let of = PUBLISHED.iter().filter(|of| group.has(&of.setting()));
            let all: Vec<_> = of.map(|of| of.seconds[0] / of.seconds[at]).collect();
            let [least, most] = earth_report::numbers::extent(all);
            format!("{least:.3}-{most:.3}")
        };
        assert_eq!(Group::ALL.map(|group| ratios(1, group)), ["1.235-1.686", "1.099-1.397", "1.481-1.758"]);
        assert_eq!(Group::ALL.map(|group| ratios(2, group)), ["0.959-1.173", "0.906-1.000", "0.867-1.124"]);
        let faster = |of: &&Published| of.tuning[1] < of.tuning[0];
        assert_eq!(PUBLISHED.iter().filter(faster).count(), 21);
        assert_eq!(PUBLISHED.iter().filter(|of| of.tuning[2] < of.tuning[1]).count(), 23);
    }

    #[test]
    fn the_short_form_has_two_arrays_on_two_numbers_of_ranks() {
        let short = Scope::Short.settings();
        assert_eq!((short.len(), Scope::Whole.settings().len()), (8, 24));
        assert!(short.iter().all(|of| of.ranks <= FEW));
    }
}
