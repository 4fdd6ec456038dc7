/* SPDX-License-Identifier: BSD-3-Clause */
/* `mastermind messages` prints what was put into the files, number by number. */
#include "tests/messages/message_files.h"

#include <math.h>

static char folder[MADE_PATH], run[MADE_PATH + 8];
static char out[1 << 18];

/* The program beside this test: ../bin/mastermind. */
static const char *program(void)
{
    static char path[MADE_PATH];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 30);

    assert_true(length > 0);
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    strcpy(strrchr(path, '/'), "/bin/mastermind");
    return path;
}

/* Run the verb; what it prints is in `out`. Returns its exit code. */
static int verb(const char *options)
{
    char command[3 * MADE_PATH];
    size_t used = 0;
    FILE *from;

    snprintf(command, sizeof command, "'%s' messages '%s' %s 2>&1", program(), run,
             options);
    from = popen(command, "re");
    assert_non_null(from);
    while (used < sizeof out - 1) {
        size_t got = fread(out + used, 1, sizeof out - 1 - used, from);

        if (!got)
            break;
        used += got;
    }
    out[used] = '\0';
    return WEXITSTATUS(pclose(from));
}

/* Lines are compared without blanks at their ends. */
static void expect_text(const char *options, const char *expected)
{
    char *to = out;

    assert_int_equal(verb(options), 0);
    for (char *from = out; *from; from++) {
        if (*from == '\n')
            while (to > out && to[-1] == ' ')
                to--;
        *to++ = *from;
    }
    *to = '\0';
    assert_string_equal(out, expected);
}

static void expect_line(const char *options, int status, const char *part)
{
    assert_int_equal(verb(options), status);
    if (!strstr(out, part))
        fail_msg("%s: found '%s', expected '%s'", options, out, part);
}

static void add_tables(struct made_file *file)
{
    made_piece(file, MM_MESSAGES_COMMS, sizeof(struct mm_messages_comm), 2);
    MADE_ADD(file, mm_messages_comm, {.id = 1, .size = 3, .flags = 4});
    made_piece(file, MM_MESSAGES_OBJECTS, sizeof(struct mm_messages_object), 2);
    MADE_ADD(file, mm_messages_object, {.path = "/nowhere/relax"});
    made_piece(file, MM_MESSAGES_SITES, sizeof(struct mm_messages_site), 2);
    MADE_ADD(file, mm_messages_site, {.key = 77, .frames = 1, .frame = {{0, 0, 0x10}}});
    MADE_ADD(file, mm_messages_site,
             {.key = 78, .frames = 2, .frame = {{0, 0, 0x20}, {0, 0, 0x30}}});
}

/* Rank 0 sends 1000 messages of 300 bytes to rank 1, every tenth sampled: 100 samples
 * with latencies of 1 or 3 us and 50 us of waiting. Rank 1 sends 10 to rank 2. */
static void make_rank(int rank, int sealed)
{
    struct made_file file;
    uint64_t *counts;

    made_begin(&file, "P-0.1-FREQ", rank, 3);
    add_tables(&file);
    counts = made_head(&file)->counts;
    made_piece(&file, MM_MESSAGES_CHANNELS, sizeof(struct mm_messages_channel), 4);
    if (rank == 0) {
        made_channel(&file, 1, 5, MM_MESSAGES_SEND, 1000, 300000, 100);
        counts = made_head(&file)->counts;
        counts[MM_MESSAGES_SENT] = 1000;
        counts[MM_MESSAGES_SAMPLED] = 100;
    }
    if (rank == 1) {
        struct mm_messages_class *c;

        made_channel(&file, 0, 5, MM_MESSAGES_RECEIVE, 1000, 0, 100);
        made_channel(&file, 2, 6, MM_MESSAGES_SEND, 10, 40, 0);
        counts = made_head(&file)->counts;
        counts[MM_MESSAGES_SENT] = sealed ? 10 : 0; /* kept at the end alone */
        counts[MM_MESSAGES_JOINED] = 100;
        counts[MM_MESSAGES_DROPPED_POOL] = 3;
        counts[MM_MESSAGES_HALF] = 2;
        made_piece(&file, MM_MESSAGES_CLASSES, made_head(&file)->class_bytes, 2);
        c = made_entry(&file);
        c->src = 0;
        c->dst = 1;
        c->send_site = 77;
        c->recv_site = 78;
        c->send_method = c->recv_method = -1;
        c->size_class = 9;
        for (int i = 0; i < 100; i++) /* 1 us is in bucket 24, 3 us in bucket 31 */
            made_sample(c, .1, 300, i % 2 ? 1000 : 3000, 50000, 0, 950, i % 2 ? 24 : 31);
        made_class_end(c);
    }
    if (rank == 2)
        made_channel(&file, 1, 6, MM_MESSAGES_RECEIVE, 10, 0, 0);
    made_piece(&file, MM_MESSAGES_COLLECTIVES, sizeof(struct mm_messages_collective), 16);
    for (uint64_t i = 0; i < 10;
         i++) /* rank 2 comes last, by 2000 and 1000 ticks of .5 ns */
        MADE_ADD(&file, mm_messages_collective,
                 {.comm = 1,
                  .ordinal = 3 * i,
                  .t_enter = 10000 * i + 2000 + 1000 * (uint64_t)rank,
                  .t_exit = 10000 * i + 9000,
                  .bytes = 8,
                  .site = 77,
                  .method = -1,
                  .thread = -1,
                  .root = -1,
                  .name = "MPI_Allreduce",
                  .p = .5});
    made_end(&file, sealed);
    made_done(&file, run);
}

static int set_up(void **state)
{
    (void)state;
    made_folder(folder);
    snprintf(run, sizeof run, "%s/run.mm", folder);
    made_experiment(run, 3);
    for (int rank = 0; rank < 3; rank++)
        make_rank(rank, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    made_remove(folder);
    return 0;
}

#define HEAD                                                                             \
    "P-0.1-FREQ: 1,010 messages, 100 sampled, all joined; 3 records dropped, 0 "         \
    "unverified; "                                                                       \
    "one node,\n"                                                                        \
    "    tsc\n"
#define NOTES                                                                            \
    "3 samples dropped: no free buffer or slot for the sender's record\n"                \
    "2 incomplete samples: the receiver's record has not arrived\n"

TEST(the_table_has_what_was_put_in)
{
    /* 100 samples of 50 us, each for ten messages: 50 ms, as all are equal the interval
     * is that of their number. p50 of half 1 us and half 3 us: where the first end. */
    expect_text(
        "", HEAD
        " late sender ms (95 %)  messages  samples  latency us p50 p90 max    bytes  "
        "from > to\n"
        "   50.0 (41.4 .. 60.3)     1,000      100     1.02   2.98    3.00  256-511\n"
        "   relax+0x10 > relax+0x20 < relax+0x30\n"
        "all: late sender 50.5 (50.5 .. 50.5) ms, late receiver 0 ms, transfer 0.960 "
        "(0.959 .. "
        "0.960) ms\n" NOTES);
}

TEST(channels_and_ranks_are_exact)
{
    expect_text("--channels", HEAD
                " messages    bytes  sampled  from  to  tag  communicator\n"
                "    1,000  300,000      100     0   1    5  MPI_COMM_WORLD\n"
                "       10       40        0     1   2    6  MPI_COMM_WORLD\n" NOTES);
    expect_line("--matrix ranks", 0,
                "    1,000      100     1.02   2.98    3.00  300,000  rank 0 > rank 1\n");
    expect_line("--matrix ranks", 0, "      -       -  ");
    expect_line("--matrix nodes", 0, "300,000  node0 > node0\n");
    expect_line("--matrix nodes --csv", 0, "node0,node1,,,,,,,,10,40,0,");
}

TEST(collectives_name_who_came_last)
{
    /* 10 instances, p .5: rank 0 waits 1000 ns, rank 1 500 ns, each stands for two. */
    expect_line("--collectives", 0, "0.030 (");
    expect_line("--collectives", 0, "rank 2 100 %  MPI_Allreduce  relax+0x10\n");
    expect_line("--collectives --csv", 0,
                "MPI_Allreduce,,relax+0x10,10,20,30,240,30000,");
}

static void check_schema(const char *options)
{
    char command[4 * MADE_PATH];

    snprintf(command, sizeof command,
             "'%s' help --schema messages >'%s/schema' && "
             "'%s' messages '%s' %s --json | python3 tests/lib/schema.py '%s/schema'",
             program(), run, program(), run, options, run);
    assert_int_equal(system(command), 0);
}

TEST(documents_fit_their_schema)
{
    static const char *const views[] = {
        "",           "--matrix ranks",   "--matrix nodes", "--sizes",
        "--channels", "--matrix methods", "--histogram",    "--collectives",
        "--records"};

    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        check_schema(views[i]);
}

/* The numbers of the table, read back. */
TEST(csv_has_all_digits)
{
    char *line;

    assert_int_equal(verb("--csv"), 0);
    assert_int_equal(strncmp(out, "from,to,from_method,to_method,from_site,", 40), 0);
    line = strchr(out, '\n') + 1;
    assert_ptr_equal(
        strstr(line, ",,,,relax+0x10,relax+0x20 < relax+0x30,256,511,,,,100,1000,"),
        line);
    expect_line("--csv", 0, ",30000,1000,2000,"); /* bytes, least, mean */
    expect_line("--histogram --csv", 0, "861.07792922,1024,50,500\n");
    expect_line("--histogram --csv", 0, "2896.30937574,3444.31171688,50,500\n");
}

TEST(globs_choose_ends)
{
    expect_line("--from 1", 0, "no sample matches --from and --to\n");
    expect_line("--from 0 --to 1", 0, "256-511");
    expect_line("--from 'relax+0x1?'", 0, "256-511");
    expect_line("--to 'relax+0x1?'", 0, "no sample matches");
    expect_line("--channels --from 1", 0, "  1   2    6  MPI_COMM_WORLD");
    expect_line("--matrix ranks --from 'node1'", 0, "no sample");
}

TEST(wrong_words_and_missing_messages_are_told)
{
    char path[MADE_PATH + 40], hidden[MADE_PATH + 40];

    expect_line("--matrix rows", 2, "expected ranks, nodes or methods");
    expect_line("--sizes --channels", 2, "found --channels and --sizes, expected one");
    expect_line("--csv --json", 2, "found --csv and --json");
    snprintf(path, sizeof path, "%s/rank-0002/messages", run);
    snprintf(hidden, sizeof hidden, "%s/rank-0002/hidden", run);
    assert_int_equal(rename(path, hidden), 0);
    expect_line("", 0, "rank 2 has left no messages: counts of its sends are missing\n");
    assert_int_equal(rename(hidden, path), 0);
    snprintf(run, sizeof run, "%s/none.mm", folder);
    made_experiment(run, 1);
    expect_line("", 3, "`mastermind record --messages on` or `ccafe --messages on`");
    snprintf(run, sizeof run, "%s/run.mm", folder);
}

TEST(a_damaged_file_is_named_with_its_offset)
{
    char path[MADE_PATH + 40];

    snprintf(path, sizeof path, "%s/rank-0001/messages", run);
    assert_int_equal(truncate(path, 9000), 0);
    expect_line("", 3, "rank-0001/messages: offset 24: found an end at ");
    make_rank(1, 1);
}

TEST(a_run_under_way_is_read)
{
    make_rank(1, 0);
    expect_line("", 0, "1,010 messages, "); /* as the channels know */
    expect_line("", 0, "50.0 (41.4 .. 60.3)     1,000");
    expect_line("", 0,
                "1 of 3 processes did not end in order (killed, or still running)");
    make_rank(1, 1);
}

TESTS(set_up, tear_down)
