#include "src/log_ring.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/suite.h"

#define THREADS 4
#define LINES 2000

struct writer {
    struct log_ring *ring;
    int number;
};

static void *write_lines(void *arg)
{
    const struct writer *writer = arg;
    char line[64];
    for (int i = 0; i < LINES; i++) {
        int len = snprintf(line, sizeof(line), "%d %d\n", writer->number, i);
        log_ring_put(writer->ring, line, (size_t)len);
    }
    return NULL;
}

START_TEST(keeps_lines_whole_and_in_order)
{
    FILE *file = tmpfile();
    struct log_ring *ring = log_ring_create(fileno(file), (size_t)8 << 20);
    pthread_t threads[THREADS];
    struct writer writers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        writers[i] = (struct writer){.ring = ring, .number = i};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_lines, &writers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(log_ring_lost(ring), 0);
    log_ring_destroy(ring, 5000);
    int next[THREADS] = {0}, number, i, count = 0;
    rewind(file);
    char line[64];
    while (fgets(line, sizeof(line), file) != NULL) {
        char *end;
        number = (int)strtol(line, &end, 10);
        i = (int)strtol(end, &end, 10);
        ck_assert_int_eq(*end, '\n');
        ck_assert_int_eq(i, next[number]++);
        count++;
    }
    ck_assert_int_eq(count, THREADS * LINES);
    fclose(file);
}
END_TEST

/* Nobody reads: puts return at once, what is too much is counted, and told with the first line that fits again. */
START_TEST(loses_what_does_not_fit)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    struct log_ring *ring = log_ring_create(ends[1], 2 * 1000);
    uint64_t told = 0;
    for (int i = 0; i < 100000; i++)
        told += log_ring_put(ring, "0123456789\n", 11);
    uint64_t lost = log_ring_lost(ring);
    ck_assert_uint_gt(lost, 100000 - (65536 + 2000) / 11 - 2); /* the pipe and both halves take this many */
    ck_assert_uint_lt(lost, 100000);
    ck_assert_uint_le(told, lost);
    char waste[65536];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 200 && told < lost; i++) {
        while (read(ends[0], waste, sizeof(waste)) > 0)
            continue;
        log_ring_flush(ring, 5);
        told += log_ring_put(ring, "x\n", 2);
    }
    ck_assert_uint_eq(told, lost);
    ck_assert_uint_eq(log_ring_put(ring, "x\n", 2), 0);
    close(ends[0]); /* the writer must not hang in the pipe */
    signal(SIGPIPE, SIG_IGN);
    log_ring_destroy(ring, 5000);
    close(ends[1]);
}
END_TEST

START_TEST(counts_what_cannot_be_written)
{
    int full = open("/dev/full", O_WRONLY);
    ck_assert_int_ge(full, 0);
    struct log_ring *ring = log_ring_create(full, 100000);
    for (int i = 0; i < 10; i++)
        log_ring_put(ring, "line\n", 5);
    log_ring_flush(ring, 5000);
    ck_assert_uint_eq(log_ring_lost(ring), 10);
    log_ring_destroy(ring, 5000);
    close(full);
}
END_TEST

START_TEST(writes_all_before_it_ends)
{
    FILE *file = tmpfile();
    struct log_ring *ring = log_ring_create(fileno(file), 1 << 20);
    for (int i = 0; i < 1000; i++)
        log_ring_put(ring, "0123456789\n", 11);
    log_ring_destroy(ring, 5000);
    ck_assert_int_eq(lseek(fileno(file), 0, SEEK_END), 11000);
    fclose(file);
}
END_TEST

SUITE("log_ring", TEST_ONE(keeps_lines_whole_and_in_order) TEST_ONE(loses_what_does_not_fit)
                      TEST_ONE(counts_what_cannot_be_written) TEST_ONE(writes_all_before_it_ends))
