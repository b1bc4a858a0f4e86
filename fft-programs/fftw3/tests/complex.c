/* Transforms of complex points: basic, advanced and guru interfaces, split arrays, new arrays. */
#include "oracle.h"

enum { MOST = 4096 };
static C in[MOST], out[MOST], kept[MOST];
static double complex found[MOST], wanted[MOST];

/* Checks that the output is the transform of the last `rank` of `all` axes of the kept input. */
static void compare(int all, int rank, const axis *axes, int sign, const C *output, const char *what) {
    read_points(all, axes, 0, kept, wanted);
    define_dft(all, rank, axes, sign, wanted);
    read_points(all, axes, 1, output, found);
    check(error_of(count_of(all, axes), found, wanted) < TOLERANCE, what);
}

static void fresh(void) {
    fill_points(in, MOST);
    memcpy(kept, in, sizeof in);
    memset(out, 0, sizeof out);
}

static void run(X(plan) plan, const char *what) {
    check(plan != NULL, what);
    X(execute)(plan);
    X(destroy_plan)(plan);
}

static void basic(void) {
    int signs[] = {FFTW_FORWARD, FFTW_BACKWARD};
    unsigned flags[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_ESTIMATE | FFTW_DESTROY_INPUT};
    for (int s = 0; s < 2; s++)
        for (int f = 0; f < 3; f++) {
            axis line = {12, 1, 1}, matrix[] = {{5, 6, 6}, {6, 1, 1}}, cube[] = {{3, 20, 20}, {4, 5, 5}, {5, 1, 1}};
            axis five[] = {{2, 120, 120}, {3, 40, 40}, {4, 10, 10}, {2, 5, 5}, {5, 1, 1}};
            int n[] = {2, 3, 4, 2, 5};
            fresh();
            run(X(plan_dft_1d)(12, in, out, signs[s], flags[f]), "plan_dft_1d");
            compare(1, 1, &line, signs[s], out, "plan_dft_1d");
            check(!memcmp(in, kept, sizeof in), "the input stays");
            run(X(plan_dft_2d)(5, 6, in, out, signs[s], flags[f]), "plan_dft_2d");
            compare(2, 2, matrix, signs[s], out, "plan_dft_2d");
            run(X(plan_dft_3d)(3, 4, 5, in, out, signs[s], flags[f]), "plan_dft_3d");
            compare(3, 3, cube, signs[s], out, "plan_dft_3d");
            run(X(plan_dft)(5, n, in, out, signs[s], flags[f]), "plan_dft of rank 5");
            compare(5, 5, five, signs[s], out, "plan_dft of rank 5");
            run(X(plan_dft)(5, n, in, in, signs[s], flags[f]), "plan_dft in place");
            compare(5, 5, five, signs[s], in, "plan_dft in place");
        }
    fresh();
    run(X(plan_dft)(0, NULL, in, out, FFTW_FORWARD, FFTW_ESTIMATE), "rank 0");
    check(out[0] == in[0], "a transform of rank 0 copies one point");
}

static void advanced(void) {
    int n[] = {4, 6}, inembed[] = {5, 8}, onembed[] = {4, 7};
    axis axes[] = {{3, 100, 70}, {4, 16, 14}, {6, 2, 2}};
    fresh();
    run(X(plan_many_dft)(2, n, 3, in, inembed, 2, 100, out, onembed, 2, 70, FFTW_BACKWARD, FFTW_ESTIMATE), "many");
    compare(3, 2, axes, FFTW_BACKWARD, out, "plan_many_dft with embeddings");
    axis columns[] = {{10, 1, 1}, {7, 10, 10}};
    fresh();
    run(X(plan_many_dft)(1, (int[]){7}, 10, in, NULL, 10, 1, in, NULL, 10, 1, FFTW_FORWARD, FFTW_MEASURE), "columns");
    compare(2, 1, columns, FFTW_FORWARD, in, "plan_many_dft of columns in place");
    axis turned[] = {{6, 5, 1}, {5, 1, 6}};
    fresh();
    run(X(plan_many_dft)(1, (int[]){5}, 6, in, NULL, 1, 5, in, NULL, 6, 1, FFTW_FORWARD, FFTW_ESTIMATE), "turned");
    compare(2, 1, turned, FFTW_FORWARD, in, "plan_many_dft that transposes in place");
    fresh();
    run(X(plan_many_dft)(1, (int[]){5}, 0, in, NULL, 1, 5, out, NULL, 1, 5, FFTW_FORWARD, FFTW_ESTIMATE), "none");
    check(out[0] == 0, "no transforms");
}

static void guru(void) {
    axis axes[] = {{3, 4, 100}, {2, 300, -50}, {4, 12, 3}, {5, 50, 12}};
    X(iodim) dims[] = {{4, 12, 3}, {5, 50, 12}}, many[] = {{3, 4, 100}, {2, 300, -50}};
    X(iodim64) dims64[] = {{4, 12, 3}, {5, 50, 12}}, many64[] = {{3, 4, 100}, {2, 300, -50}};
    for (int wide = 0; wide < 2; wide++) {
        fresh();
        run(wide ? X(plan_guru64_dft)(2, dims64, 2, many64, in, out + 1000, FFTW_FORWARD, FFTW_ESTIMATE)
                 : X(plan_guru_dft)(2, dims, 2, many, in, out + 1000, FFTW_FORWARD, FFTW_ESTIMATE),
            "guru");
        compare(4, 2, axes, FFTW_FORWARD, out + 1000, "guru_dft");
    }
    axis reversed[] = {{6, -3, -3}};
    fresh();
    X(iodim) back = {6, -3, -3};
    run(X(plan_guru_dft)(1, &back, 0, NULL, in + 15, in + 15, FFTW_BACKWARD, FFTW_ESTIMATE), "negative strides");
    double complex values[6];
    for (int i = 0; i < 6; i++) wanted[i] = kept[15 - 3 * i];
    define_dft(1, 1, reversed, FFTW_BACKWARD, wanted);
    for (int i = 0; i < 6; i++) values[i] = in[15 - 3 * i];
    check(error_of(6, values, wanted) < TOLERANCE, "negative strides in place");
}

static void split(void) {
    static R ri[MOST], ii[MOST], ro[MOST], io[MOST];
    axis axes[] = {{3, 30, 40}, {5, 6, 1}, {6, 1, 5}};
    X(iodim) dims[] = {{5, 6, 1}, {6, 1, 5}}, many = {3, 30, 40};
    X(iodim64) dims64[] = {{5, 6, 1}, {6, 1, 5}}, many64 = {3, 30, 40};
    for (int wide = 0; wide < 2; wide++) {
        fill_numbers(ri, MOST);
        fill_numbers(ii, MOST);
        for (int i = 0; i < MOST; i++) kept[i] = ri[i] + I * ii[i];
        X(plan) plan = wide ? X(plan_guru64_split_dft)(2, dims64, 1, &many64, ri, ii, ro, io, FFTW_ESTIMATE)
                            : X(plan_guru_split_dft)(2, dims, 1, &many, ri, ii, ro, io, FFTW_ESTIMATE);
        check(plan != NULL, "split");
        X(execute)(plan);
        for (int i = 0; i < MOST; i++) out[i] = ro[i] + I * io[i];
        compare(3, 2, axes, FFTW_FORWARD, out, "guru_split_dft");
        /* Exchanged parts make the inverse transform. */
        X(execute_split_dft)(plan, ii, ri, io, ro);
        for (int i = 0; i < MOST; i++) out[i] = ro[i] + I * io[i];
        compare(3, 2, axes, FFTW_BACKWARD, out, "execute_split_dft with exchanged parts");
        X(destroy_plan)(plan);
    }
    /* Parts that alternate, in place, and parts whose ranges of addresses interleave. */
    X(iodim) line = {9, 2, 2}, rows = {9, 1, 1};
    axis points = {9, 1, 1};
    fresh();
    run(X(plan_guru_split_dft)(1, &line, 0, NULL, (R *)in, (R *)in + 1, (R *)in, (R *)in + 1, FFTW_ESTIMATE), "pairs");
    compare(1, 1, &points, FFTW_FORWARD, in, "alternating parts in place");
    fresh();
    R *numbers = (R *)in;
    for (int i = 0; i < 9; i++) kept[i] = numbers[i] + I * numbers[9 + i];
    run(X(plan_guru_split_dft)(1, &rows, 0, NULL, numbers, numbers + 9, numbers + 9, numbers, FFTW_ESTIMATE), "rows");
    for (int i = 0; i < 9; i++) out[i] = numbers[9 + i] + I * numbers[i];
    compare(1, 1, &points, FFTW_FORWARD, out, "split arrays that change places");
}

static void new_arrays(void) {
    static char room[sizeof in + 16];
    axis line = {16, 1, 1}, shifted = {16, 1, 1};
    X(plan) plan = X(plan_dft_1d)(16, NULL, NULL, FFTW_FORWARD, FFTW_ESTIMATE);
    check(plan != NULL, "null arrays");
    X(execute)(plan);
    fresh();
    X(execute_dft)(plan, in, in);
    compare(1, 1, &line, FFTW_FORWARD, in, "new array in place");
    fresh();
    X(execute_dft)(plan, in, out);
    compare(1, 1, &line, FFTW_FORWARD, out, "separate arrays for a plan in place");
    X(destroy_plan)(plan);
    plan = X(plan_dft_1d)(16, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    fresh();
    X(execute_dft)(plan, in, in);
    compare(1, 1, &line, FFTW_FORWARD, in, "one array for a plan of two");
    fresh();
    X(execute_dft)(plan, in, in + 3);
    compare(1, 1, &shifted, FFTW_FORWARD, in + 3, "arrays that overlap");
    fresh();
    memcpy(room + 1, in, 16 * sizeof *in);
    X(execute_dft)(plan, (C *)(void *)(room + 1), out);
    compare(1, 1, &line, FFTW_FORWARD, out, "an unaligned array");
    X(destroy_plan)(plan);
}

static void refused(void) {
    X(iodim) good = {4, 1, 1}, empty = {0, 1, 1}, same = {4, 1, 0}, negative = {-1, 4, 4};
    unsigned e = FFTW_ESTIMATE;
    int n = 4;
    check(!X(plan_dft_1d)(0, in, out, -1, e), "length 0");
    check(!X(plan_dft_1d)(-4, in, out, -1, e), "negative length");
    check(!X(plan_dft_1d)(4, in, out, 0, e), "sign 0");
    check(!X(plan_dft)(-1, &n, in, out, -1, e), "negative rank");
    check(!X(plan_dft)(1, NULL, in, out, -1, e), "no lengths");
    check(!X(plan_many_dft)(1, &n, -1, in, NULL, 1, 4, out, NULL, 1, 4, -1, e), "negative number of transforms");
    check(!X(plan_guru_dft)(1, &empty, 0, NULL, in, out, -1, e), "empty dimension");
    check(!X(plan_guru_dft)(1, &same, 0, NULL, in, out, -1, e), "outputs at one address");
    check(!X(plan_guru_dft)(1, &good, 1, &negative, in, out, -1, e), "negative repetition");
    check(!X(plan_dft_3d)(2000000000, 2000000000, 2000000000, in, out, -1, e), "more than the address space");
    X(execute)(NULL);
    X(destroy_plan)(NULL);
}

void test_complex(void) {
    basic();
    advanced();
    guru();
    split();
    new_arrays();
    refused();
}
