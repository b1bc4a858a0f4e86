/* The legacy Fortran functions, as a Fortran compiler calls them. */
#include "oracle.h"

void F(plan_dft_1d)(X(plan) *, const int *, C *, C *, const int *, const int *);
void F(plan_dft_2d)(X(plan) *, const int *, const int *, C *, C *, const int *, const int *);
void F(plan_dft)(X(plan) *, const int *, const int *, C *, C *, const int *, const int *);
void F(plan_dft_r2c_2d)(X(plan) *, const int *, const int *, R *, C *, const int *);
void F(plan_many_dft)(X(plan) *, const int *, const int *, const int *, C *, const int *, const int *, const int *,
                      C *, const int *, const int *, const int *, const int *, const int *);
void F(plan_guru_dft)(X(plan) *, const int *, const int *, const int *, const int *, const int *, const int *,
                      const int *, const int *, C *, C *, const int *, const int *);
void F(plan_r2r_2d)(X(plan) *, const int *, const int *, R *, R *, const int *, const int *, const int *);
void F(execute)(X(plan) *const);
void F(execute_dft)(X(plan) *const, C *, C *);
void F(destroy_plan)(X(plan) *);
void F(init_threads)(int *);
void F(planner_nthreads)(int *);
void F(plan_with_nthreads)(const int *);
void F(cost)(double *, X(plan) *const);
void F(export_wisdom)(void (*)(const char *, void *), void *);
void F(import_wisdom)(int *, void (*)(int *, void *), void *);

enum { MOST = 1024 };
static C in[MOST], out[MOST];
static double complex found[MOST], wanted[MOST];
static const int forward = FFTW_FORWARD, estimate = FFTW_ESTIMATE;

static void compare(int all, int rank, const axis *axes, const char *what) {
    read_points(all, axes, 0, in, wanted);
    define_dft(all, rank, axes, forward, wanted);
    read_points(all, axes, 1, out, found);
    check(error_of(count_of(all, axes), found, wanted) < TOLERANCE, what);
}

static char text[1 << 20];
static size_t written, taken;

static void write_char(const char *c, void *data) {
    (void)data;
    text[written++] = *c;
}

static void read_char(int *c, void *data) {
    (void)data;
    *c = taken < written ? text[taken++] : -1;
}

void test_fortran(void) {
    X(plan) plan;
    int nx = 4, ny = 6, n = 12, two = 2, one = 1, none = 0, success;
    int lengths[] = {4, 6}, in_lengths[] = {5, 7}, distance = 40, stride = 1, three = 3;
    /* The first dimension of Fortran is the innermost. */
    axis matrix[] = {{6, 4, 4}, {4, 1, 1}}, line = {12, 1, 1}, many[] = {{3, 40, 24}, {6, 5, 4}, {4, 1, 1}};
    fill_points(in, MOST);
    F(plan_dft_1d)(&plan, &n, in, out, &forward, &estimate);
    F(execute)(&plan);
    compare(1, 1, &line, "plan_dft_1d_");
    memset(out, 0, sizeof out);
    F(execute_dft)(&plan, in, out);
    compare(1, 1, &line, "execute_dft_");
    F(destroy_plan)(&plan);
    F(plan_dft_2d)(&plan, &nx, &ny, in, out, &forward, &estimate);
    F(execute)(&plan);
    compare(2, 2, matrix, "plan_dft_2d_");
    double cost = 0;
    F(cost)(&cost, &plan);
    check(cost > 0, "cost_");
    F(destroy_plan)(&plan);
    F(plan_dft)(&plan, &two, lengths, in, out, &forward, &estimate);
    F(execute)(&plan);
    compare(2, 2, matrix, "plan_dft_");
    F(destroy_plan)(&plan);
    int out_distance = 24;
    F(plan_many_dft)(&plan, &two, lengths, &three, in, in_lengths, &stride, &distance, out, lengths, &stride,
                     &out_distance, &forward, &estimate);
    F(execute)(&plan);
    compare(3, 2, many, "plan_many_dft_");
    F(destroy_plan)(&plan);
    int strides[] = {1, 4};
    F(plan_guru_dft)(&plan, &two, lengths, strides, strides, &none, NULL, NULL, NULL, in, out, &forward, &estimate);
    F(execute)(&plan);
    compare(2, 2, matrix, "plan_guru_dft_");
    F(destroy_plan)(&plan);

    static R numbers[MOST], results[MOST];
    fill_numbers(numbers, MOST);
    F(plan_dft_r2c_2d)(&plan, &nx, &ny, numbers, out, &estimate);
    F(execute)(&plan);
    double sum = 0;
    for (int i = 0; i < 24; i++) sum += numbers[i];
    check(fabs(creal((double complex)out[0]) - sum) < 1e3 * TOLERANCE, "plan_dft_r2c_2d_");
    F(destroy_plan)(&plan);
    int inner = FFTW_REDFT10, outer = FFTW_RODFT01;
    axis lines[] = {{6, 4, 4}, {4, 1, 1}};
    int kinds[] = {outer, inner};
    F(plan_r2r_2d)(&plan, &nx, &ny, numbers, results, &inner, &outer, &estimate);
    F(execute)(&plan);
    read_numbers(2, lines, 0, numbers, wanted);
    define_r2r(2, 2, lines, kinds, wanted);
    read_numbers(2, lines, 1, results, found);
    check(error_of(24, found, wanted) < TOLERANCE, "plan_r2r_2d_");
    F(destroy_plan)(&plan);

    F(export_wisdom)(write_char, NULL);
    F(import_wisdom)(&success, read_char, NULL);
    check(written > 0 && success == 1, "export_wisdom_ and import_wisdom_");
    F(init_threads)(&success);
    check(success != 0, "init_threads_");
    F(plan_with_nthreads)(&two);
    F(planner_nthreads)(&success);
    check(success == 2, "planner_nthreads_");
    F(plan_with_nthreads)(&one);
}
