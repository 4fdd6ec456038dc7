/* SPDX-License-Identifier: BSD-3-Clause */
/* random_calls.c SEED CALLS END: a program drawn by lot, which knows nothing of measuring. It calls
 * zlib and the C library, in threads, children and signal handlers too, jumps out of callbacks, and
 * mixes all results and errno into a number that it prints. END says how it ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

struct run {
    uint64_t seed, seen;
    int calls;
    jmp_buf back;
    int can_jump;
};

static struct run *volatile sorting; /* qsort hands nothing on */
static struct run *volatile interrupted;

static int draw(struct run *run, int below)
{
    run->seed = run->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((run->seed >> 33) % (uint64_t)below);
}

static void mix(struct run *run, uint64_t what)
{
    run->seen = (run->seen ^ what) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static void squeeze(struct run *run)
{
    uLong size = (uLong)draw(run, 3000) + 1;
    uLongf packed = draw(run, 5) ? compressBound(size) : 3, back = size;
    unsigned char *in = calloc(1, size), *out = malloc(packed);
    int level = draw(run, 12) - 1;

    for (uLong i = 0; i < size; i += 1 + size / 50)
        in[i] = (unsigned char)draw(run, 256);
    errno = draw(run, 90);
    mix(run, (uint64_t)compress2(out, &packed, in, size, level));
    mix(run, (uint64_t)errno);
    mix(run, packed);
    mix(run, (uint64_t)uncompress(in, &back, out, packed));
    mix(run, crc32(adler32(1, in, (uInt)size), out, (uInt)packed));
    free(in);
    free(out);
}

static int compare(const void *a, const void *b)
{
    struct run *run = sorting;

    if (run->can_jump && draw(run, 40) == 0)
        longjmp(run->back, 1);
    return *(const int *)a - *(const int *)b;
}

static void sort(struct run *run)
{
    int numbers[30], key = draw(run, 100), *found;
    struct run *outer = sorting;

    for (int i = 0; i < 30; i++)
        numbers[i] = draw(run, 100);
    sorting = run;
    run->can_jump = 1;
    if (setjmp(run->back) == 0)
        qsort(numbers, 30, sizeof *numbers, compare);
    run->can_jump = 0;
    found = bsearch(&key, numbers, 30, sizeof *numbers, compare);
    mix(run, found ? (uint64_t)*found : 1000);
    mix(run, (uint64_t)numbers[7]);
    sorting = outer;
}

static void move_bytes(struct run *run)
{
    char text[64], got[64] = "";
    int ends[2], bad = draw(run, 4) == 0;

    if (pipe(ends))
        abort();
    snprintf(text, sizeof text, "%d", draw(run, 1000000));
    mix(run, (uint64_t)write(bad ? 999 : ends[1], text, strlen(text) + 1));
    mix(run, (uint64_t)errno);
    close(ends[1]);
    mix(run, (uint64_t)read(ends[0], got, sizeof got));
    mix(run, (uint64_t)strtol(got, NULL, 10));
    mix(run, (uint64_t)close(ends[0]));
    mix(run, (uint64_t)close(bad ? 999 : ends[0]));
    mix(run, (uint64_t)errno);
}

static void on_signal(int number)
{
    int saved = errno;

    (void)number;
    mix(interrupted, adler32(7, (const unsigned char *)"signal", 6));
    errno = saved;
}

static void take_signal(struct run *run)
{
    struct run *outer = interrupted;

    interrupted = run;
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    interrupted = outer;
}

static void some_calls(struct run *run)
{
    static void (*const acts[])(struct run *) = {squeeze, sort, move_bytes, take_signal};

    for (; run->calls > 0; run->calls--)
        acts[draw(run, 4)](run);
}

static void *in_thread(void *run)
{
    some_calls(run);
    return NULL;
}

static void start_thread(struct run *run)
{
    struct run other = {.seed = (uint64_t)draw(run, 1 << 30), .calls = 4};
    pthread_t thread;

    if (pthread_create(&thread, NULL, in_thread, &other))
        abort();
    pthread_join(thread, NULL);
    mix(run, other.seen);
}

static void fork_child(struct run *run)
{
    struct run other = {.seed = (uint64_t)draw(run, 1 << 30), .calls = 4};
    int bare = draw(run, 2), status = 0;
    pid_t child;

    fflush(NULL);
    child = bare ? _Fork() : fork();
    if (child == 0) {
        some_calls(&other);
        _exit((int)(other.seen % 100));
    }
    while (child < 0 || waitpid(child, &status, 0) < 0)
        if (child < 0 || errno != EINTR)
            abort();
    mix(run, (uint64_t)status);
}

int main(int argc, char **argv)
{
    struct run run = {.seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
    int calls = argc > 2 ? atoi(argv[2]) : 100;
    const char *end = argc > 3 ? argv[3] : "return";

    for (int i = 0; i < calls; i++) {
        run.calls = 1;
        if (draw(&run, 12) == 0)
            (draw(&run, 2) ? start_thread : fork_child)(&run);
        else
            some_calls(&run);
        if (i % 16 == 0)
            printf("%d %016llx\n", i, (unsigned long long)run.seen);
    }
    printf("seen %016llx\n", (unsigned long long)run.seen);
    if (strcmp(end, "exit") == 0)
        exit((int)(run.seen % 60));
    if (strcmp(end, "_exit") == 0)
        _exit((int)(run.seen % 60));
    if (strcmp(end, "abort") == 0)
        abort();
    if (strcmp(end, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(end, "segv") == 0)
        raise(SIGSEGV);
    return (int)(run.seen % 60);
}
