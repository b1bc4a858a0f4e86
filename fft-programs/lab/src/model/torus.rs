//! The model of Sabharwal, Garg, Garg, Gunnels and Sahoo (section 3): the transpose FFT on a torus.
//!
//! An FFT of `n` points on `p` nodes computes for `5 c (n / p) log2 n` seconds, `c` those of a floating-point operation, and
//! exchanges all its points between all nodes three times. A quarter of them crosses the middle of the longest dimension in
//! each direction, by `2 p / p_m` links of `l` bytes a second (`p_m` its length): an exchange takes
//! `b n p_m / (8 l p)`, `b` the bytes of a point. That is the same for all tori whose longest dimension is even.
//!
//! *Headers.* A pair of nodes exchanges `b n / p^2` bytes, in packets of `D` of them, each with `h` bytes more. The
//! paper takes `b (1 + h / D)` for `b` if there are many full packets, and one packet for what is up to `D` bytes
//! (Eq. 4). [`Torus::exchange`] counts packets exactly, with the whole chunks that they are made of.
//!
//! *Overlap.* In `m` blocks, the exchange of a block goes on while the next one is computed. The paper says
//! `max(comp / m + comm, comp + comm / m)`, but its first exchange has nothing to overlap with:
//! [`Torus::overlapped`] is `A + max(comp / m + 2 B, comp + 2 B / m)`, `A` one exchange and `B` one in blocks.

use earth::simulated::TorusProfile;

/// The bytes of a point.
pub const POINT: f64 = 16.0;

/// A torus as the model knows it.
#[derive(Clone, Debug)]
pub struct Torus {
    /// The nodes along each dimension.
    pub sides: Vec<usize>,
    /// The seconds of a floating-point operation.
    pub flop: f64,
    /// The bytes that a link carries in a second, in each direction.
    pub link: f64,
    /// The packets.
    pub packets: TorusProfile,
}

impl Torus {
    /// All nodes.
    pub fn nodes(&self) -> f64 {
        self.sides.iter().product::<usize>() as f64
    }

    fn longest(&self) -> f64 {
        self.sides.iter().copied().max().unwrap_or(1) as f64
    }

    /// The most nodes that `n` points can be shared by: a node has at least one row of a square matrix.
    pub fn most_nodes(n: f64) -> f64 {
        n.sqrt()
    }

    /// The bytes that a pair of nodes exchanges.
    pub fn pair_bytes(&self, n: f64) -> f64 {
        n * POINT / self.nodes() / self.nodes()
    }

    /// The seconds of computing.
    pub fn computing(&self, n: f64) -> f64 {
        5.0 * self.flop * n / self.nodes() * n.log2()
    }

    /// The seconds of one exchange of so many bytes between all pairs of nodes, if the links of the longest dimension are
    /// always busy: the largest share of nodes is as far away as can be.
    fn at_peak(&self, pair_bytes: f64) -> f64 {
        pair_bytes * self.nodes() * self.longest() / (8.0 * self.link)
    }

    /// The least seconds of one exchange without headers: a third of the `t_comm` of Eq. 3.
    pub fn bare_exchange(&self, n: f64) -> f64 {
        self.at_peak(self.pair_bytes(n))
    }

    /// The least seconds of one exchange with headers as the paper counts them (Eq. 4).
    pub fn paper_exchange(&self, n: f64) -> f64 {
        let (bytes, most) = (self.pair_bytes(n), self.packets.payload() as f64);
        let header = (self.packets.header + self.packets.trailer) as f64;
        self.at_peak(if bytes <= most { bytes + header } else { bytes * (1.0 + header / most) })
    }

    /// The least seconds of one exchange with headers, packets counted exactly, the points in `blocks` equal blocks that
    /// are exchanged one after the other.
    pub fn exchange(&self, n: f64, blocks: f64) -> f64 {
        let bytes = (self.pair_bytes(n) / blocks).ceil();
        blocks * self.at_peak(self.packets.link_bytes(bytes as u64) as f64)
    }

    /// The seconds of an FFT without overlap, whose exchanges take so many seconds each.
    pub fn fft(&self, n: f64, exchange: f64) -> f64 {
        self.computing(n) + 3.0 * exchange
    }

    /// The seconds of an FFT in `blocks` blocks, which overlap: the first exchange takes `first`, the others take
    /// `exchange` each, all their blocks together.
    pub fn overlapped(&self, n: f64, blocks: f64, first: f64, exchange: f64) -> f64 {
        let (computing, both) = (self.computing(n), 2.0 * exchange);
        first + (computing / blocks + both).max(computing + both / blocks)
    }

    /// The billions of operations that an FFT does in a second.
    pub fn gflops(n: f64, seconds: f64) -> f64 {
        5.0 * n * n.log2() / seconds / 1e9
    }

    /// The rate at which exchanges alone would let an FFT go, as the paper has it for many nodes.
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

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.01, "{value}, not {expected}");
    }

    /// The figures of section 5: 2^38 points on 65,536 nodes.
    #[test]
    fn the_largest_transform_takes_what_the_paper_says() {
        let (torus, n) = (blue_gene(&[64, 32, 32]), 38_f64.exp2());
        near(torus.computing(n), 5.5);
        near(Torus::gflops(n, 22.6), 2311.0);
        near(torus.pair_bytes(n), 1024.0);
        // 63% of the peak with the base all-to-all, as computed from 17.1 seconds.
        near(3.0 * torus.exchange(n, 1.0) / 17.1, 0.641);
        // Of the whole machine 175 MB/s a link, 2048 links across the middle, a quarter of the bytes.
        near(torus.bare_exchange(n), 38_f64.exp2() * 16.0 / 4.0 / (2048.0 * 175e6));
        near(Torus::most_nodes(30_f64.exp2()), 32768.0);
    }

    /// Equations 3 and 4 as the paper prints them, for a cube.
    #[test]
    fn rates_are_those_of_the_equations() {
        let (torus, n, p) = (blue_gene(&[16, 16, 16]), 32_f64.exp2(), 4096_f64);
        let third = p.powf(1.0 / 3.0);
        let equation =
            |point: f64| 5.0 * p / (5.0 * 6.9e-9 + 3.0 / 8.0 * point / 175e6 * third / n.log2()) / 1e9;
        near(Torus::gflops(n, torus.fft(n, torus.bare_exchange(n))), equation(16.0));
        near(Torus::gflops(n, torus.fft(n, torus.paper_exchange(n))), equation(16.0 * (1.0 + 36.0 / 240.0)));
        let n = 26_f64.exp2();
        let small = 16.0 + 36.0 * p * p / n;
        let equation = 5.0 * p / (5.0 * 6.9e-9 + 3.0 / 8.0 * small / 175e6 * third / n.log2()) / 1e9;
        near(Torus::gflops(n, torus.fft(n, torus.paper_exchange(n))), equation);
    }

    #[test]
    fn overlap_hides_the_shorter_part_but_for_a_block() {
        let torus = blue_gene(&[8, 8, 8]);
        let n = 30_f64.exp2();
        let computing = torus.computing(n);
        let long = torus.overlapped(n, 4.0, computing, computing);
        near(long, computing * (1.0 + 0.25 + 2.0));
        near(torus.overlapped(n, 4.0, 0.1 * computing, 0.1 * computing), computing * (0.1 + 1.0 + 0.05));
        // Blocks of 256 bytes have two packets where 240 would have one.
        let n = 38_f64.exp2();
        let large = blue_gene(&[64, 32, 32]);
        near(large.exchange(n, 4.0) / large.exchange(n, 1.0), 4.0 * 328.0 / (4.0 * 276.0 + 116.0));
    }
}
