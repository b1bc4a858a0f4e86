//! `NumPy` arrays in the transforms of [`earth_fft`], as functions of Python and as a backend of `scipy.fft`.
//!
//! | module | contents |
//! |---|---|
//! | `functions`, `cosine_functions` | functions with `SciPy`'s names and arguments |
//! | `arguments` | lengths, axes and norms |
//! | `transform`, `cosine` | conversion, padding, output, the call of a plan |
//! | `planned`, `cache` | plans by their problems |
//! | `plan_object` | plans as objects of Python |
//! | `backend` | the protocol of `scipy.fft` |
//! | `array`, `dtype`, `moves`, `mirror` | memory of arrays, and passes over it |
//! | `settings` | effort, wisdom, threads |

mod arguments;
mod array;
mod backend;
mod cosine;
mod errors;
mod functions;
mod plan_object;
mod planned;
mod settings;
mod transform;

/// Transforms of NumPy arrays.
#[pyo3::pymodule]
mod _earth_fft {
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    #[pymodule_export]
    use crate::backend::{__ua_function__, backend_calls};
    #[pymodule_export]
    use crate::cosine::functions::{dct, dctn, dst, dstn, idct, idctn, idst, idstn};
    #[pymodule_export]
    use crate::errors::Unsupported;
    #[pymodule_export]
    use crate::functions::{
        fft, fft2, fftn, hfft, hfft2, hfftn, ifft, ifft2, ifftn, ihfft, ihfft2, ihfftn, irfft, irfft2,
        irfftn, rfft, rfft2, rfftn,
    };
    #[pymodule_export]
    use crate::plan_object::{PlanObject, plan};
    #[pymodule_export]
    use crate::planned::cache::{cache_info, clear_cache, set_cache_size};
    #[pymodule_export]
    use crate::settings::{
        forget_wisdom, get_effort, get_workers, load_wisdom, save_wisdom, set_effort, set_workers,
    };

    /// The functions that SciPy's backend protocol may call.
    const TRANSFORMS: [&str; 26] = [
        "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "hfft2",
        "ihfft2", "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "dct", "idct", "dst", "idst",
        "dctn", "idctn", "dstn", "idstn",
    ];

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let functions = PyDict::new(module.py());
        for name in TRANSFORMS {
            functions.set_item(name, module.getattr(name)?)?;
        }
        crate::backend::register(&functions);
        crate::array::warm_up(module);
        crate::planned::Problem::warm_up().map_err(|error| crate::errors::failed(&error))
    }
}
