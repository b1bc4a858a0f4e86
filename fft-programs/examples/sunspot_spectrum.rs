//! Draws the spectrum of the bundled sunspot numbers, as the README shows it:
//!
//! ```text
//! cargo run -p earth-fft --example sunspot_spectrum -- fft-programs/examples/sunspot_spectrum.svg
//! ```
//!
//! The series is padded with zeros to [`POINTS`], which interpolates the lines smoothly without new
//! information. The sender-initiated FFT transforms it on two nodes.

use std::error::Error;
use std::num::NonZeroUsize;

use earth_fft::{Complex, Planner, Problem};
use earth_papers::Sender;
use plotters::prelude::*;

/// A header, and the numbers of the years from 1700 to 2008.
const SUNSPOTS: &str = include_str!("../data/sunspots.csv");

const POINTS: usize = 4096;

/// Number of nodes, and points of a thread of the transform.
const NODES_AND_BLOCK: [NonZeroUsize; 2] = [NonZeroUsize::new(2).unwrap(), NonZeroUsize::new(256).unwrap()];

/// Highest frequency in the picture, in cycles a year. There is little to see between it and the highest
/// possible frequency, 1/2.
const HIGHEST: f64 = 0.25;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("the name of the picture to write is missing")?;
    draw(&path, &amplitudes()?)
}

/// Returns the frequency of each bin up to [`HIGHEST`], and the amplitude of a wave with this value.
fn amplitudes() -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let numbers: Result<Vec<f64>, _> = SUNSPOTS.lines().skip(1).map(str::parse).collect();
    let numbers = numbers?;
    let years = numbers.len();
    // Without the mean removed, the line at zero frequency would dwarf the others.
    let mean = numbers.iter().sum::<f64>() / years as f64;
    let mut signal: Vec<_> = numbers.iter().map(|number| Complex::from(number - mean)).collect();
    signal.resize(POINTS, Complex::default());
    let [nodes, block] = NODES_AND_BLOCK;
    let planner = Planner::new().with(Sender::new().block(block)).nodes(nodes);
    planner.plan::<f64>(&Problem::complex(&[POINTS]))?.process(&mut signal)?;
    let points = signal.iter().enumerate();
    let points = points.map(|(bin, value)| (bin as f64 / POINTS as f64, 2.0 * value.norm() / years as f64));
    Ok(points.take_while(|&(frequency, _)| frequency <= HIGHEST).collect())
}

fn draw(path: &str, points: &[(f64, f64)]) -> Result<(), Box<dyn Error>> {
    let strongest = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    let (frequency, amplitude) = strongest.ok_or("no points to draw")?;
    let (blue, red, grey) = (RGBColor(31, 78, 140), RGBColor(178, 34, 34), RGBColor(225, 225, 225));

    // The picture has twice its displayed size, because coordinates are whole numbers and small lines would
    // be jagged.
    let picture = SVGBackend::new(path, (1680, 800)).into_drawing_area();
    // The page around it may be dark.
    picture.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&picture)
        .caption("Spectrum of the yearly sunspot numbers, 1700 to 2008", ("sans-serif", 40))
        .margin(28)
        .margin_right(110)
        .x_label_area_size(100)
        .y_label_area_size(115)
        .build_cartesian_2d(0.0..HIGHEST, 0.0..1.12 * amplitude)?;
    let with_period = |&frequency: &f64| match (1.0 / frequency * 10.0).round() / 10.0 {
        period if period.is_finite() => format!("{frequency:.2} ({period} years)"),
        _ => "0".to_owned(),
    };
    chart
        .configure_mesh()
        .x_labels(6)
        .y_labels(7)
        .bold_line_style(grey.stroke_width(2))
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK.stroke_width(2))
        .set_all_tick_mark_size(10)
        .label_style(("sans-serif", 28))
        .axis_desc_style(("sans-serif", 32))
        .x_label_formatter(&with_period)
        .y_label_formatter(&|amplitude| format!("{amplitude:.0}"))
        .x_desc("frequency in cycles a year (period)")
        .y_desc("amplitude in sunspot numbers")
        .draw()?;
    chart.draw_series(LineSeries::new(points.iter().copied(), blue.stroke_width(4)))?;
    chart.draw_series([Circle::new((frequency, amplitude), 8, red.filled())])?;
    let words = format!("{:.1} years: the cycle of the Sun's activity", 1.0 / frequency);
    let place = (frequency + 0.003, 1.075 * amplitude);
    chart.draw_series([Text::new(words, place, ("sans-serif", 36).into_font().color(&red))])?;
    picture.present()?;
    Ok(())
}
