# SciPy as one of those that bench-fft compares: it is started by the program, and asked by lines on standard input.
#
#   BATCH*LENGTHS real|complex|filter=TAPS f32|f64 replace|keep THREADS DISTANCE BETWEEN ROOM
#
# are its arguments: a number of transforms, their lengths like 64x64, the points from a row of the output to the next and the
# elements from a row of the input to the next, and how many transforms in place may follow one another before numbers
# overflow. A filter is a circular convolution of real numbers with these taps along each dimension. It answers
#
#   transform     and the bytes of the input: the bytes of the output
#   time TIMES    the seconds of so many transforms, by a clock around the calls
#
# In place (replace) SciPy is told that it may overwrite its input; it takes new memory where it cannot.
import sys
import time

import numpy
import scipy.fft

batch, lengths = sys.argv[1].split("*")
lengths = tuple(int(length) for length in lengths.split("x"))
sides = lengths
axes = tuple(range(-len(lengths), 0))
if batch != "1":
    lengths = (int(batch),) + lengths
kind, _, taps = sys.argv[2].partition("=")
real, single, replace = kind != "complex", sys.argv[3] == "f32", sys.argv[4] == "replace"
threads, distance, between, room = (int(number) for number in sys.argv[5:9])
number, point = (numpy.float32, numpy.complex64) if single else (numpy.float64, numpy.complex128)
element = number if real else point
outer, cols = lengths[:-1], lengths[-1]
width = cols // 2 + 1 if real else cols
function = scipy.fft.rfftn if real else scipy.fft.fftn
questions, answers = sys.stdin.buffer, sys.stdout.buffer


def gains(length, transform):
    wrapped = numpy.zeros(length)
    for back, tap in enumerate(taps.split(",")):
        wrapped[back % length] += float(tap)
    return transform(wrapped)


def spectrum_of_taps():
    kept = gains(sides[-1], scipy.fft.rfft) / numpy.prod(sides)
    for length in reversed(sides[:-1]):
        kept = numpy.multiply.outer(gains(length, scipy.fft.fft), kept)
    return kept.astype(point)


kept = spectrum_of_taps() if taps else None


def transform(elements):
    spectrum = function(elements, axes=axes, workers=threads, overwrite_x=replace)
    if kept is None:
        return spectrum
    spectrum *= kept
    return scipy.fft.irfftn(spectrum, sides, axes=axes, workers=threads, overwrite_x=True, norm="forward")


def noise():
    generator = numpy.random.default_rng(1)
    amplitude = 1e-15 if single else 1e-100
    memory = numpy.empty(outer + (between,), element)
    for row in memory.reshape(-1, between):
        row[:] = generator.uniform(-amplitude, amplitude, between)
        if not real:
            row[:] += 1j * generator.uniform(-amplitude, amplitude, between)
    return memory[..., :cols]


elements, done = noise(), 0
for line in questions:
    question = line.split()
    if question[0] == b"transform":
        size = numpy.dtype(element).itemsize * between
        for length in outer:
            size *= length
        given = numpy.frombuffer(bytearray(questions.read(size)), element).reshape(outer + (between,))
        output = numpy.zeros(outer + (distance,), point) if kept is None else numpy.zeros_like(given)
        output[..., : width if kept is None else cols] = transform(given[..., :cols])
        answers.write(output.data)
    else:
        left, seconds = int(question[1]), 0.0
        while left > 0:
            if replace and not real and done >= room:
                elements, done = noise(), 0
            now = min(left, room - done) if replace and not real else left
            begun = time.perf_counter()
            if replace and not real:
                for _ in range(now):
                    elements = transform(elements)
            else:
                for _ in range(now):
                    transform(elements)
            seconds += time.perf_counter() - begun
            done += now
            left -= now
        answers.write(b"%.9e\n" % seconds)
    answers.flush()
