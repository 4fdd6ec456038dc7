/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes: each wrong call is one clear line and the program goes on; no room in shared
 * memory; what a damaged segment says is refused; the end of a program; slots between two
 * threads. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "mesh/probe/mesh.h"
#include "tests/mesh/probe_segment.h"

static int clean(void **state)
{
    (void)state;
    setenv(MESH_SESSION_VARIABLE, "probewrong", 1);
    setenv(MESH_CELLS_VARIABLE, "all", 1);
    unsetenv(MESH_STARTED_VARIABLE);
    segments_remove();
    return 0;
}

static struct mm_mesh *open_any(const char *name, int dims, int64_t a, int64_t b,
                                struct cca_error *err)
{
    memset(err, 0, sizeof *err);
    return mm_mesh_open(name, dims, (const int64_t[]){a, b, 1}, err);
}

/* --- The end of a program, played by a child; first of all, for children of a process
 * that has opened a mesh open none. --- */

/* A program that tells two steps. With `taker` it is as if that process takes. */
static void program(pid_t taker)
{
    struct cca_error err;
    struct mm_mesh *m;
    int w;

    setenv(MESH_STARTED_VARIABLE, "here", 1);
    m = open_any("field", 1, 4, 4, &err);
    if (!m)
        _exit(9);
    w = mm_mesh_probe(m, "work", "given");
    mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){4});
    mm_mesh_step(m, 0, 0);
    mm_mesh_value(m, w, 0, 1);
    mm_mesh_step(m, 1, 0);
    if (taker)
        atomic_store(&m->shared->taker,
                     (uint64_t)taker << 32 | (uint32_t)mesh_process_start(taker));
    mm_mesh_close(m);
    exit(0);
}

/* Seconds that its end took; the segments of the child that stay, and what it said. */
static double end_of_program(pid_t taker, int *stay, char *text, size_t size)
{
    struct timespec begin, end;
    struct dirent *entry;
    struct mesh_segment_name name;
    int pipes[2], status;
    ssize_t n;
    pid_t child;
    DIR *folder;

    assert_int_equal(0, pipe(pipes));
    clock_gettime(CLOCK_MONOTONIC, &begin);
    child = fork();
    if (child == 0) {
        dup2(pipes[1], 2);
        close(pipes[0]);
        program(taker);
    }
    close(pipes[1]);
    assert_int_equal(child, waitpid(child, &status, 0));
    clock_gettime(CLOCK_MONOTONIC, &end);
    n = read(pipes[0], text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(pipes[0]);
    assert_int_equal(0, status);
    *stay = 0;
    folder = opendir(MESH_SHARED_FOLDER);
    while ((entry = readdir(folder)) != NULL)
        if (mesh_segment_parse(entry->d_name, &name) && name.pid == child) {
            char path[512];

            snprintf(path, sizeof path, MESH_SHARED_FOLDER "/%s", entry->d_name);
            *stay += unlink(path) == 0;
        }
    closedir(folder);
    return (double)(end.tv_sec - begin.tv_sec) +
           1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

TEST_WITH(only_the_end_waits_and_nothing_is_left, clean, clean)
{
    char text[512];
    int stay, status;
    pid_t other = fork();
    double seconds;

    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
    /* nobody takes */
    seconds = end_of_program(0, &stay, text, sizeof text);
    assert_true(seconds > 1.9);
    assert_int_equal(0, stay);
    assert_string_equal("mm_mesh: field: no agent took the last 2 steps; they are lost\n",
                        text);
    /* who takes is stopped: it may go on with what it has mapped, no name stays */
    kill(other, SIGSTOP);
    assert_int_equal(other, waitpid(other, &status, WUNTRACED));
    seconds = end_of_program(other, &stay, text, sizeof text);
    assert_true(seconds < 1.9);
    assert_int_equal(0, stay);
    assert_string_equal("mm_mesh: field: the agent is stopped; the last 2 steps are lost "
                        "unless it goes on\n",
                        text);
    /* who takes is dead */
    kill(other, SIGKILL);
    while (mesh_process_state(other, NULL) != 'Z')
        usleep(1000);
    seconds = end_of_program(other, &stay, text, sizeof text);
    assert_true(seconds < 1.9);
    assert_int_equal(0, stay);
    assert_true(strstr(text, "no agent took the last 2 steps") != NULL);
    waitpid(other, &status, 0);
}

static void refused(const char *text, const char *name, int dims, int64_t a, int64_t b)
{
    struct cca_error err;

    assert_null(open_any(name, dims, a, b, &err));
    assert_int_equal(-EINVAL, err.code);
    assert_string_equal(text, err.text);
}

TEST_WITH(a_mesh_that_cannot_be_is_refused, clean, clean)
{
    struct cca_error err = {0};

    for (int profiled = 0; profiled < 2; profiled++) {
        if (!profiled)
            unsetenv(MESH_CELLS_VARIABLE);
        else
            setenv(MESH_CELLS_VARIABLE, "all", 1);
        refused("mm_mesh_open: field: found 0 dimensions, expected 1 to 3", "field", 0, 1,
                1);
        refused("mm_mesh_open: field: found 4 dimensions, expected 1 to 3", "field", 4, 1,
                1);
        refused("mm_mesh_open: field, dimension 1: found 0 cells, expected 1 to "
                "2147483648",
                "field", 2, 4, 0);
        refused("mm_mesh_open: field, dimension 0: found -3 cells, expected 1 to "
                "2147483648",
                "field", 1, -3, 0);
        refused("level 0: found 4.61e+18 cells, expected at most 2.15e+09", "field", 2,
                INT64_C(1) << 31, INT64_C(1) << 31);
        refused(
            "mm_mesh_open: found the name 'a/b', expected 1 to 63 letters, digits and "
            "_ . + -, not . first",
            "a/b", 1, 1, 1);
        assert_null(mm_mesh_open_elements("e", 3, 0, &err));
        assert_int_equal(-EINVAL, err.code);
        memset(&err, 0, sizeof err);
    }
    setenv(MESH_SESSION_VARIABLE, "no-way", 1);
    assert_null(open_any("field", 1, 1, 1, &err));
    assert_string_equal(
        "MM_MESH_SESSION: found 'no-way', expected at most 32 letters and "
        "digits",
        err.text);
}

static void request(const char *text, const char *error)
{
    struct cca_error err = {0};
    struct mesh_request r = {.every = 77};

    assert_int_equal(-EINVAL, mesh_request_read(text, &r, &err));
    assert_string_equal(error, err.text);
    assert_int_equal(77, r.every);
}

TEST(the_request_is_read_or_refused)
{
    static const char usual[] =
        "', expected PROBE,..|all[:cells|blocks|auto][:every=K][:eps=E]";
    static const char *const bad[] = {
        "cell",    "every=0", "every=-1", "every=1x", "every=", "eps=",
        "eps=-.1", "eps=nan", "eps=inf",  "",         "auto ",  "every=99999999999"};
    struct mesh_request r;
    struct cca_error err = {0};
    char text[64], error[256];

    assert_int_equal(0, mesh_request_read("work,cost:auto:eps=.5:every=10", &r, &err));
    assert_true(r.grain == MESH_CELLS_AUTO && r.every == 10 && r.eps == .5 &&
                r.count == 2);
    assert_true(mesh_request_has(&r, "cost") && !mesh_request_has(&r, "all") && !r.all);
    assert_int_equal(0, mesh_request_read("all", &r, &err));
    assert_true(r.all && r.grain == MESH_CELLS_EACH && r.every == 1 && r.eps == 0);
    assert_true(mesh_request_has(&r, "whatever"));
    request("", "--cells: found '', expected a probe's name");
    request("a,,b", "--cells: found '', expected a probe's name");
    request("a b:cells", "--cells: found 'a b', expected a probe's name");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "all:%s", bad[i]);
        snprintf(error, sizeof error, "--cells: found ':%s%s", bad[i], usual);
        request(text, error);
    }
}

/* What the library says on standard error while `calls` run. */
static void said(char *text, size_t size, void (*calls)(struct mm_mesh *m),
                 struct mm_mesh *m)
{
    int keep = dup(2), pipes[2];
    ssize_t n, length = 0;

    assert_int_equal(0, pipe(pipes));
    dup2(pipes[1], 2);
    calls(m);
    fflush(stderr);
    dup2(keep, 2);
    close(keep);
    close(pipes[1]);
    while ((n = read(pipes[0], text + length, size - 1 - (size_t)length)) > 0)
        length += n;
    text[length] = '\0';
    close(pipes[0]);
}

static void wrong_calls(struct mm_mesh *m)
{
    const int64_t out[2] = {3, 3}, far[2] = {4, 9}, lo[4] = {0, 0, 1, 1},
                  hi[4] = {2, 2, 3, 3};
    int work;

    assert_int_equal(-EINVAL, mm_mesh_probe(m, "time", "hours"));
    work = mm_mesh_probe(m, "work", "given");
    assert_int_equal(-EEXIST, mm_mesh_probe(m, "work", "given"));
    assert_int_equal(1, mm_mesh_probe(m, "cost", "time"));
    assert_int_equal(-EINVAL, mm_mesh_box(m, 0, out, far));
    assert_int_equal(-EINVAL, mm_mesh_boxes(m, 0, 2, lo, hi));
    assert_int_equal(0, mm_mesh_box(m, 0, lo, hi));
    assert_int_equal(0, mm_mesh_step(m, 5, NAN));
    assert_int_equal(-EBUSY, mm_mesh_probe(m, "late", "time"));
    mm_mesh_value(m, 7, 0, 1);
    mm_mesh_cell(m, -22, 0);
    mm_mesh_value(m, work, mm_mesh_index(m, 0, 3, 1, 0), 1);
    mm_mesh_value(m, work, -1, 1);
    mm_mesh_cell(m, work, 0);
    mm_mesh_value(m, 1, 0, 1);
    mm_mesh_value(m, work, 1, (double)NAN);
    mm_mesh_add(m, work, 0, (double)INFINITY);
    mm_mesh_value(m, work, 0, 1e39);
    mm_mesh_value(m, work, 0, 3.3e38);
    assert_int_equal(-EINVAL, mm_mesh_block(m, 1, 0, far, out));
    assert_int_equal(-EINVAL, mm_mesh_block_value(m, work, 0, lo, far, 1));
    assert_int_equal(-EINVAL, mm_mesh_step(m, 5, NAN));
}

TEST_WITH(wrong_calls_are_one_clear_line_each, clean, clean)
{
    struct cca_error err;
    struct mm_mesh *m = open_any("field", 2, 4, 4, &err);
    struct mesh_shared *h;
    char text[4096];

    assert_non_null(m);
    said(text, sizeof text, wrong_calls, m);
    assert_string_equal(
        "mm_mesh: field: probe time: found the kind 'hours', expected time, cycles, cpu, "
        "instructions or given\n"
        "mm_mesh: field: a box of level 0, dimension 1: found cells 3:9, expected some "
        "of "
        "0:4\n"
        "mm_mesh: field: mm_mesh_probe: found step 5 begun, expected the call before the "
        "first step\n"
        "mm_mesh: field: found probe number 7, expected 0 to 1\n"
        "mm_mesh: field: probe work, step 5: found cell 3,1, expected one of the 4 cells "
        "of this rank\n"
        "mm_mesh: field: mm_mesh_cell: found probe work of kind given, expected "
        "mm_mesh_value\n"
        "mm_mesh: field: probe work, step 5, cell 0,1: found nan, expected a number\n"
        "mm_mesh: field: found step 5 after 5, expected a larger one\n",
        text);
    assert_string_equal("mm_mesh: field: probe time: found the kind 'hours', expected "
                        "time, cycles, cpu, instructions or given",
                        mm_mesh_error(m));
    h = segment_open(m->number, 0);
    assert_non_null(h);
    assert_int_equal(-EINVAL, mm_mesh_close(m));
    assert_int_equal(16, segment_full(h)->faults);
    assert_true(slot_sum(h, segment_full(h), 0) == (double)3.3e38f);
    munmap(h, h->bytes);
}

TEST_WITH(a_probe_that_the_program_lacks_is_told, clean, clean)
{
    struct cca_error err;
    struct mm_mesh *m;

    setenv(MESH_CELLS_VARIABLE, "wrok,cost", 1);
    m = open_any("field", 1, 4, 4, &err);
    assert_int_equal(0, mm_mesh_probe(m, "cost", "time"));
    assert_int_equal(0, mm_mesh_step(m, 0, 0));
    assert_string_equal(
        "mm_mesh: field: --cells: found probe wrok, which the program does "
        "not declare",
        mm_mesh_error(m));
    assert_int_equal(-EINVAL, mm_mesh_close(m));
}

/* No room: a limit on the size of files, then more than /dev/shm can ever have. */
TEST_WITH(without_shared_memory_the_program_goes_on, clean, clean)
{
    struct rlimit before, small;
    struct cca_error err;
    struct mm_mesh *m = open_any("field", 1, INT64_C(1) << 31, 1, &err);
    int w = mm_mesh_probe(m, "work", "given"), rc;

    assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &before));
    small = before;
    small.rlim_cur = 4096;
    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){100000}));
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &small));
    rc = mm_mesh_step(m, 0, 0);
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &before));
    assert_int_equal(-EFBIG, rc);
    mm_mesh_value(m, w, 1, 1);
    assert_int_equal(0, mm_mesh_step(m, 1, 0));
    assert_int_equal(-EFBIG, mm_mesh_close(m));

    m = open_any("field", 1, INT64_C(1) << 31, 1, &err);
    for (int p = 0; p < 64; p++) {
        char name[16];

        snprintf(name, sizeof name, "p%d", p);
        assert_int_equal(p, mm_mesh_probe(m, name, "given"));
    }
    assert_int_equal(-ENOSPC, mm_mesh_probe(m, "more", "given"));
    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){INT64_C(1) << 31}));
    rc = mm_mesh_step(m, 0, 0); /* 2 TB */
    assert_true(rc == -ENOSPC || rc == -EFBIG || rc == -ENOMEM);
    assert_int_equal(0, mm_mesh_step(m, 1, 0));
    mm_mesh_close(m);
    assert_int_equal(0, segments_remove());
}

/* Random words in a head: what is accepted lies within the segment. */
TEST(a_damaged_head_is_refused_or_lies_within)
{
    static const uint64_t odd[] = {0,          1,          63,         64,         65,
                                   UINT32_MAX, UINT64_MAX, 1u << 31,   1ull << 40, 4096,
                                   INT64_MAX,  100000,     1ull << 62, 192,        6592};
    uint64_t seed = 12345, words[sizeof(struct mesh_shared) / 8];
    struct mesh_shared good = {
        .order = 0x01020304,
        .format = MESH_SHARED_FORMAT,
        .kind = MESH_SHARED_STEPS,
        .slots = 3,
        .probes = 2,
        .box_room = 4,
        .cell_room = 1000,
        .slot_first = 6592,
        .slot_bytes = 8384,
        .box_first = 64,
        .value_first = 384,
        .about = {.dims = 2, .n = {50, 40, 1}, .levels = 1, .ratio = 1}};
    const uint64_t size = 6592 + 3 * 8384;
    int accepted = 0;

    memcpy(good.magic, MESH_SHARED_MAGIC, sizeof good.magic);
    good.bytes = size;
    assert_int_equal(0, mesh_segment_check(&good, size, NULL));
    for (int round = 0; round < test_count("DAMAGES", 50000, 5000000); round++) {
        struct mesh_shared h;
        int flips = 1 + round % 3;

        memcpy(words, &good, sizeof words);
        while (flips--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            words[1 + (seed >> 40) % 22] = odd[(seed >> 20) % 15];
        }
        memcpy(&h, words, sizeof h);
        if (mesh_segment_check(&h, size, NULL))
            continue;
        accepted++;
        assert_true(h.slots >= 1 && h.slots <= MESH_SHARED_SLOTS && h.probes <= 64);
        assert_true((__uint128_t)h.slot_first + (__uint128_t)h.slots * h.slot_bytes <=
                    size);
        assert_true(h.slot_first >= sizeof h && h.box_first >= sizeof(struct mesh_slot));
        assert_true((__uint128_t)h.box_first + (__uint128_t)h.box_room * 64 <=
                    h.value_first);
        assert_true((__uint128_t)h.value_first +
                        (__uint128_t)h.cell_room *
                            (h.kind == MESH_SHARED_CENTRES ? 24 : 4 * h.probes) <=
                    h.slot_bytes);
        assert_int_equal(0, h.slot_first % 64 + h.slot_bytes % 64 + h.box_first % 64);
    }
    assert_true(accepted > 0);
}

TEST(boxes_that_lie_outside_are_refused)
{
    struct mesh_shared h = {
        .cell_room = 100,
        .box_room = 3,
        .about = {.dims = 2, .n = {10, 10, 1}, .levels = 2, .ratio = 2}};
    struct mesh_slot slot = {.cells = 100, .boxes = 2};
    const struct mesh_slot_box good = {.level = 1, .hi = {5, 10, 1}, .first = 50};
    struct mesh_slot_box box = good;

    assert_int_equal(0, mesh_slot_check(&h, &slot, NULL));
    assert_int_equal(0, mesh_slot_box_check(&h, &slot, &box, NULL));
    box.first = 51;
    assert_int_equal(-EBADMSG, mesh_slot_box_check(&h, &slot, &box, NULL));
    box = good;
    box.hi[0] = 21;
    assert_int_equal(-EBADMSG, mesh_slot_box_check(&h, &slot, &box, NULL));
    box = good;
    box.level = 2;
    assert_int_equal(-EBADMSG, mesh_slot_box_check(&h, &slot, &box, NULL));
    box = good;
    box.hi[2] = 2;
    assert_int_equal(-EBADMSG, mesh_slot_box_check(&h, &slot, &box, NULL));
    box = good;
    box.lo[1] = 10;
    assert_int_equal(-EBADMSG, mesh_slot_box_check(&h, &slot, &box, NULL));
    slot.cells = 101;
    assert_int_equal(-EBADMSG, mesh_slot_check(&h, &slot, NULL));
    slot.cells = 100;
    slot.boxes = 4;
    assert_int_equal(-EBADMSG, mesh_slot_check(&h, &slot, NULL));
}

TEST(names_of_segments_are_read_as_they_were_written)
{
    static const char *const bad[] = {
        "mm_mesh-",
        "mm_mesh-0-a-1-2-3",
        "mm_mesh-0-a-1-2-3-4-5",
        "mm_mesh-0--1-2-3-4",
        ".mm_mesh-0-a-1-2-3-4",
        "mm_mesh-0-a-1-2-3-x",
        "mm_mesh-0-a- 1-2-3-4",
        "mm_mesh-0-a-99999999999-2-3-4",
        "mm_mesh-0-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1-2-3-4"};
    struct mesh_segment_name name = {.uid = UINT32_MAX,
                                     .session = "Ab9",
                                     .pid = 4194304,
                                     .start = 123456789012345u,
                                     .mesh = 7,
                                     .part = 8},
                             read;
    char text[MESH_SEGMENT_NAME];

    mesh_segment_name(&name, text);
    assert_string_equal("mm_mesh-4294967295-Ab9-4194304-123456789012345-7-8", text);
    assert_int_equal(1, mesh_segment_parse(text, &read));
    assert_true(read.uid == name.uid && read.pid == name.pid &&
                read.start == name.start && read.mesh == 7 && read.part == 8 &&
                !strcmp(read.session, "Ab9"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(0, mesh_segment_parse(bad[i], &read));
    assert_true(mesh_process_lives(getpid(), mesh_process_start(getpid())));
    assert_false(mesh_process_lives(getpid(), mesh_process_start(getpid()) + 1));
}

/* Whoever writes into the memory cannot harm the program: it believes nothing of it. */
TEST_WITH(a_program_survives_what_others_write, clean, clean)
{
    struct cca_error err;
    struct mm_mesh *m;
    int w, cost;
    uint64_t seed = 99;

    setenv(MESH_CELLS_VARIABLE, "all:auto", 1);
    m = open_any("field", 2, 30, 30, &err);
    assert_null(open_any("field", 1, 1, 1, &err));
    assert_string_equal("mm_mesh_open: field: a mesh of this name is open", err.text);
    w = mm_mesh_probe(m, "work", "given");
    cost = mm_mesh_probe(m, "cost", "time");
    for (int64_t step = 0; step < test_count("STEPS", 2000, 100000); step++) {
        const int64_t lo[2] = {step % 7, step % 5}, hi[2] = {20 + step % 10, 30};

        if (step % 50 == 0)
            assert_int_equal(0, mm_mesh_box(m, 0, lo, hi));
        assert_int_equal(0, mm_mesh_step(m, step, 0));
        for (int64_t c = 0; c < 50; c++) {
            mm_mesh_value(m, w, mm_mesh_index(m, 0, 10, 10 + c % 20, 0), 1);
            mm_mesh_cell(m, cost, mm_mesh_index(m, 0, 11, 10 + c % 20, 0));
        }
        for (int n = 0; m->shared && n < 40; n++) {
            uint64_t *words = (uint64_t *)(void *)m->shared;
            uint64_t at;

            seed = seed * 6364136223846793005u + 1442695040888963407u;
            at = n % 2 ? (seed >> 33) % (m->layout.bytes / 8)
                       : m->layout.slot_first / 8 +
                             (seed >> 33) % m->layout.slots * (m->layout.slot_bytes / 8);
            words[at] = n % 3 ? seed : 0;
        }
    }
    assert_int_equal(0, mm_mesh_close(m));
}

/* --- Two threads at one segment; with the thread sanitizer this is what it is for. ---
 */

enum { STEPS = 2000, N = 50 };

static struct {
    _Atomic(struct mesh_shared *) shared;
    _Atomic int end;
    int taken, wrong;
} race;

static void *take(void *unused)
{
    struct mesh_shared *h;
    struct mesh_slot *slot;
    int64_t last = -1;
    int end = 0;

    while (!(h = atomic_load(&race.shared)))
        continue;
    while (!end) {
        end = atomic_load(&race.end);
        while ((slot = segment_full(h)) != NULL) {
            int64_t step = slot->step;

            race.wrong += step <= last || slot->cells != N || slot->told != 1;
            for (int64_t c = 0; c < N; c++)
                race.wrong += slot_value(h, slot, 0, 0, c, 0, 0) != (float)(step * c);
            last = step;
            race.taken++;
            slot_free(slot);
        }
    }
    return unused;
}

TEST_WITH(a_slot_is_taken_whole_and_in_order, clean, clean)
{
    struct cca_error err;
    struct mm_mesh *m = open_any("field", 1, N, 1, &err);
    int w = mm_mesh_probe(m, "work", "given");
    struct mesh_shared *h;
    pthread_t taker;

    assert_int_equal(0, mm_mesh_box(m, 0, (int64_t[]){0}, (int64_t[]){N}));
    assert_int_equal(0, pthread_create(&taker, NULL, take, NULL));
    for (int64_t step = 0; step < STEPS; step++) {
        assert_int_equal(0, mm_mesh_step(m, step, 0));
        atomic_store(&race.shared, m->shared);
        for (int64_t c = N - 1; c >= 0; c--)
            mm_mesh_value(m, w, c, (double)(step * c));
    }
    assert_int_equal(-EINVAL, mm_mesh_step(m, 0, 0)); /* it ends the last one */
    h = m->shared;
    atomic_store(&race.end, 1);
    pthread_join(taker, NULL);
    assert_int_equal(0, race.wrong);
    assert_int_equal(STEPS, race.taken + (int)atomic_load(&h->dropped));
    assert_true(race.taken > 0);
    mm_mesh_close(m);
}

TESTS(NULL, NULL)
