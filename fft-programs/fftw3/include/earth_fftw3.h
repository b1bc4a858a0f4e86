/* FFTW 3's interface of libearth_fftw3.so (fftw_*) and libearth_fftw3f.so (fftwf_*).
   A program may include fftw3.h of FFTW instead: the declarations are compatible. */
#ifndef EARTH_FFTW3_H
#define EARTH_FFTW3_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Signs of the exponent. */
#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)

#define FFTW_NO_TIMELIMIT (-1.0)

/* Flags of planning functions. */
#define FFTW_MEASURE 0U
#define FFTW_DESTROY_INPUT (1U << 0)
#define FFTW_UNALIGNED (1U << 1)
#define FFTW_EXHAUSTIVE (1U << 3)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_PATIENT (1U << 5)
#define FFTW_ESTIMATE (1U << 6)
#define FFTW_WISDOM_ONLY (1U << 21)

enum earth_fftw_r2r_kind {
    FFTW_R2HC = 0, FFTW_HC2R = 1, FFTW_DHT = 2,
    FFTW_REDFT00 = 3, FFTW_REDFT01 = 4, FFTW_REDFT10 = 5, FFTW_REDFT11 = 6,
    FFTW_RODFT00 = 7, FFTW_RODFT01 = 8, FFTW_RODFT10 = 9, FFTW_RODFT11 = 10
};

/* A dimension of the guru interfaces: its length, and its strides in the input and the output. */
struct earth_fftw_iodim { int n, is, os; };
struct earth_fftw_iodim64 { ptrdiff_t n, is, os; };

/* Complex numbers are C's own if <complex.h> is included before, else pairs of real numbers. */
#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex) && defined(I)
#define EARTH_FFTW_COMPLEX(R, C) typedef R _Complex C
#else
#define EARTH_FFTW_COMPLEX(R, C) typedef R C[2]
#endif

#define EARTH_FFTW_MANY(X, FAMILY, IN, OUT, MORE)                                                        \
    X(plan) X(plan_many_##FAMILY)(int rank, const int *n, int howmany,                                   \
                                  IN *in, const int *inembed, int istride, int idist,                    \
                                  OUT *out, const int *onembed, int ostride, int odist MORE,             \
                                  unsigned flags);

#define EARTH_FFTW_GURU(X, FAMILY, FORMAL)                                                               \
    X(plan) X(plan_guru_##FAMILY)(int rank, const X(iodim) *dims, int howmany_rank,                      \
                                  const X(iodim) *howmany_dims, FORMAL, unsigned flags);                 \
    X(plan) X(plan_guru64_##FAMILY)(int rank, const X(iodim64) *dims, int howmany_rank,                  \
                                    const X(iodim64) *howmany_dims, FORMAL, unsigned flags);

#define EARTH_FFTW_LIST(...) __VA_ARGS__

/* All functions of a precision: X makes their names, R is the type of real and C of complex numbers. */
#define EARTH_FFTW_DECLARE(X, R, C)                                                                      \
    EARTH_FFTW_COMPLEX(R, C);                                                                            \
    typedef struct X(plan_s) *X(plan);                                                                   \
    typedef struct earth_fftw_iodim X(iodim);                                                            \
    typedef struct earth_fftw_iodim64 X(iodim64);                                                        \
    typedef enum earth_fftw_r2r_kind X(r2r_kind);                                                        \
    typedef void (*X(write_char_func))(char c, void *);                                                  \
    typedef int (*X(read_char_func))(void *);                                                            \
                                                                                                         \
    X(plan) X(plan_dft)(int rank, const int *n, C *in, C *out, int sign, unsigned flags);                \
    X(plan) X(plan_dft_1d)(int n, C *in, C *out, int sign, unsigned flags);                              \
    X(plan) X(plan_dft_2d)(int n0, int n1, C *in, C *out, int sign, unsigned flags);                     \
    X(plan) X(plan_dft_3d)(int n0, int n1, int n2, C *in, C *out, int sign, unsigned flags);             \
    X(plan) X(plan_dft_r2c)(int rank, const int *n, R *in, C *out, unsigned flags);                      \
    X(plan) X(plan_dft_r2c_1d)(int n, R *in, C *out, unsigned flags);                                    \
    X(plan) X(plan_dft_r2c_2d)(int n0, int n1, R *in, C *out, unsigned flags);                           \
    X(plan) X(plan_dft_r2c_3d)(int n0, int n1, int n2, R *in, C *out, unsigned flags);                   \
    X(plan) X(plan_dft_c2r)(int rank, const int *n, C *in, R *out, unsigned flags);                      \
    X(plan) X(plan_dft_c2r_1d)(int n, C *in, R *out, unsigned flags);                                    \
    X(plan) X(plan_dft_c2r_2d)(int n0, int n1, C *in, R *out, unsigned flags);                           \
    X(plan) X(plan_dft_c2r_3d)(int n0, int n1, int n2, C *in, R *out, unsigned flags);                   \
    X(plan) X(plan_r2r)(int rank, const int *n, R *in, R *out, const X(r2r_kind) *kind,                  \
                        unsigned flags);                                                                 \
    X(plan) X(plan_r2r_1d)(int n, R *in, R *out, X(r2r_kind) kind, unsigned flags);                      \
    X(plan) X(plan_r2r_2d)(int n0, int n1, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1,          \
                           unsigned flags);                                                              \
    X(plan) X(plan_r2r_3d)(int n0, int n1, int n2, R *in, R *out, X(r2r_kind) kind0,                     \
                           X(r2r_kind) kind1, X(r2r_kind) kind2, unsigned flags);                        \
                                                                                                         \
    EARTH_FFTW_MANY(X, dft, C, C, EARTH_FFTW_LIST(, int sign))                                           \
    EARTH_FFTW_MANY(X, dft_r2c, R, C, )                                                                  \
    EARTH_FFTW_MANY(X, dft_c2r, C, R, )                                                                  \
    EARTH_FFTW_MANY(X, r2r, R, R, EARTH_FFTW_LIST(, const X(r2r_kind) *kind))                            \
                                                                                                         \
    EARTH_FFTW_GURU(X, dft, EARTH_FFTW_LIST(C *in, C *out, int sign))                                    \
    EARTH_FFTW_GURU(X, dft_r2c, EARTH_FFTW_LIST(R *in, C *out))                                          \
    EARTH_FFTW_GURU(X, dft_c2r, EARTH_FFTW_LIST(C *in, R *out))                                          \
    EARTH_FFTW_GURU(X, r2r, EARTH_FFTW_LIST(R *in, R *out, const X(r2r_kind) *kind))                     \
    EARTH_FFTW_GURU(X, split_dft, EARTH_FFTW_LIST(R *ri, R *ii, R *ro, R *io))                           \
    EARTH_FFTW_GURU(X, split_dft_r2c, EARTH_FFTW_LIST(R *in, R *ro, R *io))                              \
    EARTH_FFTW_GURU(X, split_dft_c2r, EARTH_FFTW_LIST(R *ri, R *ii, R *out))                             \
                                                                                                         \
    void X(execute)(const X(plan) p);                                                                    \
    void X(execute_dft)(const X(plan) p, C *in, C *out);                                                 \
    void X(execute_dft_r2c)(const X(plan) p, R *in, C *out);                                             \
    void X(execute_dft_c2r)(const X(plan) p, C *in, R *out);                                             \
    void X(execute_r2r)(const X(plan) p, R *in, R *out);                                                 \
    void X(execute_split_dft)(const X(plan) p, R *ri, R *ii, R *ro, R *io);                              \
    void X(execute_split_dft_r2c)(const X(plan) p, R *in, R *ro, R *io);                                 \
    void X(execute_split_dft_c2r)(const X(plan) p, R *ri, R *ii, R *out);                                \
    void X(destroy_plan)(X(plan) p);                                                                     \
                                                                                                         \
    void X(forget_wisdom)(void);                                                                         \
    void X(cleanup)(void);                                                                               \
    void X(set_timelimit)(double seconds);                                                               \
    void X(plan_with_nthreads)(int nthreads);                                                            \
    int X(planner_nthreads)(void);                                                                       \
    int X(init_threads)(void);                                                                           \
    void X(cleanup_threads)(void);                                                                       \
    void X(threads_set_callback)(void (*parallel_loop)(void *(*work)(char *), char *jobdata,             \
                                                       size_t elsize, int njobs, void *data),            \
                                 void *data);                                                            \
    void X(make_planner_thread_safe)(void);                                                              \
                                                                                                         \
    int X(export_wisdom_to_filename)(const char *filename);                                              \
    void X(export_wisdom_to_file)(FILE *output_file);                                                    \
    char *X(export_wisdom_to_string)(void);                                                              \
    void X(export_wisdom)(X(write_char_func) write_char, void *data);                                    \
    int X(import_system_wisdom)(void);                                                                   \
    int X(import_wisdom_from_filename)(const char *filename);                                            \
    int X(import_wisdom_from_file)(FILE *input_file);                                                    \
    int X(import_wisdom_from_string)(const char *input_string);                                          \
    int X(import_wisdom)(X(read_char_func) read_char, void *data);                                       \
                                                                                                         \
    void X(fprint_plan)(const X(plan) p, FILE *output_file);                                             \
    void X(print_plan)(const X(plan) p);                                                                 \
    char *X(sprint_plan)(const X(plan) p);                                                               \
    void X(flops)(const X(plan) p, double *add, double *mul, double *fmas);                              \
    double X(estimate_cost)(const X(plan) p);                                                            \
    double X(cost)(const X(plan) p);                                                                     \
                                                                                                         \
    void *X(malloc)(size_t n);                                                                           \
    R *X(alloc_real)(size_t n);                                                                          \
    C *X(alloc_complex)(size_t n);                                                                       \
    void X(free)(void *p);                                                                               \
    int X(alignment_of)(R *p);                                                                           \
                                                                                                         \
    extern const char X(version)[];                                                                      \
    extern const char X(cc)[];                                                                           \
    extern const char X(codelet_optim)[];

#define EARTH_FFTW_DOUBLE(name) fftw_##name
#define EARTH_FFTW_SINGLE(name) fftwf_##name

EARTH_FFTW_DECLARE(EARTH_FFTW_DOUBLE, double, fftw_complex)
EARTH_FFTW_DECLARE(EARTH_FFTW_SINGLE, float, fftwf_complex)

#ifdef __cplusplus
}
#endif

#endif
