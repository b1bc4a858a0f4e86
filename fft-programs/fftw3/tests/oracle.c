/* Sums by definition. */
#include "oracle.h"

int checks, failures;

void check(int holds, const char *what) {
    checks++;
    if (!holds) {
        failures++;
        printf("FAILED: %s\n", what);
    }
}

double number(void) {
    static unsigned long long state = 12345;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 33) / (double)(1ULL << 30) - 1;
}

void fill_numbers(R *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) numbers[i] = (R)number();
}

void fill_points(C *points, size_t count) {
    for (size_t i = 0; i < count; i++) points[i] = (R)number() + I * (R)number();
}

size_t count_of(int rank, const axis *axes) {
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)axes[i].n;
    return count;
}

/* Returns the position of element `index` in memory. */
static ptrdiff_t place(int rank, const axis *axes, int output, size_t index) {
    ptrdiff_t at = 0;
    for (int i = rank - 1; i >= 0; i--) {
        at += (ptrdiff_t)(index % (size_t)axes[i].n) * (output ? axes[i].os : axes[i].is);
        index /= (size_t)axes[i].n;
    }
    return at;
}

void read_points(int rank, const axis *axes, int output, const C *memory, double complex *values) {
    for (size_t i = 0; i < count_of(rank, axes); i++) values[i] = memory[place(rank, axes, output, i)];
}

void read_numbers(int rank, const axis *axes, int output, const R *memory, double complex *values) {
    for (size_t i = 0; i < count_of(rank, axes); i++) values[i] = memory[place(rank, axes, output, i)];
}

/* Calls `of` for each line along axis `a`, with the position of its first element and its stride. */
static void each_line(int all, const axis *axes, int a,
                      void (*of)(double complex *line, size_t n, size_t stride, int argument), int argument,
                      double complex *values) {
    size_t stride = count_of(all - a - 1, axes + a + 1), n = (size_t)axes[a].n;
    for (size_t outer = 0; outer < count_of(a, axes); outer++)
        for (size_t inner = 0; inner < stride; inner++) of(values + outer * n * stride + inner, n, stride, argument);
}

static void dft_line(double complex *line, size_t n, size_t stride, int sign) {
    double complex *sums = calloc(n, sizeof *sums);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            sums[k] += line[j * stride] * cexp(sign * 2 * M_PI * I * (double)(j * k % n) / (double)n);
    for (size_t k = 0; k < n; k++) line[k * stride] = sums[k];
    free(sums);
}

void define_dft(int all, int rank, const axis *axes, int sign, double complex *values) {
    for (int a = all - rank; a < all; a++) each_line(all, axes, a, dft_line, sign, values);
}

/* Returns number k of a real transform, by the manual of FFTW. */
static double r2r(const double *x, int n, int k, int kind) {
    double sum = 0, s = k % 2 ? -1 : 1;
    switch (kind) {
    case FFTW_R2HC:
        for (int j = 0; j < n; j++)
            sum += 2 * k <= n ? x[j] * cos(2 * M_PI * j * k / n) : -x[j] * sin(2 * M_PI * j * (n - k) / n);
        return sum;
    case FFTW_HC2R:
        for (int j = 1; 2 * j <= n; j++)
            sum += 2 * j == n ? x[j] * cos(M_PI * k)
                              : 2 * (x[j] * cos(2 * M_PI * j * k / n) - x[n - j] * sin(2 * M_PI * j * k / n));
        return x[0] + sum;
    case FFTW_DHT:
        for (int j = 0; j < n; j++) sum += x[j] * (cos(2 * M_PI * j * k / n) + sin(2 * M_PI * j * k / n));
        return sum;
    case FFTW_REDFT00:
        for (int j = 1; j < n - 1; j++) sum += 2 * x[j] * cos(M_PI * j * k / (n - 1));
        return x[0] + s * x[n - 1] + sum;
    case FFTW_REDFT10:
        for (int j = 0; j < n; j++) sum += 2 * x[j] * cos(M_PI * (j + 0.5) * k / n);
        return sum;
    case FFTW_REDFT01:
        for (int j = 1; j < n; j++) sum += 2 * x[j] * cos(M_PI * j * (k + 0.5) / n);
        return x[0] + sum;
    case FFTW_REDFT11:
        for (int j = 0; j < n; j++) sum += 2 * x[j] * cos(M_PI * (j + 0.5) * (k + 0.5) / n);
        return sum;
    case FFTW_RODFT00:
        for (int j = 0; j < n; j++) sum += 2 * x[j] * sin(M_PI * (j + 1) * (k + 1) / (n + 1));
        return sum;
    case FFTW_RODFT10:
        for (int j = 0; j < n; j++) sum += 2 * x[j] * sin(M_PI * (j + 0.5) * (k + 1) / n);
        return sum;
    case FFTW_RODFT01:
        for (int j = 0; j < n - 1; j++) sum += 2 * x[j] * sin(M_PI * (j + 1) * (k + 0.5) / n);
        return s * x[n - 1] + sum;
    default:
        for (int j = 0; j < n; j++) sum += 2 * x[j] * sin(M_PI * (j + 0.5) * (k + 0.5) / n);
        return sum;
    }
}

static void r2r_line(double complex *line, size_t n, size_t stride, int kind) {
    double *x = malloc(n * sizeof *x);
    for (size_t j = 0; j < n; j++) x[j] = creal(line[j * stride]);
    for (size_t k = 0; k < n; k++) line[k * stride] = r2r(x, (int)n, (int)k, kind);
    free(x);
}

void define_r2r(int all, int rank, const axis *axes, const int *kinds, double complex *values) {
    for (int a = all - rank; a < all; a++) each_line(all, axes, a, r2r_line, kinds[a - (all - rank)], values);
}

double error_of(size_t count, const double complex *found, const double complex *wanted) {
    double error = 0, most = 1;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, cabs(wanted[i]));
        error = fmax(error, cabs(found[i] - wanted[i]));
    }
    return error / most;
}
