"""Wrong arguments raise exceptions of the right type, with one sentence."""

import numpy as np
import pytest

import earth_fft

X = np.zeros((4, 6), complex)

CASES = [
    (ValueError, "lengths of a transform must be at least 1", lambda: earth_fft.fft(X, 0)),
    (ValueError, "lengths of a transform must be at least 1", lambda: earth_fft.fft(X, -3)),
    (ValueError, "lengths of a transform must be at least 1", lambda: earth_fft.fft([])),
    (ValueError, "lengths of a transform must be at least 1", lambda: earth_fft.irfft([1.0])),
    (TypeError, None, lambda: earth_fft.fft(X, 2.5)),
    (ValueError, "axis 2 is out of bounds", lambda: earth_fft.fft(X, axis=2)),
    (IndexError, "axis -3 is out of bounds", lambda: earth_fft.fft(X, axis=-3)),
    (ValueError, "out of bounds", lambda: earth_fft.fft(3.0)),
    (ValueError, "out of bounds", lambda: earth_fft.fftn(X, axes=(0, 2))),
    (ValueError, "out of bounds", lambda: earth_fft.fft2(np.zeros(4))),
    (ValueError, "different from each other", lambda: earth_fft.fftn(X, axes=(0, -2))),
    (ValueError, "must have equal lengths", lambda: earth_fft.fftn(X, (4, 4), axes=(0,))),
    (ValueError, "more lengths than x has axes", lambda: earth_fft.fftn(X, (4, 4, 4))),
    (ValueError, "s must be an integer", lambda: earth_fft.fftn(X, "ab")),
    (ValueError, "axes must be an integer", lambda: earth_fft.fftn(X, axes=(0.5,))),
    (ValueError, "needs at least one axis", lambda: earth_fft.rfftn(X.real, axes=())),
    (ValueError, "norm must be", lambda: earth_fft.fft(X, norm="both")),
    (ValueError, "norm must be", lambda: earth_fft.fft(X, norm=2)),
    (ValueError, "workers must not be zero", lambda: earth_fft.fft(X, workers=0)),
    (ValueError, "workers value out of range", lambda: earth_fft.fft(X, workers=-1000)),
    (NotImplementedError, "plan must be None", lambda: earth_fft.fft(X, plan="a")),
    (TypeError, "must be real", lambda: earth_fft.rfft(X)),
    (TypeError, "longdouble", lambda: earth_fft.fft(np.zeros(4, np.longdouble))),
    (TypeError, "longdouble", lambda: earth_fft.fft(np.zeros(4, np.clongdouble))),
    (ValueError, None, lambda: earth_fft.fft("abc")),
    (TypeError, "out must be", lambda: earth_fft.fft(X, out=np.zeros((4, 6)))),
    (TypeError, "out must be", lambda: earth_fft.fft(X, out=np.zeros((4, 6), ">c16"))),
    (TypeError, "out must be", lambda: earth_fft.fft(X, out=[1, 2])),
    (ValueError, r"shape \(6, 4\) where \(4, 6\)", lambda: earth_fft.fft(X, out=X.copy().T)),
    (ValueError, "read-only", lambda: earth_fft.fft(X, out=np.broadcast_to(X, (4, 6)))),
    (ValueError, "effort must be", lambda: earth_fft.set_effort("much")),
    (OSError, None, lambda: earth_fft.load_wisdom("/no/such/file")),
    (ValueError, "kind must be", lambda: earth_fft.plan(4, kind="c2d")),
    (TypeError, "real dtype", lambda: earth_fft.plan(4, "complex64", kind="r2c")),
    (TypeError, "complex dtype", lambda: earth_fft.plan(4, "float64")),
    (TypeError, "dtype must be", lambda: earth_fft.plan(4, "int32")),
    (ValueError, "at least one axis", lambda: earth_fft.plan((4, 5), axes=())),
    (ValueError, "effort must be", lambda: earth_fft.plan(4, effort="much")),
    (ValueError, "larger than the address space", lambda: earth_fft.plan((2**40, 2**40))),
    (MemoryError, None, lambda: earth_fft.plan(2**48)),
    (ValueError, "negative lengths", lambda: earth_fft.plan((-4, 4), axes=1)),
    ((ValueError, MemoryError), None, lambda: earth_fft.fft(X, 2**60)),
]


@pytest.mark.parametrize(("error", "text", "call"), CASES)
def test_errors(error, text, call):
    with pytest.raises(error, match=text) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_the_input_is_unchanged_after_an_error():
    x = np.arange(6.0) + 0j
    with pytest.raises(ValueError, match="shape"):
        earth_fft.fft(x, overwrite_x=True, out=np.zeros(5, complex))
    assert np.array_equal(x, np.arange(6.0))
