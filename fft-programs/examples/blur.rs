//! Blurs the bundled picture by a two-dimensional Gaussian: multiplies both spectra and transforms back.
//!
//! ```text
//! cargo run -p earth-fft --example blur -- blurred.png
//! ```
//!
//! The picture wraps around at its edges, as transforms do.

use std::error::Error;
use std::fs::File;

use earth_fft::{Complex, Planner, Problem, TransformError};

/// A brick wall in shades of gray, of 8 bits.
const BRICKS: &[u8] = include_bytes!("../data/bricks.png");

/// Standard deviation of the Gaussian, in pixels.
const WIDTH: f64 = 4.0;

/// Largest distance of a pixel that the check includes; beyond it the Gaussian is below 1e-16.
const REACH: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let (sides, blurred) = demonstrate()?;
    let Some(path) = std::env::args().nth(1) else { return Ok(()) };
    let mut encoder = png::Encoder::new(File::create(path)?, sides[1] as u32, sides[0] as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let shades: Vec<_> = blurred.iter().map(|shade| shade.round().clamp(0.0, 255.0) as u8).collect();
    Ok(encoder.write_header()?.write_image_data(&shades)?)
}

/// Returns the rows and columns of the picture, and its blurred pixels.
pub(crate) fn demonstrate() -> Result<([usize; 2], Vec<f64>), Box<dyn Error>> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(BRICKS)).read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("a picture too large")?];
    let info = reader.next_frame(&mut bytes)?;
    let sides = [info.height as usize, info.width as usize];
    let picture: Vec<_> = bytes.iter().copied().map(f64::from).collect();

    let blurred = blur(sides, &picture)?;

    let direct = blur_directly(sides, &picture);
    let error = blurred.iter().zip(&direct).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(blurred.len() == direct.len() && error < 1e-10, "off by {error}");
    let spread = |pixels: &[f64]| {
        let mean = pixels.iter().sum::<f64>() / pixels.len() as f64;
        (pixels.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / pixels.len() as f64).sqrt()
    };
    println!(
        "the shades of {} x {} pixels spread by {:.1} before and {:.1} after",
        sides[0],
        sides[1],
        spread(&picture),
        spread(&blurred)
    );
    Ok((sides, blurred))
}

/// Returns `n` weights of a periodic Gaussian around index 0, whose sum is 1.
fn bell(n: usize) -> Vec<f64> {
    let weights: Vec<_> = (0..n).map(|at| (-0.5 * (at.min(n - at) as f64 / WIDTH).powi(2)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

fn blur(sides: [usize; 2], picture: &[f64]) -> Result<Vec<f64>, TransformError> {
    let planner = Planner::new();
    let forward = planner.plan_real_to_complex(&Problem::real_to_complex(&sides))?;
    let inverse = planner.plan_complex_to_real(&Problem::complex_to_real(&sides))?;
    let [rows, cols] = sides.map(bell);
    let bell: Vec<_> = rows.iter().flat_map(|row| cols.iter().map(move |col| row * col)).collect();

    let mut spectra = [picture, &bell].map(|_| vec![Complex::default(); sides[0] * (sides[1] / 2 + 1)]);
    let [product, weights] = &mut spectra;
    forward.process(picture, product)?;
    forward.process(&bell, weights)?;
    product.iter_mut().zip(weights).for_each(|(x, weight)| *x *= *weight);
    let mut blurred = vec![0.0; picture.len()];
    inverse.process(product, &mut blurred)?;
    Ok(blurred)
}

/// Blurs pixel by pixel, along rows and then along columns.
fn blur_directly([rows, cols]: [usize; 2], picture: &[f64]) -> Vec<f64> {
    let pass = |from: &[f64], n: usize, stride: usize| -> Vec<f64> {
        let weights = bell(n);
        let pixel = |at: usize| {
            let (place, first) = (at / stride % n, at - at / stride % n * stride);
            let near = |by| weights[by % n] * from[first + (place + n - by % n) % n * stride];
            (0..=REACH).map(near).chain((1..=REACH).map(|by| near(n - by))).sum()
        };
        (0..from.len()).map(pixel).collect()
    };
    pass(&pass(picture, cols, 1), rows, cols)
}
