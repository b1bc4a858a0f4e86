/* Times the calls of a program for FFTW: plans by FFTW_MEASURE, on two threads, in double precision.
   Prints a line for each transform: its name, and the least, median and greatest microseconds of 11 rounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "earth_fftw3.h"

enum { ROUNDS = 11 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Times a plan. A round has as many calls as take 10 ms, after as many that are not timed. */
static void run(const char *name, fftw_plan plan) {
    if (!plan) {
        printf("%s none none none\n", name);
        return;
    }
    double rounds[ROUNDS], start = now();
    int calls = 0;
    do {
        fftw_execute(plan);
        calls++;
    } while (now() - start < 0.01);
    for (int round = 0; round < ROUNDS; round++) {
        start = now();
        for (int call = 0; call < calls; call++) fftw_execute(plan);
        rounds[round] = (now() - start) / calls * 1e6;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, by_size);
    printf("%s %.4g %.4g %.4g\n", name, rounds[0], rounds[ROUNDS / 2], rounds[ROUNDS - 1]);
    fflush(stdout);
    fftw_destroy_plan(plan);
}

/* Returns zeroed memory: repeated transforms of other numbers would overflow. */
static void *zeros(size_t bytes) {
    char *memory = fftw_malloc(bytes);
    for (size_t i = 0; i < bytes; i++) memory[i] = 0;
    return memory;
}

int main(void) {
    size_t most = (size_t)2048 * 2048 * sizeof(fftw_complex);
    fftw_complex *in = zeros(most), *out = zeros(most);
    double *numbers = (double *)in;
    int n = 256;
    fftw_init_threads();
    fftw_plan_with_nthreads(1);
    run("c2c_1024_in_place", fftw_plan_dft_1d(1024, in, in, FFTW_FORWARD, FFTW_MEASURE));
    run("c2c_1000_out_of_place", fftw_plan_dft_1d(1000, in, out, FFTW_FORWARD, FFTW_MEASURE));
    run("r2c_4096", fftw_plan_dft_r2c_1d(4096, numbers, out, FFTW_MEASURE));
    run("c2r_4096", fftw_plan_dft_c2r_1d(4096, out, numbers, FFTW_MEASURE));
    fftw_plan_with_nthreads(2);
    run("c2c_1048576", fftw_plan_dft_1d(1048576, in, in, FFTW_FORWARD, FFTW_MEASURE));
    run("c2c_512x512", fftw_plan_dft_2d(512, 512, in, in, FFTW_FORWARD, FFTW_MEASURE));
    run("c2c_1000x1000", fftw_plan_dft_2d(1000, 1000, in, in, FFTW_FORWARD, FFTW_MEASURE));
    run("c2c_2048x2048_out_of_place", fftw_plan_dft_2d(2048, 2048, in, out, FFTW_FORWARD, FFTW_MEASURE));
    run("r2c_1080x1920", fftw_plan_dft_r2c_2d(1080, 1920, numbers, out, FFTW_MEASURE));
    run("c2c_128x128x128", fftw_plan_dft_3d(128, 128, 128, in, in, FFTW_FORWARD, FFTW_MEASURE));
    run("many_10000_of_256",
        fftw_plan_many_dft(1, &n, 10000, in, NULL, 1, n, in, NULL, 1, n, FFTW_FORWARD, FFTW_MEASURE));
    run("many_columns_of_256",
        fftw_plan_many_dft(1, &n, 10000, in, NULL, 10000, 1, in, NULL, 10000, 1, FFTW_FORWARD, FFTW_MEASURE));
    int kind = FFTW_REDFT10;
    run("dct_1024", fftw_plan_r2r_1d(1024, numbers, (double *)out, (fftw_r2r_kind)kind, FFTW_MEASURE));
    return 0;
}
