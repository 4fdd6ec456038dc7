/* SPDX-License-Identifier: BSD-3-Clause */
/* about.c: write experiment.json, which describes the program, the machine and the
 * measurement. */
#include "mastermind/writer/parts.h"

#include "mastermind/writer/json_file.h"
#include "mastermind/writer/machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/thread_times.h"

enum { COLUMNS = 100 }; /* width of a line on a terminal */

/* Return the arguments of the process's command line; an empty array if the system has
 * none. */
static json_t *command_line(void)
{
    json_t *words = json_array();
    FILE *file = fopen("/proc/self/cmdline", "re");
    char *word = NULL;
    size_t size = 0;

    while (words && file && getdelim(&word, &size, '\0', file) > 0)
        words = mm_json_append(words, mm_json_text(word));
    free(word);
    if (file)
        fclose(file);
    return words;
}

static json_t *add_missing(json_t *missing, const char *name, const char *why)
{
    return mm_json_append(missing, json_pack("{s:o, s:o}", "name", mm_json_text(name),
                                             "why", mm_json_text(why)));
}

static int has_text(const json_t *array, const char *text)
{
    json_t *item;
    size_t i;

    json_array_foreach(array, i,
                       item) if (strcmp(json_string_value(item), text) == 0) return 1;
    return 0;
}

/* True if `text` is the name of a missing counter in the list. */
static int names_text(const json_t *missing, const char *text)
{
    json_t *item;
    size_t i;

    json_array_foreach(missing, i,
                       item) if (strcmp(json_string_value(json_object_get(item, "name")),
                                        text) == 0) return 1;
    return 0;
}

int mm_about_first_counter(struct measurement_port *measurement)
{
    const char *name = measurement->metric_name(measurement, 1, NULL);

    return name && strcmp(name, "CPU_TIME") == 0 ? 2 : 1;
}

int mm_about_counter_count(struct measurement_port *measurement)
{
    int count =
        measurement->metric_count(measurement) - mm_about_first_counter(measurement);

    return count < MM_RECORDER_COUNTERS ? count : MM_RECORDER_COUNTERS;
}

static const char *why_no_mpi_time(void)
{
    const struct meas_mpi *mpi = dlsym(RTLD_DEFAULT, MEAS_MPI);

    return mpi && !mpi->is_timed() ? MEAS_MPI_NOT_TIMED
                                   : "time inside MPI is not measured";
}

/* Return the requested counters, the counters that rows have, and the missing counters
 * with reasons. */
static json_t *counters_json(struct measurement_port *measurement)
{
    json_t *asked = json_array(), *names = json_array(), *missing = json_array();
    int first = measurement ? mm_about_first_counter(measurement) : 0;
    int kept = measurement ? mm_about_counter_count(measurement) : 0;
    const char *name, *why;

    for (int i = 0;
         measurement && (name = measurement->metric_name(measurement, first + i, NULL));
         i++) {
        asked = mm_json_append(asked, mm_json_text(name));
        if (i < kept)
            names = mm_json_append(names, mm_json_text(name));
        else
            missing = add_missing(missing, name, "a row has room for eight counters");
    }
    for (int i = 0;
         measurement && (name = measurement->missing_metric(measurement, i, &why)); i++) {
        missing = add_missing(missing, name, why);
        if (names && asked && !has_text(names, name))
            asked = mm_json_append(asked, mm_json_text(name));
    }
    if (json_array_size(asked) == 0)
        missing = add_missing(missing, "hardware counters",
                              mm_machine_has_counters() ? "none was requested"
                                                        : "no hardware counters here");
    if (missing && !(measurement && measurement->mpi_time(measurement)) &&
        !names_text(missing, "MPI_TIME"))
        missing = add_missing(missing, "MPI_TIME", why_no_mpi_time());
    return json_pack("{s:o, s:o, s:o}", "asked", asked, "names", names, "missing",
                     missing);
}

int mm_about_counters(json_t *about, struct measurement_port *measurement)
{
    return json_object_set_new(about, "counters", counters_json(measurement)) ? -ENOMEM
                                                                              : 0;
}

static json_t *timers_json(struct measurement_port *m)
{
    struct measurement_timer_values v;
    json_t *timers = json_array();
    const char *name, *group;

    for (int i = 0; (name = m->timer_name(m, i, &group)); i++)
        if (m->timer_values(m, i, &v) == 0 && v.calls > 0)
            timers = mm_json_append(
                timers,
                json_pack("{s:o, s:o, s:I, s:I, s:I, s:I}", "name", mm_json_text(name),
                          "group", mm_json_text(group), "calls", (json_int_t)v.calls,
                          "subroutines", (json_int_t)v.subroutines, "inclusive_ns",
                          (json_int_t)v.inclusive_ns, "exclusive_ns",
                          (json_int_t)v.exclusive_ns));
    return timers;
}

static json_t *events_json(struct measurement_port *m)
{
    struct measurement_event_values v;
    json_t *events = json_array();
    const char *name;

    for (int i = 0; (name = m->event_name(m, i)); i++)
        if (m->event_values(m, i, &v) == 0 && v.count > 0)
            events = mm_json_append(
                events,
                json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "name", mm_json_text(name),
                          "count", (json_int_t)v.count, "min", mm_json_real(v.min), "max",
                          mm_json_real(v.max), "mean", mm_json_real(v.mean), "sd",
                          mm_json_real(v.standard_deviation)));
    return events;
}

/* Set `list` as the member `key` of `about`, unless it is empty. */
static int set_list(json_t *about, const char *key, json_t *list)
{
    if (list && json_array_size(list) == 0) {
        json_decref(list);
        return 0;
    }
    return json_object_set_new(about, key, list) ? -ENOMEM : 0;
}

int mm_about_measurement(json_t *about, struct measurement_port *measurement)
{
    int result = set_list(about, "timers", timers_json(measurement));

    return result ? result : set_list(about, "events", events_json(measurement));
}

static json_t *mpi_timers_json(const struct meas_mpi *mpi)
{
    json_t *timers = json_array();
    const char *name;

    for (int i = 0; (name = mpi->name(i)); i++) {
        int64_t calls, ns;

        mpi->values(i, &calls, &ns);
        if (calls > 0)
            timers = mm_json_append(timers, json_pack("{s:o, s:s, s:I, s:i, s:I, s:I}",
                                                      "name", json_sprintf("%s()", name),
                                                      "group", MEAS_MPI_GROUP, "calls",
                                                      (json_int_t)calls, "subroutines", 0,
                                                      "inclusive_ns", (json_int_t)ns,
                                                      "exclusive_ns", (json_int_t)ns));
    }
    return timers;
}

int mm_about_mpi(json_t *about, const struct meas_mpi *mpi)
{
    json_t *missing = json_object_get(json_object_get(about, "counters"), "missing");

    for (size_t i = json_array_size(missing); i-- > 0;)
        if (strcmp(json_string_value(json_object_get(json_array_get(missing, i), "name")),
                   "MPI_TIME") == 0)
            json_array_remove(missing, i);
    if (mpi->was_off() &&
        json_array_append_new(missing, json_pack("{s:s, s:s}", "name", "MPI_TIME", "why",
                                                 MEAS_MPI_WAS_OFF)))
        return -ENOMEM;
    if (json_object_set_new(about, "mpi_time", json_true()))
        return -ENOMEM;
    return set_list(about, "timers", mpi_timers_json(mpi));
}

json_t *mm_about_new(const char *script, const char *command,
                     struct measurement_port *measurement,
                     const struct mm_storage *storage)
{
    json_t *words = command_line();
    char kept[64];

    if (words && json_array_size(words) == 0 && command)
        json_array_append_new(words, mm_json_text(command));
    mm_storage_text(storage, kept, sizeof kept);
    return json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:b, s:o, s:i, s:s, s:I, s:b, s:b, s:[], s:o}",
        "format", 1, "schema", "mastermind/experiment/1", "command", words, "script",
        mm_json_text(script), "started", mm_json_time_now(), "finished", 0, "machine",
        mm_machine_json(), "ranks", 1, "storage", kept, "size_limit",
        (json_int_t)storage->size_limit, "cpu_time", 1, "mpi_time",
        measurement && measurement->mpi_time(measurement) != NULL, "measured", "counters",
        counters_json(measurement));
}

static json_t *cost_json(const struct mm_call_cost *cost)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "loop_ns", mm_json_real(cost->loop_ns),
                     "cold_ns", mm_json_real(cost->cold_ns), "loop_within_ns",
                     mm_json_real(cost->loop_within_ns), "cold_within_ns",
                     mm_json_real(cost->cold_within_ns));
}

/* Return a JSON object with the costs of recording a call: a member for each of `names`,
 * which ends with NULL. */
static json_t *costs_json(const struct mm_call_cost *costs, const char *const *names)
{
    json_t *json = json_object();

    for (int i = 0; json && names[i]; i++)
        if (json_object_set_new(json, names[i], cost_json(&costs[i]))) {
            json_decref(json);
            return NULL;
        }
    return json;
}

static json_t *overhead_json(const struct mm_recorder_stats *stats)
{
    const struct mm_call_costs *costs = &stats->costs;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:s}", "call_ns",
                     mm_json_real(costs->rows[MM_ROW_PAIR].loop_ns), "aggregate_ns",
                     mm_json_real(costs->sums[MM_ROW_PAIR].loop_ns), "rows",
                     costs_json(costs->rows, mm_row_names), "aggregates",
                     costs_json(costs->sums, mm_row_names), "entries",
                     costs_json(costs->entries, mm_entry_names), "value_ns",
                     mm_json_real(costs->value_ns), "pace", mm_json_real(costs->pace),
                     "reading_ns", (json_int_t)stats->reading_ns, "packing",
                     stats->packing);
}

int mm_about_update(json_t *about, const struct mm_recorder *recorder, json_t *measured)
{
    struct mm_recorder_stats stats;
    struct mm_clock clock;

    mm_recorder_stats(recorder, &stats);
    mm_recorder_clock(recorder, &clock);
    if (json_object_set_new(about, "clock",
                            json_pack("{s:s, s:o, s:I, s:I}", "name", clock.name,
                                      "ns_per_tick", mm_json_real(clock.ns_per_tick),
                                      "epoch_ticks", (json_int_t)clock.epoch_ticks,
                                      "epoch_ns", (json_int_t)clock.epoch_ns)) ||
        json_object_set_new(about, "overhead", overhead_json(&stats)) ||
        json_object_set_new(about, "off_core", json_string(stats.core)) ||
        json_object_set(about, "measured", measured))
        return -ENOMEM;
    return 0;
}

int mm_about_finish(json_t *about, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost, int64_t wall_ns)
{
    json_t *totals = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "rows",
        (json_int_t)stats->rows, "aggregated", (json_int_t)stats->folded, "sampled",
        (json_int_t)stats->counted, "other_keys", (json_int_t)stats->other, "dropped",
        (json_int_t)stats->dropped, "nested", (json_int_t)stats->nested, "methods",
        (json_int_t)stats->methods, "threads", (json_int_t)stats->threads, "wall_ns",
        (json_int_t)wall_ns, "unplaced_ns", (json_int_t)stats->unplaced_ns,
        "size_limit_reached", stats->limited > 0);

    if (json_object_set_new(about, "totals", totals) ||
        json_object_set_new(about, "cost", mm_cost_json(cost)) ||
        json_object_set_new(about, "ended", mm_json_time_now()) ||
        json_object_set_new(about, "finished", json_true()))
        return -ENOMEM;
    return 0;
}

/* Return the largest resident memory of this process since its exec, as the kernel
 * reports it; 0: unknown. */
static int64_t peak_bytes(void)
{
    union {
        void *address;
        int64_t (*call)(void);
    } memory = {dlsym(RTLD_DEFAULT, MEAS_MEMORY_PEAK)};
    FILE *file = memory.address ? NULL : fopen("/proc/self/status", "re");
    char line[200];
    long kib = 0;

    if (memory.address)
        return memory.call();
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld kB", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return (int64_t)kib * 1024;
}

int mm_about_process(json_t *about, int64_t elapsed_ns, int64_t cpu_ns, int64_t load_ns)
{
    return json_object_set_new(
               about, "process",
               json_pack("{s:I, s:I, s:I, s:I}", "elapsed_ns", (json_int_t)elapsed_ns,
                         "cpu_ns", (json_int_t)cpu_ns, "load_ns", (json_int_t)load_ns,
                         "peak_bytes", (json_int_t)peak_bytes()))
               ? -ENOMEM
               : 0;
}

/* Format a number with commas: 48112 is "48,112". */
static const char *with_commas(uint64_t number, char *text, size_t size)
{
    char digits[24];
    size_t length, out = 0;

    snprintf(digits, sizeof digits, "%" PRIu64, number);
    length = strlen(digits);
    for (size_t i = 0; i < length && out + 2 < size; i++) {
        if (i && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

/* Return a copy of a name that is safe for a terminal: control characters are escaped. */
static char *printable(const char *name)
{
    char *text = malloc(4 * strlen(name) + 1), *end = text;

    for (; text && *name; name++) {
        unsigned char c = (unsigned char)*name;

        if (c < 0x20 || c == 0x7f)
            end += sprintf(end, "\\x%02x", c);
        else
            *end++ = (char)c;
    }
    if (text)
        *end = '\0';
    return text;
}

/* Print a number with `digits` significant digits, but never with an exponent. */
static void print_number(FILE *out, double number, int digits)
{
    if (number >= 100)
        fprintf(out, "%.0f", number);
    else if (number != 0 && number < 1e-3)
        fprintf(out, "< 0.001");
    else
        fprintf(out, "%.*g", digits, number);
}

/* Print the numbers of rows kept and of aggregated invocations. */
static void print_kept(FILE *out, const struct mm_recorder_stats *stats)
{
    char text[4][32];

    fprintf(out, "%s method%s, %s row%s",
            with_commas(stats->methods, text[0], sizeof text[0]),
            stats->methods == 1 ? "" : "s",
            with_commas(stats->rows, text[1], sizeof text[1]),
            stats->rows == 1 ? "" : "s");
    if (stats->folded)
        fprintf(out, ", %s of %s invocation%s in aggregates",
                with_commas(stats->folded, text[2], sizeof text[2]),
                with_commas(stats->folded + stats->rows - stats->counted, text[3],
                            sizeof text[3]),
                stats->folded + stats->rows - stats->counted == 1 ? "" : "s");
    if (stats->limited)
        fprintf(out, ", size limit reached");
    fprintf(out, ", %s dropped", with_commas(stats->dropped, text[0], sizeof text[0]));
    if (stats->nested)
        fprintf(out, ", %s in signal handlers not recorded",
                with_commas(stats->nested, text[1], sizeof text[1]));
}

/* Return a new text such as "measuring cost 0.05 % of 18.2 s CPU". */
static char *compose_cost(const struct mm_cost *cost)
{
    double all_s = (double)cost->process_ns * 1e-9;
    double cost_s = (double)mm_cost_sum(cost) * 1e-9;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs("measuring cost ", out);
    print_number(out, all_s > 0 ? 100 * cost_s / all_s : 0, 2);
    fputs(" % of ", out);
    print_number(out, all_s, 3);
    fputs(" s CPU", out);
    fclose(out);
    return text;
}

static char *compose_line(const char *shown, const struct mm_recorder_stats *stats,
                          const struct mm_cost *cost)
{
    char *name = printable(shown), *paid = compose_cost(cost), *line = NULL;
    size_t size;
    FILE *out = name && paid ? open_memstream(&line, &size) : NULL;

    if (out) {
        fprintf(out, "experiment %s: ", name);
        print_kept(out, stats);
        fflush(out);
        if (size + strlen("; ") + strlen(paid) > COLUMNS)
            fprintf(out, "\nexperiment %s: %s", name, paid);
        else
            fprintf(out, "; %s", paid);
        fclose(out);
    }
    free(name);
    free(paid);
    return line;
}

char *mm_about_last_words(const char *shown)
{
    char *name = printable(shown), *line = NULL;

    if (name &&
        asprintf(
            &line,
            "experiment %s: the run did not end in order; the experiment can be read\n",
            name) < 0)
        line = NULL;
    free(name);
    return line;
}

/* The C locale is used, because a component may have set another number format (0,05). */
char *mm_about_line(const char *shown, const struct mm_recorder_stats *stats,
                    const struct mm_cost *cost)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    char *line = compose_line(shown, stats, cost);

    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return line;
}
