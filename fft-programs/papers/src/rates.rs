//! The names of steps whose rates are measured for the [advisor](earth_fft::advisor).

/// The step of a thread in an exchange stage of the sender-initiated FFT, a point.
pub(crate) const SENDER: &str = "sender";

/// The exchange of a block by a thread of it.
pub(crate) const EXCHANGE: &str = "exchange";

/// An ask of the receiver-initiated FFT, with its share of the half butterflies: in trees, and where points are shared.
pub(crate) const ASKS: [&str; 2] = ["ask", "ask-shared"];

/// A point that is put into another place, one by one.
pub(crate) const REORDER: &str = "reorder";
