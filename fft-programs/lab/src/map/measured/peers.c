/* Chains of OpenMP tasks: CHAINS STEPS ROUNDS THREADS. Prints the sum of the values and the nanoseconds of the second run. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t rounds;

static uint64_t step(uint64_t value) {
    value = (((value << 23) | (value >> 41)) ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t round = 0; round < rounds; round++)
        value = ((value ^ (value >> 29)) * UINT64_C(0xBF58476D1CE4E5B9)) | 1;
    return value;
}

static void link(uint64_t *sum, uint64_t value, long left) {
    value = step(value);
    if (left > 1) {
        #pragma omp task
        link(sum, value, left - 1);
    } else {
        #pragma omp atomic
        *sum += value;
    }
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    long chains = atol(arguments[1]), steps = atol(arguments[2]);
    rounds = strtoull(arguments[3], NULL, 10);
    uint64_t sum = 0;
    double nanoseconds = 0;
    for (int run = 0; run < 2; run++) {
        struct timespec begun, ended;
        sum = 0;
        #pragma omp parallel num_threads(atoi(arguments[4]))
        {
            #pragma omp barrier
            #pragma omp single
            {
                clock_gettime(CLOCK_MONOTONIC, &begun);
                for (long chain = 0; chain < chains; chain++) {
                    #pragma omp task
                    link(&sum, (uint64_t)chain, steps);
                }
            }
        }
        clock_gettime(CLOCK_MONOTONIC, &ended);
        nanoseconds = 1e9 * (double)(ended.tv_sec - begun.tv_sec) + (double)(ended.tv_nsec - begun.tv_nsec);
    }
    printf("%" PRIu64 " %.0f\n", sum, nanoseconds);
    return 0;
}
