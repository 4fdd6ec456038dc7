/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimator against closed forms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/activity/random_model.h"
#include "tests/activity/run_text.h"

static char *read_example(const char *path)
{
    struct cca_error err = {0};
    struct act_model *model = act_model_load(path, &err);
    char *text = model ? act_model_print(model) : NULL;

    assert_non_null(text);
    act_model_free(model);
    return text;
}

TEST(sample_lasts_as_long_for_any_number_of_processes)
{
    static const int64_t processes[] = {1, 2, 3, 4, 5, 8, 31, 32, 33, 1000, 100000};
    struct act_machine machine;
    char *text = read_example("examples/activity/sample.act"),
         *set = strstr(text, "GV = 1;");

    act_machine_usual(&machine);
    for (int k = 0; k < 2; k++) {
        double expected = k == 0 ? 121 / 3.14 + 112 + 32 + (3.14 + 2.71 * 3.14)
                                 : 121 / 3.14 + 212 + (3.14 + 2.71 * 3.14);

        assert_true(fabs(expected - (k == 0 ? 194.184431847 : 262.184431847)) < 5e-10);
        for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
            struct outcome out =
                run_on(text, &machine, (processes[i] + 3) / 4, processes[i], 0);

            assert_int_equal(out.rc, 0);
            assert_true(is_near(out.result.makespan_s, expected));
            assert_int_equal(out.result.operations, processes[i] * (k == 0 ? 4 : 3));
            end(&out);
        }
        lasts(text, &machine, 8, 32, expected);
        set[5] = '0'; /* GV = 0; */
    }
    free(text);
}

TEST(costs_of_a_collective_add_up_over_processes)
{
    static const int64_t sums[][2] = {{4, 66}, {32, 119}, {64, 119}, {1000, 119}};
    struct act_machine machine;
    char *text = read_example("examples/activity/sample.act");

    act_machine_usual(&machine);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        struct outcome out = run_on(text, &machine, sums[i][0], sums[i][0], 0);
        double sum = 0;

        for (int e = 0; e < out.model->element_count; e++)
            if (out.model->elements[e]->kind == ACT_ALLREDUCE)
                sum = out.result.elements[e].cost_s;
        assert_true(sum == (double)sums[i][1]);
        end(&out);
    }
    free(text);
}

/* a + b + c + P*d + (P - 1)*s + t, of LAPW0's output in rank order. */
TEST(pipeline_has_its_closed_form)
{
    struct act_machine machine;
    char *text = read_example("examples/activity/pipeline.act");

    act_machine_usual(&machine);
    machine.networks[ACT_INSIDE].send_s = machine.networks[ACT_BETWEEN].send_s = 0.0625;
    for (int p = 1; p <= 64; p *= 2)
        lasts(text, &machine, (p + 3) / 4, p,
              1.5 + 0.5 + 0.25 * 64 / p + p * 0.125 + (p - 1) * 0.0625 + 0.5);
    free(text);
}

TEST(messages_take_what_loggp_says)
{
    static const char ring[] = "model m activity Main {"
                               "if pid > 0 { recv R from pid - 1 }"
                               "send S to (pid + 1)%nproc bytes 1001 "
                               "if pid == 0 { recv R from nproc - 1 } }";
    static const char two[] =
        "model m activity Main { if pid == 0 {"
        "send A to 1 bytes 1001 send B to 1 bytes 1 send C to 1 bytes 1"
        "} else { recv A from 0 recv B from 0 recv C from 0 } }";
    struct act_machine machine;
    struct act_network *net;
    double one;

    act_machine_usual(&machine);
    for (int n = 0; n < ACT_NETWORKS; n++) {
        net = &machine.networks[n];
        net->latency_s = 5e-6 * (n + 1);
        net->send_s = 2e-7;
        net->receive_s = 3e-7;
        net->byte_s = 1e-9;
        net->gap_s = 4e-7;
    }
    net = &machine.networks[ACT_BETWEEN];
    one = net->send_s + net->latency_s + 1000 * net->byte_s + net->receive_s;
    for (int p = 2; p <= 50; p += 12)
        lasts(ring, &machine, p, p, p * one);
    /* each waits for the bytes of the one before and the gap */
    lasts(two, &machine, 2, 2, 2e-7 + (1e-6 + 4e-7) + 4e-7 + 10e-6 + 3e-7);
    /* rendezvous: ready, answer, data */
    net->eager = 1000;
    lasts(two, &machine, 2, 2,
          2e-7 + 2 * 10e-6 + 1e-6 /* the sender is behind it */ + 2e-7 + 4e-7 + 10e-6 +
              3e-7);
    lasts("model m activity Main { if pid == 0 { send S to 1 bytes 1001 } else {"
          "action L cost 1 recv R from 0 } }",
          &machine, 2, 2, 1 + 10e-6 + 1e-6 + 10e-6 + 3e-7);
}

TEST(requests_overlap_with_work)
{
    struct act_machine machine;

    act_machine_usual(&machine);
    machine.networks[ACT_BETWEEN].latency_s = 2;
    machine.networks[ACT_BETWEEN].receive_s = 0.25;
    lasts("model m activity Main { isend S to 1 - pid bytes 8 irecv R from 1 - pid "
          "action A cost 1.5 wait W for R, S }",
          &machine, 2, 2, 2.25);
    lasts("model m activity Main { irecv R from 1 - pid isend S to 1 - pid bytes 8 "
          "action A cost 3 wait W }",
          &machine, 2, 2, 3.25);
    /* a chain of 5: the middle ones have two neighbours */
    lasts("model m activity Main { action A cost pid exchange X with pid - 1, pid + 1 "
          "bytes 1"
          "}",
          &machine, 5, 5, 4 + 2 + 0.25);
    /* two messages of one key in order: a receive that was posted first gets the first */
    lasts(
        "model m activity Main { if pid == 0 { action A cost 1 send S to 1 action B cost "
        "5 "
        "send T to 1 } else { irecv R from 0 irecv Q from 0 wait W for R action C cost 1 "
        "wait V for Q } }",
        &machine, 2, 2, 6 + 2 + 0.25);
}

TEST(collectives_expand_to_messages)
{
    struct act_machine machine;
    double o = 0.25, l = 2, m = 0.125;

    act_machine_usual(&machine);
    machine.networks[ACT_BETWEEN] = (struct act_network){
        .latency_s = l, .send_s = o, .receive_s = o, .byte_s = m / 8, .eager = -1};
    for (int k = 1; k < 6; k++) { /* k rounds of 2^k */
        lasts("model m activity Main { allreduce A bytes 9 as expanded }", &machine,
              1 << k, 1 << k, k * (2 * o + l + m));
        lasts("model m activity Main { barrier A as expanded }", &machine, 1 << k, 1 << k,
              k * (2 * o + l));
        lasts("model m activity Main { bcast A root 0 bytes 9 as expanded }", &machine,
              1 << k, 1 << k, k * (2 * o + l + m));
        lasts("model m activity Main { reduce A root nproc - 1 bytes 9 as expanded }",
              &machine, 1 << k, 1 << k, k * (2 * o + l + m));
        lasts("model m activity Main { alltoall A bytes 9 as expanded }", &machine,
              1 << k, 1 << k, ((1 << k) - 1) * (2 * o + l + m));
    }
    lasts("model m activity Main { allreduce A bytes 9 as expanded }", &machine, 3, 3,
          2 * (2 * o + l + m) + 2 * o); /* a pair before and behind it */
    lasts("model m activity Main { barrier A as expanded }", &machine, 5, 5,
          3 * (2 * o + l));
    lasts("model m activity Main { allreduce A cost pid as expanded }", &machine, 2, 2,
          1 + 2 * o + l);
    lasts("model m activity Main { action B cost 3 - pid allreduce A cost pid as cost }",
          &machine, 4, 4, 6);
}

/* One that the others need not wait for leaves early: the root of a bcast, the leaves of
 * a reduce; so does a process on a node whose cores are shared. */
TEST(a_process_leaves_an_expanded_collective_when_its_part_is_done)
{
    static const char text[] =
        "model m activity Main { if pid == 1 { action A cost 5 } bcast B root 0 bytes 1 "
        "as expanded if pid == 0 { action C cost 1 } }";
    struct act_machine machine;

    act_machine_usual(&machine);
    for (int cores = 1; cores <= 4; cores++) {
        struct outcome out;

        machine.cores = cores;
        lasts(text, &machine, 1, 2, cores == 1 ? 6 : 5);
        out = run_on(text, &machine, 1, 2, 0);
        assert_true(is_near(out.result.process_s[0], cores == 1 ? 2 : 1));
        end(&out);
    }
    fails("model m activity Main { if pid == 0 {\nreduce B root 1 as expanded } }", 2,
          "m.act:2:1: 1 of 2 processes ended without reduce B");
}

TEST(a_send_that_waits_is_one_call)
{
    struct act_machine machine;
    struct outcome out;

    act_machine_usual(&machine);
    machine.networks[ACT_INSIDE].eager = 0;
    for (int ordered = 0; ordered < 2; ordered++) {
        out = run_on("model m activity Main { if pid == 0 { action A cost 1 send S to 1 "
                     "bytes 8 } else { recv R from 0 } critical L { action C cost 1 } }",
                     &machine, 1, 2, ordered);
        assert_int_equal(out.rc, 0);
        for (int i = 0; i < out.model->element_count; i++)
            if (out.model->elements[i]->kind == ACT_SEND)
                assert_int_equal(out.result.elements[i].calls, 1);
            else if (out.model->elements[i]->kind == ACT_CRITICAL)
                assert_int_equal(out.result.elements[i].calls, 2);
        end(&out);
    }
}

TEST(cores_and_memory_are_shared)
{
    struct act_machine machine;

    act_machine_usual(&machine);
    machine.cores = 1;
    lasts("model m activity Main { action A cost 1 + 2*pid }", &machine, 1, 2, 4);
    lasts(
        "model m activity Main { if pid == 0 { action A cost 1 } else { action B cost 2 "
        "action C cost 1 } }",
        &machine, 1, 2, 4);
    machine.cores = 4;
    lasts("model m activity Main { action A cost 1 }", &machine, 1, 6, 1.5);
    lasts("model m activity Main { action A cost 1 }", &machine, 1, 4, 1);
    machine.speed = 2;
    lasts("model m activity Main { action A cost 1 }", &machine, 2, 12, 0.75);
    machine.speed = 1;
    machine.memory = 100;
    for (int p = 1; p <= 4; p++) {
        struct outcome out = run_on("model m activity Main { action A cost 1 memory 50 }",
                                    &machine, 1, p, 0);

        assert_int_equal(out.rc, 0);
        assert_true(is_near(out.result.makespan_s, p <= 2 ? 1 : p * 0.5));
        end(&out);
    }
}

TEST(threads_share_turns_and_locks)
{
    static const char *const schedules[] = {"static", "dynamic chunk 1", "static chunk 1",
                                            "dynamic chunk 2", "dynamic"};
    static const double expected[] = {12, 10, 11, 9, 10};
    struct act_machine machine;
    char text[400];

    act_machine_usual(&machine);
    for (int i = 0; i < 5; i++) {
        snprintf(
            text, sizeof text,
            "model m table double T = { 5, 4, 3, 3, 3 } activity Main {"
            "parallel W threads 2 loop i = 0..4 schedule %s { action A cost T[i] } }",
            schedules[i]);
        lasts(text, &machine, 1, 1, expected[i]);
    }
    lasts("model m activity Main { parallel W threads 4 { action A cost 3 critical C {"
          "action B cost 0.5 } } action D cost 1 }",
          &machine, 1, 1, 3 + 4 * 0.5 + 1);
    lasts("model m activity Main { parallel W threads 8 { action A cost 3 } }", &machine,
          1, 1, 6);
    lasts(
        "model m global long x = 5 activity Main { fork F { branch { action A cost 1 do {"
        "x = 1; } } branch { action B cost x } branch { } } action C cost x }",
        &machine, 1, 1, 10);
    lasts("model m activity Main { parallel W threads 3 { parallel V threads tid + 1 {"
          "action A cost tid } } action B cost nthread }",
          &machine, 2, 2, 2 * 3 / 3.0 + 1 - 1 + 1);
    lasts("model m activity Main { parallel W threads 2 loop i = 3..1 { action A cost 1 "
          "} }",
          &machine, 1, 1, 0);
}

/* Livermore kernel 6: n(n - 1)/2 turns, as in Figure 3.1. */
TEST(kernel6_in_detail_lasts_as_its_cost_function)
{
    struct act_machine machine;

    act_machine_usual(&machine);
    lasts(
        "model m global long n = 300 activity Main { loop i = 2..n { loop k = 1..i - 1 {"
        "action W cost 0.0078125 } } }",
        &machine, 1, 1, 0.0078125 * 300 * 299 / 2);
}

enum { PIDS = 6, TIDS = 400 };

struct spans {
    const struct act_model *model;
    double last_end[PIDS][TIDS];
    int depth[PIDS][TIDS];
    int actions, threads;
};

/* A thread's actions come one after the other; it leaves what it entered. */
static int check_span(void *context, const struct act_span *span)
{
    struct spans *s = context;
    double *last = &s->last_end[span->pid][span->tid % TIDS];

    assert_true(span->tid >= 0 && span->tid < TIDS);
    s->depth[span->pid][span->tid] +=
        (span->kind == ACT_EVENT_ENTER) - (span->kind == ACT_EVENT_LEAVE);
    assert_true(s->depth[span->pid][span->tid] >= 0);
    if (span->kind != ACT_EVENT_ELEMENT ||
        s->model->elements[span->element]->kind != ACT_ACTION)
        return 0;
    assert_true(span->start_s >= *last && span->end_s >= span->start_s);
    *last = span->end_s;
    s->actions++;
    s->threads += span->tid > 0;
    return 0;
}

TEST(spans_of_a_thread_do_not_overlap)
{
    int actions = 0, threads = 0;

    for (uint64_t number = 1; number <= 300; number++) {
        struct cca_error err = {0};
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        struct spans spans = {0};
        struct act_sink sink = {.context = &spans, .span = check_span};
        struct act_run_options options = {.sink = &sink,
                                          .config = {1, number % 2 ? 1 : PIDS, 0}};
        struct act_program *program;
        struct act_result result;

        act_machine_usual(&options.machine);
        assert_non_null(out);
        random_model(number, out);
        fclose(out);
        spans.model = act_model_read("m.act", text, size, &err);
        program = act_interpret_new(spans.model, NULL, &err);
        assert_non_null(program);
        if (act_run(program, &options, &result, &err) == 0)
            act_result_free(&result);
        actions += spans.actions;
        threads += spans.threads;
        act_interpret_free(program);
        act_model_free((struct act_model *)(uintptr_t)spans.model);
        free(text);
    }
    assert_true(actions > 5000 && threads > 1000);
}

TEST(faults_are_told)
{
    fails("model m activity Main {\naction A cost 0.0 - pid }", 2,
          "m.act:2:1: found the cost -1, expected a finite one of at least 0 (A, process "
          "1)");
    fails("model m activity Main {\naction A cost exp(1e3*pid) }", 2,
          "m.act:2:1: found the cost inf, expected a finite one of at least 0 (A, "
          "process 1)");
    fails("model m activity Main {\nsend S to pid + 1 }", 2,
          "m.act:2:1: found a send to process 2, expected 0 to 1 (S, process 1)");
    fails("model m activity Main {\nrecv R from 0 - 1 }", 1,
          "m.act:2:1: found a receive from process -1, expected 0 to 0 (R, process 0)");
    fails("model m activity Main {\nbcast B root nproc }", 1,
          "m.act:2:1: found root process 1, expected 0 to 0 (B, process 0)");
    fails("model m activity Main {\nparallel W threads 0 { } }", 1,
          "m.act:2:1: found 0 threads, expected 1 to 1000000 (W, process 0)");
    fails(
        "model m activity Main {\nrecv R from (pid + 1)%nproc send S to (pid + 1)%nproc "
        "}",
        2,
        "m.act:2:1: 2 of 2 processes wait without end, in a circle: process 0 in recv R "
        "(2:1) for process 1; process 1 in recv R (2:1) for process 0");
    fails("model m activity Main { if pid == 0 {\nrecv R from 1 } }", 2,
          "m.act:2:1: 1 of 2 processes wait without end: process 0 in recv R (2:1) for "
          "process 1, which has ended");
    fails("model m activity Main { if pid == 0 {\nbarrier B } }", 2,
          "m.act:2:1: 1 of 2 processes wait without end: process 0 in barrier B (2:1) "
          "for all");
}

TEST(noise_is_the_same_for_a_seed_and_has_mean_one)
{
    static const char text[] =
        "model m activity Main { loop i = 1..20000 { action A cost 1 } }";
    struct act_machine machine;
    struct outcome a, b;

    act_machine_usual(&machine);
    machine.noise = 0.1;
    a = run_on(text, &machine, 1, 4, 0);
    b = run_on(text, &machine, 1, 4, 1);
    assert_true(is_near(a.result.makespan_s, b.result.makespan_s));
    /* the sum of 80,000: sd .1*sqrt(80000) = 28 */
    assert_true(fabs(a.result.elements[1].total_s - 80000) < 5 * 28.3);
    assert_true(a.result.elements[1].largest_s > 1.3 &&
                a.result.elements[1].least_s < 0.75);
    end(&a);
    end(&b);
}

TESTS(NULL, NULL)
