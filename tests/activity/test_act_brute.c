/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimator against a second simulator (brute.h): ends of processes and sums of
 * elements of random models on random machines, in both modes.
 *
 * In a soak run 20,000 models of each kind, else 300; MODELS says another number, FIRST
 * the first. */
#include "activity/run/interpret.h"
#include "tests/activity/brute.h"
#include "tests/activity/random_model.h"

/* --- A program whose costs differ a little from a model's, so that no two are equal. ---
 */

struct varied {
    struct act_program program;
    struct act_program *inner;
};

static int varied_start(const struct act_program *program, struct act_state *state,
                        struct cca_error *err)
{
    const struct varied *v = (const struct varied *)(const void *)program;

    return v->inner->start(v->inner, state, err);
}

/* The part depends on the state alone: both simulators see the same. */
static int varied_next(const struct act_program *program, struct act_state *state,
                       struct act_event *event, struct cca_error *err)
{
    const struct varied *v = (const struct varied *)(const void *)program;
    const unsigned char *bytes = (const unsigned char *)state;
    uint64_t h = 0xcbf29ce484222325u;
    int rc;

    v->inner->system = program->system;
    for (size_t i = 0; i < program->state_bytes; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    rc = v->inner->next(v->inner, state, event, err);
    if (!rc && event->kind == ACT_EVENT_ELEMENT)
        event->cost_s *= 1 + 0.1 * (double)((h ^ h >> 29) % 1000003) / 1000003;
    return rc;
}

/* --- Models of messages. --- */

/* Processes in pairs at a distance, in an order in which none waits for ever. */
static void write_shift(struct random_model *r, int name)
{
    unsigned distance = 1 + random_below(r, 3), bytes = random_below(r, 5000);

    fprintf(r->out,
            "if pid/%u%%2 == 0 {\n"
            "if pid + %u < nproc { send S%d to pid + %u bytes %u recv R%d from pid + %u "
            "}\n"
            "} else {\n"
            "recv Q%d from pid - %u send T%d to pid - %u bytes %u\n"
            "}\n",
            distance, distance, name, distance, bytes, name, distance, name, distance,
            name, distance, bytes);
}

/* From process to process along the row, each with work of its own. */
static void write_chain(struct random_model *r, int name)
{
    fprintf(r->out,
            "if pid > 0 { recv R%d from pid - 1 }\n"
            "action A%d cost 0.25 + pid%%3\n"
            "if pid < nproc - 1 { send S%d to pid + 1 bytes %u }\n",
            name, name, name, random_below(r, 5000));
}

/* Several at once, waited for in another order than posted. */
static void write_requests(struct random_model *r, int name)
{
    unsigned a = random_below(r, 4), b = random_below(r, 4);

    fprintf(r->out,
            "irecv R%d from (pid + %u)%%nproc tag 1\n"
            "irecv Q%d from (pid + %u)%%nproc tag %u\n"
            "action A%d cost pid%%2\n"
            "isend S%d to (pid + %u*nproc - %u)%%nproc bytes %u tag %u\n"
            "isend T%d to (pid + %u*nproc - %u)%%nproc bytes %u tag 1\n"
            "action B%d cost 0.5*(pid%%3)\n",
            name, a, name, b, 1 + (a == b), name, name, b, b, random_below(r, 5000),
            1 + (a == b), name, a, a, random_below(r, 5000), name);
    if (random_below(r, 2))
        fprintf(r->out, "wait V%d for Q%d, T%d action C%d cost 0.125\n", name, name, name,
                name);
    fprintf(r->out, "wait W%d\n", name);
}

/* A receive that waits behind one of the same key that does not. */
static void write_mixed(struct random_model *r, int name)
{
    unsigned distance = random_below(r, 3), bytes = random_below(r, 5000);

    fprintf(r->out,
            "irecv R%d from (pid + %u)%%nproc\n"
            "action A%d cost (pid*%u)%%5\n"
            "isend S%d to (pid + %u*nproc - %u)%%nproc bytes %u\n"
            "isend T%d to (pid + %u*nproc - %u)%%nproc bytes %u\n"
            "recv Q%d from (pid + %u)%%nproc\n"
            "action B%d cost 0.25\n"
            "wait W%d\n",
            name, distance, name, random_below(r, 5), name, distance, distance, bytes,
            name, distance, distance, random_below(r, 5000), name, distance, name, name);
}

static void write_exchange(struct random_model *r, int name)
{
    unsigned distance = 1 + random_below(r, 3);

    fprintf(r->out,
            "exchange X%d with pid - %u, pid + %u, pid - 4, pid + 4 bytes %u + pid*0\n",
            name, distance, distance, random_below(r, 5000));
}

static void write_collective(struct random_model *r, int name)
{
    static const char *const kinds[] = {"barrier", "allreduce", "alltoall", "bcast",
                                        "reduce"};
    static const char *const ways[] = {"", " as cost", " as expanded"};
    unsigned kind = random_below(r, 5);

    fprintf(r->out, "action B%d cost (pid*%u)%%4\n%s C%d%s", name, random_below(r, 9),
            kinds[kind], name, kind >= 3 ? " root nproc/2" : "");
    if (random_below(r, 2))
        fprintf(r->out, " cost 0.5 + pid%%3");
    if (kind)
        fprintf(r->out, " bytes %u", random_below(r, 5000));
    fprintf(r->out, "%s\n", ways[random_below(r, 3)]);
}

static void write_team(struct random_model *r, int name)
{
    static const char *const schedules[] = {"static", "static chunk 2", "dynamic",
                                            "dynamic chunk 3", "static chunk 1"};

    fprintf(r->out,
            "parallel P%d threads 1 + (pid + %u)%%4 loop i%d = 0..%u schedule %s {\n"
            "action U%d cost 0.5 + (i%d*%u)%%7 memory 10*((i%d + %u)%%3)\n",
            name, random_below(r, 4), name, random_below(r, 12),
            schedules[random_below(r, 5)], name, name, 1 + random_below(r, 6), name,
            random_below(r, 3));
    if (random_below(r, 2))
        fprintf(r->out,
                "critical L%u { action L%d cost 0.125*(1 + tid) }\naction Y%d cost "
                "0.25\n",
                random_below(r, 2), name, name);
    fputs("}\n", r->out);
}

static void write_messages(uint64_t number, FILE *out)
{
    static void (*const writers[])(struct random_model *, int) = {
        write_shift,    write_chain,      write_requests, write_mixed,
        write_exchange, write_collective, write_team};
    struct random_model r = {.out = out, .state = number * 2654435761u + 777};
    int count, turns;

    for (int i = 0; i < 5; i++)
        random_below(&r, 2);
    count = 1 + (int)random_below(&r, 5);
    turns = 1 + (int)random_below(&r, 3);
    fprintf(out,
            "model messages\nactivity Main {\nloop s = 1..%d {\n"
            "action Begin cost 0.5*((pid + s)%%5) memory 25*(pid%%3)\n",
            turns);
    for (int i = 0; i < count; i++)
        writers[random_below(&r, 7)](&r, i);
    fputs("}\naction End cost 0.0625\n}\n", out);
}

/* --- Machines. --- */

/* Of a few values, some of them 0. */
static double random_seconds(struct random_model *r)
{
    unsigned which = random_below(r, 4);

    return which == 0   ? 0
           : which == 1 ? 0.125 * random_below(r, 9)
                        : 1e-3 * random_below(r, 2000);
}

static void random_machine(struct random_model *r, struct act_machine *machine,
                           struct act_config *config)
{
    static const int64_t eager[] = {-1, -1, 3000, 0};

    act_machine_usual(machine);
    machine->cores = 1 + random_below(r, 4);
    machine->threads = 1 + random_below(r, 2);
    machine->speed = random_below(r, 2) ? 1 : 0.5 + 0.3 * random_below(r, 9);
    machine->memory = random_below(r, 2) ? 0 : 20 + random_below(r, 100);
    machine->placement = random_below(r, 2) ? ACT_BLOCK : ACT_CYCLIC;
    machine->expanded = (int)random_below(r, 2);
    for (int n = 0; n < ACT_NETWORKS; n++) {
        machine->networks[n] = (struct act_network){.latency_s = random_seconds(r),
                                                    .send_s = random_seconds(r),
                                                    .receive_s = random_seconds(r),
                                                    .gap_s = random_seconds(r),
                                                    .byte_s = 1e-3 * random_seconds(r),
                                                    .eager = eager[random_below(r, 4)]};
    }
    *config = (struct act_config){.nodes = 1 + random_below(r, 4),
                                  .processes = 1 + random_below(r, 9),
                                  .threads = random_below(r, 3)};
}

/* --- Comparison. --- */

static struct {
    int runs, faults, ties, sensitive, large, shared;
} seen;

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)) + 1e-300;
}

/* The first difference as text, or "". */
static void difference(const struct brute *b, const struct act_model *model,
                       const struct act_result *result, char *text, size_t size)
{
    double latest = 0;

    *text = '\0';
    for (int p = 0; p < b->processes; p++) {
        latest = fmax(latest, b->actors[p].clock);
        if (!is_near(result->process_s[p], b->actors[p].clock)) {
            snprintf(text, size, "process %d ends at %.17g s, by brute force %.17g s", p,
                     result->process_s[p], b->actors[p].clock);
            return;
        }
    }
    if (!is_near(result->makespan_s, latest))
        snprintf(text, size, "%.17g s, by brute force %.17g s", result->makespan_s,
                 latest);
    /* A sum of differences of times has their errors. */
    for (int i = 0; i < model->element_count && !*text; i++)
        if (result->elements[i].calls != b->calls[i] ||
            fabs(result->elements[i].total_s - b->total_s[i]) >
                1e-11 * (double)(1 + b->calls[i]) * (1 + latest) ||
            fabs(result->elements[i].wait_s - b->wait_s[i]) >
                1e-11 * (double)(1 + b->calls[i]) * (1 + latest))
            snprintf(
                text, size,
                "line %d: %ld calls of %.17g s, %.17g waiting; by brute force %ld of "
                "%.17g s, %.17g",
                model->elements[i]->place.line, (long)result->elements[i].calls,
                result->elements[i].total_s, result->elements[i].wait_s,
                (long)b->calls[i], b->total_s[i], b->wait_s[i]);
}

/* Whether a run on a machine that is faster by one part in 10^14 differs by much more:
 * who shares cores and memory for long can double a difference again and again. */
static int is_sensitive(struct act_program *program,
                        const struct act_run_options *options,
                        const struct act_result *result)
{
    struct act_run_options other = *options;
    struct act_result again;
    struct cca_error err = {0};
    double most = 0;

    other.machine.speed *= 1 + 1e-14;
    if (act_run(program, &other, &again, &err))
        return 0;
    for (int64_t p = 0; p < options->config.processes; p++)
        most = fmax(most, fabs(again.process_s[p] - result->process_s[p]));
    act_result_free(&again);
    return most > 20 * 1e-14 * result->makespan_s;
}

static void compare_run(struct brute *b, struct act_program *program, const char *text,
                        uint64_t number, int k)
{
    struct random_model r = {.state = number * 8191 + (uint64_t)k};
    struct act_run_options options = {0};
    struct act_result result;
    struct cca_error err = {0};
    char what[700] = "";
    int rc, expected;

    random_machine(&r, &options.machine, &options.config);
    expected = brute_run(b, program, &options.machine, &options.config);
    if (b->is_too_large) {
        seen.large++;
        return;
    }
    rc = act_run(program, &options, &result, &err);
    if ((rc != 0) != (expected != 0))
        snprintf(what, sizeof what, "%s, by brute force %d", rc ? err.text : "no fault",
                 expected);
    else if (rc == 0)
        difference(b, program->model, &result, what, sizeof what);
    seen.runs++;
    seen.faults += rc != 0;
    seen.shared += rc == 0 && result.shared;
    if (*what && b->is_tied) {
        seen.ties++;
        *what = '\0';
    }
    if (*what && rc == 0 && is_sensitive(program, &options, &result)) {
        seen.sensitive++;
        *what = '\0';
    }
    if (*what) {
        puts(text);
        act_machine_print(&options.machine, stdout);
        fail_msg("model %ld, machine %d, N%dP%dT%d: %s", (long)number, k,
                 (int)options.config.nodes, (int)options.config.processes,
                 (int)options.config.threads, what);
    }
    if (rc == 0)
        act_result_free(&result);
}

/* A text's model, interpreted, in *program. */
static struct act_model *read_model(uint64_t number, void (*write)(uint64_t, FILE *),
                                    char **text, struct act_program **program)
{
    struct cca_error err = {0};
    size_t size;
    FILE *out = open_memstream(text, &size);
    struct act_model *model;

    assert_non_null(out);
    write(number, out);
    assert_int_equal(fclose(out), 0);
    model = act_model_read("random.act", *text, size, &err);
    if (!model)
        fail_msg("model %ld: %s\n%s", (long)number, err.text, *text);
    *program = act_interpret_new(model, NULL, &err);
    assert_non_null(*program);
    return model;
}

/* One model on some machines, as it is and with varied costs. */
static void compare_model(struct brute *b, uint64_t number,
                          void (*write)(uint64_t, FILE *))
{
    char *text = NULL;
    struct varied v = {0};
    struct act_model *model = read_model(number, write, &text, &v.inner);

    v.program = *v.inner;
    v.program.start = varied_start;
    v.program.next = varied_next;
    for (int k = 0; k < 4; k++)
        compare_run(b, k % 2 ? &v.program : v.inner, text, number, k);
    act_interpret_free(v.inner);
    act_model_free(model);
    free(text);
}

static void compare_models(void (*write)(uint64_t, FILE *))
{
    struct brute *b = calloc(1, sizeof *b);
    uint64_t first = (uint64_t)test_count("FIRST", 1, 1),
             count = (uint64_t)test_count("MODELS", 60, 20000);

    assert_non_null(b);
    memset(&seen, 0, sizeof seen);
    for (uint64_t number = first; number < first + count; number++)
        compare_model(b, number, write);
    for (int i = 0; i < b->actor_count; i++)
        free(b->actors[i].state);
    free(b);
    printf(
        "%d runs: %d at fault, %d share cores, %d differ by ties, %d are sensitive; %d "
        "too large\n",
        seen.runs, seen.faults, seen.shared, seen.ties, seen.sensitive, seen.large);
    assert_true(seen.ties * 50 < seen.runs && seen.sensitive * 200 < seen.runs &&
                seen.large * 5 < seen.runs && seen.faults * 2 < seen.runs);
}

TEST(models_of_any_shape_end_when_brute_force_says)
{
    compare_models(random_model);
}

TEST(models_of_messages_end_when_brute_force_says)
{
    compare_models(write_messages);
}

/* Processes that run ahead, and events in the order of time, where no core is shared: the
 * same ends, with noise, too, which depends on the process and on how much it drew. */
TEST(both_modes_give_the_same_with_noise)
{
    int compared = 0;

    for (uint64_t number = 1; number <= 400; number++) {
        char *text = NULL;
        struct act_program *program;
        struct act_model *model = read_model(
            number, number % 2 ? write_messages : random_model, &text, &program);
        struct random_model r = {.state = number * 524287};
        struct act_run_options options = {.seed = number};
        struct act_result ahead, ordered;
        struct cca_error err = {0};
        int rc;

        random_machine(&r, &options.machine, &options.config);
        options.machine.cores = 9;
        options.machine.noise = 0.2;
        options.machine.memory = 0;
        rc = model->has_threads ? -1 : act_run(program, &options, &ahead, &err);
        if (!rc) {
            options.machine.memory = 1e300;
            assert_int_equal(act_run(program, &options, &ordered, &err), 0);
            for (int64_t p = 0; p < options.config.processes; p++)
                if (!is_near(ahead.process_s[p], ordered.process_s[p]))
                    fail_msg("model %ld: process %d ends at %.17g s ahead, %.17g s in "
                             "order\n%s",
                             (long)number, (int)p, ahead.process_s[p],
                             ordered.process_s[p], text);
            compared++;
            act_result_free(&ahead);
            act_result_free(&ordered);
        }
        act_interpret_free(program);
        act_model_free(model);
        free(text);
    }
    printf("%d models compared\n", compared);
    assert_true(compared > 100);
}

TESTS(NULL, NULL)
