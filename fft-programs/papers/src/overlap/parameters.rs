//! The ten parameters of the program, their ranges, and the paper's default point.

use earth_fft::distributed::bound;
use serde::{Deserialize, Serialize};

/// Lengths of an array of three dimensions, and the number of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Lengths Nx, Ny and Nz. Elements along z are adjacent in memory.
    pub lengths: [usize; 3],
    /// Number of ranks p.
    pub ranks: usize,
}

impl Size {
    /// Returns the first index of the part of a dimension that a rank has. The parts are as equal as
    /// possible.
    pub fn bound(&self, dimension: usize, rank: usize) -> usize {
        bound(self.lengths[dimension], self.ranks, rank)
    }

    /// Returns the length of the part of a dimension that a rank has. It is 0 on some ranks if there are more
    /// ranks than indices.
    pub fn part(&self, dimension: usize, rank: usize) -> usize {
        self.bound(dimension, rank + 1) - self.bound(dimension, rank)
    }

    /// Returns the length of the largest part of a dimension.
    pub fn largest(&self, dimension: usize) -> usize {
        self.lengths[dimension].div_ceil(self.ranks)
    }
}

/// Parameters of the program: Table 1 of the paper.
///
/// A [size](Size) limits them: see [`Parameters::check`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// T: planes of z in a tile, which is exchanged as a whole.
    pub tile: usize,
    /// W: tiles that are exchanged at the same time.
    pub window: usize,
    /// Px and Pz: rows of x and planes of z in a part of a tile that is transformed along y, then packed.
    pub pack: [usize; 2],
    /// Uy and Uz: rows of y and planes of z in a part of a tile that is unpacked, then transformed along x.
    pub unpack: [usize; 2],
    /// How often a tile's fibers let the node serve the network.
    pub polls: Polls,
}

/// How often the fibers of one tile let the node serve the network.
///
/// At each poll the fiber ends, so that the node takes up messages and starts rounds of exchanges, and the
/// tile goes on with its next fiber. One poll serves all tiles that are under way. `MPI_Test` of the paper
/// serves one tile, so its F polls are F W calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polls {
    /// `F_y`: during the transforms along y.
    pub along_y: usize,
    /// `F_p`: while the tile is packed.
    pub pack: usize,
    /// `F_u`: while the tile is unpacked.
    pub unpack: usize,
    /// `F_x`: during the transforms along x.
    pub along_x: usize,
}

/// Why parameters cannot be used with a size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} is {value}, and it must be {least} to {most} for this array and number of ranks")]
pub struct Infeasible {
    /// The paper's name of the parameter.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// Its least value.
    pub least: usize,
    /// Its greatest value, with the other parameters as they are.
    pub most: usize,
}

/// The paper's names of the parameters, in the order of [`Parameters::values`].
pub const NAMES: [&str; 10] = ["T", "W", "Px", "Pz", "Uy", "Uz", "Fy", "Fp", "Fu", "Fx"];

/// Complex numbers of a part of a tile by the paper's default: half of those that fit in 256 KiB of cache.
const CACHED: usize = 8192;

impl Parameters {
    /// Returns the paper's default point (section 4.4), within the ranges.
    ///
    /// As printed, some values are out of range: Px = 8192/Ny is 32 for 256^3 points, and 32 ranks have 8
    /// rows of x each. Such a value becomes the nearest one in range. The paper prints `F_z` for `F_x`.
    pub fn usual(size: &Size) -> Self {
        let [nx, ny, nz] = size.lengths.map(|length| length.max(1));
        let part = |length: usize, largest: usize, tile: usize| {
            let rows = (CACHED / length).clamp(1, largest.max(1));
            [rows, (CACHED / length / rows).clamp(1, tile)]
        };
        let tile = (nz / 16).max(1);
        let polls = (size.ranks / 2).max(1);
        let usual = Self {
            tile,
            window: 2,
            pack: part(ny, size.largest(0), tile),
            unpack: part(nx, size.largest(1), tile),
            polls: Polls { along_y: polls, pack: polls, unpack: polls, along_x: polls },
        };
        usual.within(size)
    }

    /// Returns the parameters with each value moved into its range, one after the other.
    #[must_use]
    pub fn within(self, size: &Size) -> Self {
        let mut values = self.values();
        for at in 0..values.len() {
            let [least, most] = Self::of(values).range(size, at);
            values[at] = values[at].clamp(least, most);
        }
        Self::of(values)
    }

    /// Makes parameters of values in the order of [`NAMES`].
    pub fn of([tile, window, px, pz, uy, uz, fy, fp, fu, fx]: [usize; 10]) -> Self {
        let polls = Polls { along_y: fy, pack: fp, unpack: fu, along_x: fx };
        Self { tile, window, pack: [px, pz], unpack: [uy, uz], polls }
    }

    /// Returns the values in the order of [`NAMES`].
    pub fn values(&self) -> [usize; 10] {
        let Self { tile, window, pack: [px, pz], unpack: [uy, uz], polls } = *self;
        let Polls { along_y, pack, unpack, along_x } = polls;
        [tile, window, px, pz, uy, uz, along_y, pack, unpack, along_x]
    }

    /// Returns the least and the greatest value of a parameter, by its place in [`NAMES`], with the other
    /// parameters as they are.
    pub fn range(&self, size: &Size, at: usize) -> [usize; 2] {
        let [rows_x, rows_y] = [size.largest(0).max(1), size.largest(1).max(1)];
        let planes = size.lengths[2].max(1);
        let tile = self.tile.min(planes);
        match at {
            0 => [1, planes],
            1 => [1, planes.div_ceil(tile.max(1))],
            2 => [1, rows_x],
            4 => [1, rows_y],
            3 | 5 => [1, tile],
            6 | 7 => [0, tile * rows_x],
            _ => [0, tile * rows_y],
        }
    }

    /// Checks all parameters against a size.
    ///
    /// # Errors
    ///
    /// The first parameter that is out of range.
    pub fn check(&self, size: &Size) -> Result<(), Infeasible> {
        for (at, (name, value)) in NAMES.into_iter().zip(self.values()).enumerate() {
            let [least, most] = self.range(size, at);
            if !(least..=most).contains(&value) {
                return Err(Infeasible { name, value, least, most });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(n: usize, ranks: usize) -> Size {
        Size { lengths: [n; 3], ranks }
    }

    #[test]
    fn parts_cover_a_dimension() {
        for (length, ranks) in [(8, 2), (7, 3), (3, 8), (1, 1), (0, 4)] {
            let size = Size { lengths: [length; 3], ranks };
            let parts: Vec<_> = (0..ranks).map(|rank| size.part(0, rank)).collect();
            assert_eq!(parts.iter().sum::<usize>(), length);
            assert_eq!(parts.iter().max(), Some(&size.largest(0)), "{length} on {ranks}");
        }
    }

    /// All tuned points of Table 3 are in range, so the ranges are no narrower than the paper's.
    #[test]
    fn the_papers_points_are_in_range() {
        for (ranks, n, values) in [
            (16, 256, [32, 3, 8, 2, 16, 4, 32, 8, 8, 16]),
            (16, 384, [16, 2, 16, 1, 16, 2, 16, 16, 8, 16]),
            (32, 384, [32, 2, 12, 2, 8, 2, 32, 8, 8, 16]),
            (32, 256, [64, 2, 8, 4, 8, 4, 64, 16, 16, 64]),
            (128, 1280, [256, 4, 10, 2, 8, 2, 512, 128, 256, 512]),
            (256, 1280, [256, 4, 5, 4, 2, 8, 1280, 64, 64, 1024]),
            (256, 2048, [512, 3, 8, 2, 4, 2, 2048, 256, 512, 2048]),
        ] {
            assert_eq!(Parameters::of(values).check(&cube(n, ranks)), Ok(()), "{n}^3 on {ranks}");
            assert_eq!(Parameters::of(values).values(), values);
        }
        let [_, most] = Parameters::of([256, 4, 5, 4, 2, 8, 0, 0, 0, 0]).range(&cube(1280, 256), 6);
        assert_eq!(most, 1280, "F_y of the paper is at the end of its range");
    }

    #[test]
    fn the_default_point_is_clamped() {
        let usual = Parameters::usual(&cube(256, 32));
        assert_eq!(usual.values(), [16, 2, 8, 4, 8, 4, 16, 16, 16, 16]);
        assert_eq!(Parameters::usual(&cube(640, 16)).values(), [40, 2, 12, 1, 12, 1, 8, 8, 8, 8]);
        for (lengths, ranks) in [([1, 1, 1], 1), ([3, 5, 7], 8), ([640, 640, 640], 32), ([9, 1, 1000], 4)] {
            let size = Size { lengths, ranks };
            assert_eq!(Parameters::usual(&size).check(&size), Ok(()), "{lengths:?} on {ranks}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let wrong = Parameters::of([16, 2, 32, 1, 8, 4, 16, 16, 16, 16]).check(&cube(256, 32)).unwrap_err();
        assert_eq!(wrong, Infeasible { name: "Px", value: 32, least: 1, most: 8 });
        let wrong = Parameters::of([16, 17, 8, 1, 8, 4, 16, 16, 16, 16]).check(&cube(256, 32)).unwrap_err();
        assert_eq!((wrong.name, wrong.most), ("W", 16));
    }
}
