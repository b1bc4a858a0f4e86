/* Transforms of real numbers: to points, back, and to real numbers. */
#include "oracle.h"

enum { MOST = 4096 };
static R numbers[MOST], kept[MOST], back[MOST];
static C points[MOST], spectra[MOST];
static double complex found[MOST], wanted[MOST];

static void fresh(void) {
    fill_numbers(numbers, MOST);
    memcpy(kept, numbers, sizeof numbers);
    memset(points, 0, sizeof points);
}

static void run(X(plan) plan, const char *what) {
    check(plan != NULL, what);
    X(execute)(plan);
    X(destroy_plan)(plan);
}

/* Checks points, whose last axis has half of the spectrum, against the kept numbers. */
static void compare(int all, int rank, const axis *axes, const C *output, const char *what) {
    axis halves[8];
    memcpy(halves, axes, (size_t)all * sizeof *axes);
    ptrdiff_t n = axes[all - 1].n, half = n / 2 + 1;
    halves[all - 1].n = half;
    read_numbers(all, axes, 0, kept, wanted);
    define_dft(all, rank, axes, FFTW_FORWARD, wanted);
    size_t lines = count_of(all - 1, axes);
    for (size_t line = 0; line < lines; line++)
        memmove(wanted + line * (size_t)half, wanted + line * (size_t)n, (size_t)half * sizeof *wanted);
    read_points(all, halves, 1, output, found);
    check(error_of(count_of(all, halves), found, wanted) < TOLERANCE, what);
}

/* Checks numbers with the strides of the input against the kept numbers times `scale`. */
static void compare_back(int all, const axis *axes, const R *output, double scale, const char *what) {
    read_numbers(all, axes, 0, kept, wanted);
    read_numbers(all, axes, 0, output, found);
    for (size_t i = 0; i < count_of(all, axes); i++) found[i] /= scale;
    check(error_of(count_of(all, axes), found, wanted) < TOLERANCE, what);
}

static void basic(void) {
    axis line = {9, 1, 1}, matrix[] = {{4, 6, 4}, {6, 1, 1}}, cube[] = {{3, 20, 12}, {4, 5, 3}, {5, 1, 1}};
    axis four[] = {{2, 60, 36}, {3, 20, 12}, {4, 5, 3}, {5, 1, 1}};
    int n[] = {2, 3, 4, 5};
    unsigned flags[] = {FFTW_ESTIMATE, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT, FFTW_MEASURE};
    for (int f = 0; f < 3; f++) {
        fresh();
        run(X(plan_dft_r2c_1d)(9, numbers, points, flags[f]), "plan_dft_r2c_1d");
        compare(1, 1, &line, points, "plan_dft_r2c_1d");
        check(!memcmp(numbers, kept, sizeof numbers), "the numbers stay");
        memcpy(spectra, points, sizeof points);
        run(X(plan_dft_c2r_1d)(9, points, back, flags[f]), "plan_dft_c2r_1d");
        compare_back(1, &line, back, 9, "plan_dft_c2r_1d");
        if (flags[f] & FFTW_PRESERVE_INPUT) check(!memcmp(spectra, points, sizeof points), "the points stay");

        run(X(plan_dft_r2c_2d)(4, 6, numbers, points, flags[f]), "plan_dft_r2c_2d");
        compare(2, 2, matrix, points, "plan_dft_r2c_2d");
        memcpy(spectra, points, sizeof points);
        run(X(plan_dft_c2r_2d)(4, 6, points, back, flags[f]), "plan_dft_c2r_2d");
        compare_back(2, matrix, back, 24, "plan_dft_c2r_2d");
        if (flags[f] & FFTW_PRESERVE_INPUT) check(!memcmp(spectra, points, sizeof points), "the points stay");

        run(X(plan_dft_r2c_3d)(3, 4, 5, numbers, points, flags[f]), "plan_dft_r2c_3d");
        compare(3, 3, cube, points, "plan_dft_r2c_3d");
        run(X(plan_dft_c2r_3d)(3, 4, 5, points, back, flags[f]), "plan_dft_c2r_3d");
        compare_back(3, cube, back, 60, "plan_dft_c2r_3d");

        run(X(plan_dft_r2c)(4, n, numbers, points, flags[f]), "plan_dft_r2c of rank 4");
        compare(4, 4, four, points, "plan_dft_r2c of rank 4");
        run(X(plan_dft_c2r)(4, n, points, back, flags[f]), "plan_dft_c2r of rank 4");
        compare_back(4, four, back, 120, "plan_dft_c2r of rank 4");
    }
    /* In place, in padded rows. */
    axis padded[] = {{4, 8, 4}, {6, 1, 1}};
    fresh();
    run(X(plan_dft_r2c_2d)(4, 6, numbers, (C *)numbers, FFTW_ESTIMATE), "r2c in place");
    compare(2, 2, padded, (C *)numbers, "plan_dft_r2c_2d in place");
    run(X(plan_dft_c2r_2d)(4, 6, (C *)numbers, numbers, FFTW_ESTIMATE), "c2r in place");
    compare_back(2, padded, numbers, 24, "plan_dft_c2r_2d in place");
}

static void advanced(void) {
    int n[] = {4, 6}, inembed[] = {4, 9}, onembed[] = {4, 5};
    axis axes[] = {{3, 80, 50}, {4, 18, 10}, {6, 2, 2}};
    fresh();
    run(X(plan_many_dft_r2c)(2, n, 3, numbers, inembed, 2, 80, points, onembed, 2, 50, FFTW_ESTIMATE), "many r2c");
    compare(3, 2, axes, points, "plan_many_dft_r2c");
    run(X(plan_many_dft_c2r)(2, n, 3, points, onembed, 2, 50, back, inembed, 2, 80, FFTW_ESTIMATE), "many c2r");
    compare_back(3, axes, back, 24, "plan_many_dft_c2r");
    axis rows[] = {{5, 8, 4}, {7, 1, 1}};
    fresh();
    int seven = 7;
    run(X(plan_many_dft_r2c)(1, &seven, 5, numbers, NULL, 1, 8, (C *)numbers, NULL, 1, 4, FFTW_ESTIMATE), "rows");
    compare(2, 1, rows, (C *)numbers, "plan_many_dft_r2c in place");
    run(X(plan_many_dft_c2r)(1, &seven, 5, (C *)numbers, NULL, 1, 4, numbers, NULL, 1, 8, FFTW_ESTIMATE), "rows");
    compare_back(2, rows, numbers, 7, "plan_many_dft_c2r in place");
}

static void guru(void) {
    axis axes[] = {{2, 100, 200}, {4, 1, 30}, {6, 4, 3}};
    X(iodim) dims[] = {{4, 1, 30}, {6, 4, 3}}, many = {2, 100, 200};
    X(iodim) there[] = {{4, 30, 1}, {6, 3, 4}}, back_many = {2, 200, 100};
    X(iodim64) dims64[] = {{4, 1, 30}, {6, 4, 3}}, many64 = {2, 100, 200};
    X(iodim64) there64[] = {{4, 30, 1}, {6, 3, 4}}, back_many64 = {2, 200, 100};
    static R re[MOST], im[MOST];
    for (int wide = 0; wide < 2; wide++) {
        unsigned e = FFTW_ESTIMATE;
        fresh();
        run(wide ? X(plan_guru64_dft_r2c)(2, dims64, 1, &many64, numbers, points, e)
                 : X(plan_guru_dft_r2c)(2, dims, 1, &many, numbers, points, e), "guru r2c");
        compare(3, 2, axes, points, "guru_dft_r2c");
        run(wide ? X(plan_guru64_dft_c2r)(2, there64, 1, &back_many64, points, back, e)
                 : X(plan_guru_dft_c2r)(2, there, 1, &back_many, points, back, e), "guru c2r");
        compare_back(3, axes, back, 24, "guru_dft_c2r");
        run(wide ? X(plan_guru64_split_dft_r2c)(2, dims64, 1, &many64, numbers, re, im, e)
                 : X(plan_guru_split_dft_r2c)(2, dims, 1, &many, numbers, re, im, e), "guru split r2c");
        for (int i = 0; i < MOST; i++) points[i] = re[i] + I * im[i];
        compare(3, 2, axes, points, "guru_split_dft_r2c");
        X(plan) plan = wide ? X(plan_guru64_split_dft_c2r)(2, there64, 1, &back_many64, re, im, back, e)
                            : X(plan_guru_split_dft_c2r)(2, there, 1, &back_many, re, im, back, e);
        check(plan != NULL, "guru split c2r");
        memset(back, 0, sizeof back);
        X(execute_split_dft_c2r)(plan, re, im, back);
        compare_back(3, axes, back, 24, "guru_split_dft_c2r");
        X(destroy_plan)(plan);
    }
}

/* Checks real transforms of the last `rank` of `all` axes. */
static void compare_r2r(int all, int rank, const axis *axes, const int *kinds, const R *output, const char *what) {
    read_numbers(all, axes, 0, kept, wanted);
    define_r2r(all, rank, axes, kinds, wanted);
    read_numbers(all, axes, 1, output, found);
    check(error_of(count_of(all, axes), found, wanted) < TOLERANCE, what);
}

static void real_to_real(void) {
    for (int kind = FFTW_R2HC; kind <= FFTW_RODFT11; kind++) {
        char what[40];
        for (int n = 2; n < 14; n++) {
            axis line = {n, 1, 1};
            snprintf(what, sizeof what, "r2r kind %d of %d", kind, n);
            fresh();
            run(X(plan_r2r_1d)(n, numbers, back, (X(r2r_kind))kind, FFTW_ESTIMATE), what);
            compare_r2r(1, 1, &line, &kind, back, what);
            check(!memcmp(numbers, kept, sizeof numbers), "the numbers stay");
        }
        int other = (kind + 4) % 11, third = (kind + 7) % 11, kinds[] = {kind, other, third, other};
        axis matrix[] = {{4, 5, 5}, {5, 1, 1}}, cube[] = {{3, 20, 20}, {4, 5, 5}, {5, 1, 1}};
        axis four[] = {{2, 60, 60}, {3, 20, 20}, {4, 5, 5}, {5, 1, 1}};
        X(r2r_kind) each[] = {kinds[0], kinds[1], kinds[2], kinds[3]};
        fresh();
        run(X(plan_r2r_2d)(4, 5, numbers, back, each[0], each[1], FFTW_ESTIMATE), "r2r_2d");
        compare_r2r(2, 2, matrix, kinds, back, "plan_r2r_2d");
        run(X(plan_r2r_3d)(3, 4, 5, numbers, back, each[0], each[1], each[2], FFTW_MEASURE), "r2r_3d");
        compare_r2r(3, 3, cube, kinds, back, "plan_r2r_3d");
        run(X(plan_r2r)(4, (int[]){2, 3, 4, 5}, numbers, numbers, each, FFTW_ESTIMATE), "r2r of rank 4");
        compare_r2r(4, 4, four, kinds, numbers, "plan_r2r in place");
        axis many[] = {{3, 1, 40}, {4, 15, 6}, {5, 3, 1}};
        fresh();
        run(X(plan_many_r2r)(2, (int[]){4, 5}, 3, numbers, NULL, 3, 1, back, (int[]){4, 6}, 1, 40, each,
                             FFTW_ESTIMATE), "many r2r");
        compare_r2r(3, 2, many, kinds, back, "plan_many_r2r");
        X(iodim) dims[] = {{4, 15, 6}, {5, 3, 1}}, howmany = {3, 1, 40};
        X(iodim64) dims64[] = {{4, 15, 6}, {5, 3, 1}}, howmany64 = {3, 1, 40};
        run(X(plan_guru_r2r)(2, dims, 1, &howmany, numbers, back, each, FFTW_ESTIMATE), "guru r2r");
        compare_r2r(3, 2, many, kinds, back, "plan_guru_r2r");
        X(plan) plan = X(plan_guru64_r2r)(2, dims64, 1, &howmany64, numbers, back, each, FFTW_ESTIMATE);
        check(plan != NULL, "guru64 r2r");
        memset(back, 0, sizeof back);
        X(execute_r2r)(plan, numbers, back);
        compare_r2r(3, 2, many, kinds, back, "plan_guru64_r2r");
        X(destroy_plan)(plan);
    }
    check(!X(plan_r2r_1d)(4, numbers, back, (X(r2r_kind))11, FFTW_ESTIMATE), "no such kind");
    check(!X(plan_r2r_1d)(1, numbers, back, FFTW_REDFT00, FFTW_ESTIMATE), "REDFT00 of one number");
}

static void new_arrays(void) {
    axis line = {10, 1, 1};
    X(plan) there = X(plan_dft_r2c_1d)(10, numbers, points, FFTW_ESTIMATE);
    X(plan) home = X(plan_dft_c2r_1d)(10, points, numbers, FFTW_ESTIMATE);
    fresh();
    memset(spectra, 0, sizeof spectra);
    X(execute_dft_r2c)(there, numbers, spectra);
    compare(1, 1, &line, spectra, "execute_dft_r2c");
    X(execute_dft_c2r)(home, spectra, back);
    compare_back(1, &line, back, 10, "execute_dft_c2r");
    X(execute_dft_r2c)(there, numbers, (C *)numbers);
    compare(1, 1, &line, (C *)numbers, "r2c in one array by a plan of two");
    X(execute_dft_c2r)(home, (C *)numbers, numbers);
    compare_back(1, &line, numbers, 10, "c2r in one array by a plan of two");
    static R re[16], im[16];
    X(iodim) dim = {10, 1, 1};
    X(plan) parts = X(plan_guru_split_dft_r2c)(1, &dim, 0, NULL, NULL, NULL, NULL, FFTW_ESTIMATE);
    check(parts != NULL, "null split arrays");
    X(execute)(parts);
    fresh();
    X(execute_split_dft_r2c)(parts, numbers, re, im);
    for (int i = 0; i < 6; i++) spectra[i] = re[i] + I * im[i];
    compare(1, 1, &line, spectra, "execute_split_dft_r2c");
    X(destroy_plan)(parts);
    X(destroy_plan)(there);
    X(destroy_plan)(home);
}

void test_real(void) {
    basic();
    advanced();
    guru();
    real_to_real();
    new_arrays();
}
