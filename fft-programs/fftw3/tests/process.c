/* Settings of the process: wisdom, threads, texts, memory. */
#include "oracle.h"

#include <pthread.h>
#include <unistd.h>

enum { ROWS = 64, COLUMNS = 48 };
static C in[ROWS * COLUMNS], out[ROWS * COLUMNS];
static double complex found[ROWS * COLUMNS], wanted[ROWS * COLUMNS];

static char text[1 << 20];
static size_t written, taken;

static void write_char(char c, void *data) {
    check(data == text, "the data of a callback");
    if (written + 1 < sizeof text) text[written++] = c;
}

static int read_char(void *data) {
    check(data == text, "the data of a callback");
    return taken < written ? text[taken++] : EOF;
}

static void wisdom(void) {
    unsigned only = FFTW_MEASURE | FFTW_WISDOM_ONLY;
    X(forget_wisdom)();
    check(!X(plan_dft_1d)(60, in, out, FFTW_FORWARD, only), "no wisdom, no plan");
    X(set_timelimit)(0.2);
    X(plan) plan = X(plan_dft_1d)(60, in, out, FFTW_FORWARD, FFTW_MEASURE);
    X(set_timelimit)(FFTW_NO_TIMELIMIT);
    check(plan != NULL, "a measured plan");
    X(destroy_plan)(plan);
    plan = X(plan_dft_1d)(60, in, out, FFTW_FORWARD, only);
    check(plan != NULL, "a plan by wisdom");
    X(destroy_plan)(plan);
    check(!X(plan_dft_1d)(60, in, out, FFTW_FORWARD, FFTW_PATIENT | FFTW_WISDOM_ONLY), "wisdom of less effort");

    char *string = X(export_wisdom_to_string)();
    X(export_wisdom)(write_char, text);
    check(string && !strncmp(string, text, written), "both exports are one text");
    X(forget_wisdom)();
    check(!X(plan_dft_1d)(60, in, out, FFTW_FORWARD, only), "forgotten");
    check(X(import_wisdom_from_string)(string) == 1, "import from a string");
    plan = X(plan_dft_1d)(60, in, out, FFTW_FORWARD, only);
    check(plan != NULL, "a plan by imported wisdom");
    X(destroy_plan)(plan);
    X(forget_wisdom)();
    check(X(import_wisdom)(read_char, text) == 1, "import by characters");

    char name[] = "wisdom-XXXXXX";
    int descriptor = mkstemp(name);
    check(descriptor >= 0 && X(export_wisdom_to_filename)(name) == 1, "export to a file's name");
    X(forget_wisdom)();
    check(X(import_wisdom_from_filename)(name) == 1, "import from a file's name");
    FILE *file = fdopen(descriptor, "r+");
    check(X(import_wisdom_from_file)(file) == 1, "import from a file");
    rewind(file);
    X(export_wisdom_to_file)(file);
    check(ftell(file) > 0, "export to a file");
    fclose(file);
    unlink(name);

    check(!X(import_wisdom_from_string)("(fftw-3.3.10 fftw_wisdom #x0 #x0 #x0 #x0\n)\n"), "wisdom of FFTW");
    check(!X(import_wisdom_from_string)(""), "no wisdom");
    check(!X(import_wisdom_from_string)("{\"format\":\"other\"}"), "other text");
    check(!X(import_wisdom_from_filename)("no/such/file"), "no file");
    check(!X(export_wisdom_to_filename)("no/such/file"), "no folder");
    free(string);
}

static void texts(void) {
    X(plan) plan = X(plan_dft_2d)(ROWS, COLUMNS, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    char *string = X(sprint_plan)(plan);
    check(string && strstr(string, "64 x 48"), "a plan tells its problem");
    FILE *file = tmpfile();
    X(fprint_plan)(plan, file);
    check(ftell(file) == (long)strlen(string), "fprint_plan writes the same");
    fclose(file);
    free(string);
    double add = 0, mul = 0, fma = 0;
    X(flops)(plan, &add, &mul, &fma);
    check(add + mul + 2 * fma > ROWS * COLUMNS, "operations");
    check(X(cost)(plan) > 0 && X(estimate_cost)(plan) > 0, "costs");
    X(destroy_plan)(plan);
    check(!strncmp(X(version), "fftw-3.3.10-earth-fft-", 22), "the version tells what it is");
}

static void memory(void) {
    R *numbers = X(alloc_real)(100);
    C *points = X(alloc_complex)(100);
    char *bytes = X(malloc)(100);
    check(numbers && points && bytes, "memory");
    check(X(alignment_of)(numbers) == 0 && X(alignment_of)((R *)points) == 0, "aligned memory");
    check(X(alignment_of)(numbers + 1) == (int)sizeof(R), "alignment of the next number");
    check(!X(alloc_complex)(SIZE_MAX / 4), "more than the address space");
    X(free)(numbers);
    X(free)(points);
    X(free)(bytes);
    X(free)(NULL);
}

static void compare(const C *output, const char *what) {
    axis axes[] = {{ROWS, COLUMNS, COLUMNS}, {COLUMNS, 1, 1}};
    read_points(2, axes, 0, in, wanted);
    define_dft(2, 2, axes, FFTW_FORWARD, wanted);
    read_points(2, axes, 1, output, found);
    check(error_of(ROWS * COLUMNS, found, wanted) < TOLERANCE, what);
}

static X(plan) shared;

static void *executes(void *output) {
    for (int i = 0; i < 50; i++) X(execute_dft)(shared, in, output);
    return NULL;
}

static X(plan) of_column;

static void *transforms_column(void *column) {
    X(execute_dft)(of_column, column, column);
    return NULL;
}

static void threads(void) {
    enum { THREADS = 4 };
    pthread_t started[COLUMNS];
    check(X(init_threads)() != 0, "init_threads");
    X(make_planner_thread_safe)();
    X(plan_with_nthreads)(2);
    check(X(planner_nthreads)() == 2, "planner_nthreads");
    fill_points(in, ROWS * COLUMNS);
    shared = X(plan_dft_2d)(ROWS, COLUMNS, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    C *outputs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        outputs[i] = X(alloc_complex)(ROWS * COLUMNS);
        pthread_create(&started[i], NULL, executes, outputs[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(started[i], NULL);
        compare(outputs[i], "one plan on several threads");
        X(free)(outputs[i]);
    }
    X(destroy_plan)(shared);

    /* A plan that nodes share: every point against a plan of one thread. */
    int n = 1024;
    size_t points = (size_t)n * (size_t)n;
    C *large = X(alloc_complex)(points), *other = X(alloc_complex)(points);
    fill_points(large, points);
    X(plan) by_two = X(plan_dft_2d)(n, n, large, other, FFTW_FORWARD, FFTW_ESTIMATE);
    X(execute)(by_two);
    X(plan_with_nthreads)(1);
    X(plan) alone = X(plan_dft_2d)(n, n, large, large, FFTW_FORWARD, FFTW_ESTIMATE);
    X(execute)(alone);
    double error = 0, most = 1;
    for (size_t i = 0; i < points; i++) {
        most = fmax(most, cabs((double complex)large[i]));
        error = fmax(error, cabs((double complex)(large[i] - other[i])));
    }
    check(error < 10 * TOLERANCE * most, "two threads and one find the same");
    X(destroy_plan)(by_two);
    X(destroy_plan)(alone);
    X(free)(large);
    X(free)(other);

    /* Interleaved columns of one array, each by a thread. */
    int rows = ROWS;
    of_column = X(plan_many_dft)(1, &rows, 1, out, NULL, COLUMNS, 0, out, NULL, COLUMNS, 0, FFTW_FORWARD,
                                 FFTW_ESTIMATE);
    X(plan) of_row = X(plan_dft_1d)(COLUMNS, out, out, FFTW_FORWARD, FFTW_ESTIMATE);
    memcpy(out, in, sizeof in);
    for (int i = 0; i < ROWS; i++) X(execute_dft)(of_row, out + i * COLUMNS, out + i * COLUMNS);
    for (int i = 0; i < COLUMNS; i++) pthread_create(&started[i], NULL, transforms_column, out + i);
    for (int i = 0; i < COLUMNS; i++) pthread_join(started[i], NULL);
    compare(out, "interleaved columns on many threads");
    X(destroy_plan)(of_row);
    X(destroy_plan)(of_column);
    X(threads_set_callback)(NULL, NULL);
    X(cleanup_threads)();
    check(X(planner_nthreads)() == 1, "cleanup_threads");
}

void test_process(void) {
    wisdom();
    texts();
    memory();
    threads();
    X(cleanup)();
}
