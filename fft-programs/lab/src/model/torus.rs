//! Model of Sabharwal, Garg, Garg, Gunnels and Sahoo (section 3): the transpose FFT on a torus.
//!
//! An FFT of `n` points on `p` nodes computes for `5 c (n / p) log2 n` seconds, where `c` is the time of a
//! floating-point operation. It exchanges all its points between all nodes three times. A quarter of the
//! points crosses the middle of the longest dimension in each direction, over `2 p / p_m` links of `l` bytes
//! per second (`p_m` is the dimension's length). An exchange therefore takes `b n p_m / (8 l p)`, where `b`
//! is the bytes of a point. This holds for all tori whose longest dimension is even.
//!
//! *Headers.* A pair of nodes exchanges `b n / p^2` bytes, in packets of `D` bytes with `h` bytes of header
//! each. The paper replaces `b` by `b (1 + h / D)` if there are many full packets, and counts one packet for
//! up to `D` bytes (Eq. 4). [`Torus::exchange`] counts packets exactly, including their division into whole
//! chunks.
//!
//! *Overlap.* With `m` blocks, the exchange of a block overlaps the computation of the next one. The paper
//! gives `max(comp / m + comm, comp + comm / m)`, but its first exchange has no computation to overlap.
//! [`Torus::overlapped`] is `A + max(comp / m + 2 B, comp + 2 B / m)`, where `A` is one exchange and `B` one
//! exchange in blocks.

use earth::simulated::TorusProfile;

/// Size of a point, in bytes.
pub const POINT: f64 = 16.0;

/// Parameters of a torus in the model.
#[derive(Clone, Debug)]
pub struct Torus {
    /// Number of nodes along each dimension.
    pub sides: Vec<usize>,
    /// Time of a floating-point operation, in seconds.
    pub flop: f64,
    /// Bandwidth of a link, in bytes per second and direction.
    pub link: f64,
    /// Parameters of the packets.
    pub packets: TorusProfile,
}

impl Torus {
    /// Returns the number of nodes.
    pub fn nodes(&self) -> f64 {
        self.sides.iter().product::<usize>() as f64
    }

    fn longest(&self) -> f64 {
        self.sides.iter().copied().max().unwrap_or(1) as f64
    }

    /// Returns the most nodes that can share `n` points: a node has at least one row of a square matrix.
    pub fn most_nodes(n: f64) -> f64 {
        n.sqrt()
    }

    /// Returns the bytes that a pair of nodes exchanges.
    pub fn pair_bytes(&self, n: f64) -> f64 {
        n * POINT / self.nodes() / self.nodes()
    }

    /// Returns the computation time, in seconds.
    pub fn computing(&self, n: f64) -> f64 {
        5.0 * self.flop * n / self.nodes() * n.log2()
    }

    /// Returns the time of one exchange of `pair_bytes` bytes between all pairs of nodes, in seconds, if the
    /// links of the longest dimension are always busy. The longest dimension is the bottleneck.
    fn at_peak(&self, pair_bytes: f64) -> f64 {
        pair_bytes * self.nodes() * self.longest() / (8.0 * self.link)
    }

    /// Returns the least time of one exchange without headers, in seconds: a third of the `t_comm` of Eq. 3.
    pub fn bare_exchange(&self, n: f64) -> f64 {
        self.at_peak(self.pair_bytes(n))
    }

    /// Returns the least time of one exchange with headers as the paper counts them (Eq. 4), in seconds.
    pub fn paper_exchange(&self, n: f64) -> f64 {
        let (bytes, most) = (self.pair_bytes(n), self.packets.payload() as f64);
        let header = (self.packets.header + self.packets.trailer) as f64;
        self.at_peak(if bytes <= most { bytes + header } else { bytes * (1.0 + header / most) })
    }

    /// Returns the least time of one exchange, in seconds, with headers and exactly counted packets. The
    /// points are in `blocks` equal blocks that are exchanged one after the other.
    pub fn exchange(&self, n: f64, blocks: f64) -> f64 {
        let bytes = (self.pair_bytes(n) / blocks).ceil();
        blocks * self.at_peak(self.packets.link_bytes(bytes as u64) as f64)
    }

    /// Returns the time of an FFT without overlap whose exchanges take `exchange` seconds each.
    pub fn fft(&self, n: f64, exchange: f64) -> f64 {
        self.computing(n) + 3.0 * exchange
    }

    /// Returns the time of an FFT in `blocks` overlapping blocks, in seconds. The first exchange takes
    /// `first`; each other exchange takes `exchange`, all blocks together.
    pub fn overlapped(&self, n: f64, blocks: f64, first: f64, exchange: f64) -> f64 {
        let (computing, both) = (self.computing(n), 2.0 * exchange);
        first + (computing / blocks + both).max(computing + both / blocks)
    }

    /// Returns the rate of an FFT of `n` points, in Gflops.
    pub fn gflops(n: f64, seconds: f64) -> f64 {
        5.0 * n * n.log2() / seconds / 1e9
    }

    /// Returns the upper bound that exchanges alone set on the rate of an FFT, as the paper has it for many
    /// nodes.
    pub fn exchange_bound(&self, n: f64) -> f64 {
        Self::gflops(n, 3.0 * self.bare_exchange(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blue_gene(sides: &[usize]) -> Torus {
        Torus { sides: sides.to_vec(), flop: 6.9e-9, link: 175e6, packets: TorusProfile::default() }
    }

    fn is_about(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.01, "{value}, not {expected}");
    }

    /// Figures of section 5: 2^38 points on 65,536 nodes.
    #[test]
    fn the_largest_transform_takes_the_paper_s_time() {
        let (torus, n) = (blue_gene(&[64, 32, 32]), 38_f64.exp2());
        is_about(torus.computing(n), 5.5);
        is_about(Torus::gflops(n, 22.6), 2311.0);
        is_about(torus.pair_bytes(n), 1024.0);
        // 63% of the peak with the base all-to-all, as computed from 17.1 seconds.
        is_about(3.0 * torus.exchange(n, 1.0) / 17.1, 0.641);
        // The whole machine: 175 MB/s per link, 2048 links across the middle, a quarter of the bytes.
        is_about(torus.bare_exchange(n), 38_f64.exp2() * 16.0 / 4.0 / (2048.0 * 175e6));
        is_about(Torus::most_nodes(30_f64.exp2()), 32768.0);
    }

    /// Equations 3 and 4 as the paper prints them, for a cube.
    #[test]
    fn rates_are_those_of_the_equations() {
        let (torus, n, p) = (blue_gene(&[16, 16, 16]), 32_f64.exp2(), 4096_f64);
        let third = p.powf(1.0 / 3.0);
        let equation =
            |point: f64| 5.0 * p / (5.0 * 6.9e-9 + 3.0 / 8.0 * point / 175e6 * third / n.log2()) / 1e9;
        is_about(Torus::gflops(n, torus.fft(n, torus.bare_exchange(n))), equation(16.0));
        is_about(
            Torus::gflops(n, torus.fft(n, torus.paper_exchange(n))),
            equation(16.0 * (1.0 + 36.0 / 240.0)),
        );
        let n = 26_f64.exp2();
        let small = 16.0 + 36.0 * p * p / n;
        let equation = 5.0 * p / (5.0 * 6.9e-9 + 3.0 / 8.0 * small / 175e6 * third / n.log2()) / 1e9;
        is_about(Torus::gflops(n, torus.fft(n, torus.paper_exchange(n))), equation);
    }

    #[test]
    fn overlap_hides_the_shorter_part_but_for_a_block() {
        let torus = blue_gene(&[8, 8, 8]);
        let n = 30_f64.exp2();
        let computing = torus.computing(n);
        let long = torus.overlapped(n, 4.0, computing, computing);
        is_about(long, computing * (1.0 + 0.25 + 2.0));
        is_about(torus.overlapped(n, 4.0, 0.1 * computing, 0.1 * computing), computing * (0.1 + 1.0 + 0.05));
        // A block of 256 bytes takes two packets; only 240 bytes fit in one.
        let n = 38_f64.exp2();
        let large = blue_gene(&[64, 32, 32]);
        is_about(large.exchange(n, 4.0) / large.exchange(n, 1.0), 4.0 * 328.0 / (4.0 * 276.0 + 116.0));
    }
}
