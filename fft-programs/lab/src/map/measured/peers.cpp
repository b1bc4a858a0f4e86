// Chains of TBB tasks: CHAINS STEPS ROUNDS THREADS. Prints the sum of the values and the nanoseconds of the second run.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

static std::uint64_t rounds;

static std::uint64_t step(std::uint64_t value) {
    value = (((value << 23) | (value >> 41)) ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    for (std::uint64_t round = 0; round < rounds; round++)
        value = ((value ^ (value >> 29)) * UINT64_C(0xBF58476D1CE4E5B9)) | 1;
    return value;
}

static void link(tbb::task_group &group, std::atomic<std::uint64_t> &sum, std::uint64_t value, long left) {
    value = step(value);
    if (left > 1)
        group.run([&group, &sum, value, left] { link(group, sum, value, left - 1); });
    else
        sum += value;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    long chains = std::atol(arguments[1]), steps = std::atol(arguments[2]);
    rounds = std::strtoull(arguments[3], nullptr, 10);
    std::atomic<std::uint64_t> sum{0};
    double nanoseconds = 0;
    tbb::task_arena arena(std::atoi(arguments[4]));
    for (int run = 0; run < 2; run++) {
        sum = 0;
        arena.execute([&] {
            auto begun = std::chrono::steady_clock::now();
            tbb::task_group group;
            for (long chain = 0; chain < chains; chain++)
                group.run([&, chain] { link(group, sum, static_cast<std::uint64_t>(chain), steps); });
            group.wait();
            nanoseconds = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count();
        });
    }
    std::printf("%llu %.0f\n", static_cast<unsigned long long>(sum.load()), nanoseconds);
    return 0;
}
