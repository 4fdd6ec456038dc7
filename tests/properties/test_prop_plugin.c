/* SPDX-License-Identifier: BSD-3-Clause */
/* The process in which code of others runs: what comes back from it, whatever it does. */
#include "tests/lib/test.h"

#include <dirent.h>
#include <signal.h>

#include "properties/plugin/parts.h"

struct heard {
    uint64_t seed, sum, frames;
    size_t least, most;
    int (*also)(struct heard *heard, struct mm_frames *frames, struct cca_error *err);
    int here; /* a variable of this process */
};

static uint64_t next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = *state;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t sum_of(uint32_t kind, const char *body, size_t size)
{
    uint64_t sum = kind + 31 * size;

    for (size_t i = 0; i < size; i++)
        sum = sum * 1099511628211u + (unsigned char)body[i];
    return sum;
}

static int work(void *context, struct mm_frames *frames, struct cca_error *err)
{
    struct heard *h = context;

    return h->also(h, frames, err);
}

static int take(void *context, uint32_t kind, const char *body, size_t size, char *fault,
                size_t fault_size)
{
    struct heard *h = context;

    assert_int_equal(body[size], 0);
    assert_in_range(size, 0, MM_FRAME_MOST);
    h->sum += sum_of(kind, body, size);
    h->frames++;
    h->least = size < h->least ? size : h->least;
    h->most = size > h->most ? size : h->most;
    if (kind == 666) {
        snprintf(fault, fault_size, "wrote 666");
        return 1;
    }
    return 0;
}

static int run(struct heard *h, double seconds, char fault[400])
{
    const struct mm_child child = {work, take, h, seconds};
    struct cca_error err = {0};
    int result = mm_child_run(&child, fault, 400, &err);

    assert_in_range(result, 0, 1);
    return result;
}

/* --- What comes
 * -------------------------------------------------------------------------- */

/* Frames of all sizes; the same are made here and there. */
static uint64_t make_frames(uint64_t seed, struct mm_frames *frames)
{
    static char body[MM_FRAME_MOST];
    uint64_t sum = 0;

    for (int i = 0; i < 3000; i++) {
        uint32_t kind = 1 + (uint32_t)(next(&seed) % 5);
        size_t size = i % 100 == 0   ? MM_FRAME_MOST
                      : i % 100 == 1 ? 0
                                     : (size_t)(next(&seed) % (i % 10 ? 64 : 16384));

        for (size_t k = 0; k < size; k++)
            body[k] = (char)next(&seed);
        sum += sum_of(kind, body, size);
        if (frames && mm_frame_put(frames, kind, body, size))
            return 0;
    }
    return sum;
}

static int send_frames(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    h->here = 1; /* in the child alone */
    return make_frames(h->seed, frames) ? 0 : cca_error_set(err, -EIO, "lost one");
}

TEST(frames_come_as_they_were_sent)
{
    struct heard h = {.seed = 5, .also = send_frames, .least = 1000};
    char fault[400];

    assert_int_equal(run(&h, 60, fault), 0);
    assert_true(h.sum == make_frames(5, NULL));
    assert_int_equal(h.frames, 3000);
    assert_int_equal(h.least, 0);
    assert_int_equal(h.most, MM_FRAME_MOST);
    assert_int_equal(h.here, 0);
}

static int send_large(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    static char body[MM_FRAME_MOST + 1];

    (void)h;
    return mm_frame_put(frames, 1, body, sizeof body) == -EMSGSIZE
               ? cca_error_set(err, -EMSGSIZE, "too \033[1mlarge\n")
               : 0;
}

TEST(a_failure_is_told_in_its_words_without_control_bytes)
{
    struct heard h = {.also = send_large};
    char fault[400];

    assert_int_equal(run(&h, 60, fault), 1);
    assert_string_equal(fault, "failed: too ?[1mlarge?");
    assert_int_equal(h.frames, 0);
}

static int fail_wordless(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    (void)h;
    (void)frames;
    (void)err;
    return -ENOTCONN;
}

TEST(a_failure_without_words_is_told_by_its_code)
{
    struct heard h = {.also = fail_wordless};
    char fault[400];

    assert_int_equal(run(&h, 60, fault), 1);
    assert_non_null(strstr(fault, "Transport endpoint is not connected"));
}

static int send_unwanted(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    (void)h;
    (void)err;
    for (;;)
        if (mm_frame_put(frames, 666, "x", 1))
            return 0;
}

TEST(a_frame_that_is_refused_ends_the_child)
{
    struct heard h = {.also = send_unwanted};
    char fault[400];

    assert_int_equal(run(&h, 60, fault), 1);
    assert_string_equal(fault, "wrote 666");
    assert_int_equal(h.frames, 1);
}

/* --- Nonsense
 * ---------------------------------------------------------------------------- */

/* Bytes that are nearly frames: heads with any kind and mostly small sizes. */
static int send_noise(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    uint64_t state = h->seed;
    size_t left = (size_t)(next(&state) % 5000);

    (void)frames;
    (void)err;
    while (left--) {
        uint32_t word = (uint32_t)next(&state);

        word = state % 3 ? word % 40 : word;
        if (write(3, &word, 1 + next(&state) % 4) < 0)
            break;
    }
    if (state % 2)
        _exit((int)(state % 256));
    return 0;
}

TEST(nonsense_is_refused_or_read_never_more)
{
    uint64_t refused = 0;
    char fault[400];

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct heard h = {.seed = seed, .also = send_noise};

        refused += (uint64_t)run(&h, 60, fault);
        assert_true(strlen(fault) < sizeof fault);
    }
    assert_in_range(refused, 200, 300);
}

/* --- Time
 * -------------------------------------------------------------------------------- */

static int sleep_on(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    (void)frames;
    (void)err;
    if (h->seed == 1)
        signal(SIGTERM, SIG_IGN);
    if (h->seed == 2)
        close(3);
    if (h->seed == 3) /* a child of its own that has the pipe */
        fork();
    while (pause() < 0)
        ;
    return 0;
}

static int end_early(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    (void)frames;
    (void)err;
    if (h->seed == 1)
        close(3);
    fprintf(stderr, "farewell \001\nsecond");
    if (h->seed == 2)
        raise(SIGKILL);
    _exit(h->seed == 3 ? 0 : 9);
}

TEST(who_takes_too_long_is_ended)
{
    char fault[400];

    for (uint64_t seed = 0; seed <= 3; seed++) {
        struct heard h = {.seed = seed, .also = sleep_on};

        assert_int_equal(run(&h, .1, fault), 1);
        assert_string_equal(fault, "took longer than 0.1 s");
    }
    /* None is left, also not as a zombie. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

TEST(how_it_ended_is_told_with_its_first_line)
{
    static const char *const how[] = {
        "ended the process, with exit status 9", "ended the process, with exit status 9",
        "died of signal 9 (Killed)", "ended the process, with exit status 0"};
    char fault[400], expected[400];

    for (uint64_t seed = 0; seed <= 3; seed++) {
        struct heard h = {.seed = seed, .also = end_early};

        assert_int_equal(run(&h, 60, fault), 1);
        snprintf(expected, sizeof expected, "%s; its output: 'farewell ?'", how[seed]);
        assert_string_equal(fault, expected);
    }
}

/* --- What it may
 * ------------------------------------------------------------------------- */

static int count_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = -3; /* . and .. and this one */

    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static int tell_files(struct heard *h, struct mm_frames *frames, struct cca_error *err)
{
    (void)h;
    (void)frames;
    return cca_error_set(err, -1, "%d files, %s", count_files(),
                         write(1, "x", 1) == 1 ? "mute" : "closed");
}

TEST(it_has_no_file_of_this_process_and_leaves_none)
{
    struct heard h = {.also = tell_files};
    int before = count_files();
    char fault[400];

    assert_int_equal(run(&h, 60, fault), 1);
    assert_string_equal(fault, "failed: 4 files, mute"); /* 0, 1, 2 and the pipe */
    assert_int_equal(count_files(), before);
}

TESTS(NULL, NULL)
