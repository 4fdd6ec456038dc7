/* SPDX-License-Identifier: BSD-3-Clause */
/* scope.c: the names that expressions may use; docs/reference/property-files.md explains
 * them. */
#include "properties/evaluate/parts.h"

#define SUMMARY                                                                          \
    "calls", "unfinished", "exec_time", "own_time", "mpi_time", "own_mpi_time",          \
        "recv_time", "send_time", "coll_time", "io_time", "comm_time", "sync_time",      \
        "ctl_par", "mpi_sync_time", "omp_sync_time", "mpi_ctl_time", "omp_ctl_time",     \
        "loss_par", "wait_time", "instructions", "recording", "useful_time",             \
        "identified"

static const char *const
    summary[] = {SUMMARY, NULL},
    *const run[] = {SUMMARY, "units", "total_time", "total_useful", "total_instructions",
                    NULL},
    *const message[] = {"src",
                        "dst",
                        "size_class",
                        "n",
                        "samples",
                        "bytes",
                        "min",
                        "max",
                        "sum",
                        "late_send",
                        "late_send_low",
                        "late_send_high",
                        "late_recv",
                        "late_recv_low",
                        "late_recv_high",
                        "transfer",
                        NULL},
    *const collective[] = {"instances", "samples", "wait",      "wait_low",
                           "wait_high", "longest", "last_rank", "last_share",
                           "function",  NULL},
    *const result[] = {"severity", "confidence", "holds", NULL},
    *const cache[] = {"level", "misses", "accesses", "penalty", "bytes", NULL},
    *const counter[] = {"name", "value", "own_value", NULL},
    *const model[] = {"calls", "excess", "sd", "worst_time", "worst_model", NULL},
    *const region[] = {"kind", "name", "instance", "port", "method", "class", NULL},
    *const unit[] = {"rank", "thread", "wall", "cpu", "stolen", NULL},
    *const node[] = {"cores", NULL}, *const experiment[] = {"ranks", "threads",
                                                            "units", "recording",
                                                            "cpu",   NULL};

static const struct mm_scope_table others[MM_SCOPE_WORDS] = {
    [MM_SCOPE_BASIS] = {"basis", "b", summary, "summary"},
    [MM_SCOPE_CACHE] = {"cache", "c", cache, "summary_cache"},
    [MM_SCOPE_COUNTER] = {"counter", "k", counter, "summary_counter"},
    [MM_SCOPE_MODEL] = {"model", "m", model, "model_excess"},
    [MM_SCOPE_REGION] = {"region", "r", region, "region"},
    [MM_SCOPE_UNIT] = {"unit", "u", unit, "unit"},
    [MM_SCOPE_NODE] = {"node", "n", node, "node"},
    [MM_SCOPE_EXPERIMENT] = {"experiment", "e", experiment, "experiment"}};

static const struct mm_scope_table selves[MM_FOR_COUNT] = {
    [MM_FOR_SUMMARY] = {"summary", "s", summary, "summary"},
    [MM_FOR_REGION] = {"summary", "s", summary, "summary"},
    [MM_FOR_EXPERIMENTS] = {"par", "s", run, "summary"},
    [MM_FOR_MESSAGES] = {"msg", "s", message, "message"},
    [MM_FOR_COLLECTIVES] = {"collective", "s", collective, "collective"},
    [MM_FOR_PROPERTIES] = {"result", "s", result, "property_result"}};

static const struct mm_scope_table sequential = {"seq", "q", run, "summary"};

const struct mm_scope_table *mm_scope_find(enum mm_property_for object,
                                           enum mm_scope_word word)
{
    int per_unit = object == MM_FOR_SUMMARY || object == MM_FOR_REGION;

    if (word == MM_SCOPE_SELF)
        return &selves[object];
    if (word == MM_SCOPE_SEQ)
        return object == MM_FOR_EXPERIMENTS ? &sequential : NULL;
    if (object == MM_FOR_PROPERTIES)
        return word == MM_SCOPE_REGION ? &others[word] : NULL;
    if (word == MM_SCOPE_BASIS || word == MM_SCOPE_REGION || word == MM_SCOPE_EXPERIMENT)
        return &others[word];
    return per_unit ? &others[word] : NULL;
}
