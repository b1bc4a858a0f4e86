//! A field whose type does not derive `Wire`.

use earth::Wire;

struct Point {
    x: f64,
}

#[derive(Wire)]
enum Shape {
    Dot,
    Line { from: u32, points: Vec<Point> },
}

fn main() {}

//~ ERROR 12:31 a value of type `Point` cannot travel between nodes
//~ NOTE derive it for a type of your own: `#[derive(Wire)]`
