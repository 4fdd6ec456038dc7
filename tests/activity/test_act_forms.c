/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimator against closed forms and small sums in the test: processor sharing,
 * schedules, locks, rings, trees, Livermore kernel 6. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/activity/run_text.h"

enum { MOST = 64 };

static uint64_t state;

static double random_cost(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)((state >> 33) % 100000 + 1) / 1000;
}

/* "{ 1.5, 2.25 }": costs as a table of a model. */
static void write_costs(const double *costs, int count, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "{");

    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %.17g%s", i ? "," : "",
                                 costs[i], costs[i] == (double)(int)costs[i] ? ".0" : "");
    snprintf(text + used, size - used, " }");
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* n jobs that begin together on one core, the smallest first: the i-th ends when it and
 * those before it are done, and those behind have had as much as it has. On C cores: the
 * largest C of those left have one each when there are no more. */
TEST(jobs_that_share_a_core_end_as_the_sum_says)
{
    char costs_text[2000], text[2400];
    double costs[MOST], sorted[MOST], before;
    struct act_machine machine;
    struct outcome out;

    act_machine_usual(&machine);
    for (int n = 1; n <= 40; n += 3)
        for (int cores = 1; cores <= 4; cores++) {
            double now = 0, done = 0;

            state = (uint64_t)(n * 8 + cores);
            for (int i = 0; i < n; i++)
                costs[i] = sorted[i] = random_cost();
            qsort(sorted, (size_t)n, sizeof *sorted, compare);
            write_costs(costs, n, costs_text, sizeof costs_text);
            snprintf(text, sizeof text,
                     "model m table double T = %s activity Main { action A cost T[pid] }",
                     costs_text);
            machine.cores = cores;
            out = run_on(text, &machine, 1, n, 1);
            assert_int_equal(out.rc, 0);
            for (int i = 0; i < n; i++) { /* from end to end */
                double rate = n - i > cores ? (double)cores / (n - i) : 1;

                before = done;
                done = sorted[i];
                now += (done - before) / rate;
                if (cores == 1) {
                    double sum = (n - i) * sorted[i];

                    for (int k = 0; k < i; k++)
                        sum += sorted[k];
                    assert_true(is_near(now, sum));
                }
                for (int p = 0; p < n; p++)
                    if (costs[p] == sorted[i])
                        assert_true(is_near(out.result.process_s[p], now));
            }
            end(&out);
        }
}

/* Turns of costs for T threads: static, what each has; dynamic, who is free first. */
static double expected_end(const double *costs, int turns, int threads, int chunk,
                           int dynamic)
{
    double free_at[16] = {0}, latest = 0;

    for (int i = 0, block = 0; i < turns; block++) {
        int thread = block % threads, size = chunk;

        if (chunk == 0)
            size = turns / threads + (block < turns % threads);
        for (int t = 0; dynamic && t < threads; t++)
            if (t == 0 || free_at[t] < free_at[thread])
                thread = t;
        for (int k = 0; k < size && i < turns; k++)
            free_at[thread] += costs[i++];
    }
    for (int t = 0; t < threads; t++)
        latest = fmax(latest, free_at[t]);
    return latest;
}

TEST(schedules_end_as_the_sums_of_their_threads)
{
    char costs_text[2000], text[2400], schedule[40];
    double costs[MOST];
    struct act_machine machine;

    act_machine_usual(&machine);
    machine.cores = 16;
    for (int turns = 1; turns <= 50; turns += 7)
        for (int threads = 1; threads <= 9; threads += 2)
            for (int chunk = 0; chunk <= 4; chunk++)
                for (int dynamic = 0; dynamic < 2; dynamic++) {
                    state = (uint64_t)(turns * 100 + threads * 10 + chunk);
                    for (int i = 0; i < turns; i++)
                        costs[i] = random_cost();
                    write_costs(costs, turns, costs_text, sizeof costs_text);
                    snprintf(schedule, sizeof schedule, chunk ? "%s chunk %d" : "%s",
                             dynamic ? "dynamic" : "static", chunk);
                    snprintf(text, sizeof text,
                             "model m table double T = %s activity Main { parallel W "
                             "threads %d loop i = 0..%d schedule %s { action A cost T[i] "
                             "} }",
                             costs_text, threads, turns - 1, schedule);
                    lasts(text, &machine, 1, 1,
                          expected_end(costs, turns, threads,
                                       chunk == 0 && dynamic ? 1 : chunk, dynamic));
                }
}

/* Threads that come to a lock after a_i seconds and hold it for b: in the order of their
 * coming. */
TEST(a_lock_is_held_in_the_order_of_coming)
{
    char costs_text[2000], text[2400];
    double costs[MOST], sorted[MOST];
    struct act_machine machine;

    act_machine_usual(&machine);
    machine.cores = MOST;
    for (int threads = 1; threads <= 50; threads += 7) {
        double clock = 0;

        state = (uint64_t)threads;
        for (int i = 0; i < threads; i++)
            costs[i] = sorted[i] = random_cost();
        qsort(sorted, (size_t)threads, sizeof *sorted, compare);
        for (int i = 0; i < threads; i++)
            clock = fmax(clock, sorted[i]) + 1.75;
        write_costs(costs, threads, costs_text, sizeof costs_text);
        snprintf(text, sizeof text,
                 "model m table double T = %s activity Main { parallel W threads %d { "
                 "action A cost T[tid] critical L { action B cost 1.75 } } }",
                 costs_text, threads);
        lasts(text, &machine, 1, 1, clock);
        snprintf(text, sizeof text, /* together: a + T*b */
                 "model m activity Main { parallel W threads %d { action A cost 3 "
                 "critical L { action B cost 1.75 } } }",
                 threads);
        lasts(text, &machine, 1, 1, 3 + threads * 1.75);
    }
}

/* Hops of a ring on nodes: of P, those over a node's end go between nodes. */
TEST(a_ring_lasts_the_sum_of_its_hops)
{
    static const char ring[] = "model m activity Main {"
                               "if pid > 0 { recv R from pid - 1 }"
                               "send S to (pid + 1)%nproc bytes 4097 "
                               "if pid == 0 { recv R from nproc - 1 } }";
    struct act_machine machine;

    act_machine_usual(&machine);
    machine.networks[ACT_INSIDE] =
        (struct act_network){1e-6, 2e-7, 3e-7, 4e-7, 1e-10, -1};
    machine.networks[ACT_BETWEEN] =
        (struct act_network){5e-6, 6e-7, 7e-7, 8e-7, 9e-10, -1};
    for (int nodes = 1; nodes <= 256; nodes *= 4) {
        int p = 4 * nodes, between = nodes > 1 ? nodes : 0;
        double inside_s = 2e-7 + 4096 * 1e-10 + 1e-6 + 3e-7,
               between_s = 6e-7 + 4096 * 9e-10 + 5e-6 + 7e-7;

        lasts(ring, &machine, nodes, p, (p - between) * inside_s + between * between_s);
        machine.placement = ACT_CYCLIC; /* each hop but on one node is between nodes */
        lasts(ring, &machine, nodes, p, p * (nodes > 1 ? between_s : inside_s));
        machine.placement = ACT_BLOCK;
    }
}

/* A process that has posted receives from all others takes each in the order of arrival.
 */
TEST(many_receives_end_in_the_order_of_arrival)
{
    static const char text[] =
        "model m activity Main { if pid == 0 { loop i = 1..nproc - 1 { irecv R from i } "
        "wait W } else { action A cost 0.25*(pid*37%100) send S to 0 bytes 1 } }";
    struct act_machine machine;
    double arrives[400];

    act_machine_usual(&machine);
    machine.networks[ACT_BETWEEN] =
        (struct act_network){.latency_s = 2, .send_s = 0.5, .receive_s = 0.125};
    machine.networks[ACT_BETWEEN].eager = -1;
    for (int p = 2; p <= 302; p += 60) {
        double clock = 0;

        for (int i = 1; i < p; i++)
            arrives[i - 1] = 0.25 * (i * 37 % 100) + 0.5 + 2;
        qsort(arrives, (size_t)p - 1, sizeof *arrives, compare);
        for (int i = 0; i < p - 1; i++)
            clock = fmax(clock, arrives[i]) + 0.125;
        lasts(text, &machine, p, p, clock);
    }
}

/* Of any P: as many rounds as doublings reach P. */
TEST(barriers_and_trees_take_rounds_of_doubling)
{
    struct act_machine machine;
    double o = 0.25, l = 2;

    act_machine_usual(&machine);
    machine.networks[ACT_BETWEEN] =
        (struct act_network){.latency_s = l, .send_s = o, .receive_s = o, .eager = -1};
    for (int p = 2, rounds = 1; p <= 70; p++) {
        rounds += p > 1 << rounds;
        lasts("model m activity Main { barrier A as expanded }", &machine, p, p,
              rounds * (2 * o + l));
        /* the farthest process has a 1 in each bit that P - 1 or less can have */
        for (int root = 0; root < p; root += 13) {
            char text[200];
            double longest = 0;

            /* i hears after one hop for each 1 of i, one send_s for each sibling that
             * the parent sends to before */
            for (int i = 1; i < p; i++) {
                double time = 0;
                int low = 1;

                while (low < p)
                    low *= 2;
                for (int parent = 0, k = low / 2; k >= 1; k /= 2) {
                    if (parent + k < p && !(i & k))
                        time += o; /* sent to parent + k before */
                    if (i & k) {
                        time += 2 * o + l;
                        parent += k;
                    }
                    if (parent == i)
                        break;
                }
                longest = fmax(longest, time);
            }
            snprintf(text, sizeof text,
                     "model m activity Main { bcast A root %d bytes 1 as expanded }",
                     root);
            lasts(text, &machine, p, p, longest);
        }
    }
}

/* A process that could run far ahead of the others takes turns with them. */
TEST(long_runs_of_messages_last_as_their_receiver)
{
    struct act_machine machine;
    double o = 0.25;

    act_machine_usual(&machine);
    machine.networks[ACT_BETWEEN].send_s = machine.networks[ACT_BETWEEN].receive_s = o;
    lasts(
        "model m activity Main { if pid == 0 { loop i = 1..200000 { send S to 1 bytes 8 "
        "} } else { loop i = 1..200000 { recv R from 0 action A cost 0.5 } } }",
        &machine, 2, 2, 0.25 + 200000 * (0.25 + 0.5));
    /* the root takes a message each round; the leaf does not wait for it */
    lasts("model m activity Main { loop i = 1..20000 { reduce R root 0 bytes 8 as "
          "expanded action A cost pid == 0 ? 1.5 : 0.0 } }",
          &machine, 2, 2, 2 * o + 20000 * 1.5 + 19999 * o);
}

/* Figure 3.1: n(n - 1)/2 turns in detail, or one action with the cost function. */
TEST(kernel_6_in_detail_lasts_as_its_cost_function)
{
    static const char detail[] =
        "model m global long n = 1000 cost W(long k) = 0.0078125 + 0*k "
        "activity Main { loop i = 2..n { loop k = 1..i - 1 { action W cost W(k) } } }";
    static const char function[] =
        "model m global long n = 1000 cost K6(long n) = 0.0078125*n*(n - 1)/2 "
        "activity Main { action K6 cost K6(n) }";
    struct act_machine machine;
    struct outcome out;

    act_machine_usual(&machine);
    lasts(function, &machine, 1, 1, 0.0078125 * 499500);
    out = run_on(detail, &machine, 1, 1, 0);
    assert_int_equal(out.rc, 0);
    assert_int_equal(out.result.operations, 499500);
    assert_true(is_near(out.result.makespan_s, 0.0078125 * 499500));
    end(&out);
}

TESTS(NULL, NULL)
