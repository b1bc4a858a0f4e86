//! The programs, compiled once for each precision.
//!
//! A program is generic, so all of it would be compiled anew, for many seconds of processor time, in every crate that
//! runs it on concrete numbers. A function here goes from the type of the numbers to a function that is not generic
//! and was compiled with this crate.

use std::any::Any;

use earth::{Machine, Run};
use earth_kernels::Real;

use crate::dataflow::Done;
use crate::dataflow::alone::{Alone, AloneJob};
use crate::dataflow::receiver::{ReceiverFft, ReceiverJob};
use crate::dataflow::rectangle::{RectangleFft, RectangleJob};
use crate::dataflow::row_speed::{RowSpeed, RowSpeedDone, RowSpeedJob};
use crate::dataflow::sender::{SenderFft, SenderJob};
use crate::dataflow::square::{SquareFft, SquareJob};
use crate::dataflow::transpose::{TransposeDone, TransposeFft, TransposeJob};
use crate::dataflow::two_pass::{TwoPassFft, TwoPassJob};

/// Functions that run a program of numbers `T` on a machine.
macro_rules! compiled {
    ($($name:ident: $program:ident, $input:ty => $output:ty;)*) => {$(
        pub(crate) fn $name<T: Real>(machine: &mut Machine, input: $input) -> Result<Run<$output>, earth::Error> {
            type Input<T> = $input;
            type Output<T> = Result<Run<$output>, earth::Error>;
            type Compiled<T> = fn(&mut Machine, Input<T>) -> Output<T>;
            fn single(machine: &mut Machine, input: Input<f32>) -> Output<f32> {
                machine.run_with(input.shared(), |out| $program::<f32>::call(input, out))
            }
            fn double(machine: &mut Machine, input: Input<f64>) -> Output<f64> {
                machine.run_with(input.shared(), |out| $program::<f64>::call(input, out))
            }
            let both: [&dyn Any; 2] = [&(single as Compiled<f32>), &(double as Compiled<f64>)];
            let found = both.into_iter().find_map(<dyn Any>::downcast_ref::<Compiled<T>>);
            found.unwrap_or_else(|| panic!("{} is neither f32 nor f64", T::NAME))(machine, input)
        }
    )*};
}

compiled! {
    sender: SenderFft, SenderJob<T> => Done<T>;
    receiver: ReceiverFft, ReceiverJob<T> => Done<T>;
    alone: Alone, AloneJob<T> => Done<T>;
    square: SquareFft, SquareJob<T> => Done<T>;
    rectangle: RectangleFft, RectangleJob<T> => Done<T>;
    two_pass: TwoPassFft, TwoPassJob<T> => Done<T>;
    transpose: TransposeFft, TransposeJob<T> => TransposeDone<T>;
    row_speed: RowSpeed, RowSpeedJob<T> => RowSpeedDone<T>;
}
