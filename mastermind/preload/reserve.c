/* SPDX-License-Identifier: BSD-3-Clause */
/* reserve.c: methods of patched functions, made before the first call. */
#include "mastermind/preload/reserve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/preload/calls.h"
#include "mastermind/preload/wiring.h"
#include "mastermind/writer/session/called.h"

static struct {
    struct mm_called called; /* the methods that have been called */
    /* number of called functions whose method could not be made, and the negative errno
     * of the last one; the lock is in slots.c */
    unsigned failures;
    int why;
} reserved;

/* --- Names ---------------------------------------------------------------- */

void mm_names_find(const struct interpose_library *library,
                   const struct interpose_function *function, struct mm_names *names)
{
    if (mm_object_of(function->real.address, &names->object) < 0)
        snprintf(names->object.name, sizeof names->object.name, "unknown");
    if (library->instance)
        snprintf(names->instance, sizeof names->instance, "%s", library->instance);
    else
        mm_preload_instance_name(&names->object, names->instance);
    snprintf(names->port_type, sizeof names->port_type, "%.200s/1",
             library->port ? library->port : library->header);
}

void mm_names_candidate(struct mm_names *names, const char *candidate)
{
    const size_t name = strlen(names->object.name), instance = strlen(names->instance);

    snprintf(names->object.name + name, sizeof names->object.name - name, ":%s",
             candidate);
    snprintf(names->instance + instance, sizeof names->instance - instance, "_%s",
             candidate);
}

struct monitor_method_decl mm_names_decl(const struct interpose_library *library,
                                         const struct interpose_function *function,
                                         const struct mm_names *names)
{
    return (struct monitor_method_decl){.instance = names->instance,
                                        .port = library->port ? library->port : "c",
                                        .method = function->name,
                                        .class_name = names->object.name,
                                        .build_id = names->object.build_id,
                                        .port_type = names->port_type,
                                        .values = function->values,
                                        .in_count = function->in_count,
                                        .out_count = function->out_count};
}

/* --- Before the first call ------------------------------------------------ */

/* Set the rate of the time stamp counter, and the usual cost of a recorded call: the mean
 * of its cost in a loop and its cost with cold caches. */
static void set_cost(struct mm_recorder *recorder)
{
    struct mm_recorder_stats stats;
    struct mm_clock clock;
    const struct mm_call_cost *row, *entry;

    mm_recorder_stats(recorder, &stats);
    mm_recorder_clock(recorder, &clock);
    row = &stats.costs.rows[MM_ROW_PAIR];
    entry = &stats.costs.entries[MM_ENTRY_PATCHED];
    mm_rests_set_cost((row->loop_ns + row->cold_ns + entry->loop_ns + entry->cold_ns) / 2,
                      strcmp(clock.name, "tsc") == 0 ? 1 / clock.ns_per_tick : 0);
}

static int reserve(struct mm_recorder *recorder, struct mm_own *own,
                   const struct mm_names *names, const char *shared,
                   struct cca_error *err)
{
    struct monitor_method_decl decl = mm_names_decl(&own->library, &own->function, names);

    if (mm_called_escaped(&decl, &own->written))
        return cca_no_memory(err);
    own->shared = shared;
    own->library.monitor = mm_recorder_port(recorder);
    own->reserved = mm_recorder_reserve(recorder, &decl, err);
    return own->reserved ? 0 : err->code;
}

int mm_reserve_functions(struct mm_session *session, struct mm_own *const *functions,
                         size_t count, struct cca_error *err)
{
    struct mm_own *first = functions[0];
    struct monitor_method_decl decl;
    struct mm_names names;
    const char *shared; /* never freed */
    int code = reserved.called.base
                   ? 0
                   : mm_called_make(&reserved.called, session->directory.rank_path,
                                    mm_entry_count, err);

    if (code)
        return code;
    mm_names_find(&first->library, &first->function, &names);
    decl = mm_names_decl(&first->library, &first->function, &names);
    set_cost(session->recorder);
    shared = mm_called_shared(MM_ENTRY_PATCHED, &decl);
    if (!shared)
        return cca_no_memory(err);
    code = mm_preload_wire(session, &first->library, &names.object, names.instance,
                           decl.port, names.port_type, err);
    for (size_t i = 0; i < count && !code; i++)
        if (!functions[i]->reserved) /* variants share one */
            code = reserve(session->recorder, functions[i], &names, shared, err);
    return code;
}

/* --- The first call ------------------------------------------------------- */

void mm_reserve_admit(struct mm_recorder *recorder, struct mm_own *own)
{
    struct monitor_method_decl decl = {.method = own->function.name,
                                       .values = own->function.values,
                                       .in_count = own->function.in_count};
    uint32_t id;
    int code = !own->reserved || !recorder ? -ENOENT : mm_recorder_number(recorder, &id);

    if (!code)
        code = mm_called_add(&reserved.called, id, &decl, own->written, own->shared);
    if (!code)
        mm_recorder_admit(recorder, own->reserved, id);
    else if (code != -ENOENT) {
        reserved.why = code;
        reserved.failures++;
    }
    __atomic_store_n(&own->function.method, code ? &interpose_off : own->reserved,
                     __ATOMIC_RELEASE);
}

/* --- The end -------------------------------------------------------------- */

void mm_reserve_report(void (*print)(void *context, const char *line), void *context)
{
    char line[200], why[100];

    if (!reserved.failures)
        return;
    snprintf(line, sizeof line, "%u function%s not recorded: %s", reserved.failures,
             reserved.failures == 1 ? " is" : "s are",
             reserved.why == -ENOSPC ? "no room is left, on the disk or for their numbers"
                                     : strerror_r(-reserved.why, why, sizeof why));
    print(context, line);
}

void mm_reserve_write(struct mm_session *session, struct cca_error *err)
{
    if (reserved.called.base &&
        !(mm_called_note(&reserved.called, &session->methods) ||
          mm_methods_write(&session->methods, session->directory.rank_path, err)))
        mm_called_remove(&reserved.called);
}

void mm_reserve_remove(void)
{
    mm_called_remove(&reserved.called);
}
