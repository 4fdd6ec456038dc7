/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_balance.c: policies of repartitioning on a mesh profile. */
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/balance/balance_verb.h"

static const struct cca_option option_table[] = {
    [BALANCE_PROFILE] = {"--profile", "NAME",
                         "the profile, where the experiment has several"},
    [BALANCE_PROBE] = {"--probe", "NAME", "its probe (default work, else the first)"},
    [BALANCE_PARTS] = {"--parts", "N", "parts (default: the ranks of the run)"},
    [BALANCE_PARTITIONER] =
        {"--partitioner", "NAME",
         "rcb (default), rcb:planes, hilbert, greedy, keep; zoltan:RCB, RCB:planes, RIB, "
         "HSFC, BLOCK, GRAPH, HYPERGRAPH or SCOTCH"},
    [BALANCE_PRICE] = {"--price", "P",
                       "of a repartition, in the unit of the probe, or with x in mean "
                       "part loads (default 1x); model[:EXP]: as the Mastermind models "
                       "the redistributions that EXP (default: this one) has run"},
    [BALANCE_MOVE] = {"--move", "P",
                      "of a cell that moves; with x: of moving all cells (default 1x)"},
    [BALANCE_POLICY] =
        {"--policy", "NAME,...",
         "never, each, fixed:N, paper:TH:MIN:MAX[:FIRST], threshold:TH, loss, expect, "
         "look:H, oracle (default never,fixed:20,paper:.15:5:20,loss,expect,oracle); "
         "./my.so[:ARGUMENT] for --partitioner, --price and --policy: code of your own "
         "(mesh_balance_plugin.h)"},
    [BALANCE_LAG] =
        {"--lag", "N",
         "0: a partition is computed from the weights of its first step; 1: from those "
         "of the step before, as in a running program (default 0)"},
    [BALANCE_EVERY] = {"--every", "N",
                       "live policies decide before each N-th step alone"},
    [BALANCE_STEP] = {"--step", "A:B", "only these steps"},
    [BALANCE_BACK] = {"--back", NULL, "from the last step to the first"},
    [BALANCE_SWEEP] =
        {"--vary", "WHAT",
         "parts=A:B: 2, 4, 8 ... parts from A to B; price[=A:B]: prices A to B times as "
         "large, by factors of the root of ten (default .1:10)"},
    [BALANCE_SCHEDULE] = {"--schedule", "FILE",
                          "write the cheapest policy's schedule for a run"},
    [BALANCE_CSV] = {"--csv", NULL, "print a row for each policy and step"},
    [BALANCE_JSON] = {"--json", NULL, "print one document, mastermind/balance/1"},
};

/* --- The trace. --- */

static int open_trace(struct balance_asked *asked, const char *experiment,
                      const struct cca_given *options)
{
    struct balance_trace *trace = &asked->verb.trace;
    int result = MM_EXIT_INPUT;

    trace->experiment = experiment;
    trace->back = options[BALANCE_BACK].given;
    trace->profile = mesh_open(experiment, &options[BALANCE_PROFILE], &result);
    if (!trace->profile)
        return result;
    trace->probe = mesh_probe_find(trace->profile, &options[BALANCE_PROBE], "work");
    if (trace->probe < 0)
        return MM_EXIT_INPUT;
    result = mesh_steps_read(trace->profile, &options[BALANCE_STEP], &trace->first,
                             &trace->end);
    if (result < 0 && trace->first >= trace->end)
        result = mm_refuse(MM_EXIT_INPUT, "%s: found no whole step",
                           mesh_profile_path(trace->profile));
    if (result < 0)
        result = balance_trace_open(trace);
    if (result >= 0 || asked->verb.parts || asked->swept)
        return result;
    asked->verb.parts = balance_ranks(trace);
    return asked->verb.parts > 1
               ? -1
               : mm_refuse(MM_EXIT_MISUSE, "%s is of %s; expected --parts N",
                           mm_safe(experiment),
                           asked->verb.parts ? "one rank" : "no rank");
}

/* --- Simulations. --- */

static void look_on(void *context, int64_t done, int64_t all)
{
    mesh_look_on(context, (double)done / (double)all);
}

/* Compute the loads of all partitions into this number of parts. Returns -1, or an exit
 * code after a message; call mesh_loads_free either way. */
static int make_loads(struct balance_verb *verb, int parts, struct mesh_loads *loads)
{
    struct mesh_look look = {.what = "loads of all partitions"};
    struct mesh_loads_wish wish = {
        .parts = parts, .lag = verb->lag, .progress = look_on, .context = &look};
    struct mesh_partitioner partitioner;
    struct cca_error err = {0};
    int opened, rc;

    opened = rc = balance_partitioner_open(verb, parts, &partitioner, &err);
    if (!rc)
        rc = mesh_loads_make(loads, &verb->trace.source, &partitioner, &wish, &err);
    mesh_partitioner_close(&partitioner);
    mesh_look_end(&look);
    if (opened == -EINVAL || opened == -ENOTSUP)
        return mm_refuse(MM_EXIT_MISUSE, "%s", err.text);
    if (rc == -EDOM)
        return mm_refuse(MM_EXIT_INPUT, "%s: %s", mesh_profile_path(verb->trace.profile),
                         err.text);
    return rc ? mm_complain(&err) : -1;
}

/* Simulate with prices times `factor`. Returns -1, or an exit code after a message;
 * call balance_plugins_close and mesh_simulation_free either way. */
static int simulate(const struct balance_verb *verb, const struct mesh_loads *loads,
                    double factor, struct balance_found *found)
{
    struct cca_error err = {0};
    int result, rc;

    found->loads = loads;
    mesh_price_make(&found->price, loads, &verb->repartition, &verb->move);
    found->price.repartition *= factor;
    found->price.cell *= factor;
    if (verb->price_model)
        balance_model_price(verb->price_model, factor, &found->price);
    mesh_heavy_find(loads, &found->heavy);
    result = balance_plugins_open(verb, found);
    if (result >= 0)
        return result;
    rc = mesh_simulate(&found->simulation, loads, &found->price, found->policies,
                       verb->policy_count, &err);
    result = balance_plugins_check(verb, found);
    return result >= 0 ? result : rc ? mm_complain(&err) : -1;
}

static int print_one(const struct balance_verb *verb, const struct balance_found *found,
                     const struct cca_given *options)
{
    const char *name = NULL, *path = cca_given_value(&options[BALANCE_SCHEDULE]);
    int result = path ? balance_write_schedule(verb, found, path, &name) : -1;

    if (result >= 0)
        return result;
    if (options[BALANCE_CSV].given) {
        balance_csv(verb, found);
        return MM_EXIT_DONE;
    }
    if (options[BALANCE_JSON].given) {
        json_t *document = mm_json_document("balance");

        json_object_update_new(document, balance_json(verb, found));
        return mm_json_print(document);
    }
    balance_print(verb, found);
    if (path)
        printf("schedule of %s: %s\n", name, mm_safe(path));
    return MM_EXIT_DONE;
}

static int print_sweep(const struct balance_asked *asked,
                       const struct balance_found *found, const struct cca_given *options)
{
    json_t *document, *swept;

    if (!options[BALANCE_JSON].given) {
        balance_print_sweep(&asked->verb, asked->swept, found, asked->value_count,
                            asked->values);
        return MM_EXIT_DONE;
    }
    document = mm_json_document("balance");
    swept = json_array();
    for (size_t v = 0; v < asked->value_count; v++)
        json_array_append_new(swept, balance_json(&asked->verb, &found[v]));
    mm_json_set(document, "swept simulations", asked->swept, swept);
    return mm_json_print(document);
}

static int answer(struct balance_asked *asked, const struct cca_given *options)
{
    struct balance_found found[BALANCE_SWEPT];
    struct mesh_loads loads[BALANCE_SWEPT];
    int over_parts = asked->swept && strcmp(asked->swept, "parts") == 0;
    size_t count = asked->swept ? asked->value_count : 1, made = over_parts ? count : 1;
    int result = -1;

    memset(found, 0, sizeof found);
    memset(loads, 0, sizeof loads);
    for (size_t v = 0; v < count && result < 0; v++) {
        if (v < made)
            result = make_loads(&asked->verb,
                                over_parts ? (int)asked->values[v] : asked->verb.parts,
                                &loads[v]);
        if (result < 0)
            result =
                simulate(&asked->verb, &loads[over_parts ? v : 0],
                         asked->swept && !over_parts ? asked->values[v] : 1, &found[v]);
    }
    if (result < 0)
        result = asked->swept ? print_sweep(asked, found, options)
                              : print_one(&asked->verb, &found[0], options);
    for (size_t v = 0; v < count; v++) {
        mesh_simulation_free(&found[v].simulation);
        balance_plugins_close(&found[v]);
        mesh_loads_free(&loads[v]);
    }
    return result;
}

static int balance_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct balance_asked asked = {.swept = NULL};
    int result;

    if (args->count != 1)
        return mm_refuse(MM_EXIT_MISUSE, "expected one experiment, found %d",
                         args->count);
    result = balance_read_options(&asked, options);
    if (result < 0)
        result = open_trace(&asked, args->words[0], options);
    if (result < 0 && balance_price_is_model(asked.verb.repartition_text))
        result = balance_model_new(&asked.verb);
    if (result < 0)
        result = answer(&asked, options);
    balance_model_free(asked.verb.price_model);
    balance_trace_done(&asked.verb.trace);
    for (size_t i = 0; i < asked.verb.policy_count; i++)
        free(asked.verb.policy_words[i]);
    return mm_finish_output(result);
}

const struct cca_verb mm_verb_balance = {
    .name = "balance",
    .summary = "when to move the cells of a mesh between ranks",
    .examples =
        "mastermind balance field.mm --parts 16\n"
        "mastermind balance field.mm --probe work --parts 16 --price 1x --move 1x \\\n"
        "      --policy fixed:20,paper:.15:5:20,expect,oracle --schedule best.json\n"
        "mastermind balance field.mm --vary parts=2:256\n",
    .about =
        "Replay the costs of the cells of a mesh, step by step, and print the cost of a "
        "program that repartitions by each policy: the largest part's load of every "
        "step, and the price of moving cells. The optimum over all schedules is exact.\n",
    CCA_OPTIONS(option_table),
    .run = balance_verb,
};
