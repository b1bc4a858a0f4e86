"""FFTs of NumPy arrays on all cores, with the names and arguments of scipy.fft.

    import earth_fft
    y = earth_fft.fft2(x, workers=2)

SciPy's functions compute with it after

    scipy.fft.set_global_backend(earth_fft)

Transforms    fft ifft rfft irfft hfft ihfft, with 2 and n for several axes,
              dct idct dst idst, with n for several axes
Plans         plan, Plan, set_effort, load_wisdom, save_wisdom, forget_wisdom,
              cache_info, clear_cache, set_cache_size
Threads       set_workers, get_workers
Helpers       fftfreq rfftfreq fftshift ifftshift next_fast_len

Calls of any number of Python threads may run at the same time. Calls on 1024 or more
elements release the global interpreter lock while they compute.
"""

from ._earth_fft import (
    Plan,
    Unsupported,
    __ua_function__,
    backend_calls,
    cache_info,
    clear_cache,
    dct,
    dctn,
    dst,
    dstn,
    fft,
    fft2,
    fftn,
    forget_wisdom,
    get_effort,
    get_workers,
    hfft,
    hfft2,
    hfftn,
    idct,
    idctn,
    idst,
    idstn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    load_wisdom,
    plan,
    rfft,
    rfft2,
    rfftn,
    save_wisdom,
    set_cache_size,
    set_effort,
    set_workers,
)
from ._helpers import fftfreq, fftshift, ifftshift, next_fast_len, rfftfreq

__version__ = "0.1.0"

# The protocol of SciPy's backends.
__ua_domain__ = "numpy.scipy.fft"

__all__ = [
    "Plan", "Unsupported", "backend_calls", "cache_info", "clear_cache", "dct", "dctn", "dst",
    "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "forget_wisdom", "get_effort",
    "get_workers", "hfft", "hfft2", "hfftn", "idct", "idctn", "idst", "idstn", "ifft", "ifft2",
    "ifftn", "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "load_wisdom",
    "next_fast_len", "plan", "rfft", "rfft2", "rfftfreq", "rfftn", "save_wisdom",
    "set_cache_size", "set_effort", "set_workers",
]
