/* SPDX-License-Identifier: BSD-3-Clause */
/* monitored_call.c: what recording one call costs, as a multiple of the least it could
 * cost.
 *
 * direct     an empty function through a port
 * floor      two TSC reads and one indirect call that stores 32 bytes
 * off        the proxy that proxygen makes, switched off
 * ejected    no proxy: direct again, what is left is noise
 * monitored  the proxy: two integers, MPI time, caller and callees, all on file
 *
 * A cost is a loop less the direct loop, in nanoseconds a call: the median of 21 batches,
 * in which the kinds take turns. Calls have different pairs of values in no order that a
 * cache could foresee, and each 256th spends time in MPI. A table compares costs with the
 * bars that the project has set itself. Batches in which another hardware thread shared
 * the core are left out (bench/probe.h). Where the machine is not quiet nothing is
 * compared, but with --cpu: then times are CPU time of the calling thread, which are
 * right on a busy machine but for its caches, and have nothing of what the helper and
 * the kernel do elsewhere.
 * Exit 0; 1: not quiet, a bar is missed or the limit is passed; 2: misuse; 5: no files.
 */
#include "bench/measure.h"

enum { NO_LIMIT = 0 };
static const char *const names[KINDS] = {"direct", "floor", "off", "ejected",
                                         "monitored"};
static const char *const packings[] = {
    [MM_PACK_CALLER] = "caller", [MM_PACK_HELPER] = "helper"};

static const char help[] =
    "usage: monitored_call [options]\n"
    "What recording one call costs, and whether that is within its bars.\n"
    "  --calls N                 calls of each case (100000000)\n"
    "  --threads N               only cases of N threads, and what they are compared "
    "with\n"
    "  --packing caller|helper   only cases in which that one packs\n"
    "  --storage MODE            this case alone: rows, aggregates, auto:ROWS, ...\n"
    "  --keys N                  and with so many pairs of values, a power of two (16)\n"
    "  --limit RATIO             exit with 1 where a cost is more, in floors\n"
    "  --cpu                     CPU time of the thread: on machines that are not quiet\n"
    "  --monotonic               record with CLOCK_MONOTONIC instead of the TSC\n"
    "  --json                    a line of JSON for each case, and one of all bars\n"
    "  -h, --help\n";

static const struct bar bars[] = {
    {"rows", MM_PACK_HELPER, 1, 16, 1.4},
    {"rows", MM_PACK_HELPER, 2, 16, 1.1},
    {"rows", MM_PACK_CALLER, 1, 16, 1.8},
    {"rows", MM_PACK_CALLER, 2, 16, 1.1},
    {"aggregates", MM_PACK_CALLER, 1, 16, 2.0},
    {"aggregates", MM_PACK_CALLER, 1, 8192, 3.0},
    {"auto:1000000", MM_PACK_CALLER, 1, 16, 2.0},
};
enum { BARS = sizeof bars / sizeof *bars };
static const double most_off_ns = 2.0, most_ejected_ns = 0.5; /* nothing but noise */

/* --- What is told --------------------------------------------------------- */

/* A line of the table: a cost and its bar. */
struct line {
    char mode[48];
    int threads;
    long keys; /* 0: it has none */
    double ns, floors, value, most;
    const char *unit; /* of value and most */
    int met;          /* -1: cannot be said */
    int crowded;      /* no core is free for the helper: no bar is for that */
};

static void print_line(const struct line *l, const struct outcome *out)
{
    printf("%-28s %2d %6.0ld %8.2f ns %6.2f x", l->mode, l->threads, l->keys, l->ns,
           l->floors);
    if (l->most > 0)
        printf("  %6.2f of %4.2f %-10s %s\n", l->value, l->most, l->unit,
               l->met < 0 ? "not quiet"
               : l->met   ? "met"
                          : "MISSED");
    else if (l->crowded)
        printf("  no core is free for the helper\n");
    else
        printf("  [%.2f, %.2f]\n", out->low, out->high);
}

static void print_case(const struct bar *bar, const struct wish *wish,
                       const struct outcome *out)
{
    int kind;

    printf("{\"schema\": \"mastermind/bench/monitored_call/4\", \"storage\": \"%s\","
           " \"packing\": \"%s\", \"threads\": %d, \"keys\": %ld, \"calls\": %ld,"
           " \"clock\": \"%s\", \"quiet\": %s, \"alone\": %d, \"busy\": %.4f, "
           "\"spread\": %.4f",
           bar->storage, packings[bar->packing], bar->threads, bar->keys, wish->calls,
           wish->cpu ? "thread CPU time" : "wall", out->quiet ? "true" : "false",
           out->alone, out->busy, out->spread);
    if (out->quiet)
        printf(", \"ratio\": %.3f", out->ns[MONITORED] / out->ns[FLOOR]);
    for (kind = 0; kind < KINDS; kind++)
        printf(", \"%s_ns\": %.3f", names[kind], out->ns[kind]);
    printf(", \"monitored_10_ns\": %.3f, \"monitored_90_ns\": %.3f, \"ring_bytes\": 40,"
           " \"segment_bytes\": %.2f, \"rss_kib\": [%ld, %ld], \"call_ns\": %.2f,"
           " \"dropped\": %llu}\n",
           out->low, out->high, out->bytes, out->rss_kib[0], out->rss_kib[1],
           out->stats.costs.rows[MM_ROW_PAIR].loop_ns, (unsigned long long)out->stats.dropped);
}

static void print_summary(const struct wish *wish, const struct line *lines, int count)
{
    int i;

    printf(
        "{\"schema\": \"mastermind/bench/bars/1\", \"processor\": \"%s\", \"cores\": %ld,"
        " \"clock\": \"%s\", \"bars\": [",
        bench_processor(), sysconf(_SC_NPROCESSORS_ONLN),
        wish->cpu ? "thread CPU time" : "wall");
    for (i = 0; i < count; i++)
        printf("%s{\"mode\": \"%s\", \"threads\": %d, \"keys\": %ld, \"ns\": %.3f,"
               " \"floors\": %.3f, \"value\": %.3f, \"bar\": %.2f, \"unit\": \"%s\","
               " \"met\": %s}",
               i ? ", " : "", lines[i].mode, lines[i].threads, lines[i].keys, lines[i].ns,
               lines[i].floors, lines[i].value, lines[i].most, lines[i].unit,
               lines[i].met < 0 ? "null"
               : lines[i].met   ? "true"
                                : "false");
    puts("]}");
}

static void set_line(struct line *l, const struct outcome *out, double ns, double value,
                     double most, const char *unit)
{
    l->ns = ns;
    l->floors = ns / out->ns[FLOOR];
    l->value = value;
    l->most = most;
    l->unit = unit;
    l->met = out->quiet ? value <= most : -1;
}

/* Several threads are compared with one, where that has been measured; `one`: its cost,
 * or 0. */
static void make_line(struct line *l, const struct bar *bar, const struct outcome *out,
                      double one)
{
    double ns = out->ns[MONITORED], floors = ns / out->ns[FLOOR];

    snprintf(l->mode, sizeof l->mode, "%s%s%s", bar->storage,
             strcmp(bar->storage, "rows") ? "" : ", packed by ",
             strcmp(bar->storage, "rows") ? "" : packings[bar->packing]);
    l->threads = bar->threads;
    l->keys = bar->keys;
    l->crowded =
        bar->packing == MM_PACK_HELPER && bar->threads >= sysconf(_SC_NPROCESSORS_ONLN);
    if (l->crowded)
        set_line(l, out, ns, floors, 0, "floors");
    else if (bar->threads == 1)
        set_line(l, out, ns, floors, bar->most, "floors");
    else
        set_line(l, out, ns, one > 0 ? ns / one : 0, one > 0 ? bar->most : 0, "of one");
}

/* What is not recorded, as measured with the first case. */
static int make_other_lines(struct line *l, const struct outcome *out)
{
    strcpy(l[0].mode, "switched off");
    strcpy(l[1].mode, "ejected");
    l[0].threads = l[1].threads = 1;
    set_line(&l[0], out, out->ns[OFF], out->ns[OFF], most_off_ns, "ns");
    set_line(&l[1], out, out->ns[EJECTED], out->ns[EJECTED], most_ejected_ns, "ns");
    return 2;
}

static void print_head(const struct wish *wish)
{
    printf("%s, %ld cores; %s; medians of %d batches, %ld calls a case\n"
           "%-28s %2s %6s %11s %8s  %s\n",
           bench_processor(), sysconf(_SC_NPROCESSORS_ONLN),
           wish->cpu ? "CPU time of the thread" : "wall time", BATCHES, wish->calls,
           "mode", "th", "keys", "a call", "floors", "bar");
}

static void print_quiet(const struct wish *wish, double floor_ns, double busy,
                        double spread, int alone)
{
    printf("core alone in at least %d of %d batches, which are judged; without 5 none "
           "is\n",
           alone, BATCHES);
    printf("floor %.2f ns; wall/CPU time at most %.3f (quiet: %.2f), spread of floor and "
           "cost at most"
           " %.1f %% (%.0f)%s\n",
           floor_ns, busy, BENCH_MOST_BUSY, 100 * spread, 100 * BENCH_MOST_SPREAD,
           wish->cpu ? "; not asked for: CPU time" : "");
}

/* --- All cases ------------------------------------------------------------ */

static int is_wanted(const struct wish *wish, const struct bar *bar)
{
    int compared = wish->threads == 2 && !strcmp(bar->storage, "rows"); /* with one */

    return (!wish->threads || bar->threads == wish->threads || compared) &&
           (!wish->packing || bar->packing == wish->packing);
}

/* Measure `count` cases. Returns the exit status. */
static int run_all(const struct wish *wish, const struct bar *cases, int count)
{
    struct line lines[BARS + 2] = {0};
    double one[MM_PACK_HELPER + 1] = {0}, busy = 0, spread = 0, floor_ns = 0;
    struct outcome out;
    int i, n = 0, first = 1, code, status = 0, alone = BATCHES;

    if (!wish->json)
        print_head(wish);
    for (i = 0; i < count; i++) {
        if (!is_wanted(wish, &cases[i]))
            continue;
        code = monitored_run(wish, &cases[i], &out);
        if (code)
            return code;
        if (wish->json)
            print_case(&cases[i], wish, &out);
        make_line(&lines[n], &cases[i], &out, one[cases[i].packing]);
        if (!wish->json)
            print_line(&lines[n], &out);
        fflush(stdout);
        if (cases[i].threads == 1 && !strcmp(cases[i].storage, "rows"))
            one[cases[i].packing] = out.ns[MONITORED];
        if ((!out.quiet && !lines[n].crowded) || (lines[n].most > 0 && !lines[n].met) ||
            (wish->limit > NO_LIMIT && lines[n].floors > wish->limit))
            status = 1;
        if (!lines[n].crowded) {
            busy = out.busy > busy ? out.busy : busy;
            spread = out.spread > spread ? out.spread : spread;
            alone = out.alone < alone ? out.alone : alone;
        }
        n += lines[n].most > 0;
        floor_ns = out.ns[FLOOR];
        if (!first || count == 1 || cases[i].threads > 1)
            continue;
        first = 0;
        make_other_lines(&lines[n], &out);
        for (code = 0; code < 2; code++, n++) {
            if (!wish->json)
                print_line(&lines[n], &out);
            status |= !lines[n].met;
        }
    }
    if (!wish->json)
        print_quiet(wish, floor_ns, busy, spread, alone);
    else if (count > 1)
        print_summary(wish, lines, n);
    return status;
}

/* --- The command line ----------------------------------------------------- */

static int misuse(const char *found)
{
    fprintf(stderr, "monitored_call: found '%s', expected one of:\n%s", found, help);
    return 2;
}

static int parse_packing(const char *word, struct wish *wish)
{
    for (int i = MM_PACK_CALLER; i <= MM_PACK_HELPER; i++)
        if (!strcmp(word, packings[i]))
            wish->packing = i;
    return wish->packing ? 0 : misuse(word);
}

static int parse(int argc, char **argv, struct wish *wish)
{
    int i;

    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            wish->json = 1;
        else if (!strcmp(argv[i], "--cpu"))
            wish->cpu = 1;
        else if (!strcmp(argv[i], "--monotonic"))
            setenv("MM_CLOCK", "monotonic", 1);
        else if (!strcmp(argv[i], "--calls") && i + 1 < argc)
            wish->calls = atol(argv[++i]);
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
            wish->threads = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--limit") && i + 1 < argc)
            wish->limit = atof(argv[++i]);
        else if (!strcmp(argv[i], "--storage") && i + 1 < argc)
            wish->storage = argv[++i];
        else if (!strcmp(argv[i], "--keys") && i + 1 < argc)
            wish->keys = atol(argv[++i]);
        else if (!strcmp(argv[i], "--packing") && i + 1 < argc) {
            if (parse_packing(argv[++i], wish))
                return 2;
        } else
            return misuse(argv[i]);
    }
    if (wish->calls < BATCHES || wish->threads < 0 || wish->threads > MAX_THREADS ||
        (wish->keys &&
         (wish->keys < 2 || wish->keys > 1 << 20 || wish->keys & (wish->keys - 1))))
        return misuse("a number out of range");
    return 0;
}

int main(int argc, char **argv)
{
    struct wish wish = {.calls = 100000000};
    struct bar alone;
    int status;

    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return 0;
        }
    status = parse(argc, argv, &wish);
    if (status)
        return status;
    if (!wish.storage && !wish.keys && wish.threads <= 2)
        return run_all(&wish, bars, BARS);
    alone = (struct bar){.storage = wish.storage ? wish.storage : "rows",
                         .packing = wish.packing ? wish.packing : MM_PACK_CALLER,
                         .threads = wish.threads ? wish.threads : 1,
                         .keys = wish.keys ? wish.keys : 16};
    wish.packing = wish.threads = 0;
    return run_all(&wish, &alone, 1);
}
