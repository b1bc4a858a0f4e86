/* Sums by definition, and arrays with strides, for either precision: SINGLE selects single precision. */
#ifndef ORACLE_H
#define ORACLE_H

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef INSTALLED_HEADER
#include <fftw3.h>
#else
#include "earth_fftw3.h"
#endif

#ifdef SINGLE
#define X(name) fftwf_##name
#define F(name) sfftw_##name##_
typedef float R;
#define TOLERANCE 2e-6
#else
#define X(name) fftw_##name
#define F(name) dfftw_##name##_
typedef double R;
#define TOLERANCE 1e-13
#endif
typedef X(complex) C;

/* An axis of a test: its length, and its strides in the input and the output. */
typedef struct { ptrdiff_t n, is, os; } axis;

/* Counts checks, and failed ones, which are printed. */
extern int checks, failures;

void check(int holds, const char *what);

/* Returns the next number of a fixed sequence between -1 and 1. */
double number(void);

/* Fills real numbers, or points, with numbers of the sequence. */
void fill_numbers(R *numbers, size_t count);
void fill_points(C *points, size_t count);

/* The elements of an array with `rank` axes, in row-major order, from memory with strides and back.
   `output` selects the strides. */
void read_points(int rank, const axis *axes, int output, const C *memory, double complex *values);
void read_numbers(int rank, const axis *axes, int output, const R *memory, double complex *values);

size_t count_of(int rank, const axis *axes);

/* Transforms the last `rank` of `all` axes of values in row-major order. */
void define_dft(int all, int rank, const axis *axes, int sign, double complex *values);

/* Transforms the last `rank` of `all` axes by the kinds of real transforms. */
void define_r2r(int all, int rank, const axis *axes, const int *kinds, double complex *values);

/* Returns the largest error, relative to the largest wanted value. */
double error_of(size_t count, const double complex *found, const double complex *wanted);

void test_complex(void);
void test_real(void);
void test_process(void);
void test_fortran(void);

#endif
