/* SPDX-License-Identifier: BSD-3-Clause */
/* given_whole.c: a whole run as an experiment of one row. */
#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "mastermind/writer/given.h"

static int write_row(struct mm_given *given, const struct mm_given_whole *whole,
                     const struct monitor_value_decl *values, struct cca_error *err)
{
    const char *slash = strrchr(whole->command[0], '/');
    const char *name = slash ? slash + 1 : whole->command[0];
    const struct monitor_method_decl decl = {.instance = name,
                                             .port = "program",
                                             .method = "run",
                                             .class_name = name,
                                             .build_id = "",
                                             .port_type = "program",
                                             .values = values,
                                             .in_count = whole->in_count,
                                             .out_count = 1};
    const union monitor_value out = {.i = whole->peak_bytes};
    struct mm_given_row row = {.wall = (uint64_t)whole->wall_ns,
                               .cpu_ns = whole->cpu_ns,
                               .status = 0,
                               .in = whole->in,
                               .out = &out};
    int method = mm_given_method(given, &decl, err);

    if (method < 0)
        return method;
    row.method = (uint32_t)method;
    return mm_given_row(given, &row, err);
}

int mm_given_whole_write(const char *path, const struct mm_given_whole *whole,
                         struct cca_error *err)
{
    const struct mm_given_about about = {.origin = "timed",
                                         .ns_per_tick = 1,
                                         .ranks = 1,
                                         .cpu_time = 1,
                                         .this_machine = 1,
                                         .epoch_ns = cca_clock_ns(CLOCK_REALTIME) -
                                                     whole->wall_ns,
                                         .variables = whole->variables,
                                         .variable_count = whole->in_count,
                                         .command = whole->command,
                                         .process_cpu_ns = whole->cpu_ns,
                                         .peak_bytes = whole->peak_bytes};
    struct monitor_value_decl values[MONITOR_MAX_IN + 1] = {{.name = NULL}};
    struct mm_given *given;
    int result = 0;

    if (whole->in_count > MONITOR_MAX_IN)
        return cca_error_set(err, -EINVAL,
                             "found %zu values of a run, expected at most %d",
                             whole->in_count, MONITOR_MAX_IN);
    given = mm_given_new(path, &about, err);
    if (!given)
        return err->code;
    for (size_t i = 0; i < whole->in_count; i++)
        values[i] = whole->values[i];
    values[whole->in_count] = (struct monitor_value_decl){
        .name = "peak_bytes", .type = MONITOR_INT64, .kind = MONITOR_OUT};
    result = write_row(given, whole, values, err);
    if (!result)
        result = mm_given_finish(given, err);
    mm_given_free(given);
    return result < 0 ? result : 0;
}
