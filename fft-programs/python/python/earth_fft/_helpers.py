"""Frequencies, shifts and fast lengths, in NumPy alone."""

from operator import index

import numpy as np


def fftfreq(n, d=1.0):
    """Return the frequencies of the n points of fft, as float64.

    The distance of the samples is d. Frequencies are k / (n d) for the first half of the
    points, and (k - n) / (n d) for the second half.

    Raises ValueError if n is below 1, and TypeError if n is no integer.
    """
    n = _length(n)
    k = np.arange(n)
    k[(n + 1) // 2 :] -= n
    return k / (n * d)


def rfftfreq(n, d=1.0):
    """Return the frequencies of the n // 2 + 1 points of rfft, as float64.

    The distance of the n samples is d.

    Raises ValueError if n is below 1, and TypeError if n is no integer.
    """
    n = _length(n)
    return np.arange(n // 2 + 1) / (n * d)


def fftshift(x, axes=None):
    """Return x with frequency 0 in the middle of each of the axes. Default: all axes.

    x is an array_like of any dtype. The result is a copy of the same shape.
    """
    x = np.asarray(x)
    axes = _axes(x, axes)
    return np.roll(x, [x.shape[axis] // 2 for axis in axes], axes)


def ifftshift(x, axes=None):
    """Return x with frequency 0 at the front of each of the axes: the inverse of fftshift."""
    x = np.asarray(x)
    axes = _axes(x, axes)
    return np.roll(x, [-(x.shape[axis] // 2) for axis in axes], axes)


def next_fast_len(target, real=False):
    """Return the least length from target on whose transform is fast.

    Fast lengths have no prime factor over 13. With real, they are even, or 1.

    Raises ValueError if target is negative, and TypeError if it is no integer.
    """
    target = index(target)
    if target < 0:
        raise ValueError(f"target must not be negative, but is {target}")
    length = max(target, 1)
    while not _is_fast(length, real):
        length += 1
    return length


def _is_fast(length, real):
    if real and length > 1 and length % 2:
        return False
    for factor in (2, 3, 5, 7, 11, 13):
        while length % factor == 0:
            length //= factor
    return length == 1


def _length(n):
    n = index(n)
    if n < 1:
        raise ValueError(f"n must be at least 1, but is {n}")
    return n


def _axes(x, axes):
    if axes is None:
        return tuple(range(x.ndim))
    return (index(axes),) if np.ndim(axes) == 0 else tuple(index(axis) for axis in axes)
