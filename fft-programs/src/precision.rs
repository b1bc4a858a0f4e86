//! The two precisions in which programs transform.

use earth::Wire;
use earth_kernels::Real;
use num_complex::Complex;

/// `f32` or `f64`: programs compute in it ([`Real`]), send it between nodes ([`Wire`]), and make text of it.
pub trait Precision: Real + Wire + serde::Serialize {}

impl<T: Real + Wire + serde::Serialize> Precision for T {}

/// |z| in double precision, without overflow in between.
pub fn magnitude<T: Real>(value: Complex<T>) -> f64 {
    value.re.widen().hypot(value.im.widen())
}
