/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_calls.c: CPU time by function where the kernel takes no samples: the recorder
 * times all functions of the program, in an experiment that is removed afterwards. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/directory.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/library/entries.h"
#include "mastermind/library/uses.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/reader/timers.h"

/* --- Before the run ------------------------------------------------------- */

/* Make a folder where files can be made. The result is new; NULL: there is none. */
static char *make_folder(void)
{
    const char *const folders[] = {getenv("TMPDIR"), "/tmp", "/dev/shm",
                                   getenv("XDG_RUNTIME_DIR"), "."};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *folder = NULL;

        if (!folders[i] || asprintf(&folder, "%s/mastermind-XXXXXX", folders[i]) < 0)
            continue;
        if (mkdtemp(folder))
            return folder;
        free(folder);
    }
    return NULL;
}

/* Make the table of a file's functions. Where the cache cannot be written, tables are
 * kept in `folder`. Returns 0 or a negative errno with `err`. */
static int make_table(const char *file, const char *folder, struct cca_error *err)
{
    struct cca_error first = {0};
    char *table = NULL;
    int result = mm_entries_get(file, &table, &first);

    if (result && result != -ENOTSUP && result != -ENOEXEC && result != -ENOMEM &&
        setenv("XDG_CACHE_HOME", folder, 1) == 0)
        result = mm_entries_get(file, &table, err);
    else if (result)
        *err = first;
    free(table);
    return result;
}

/* Patterns of all functions of a program, and of its libraries that are not the
 * system's. The result is new; NULL: out of memory. */
static char *make_patterns(const struct mm_uses *uses, const char *folder)
{
    char *patterns = strdup("*");

    for (size_t i = 0; i < uses->count && patterns; i++) {
        struct cca_error err = {0};
        char *longer = NULL;

        if (uses->list[i].system || strpbrk(uses->list[i].soname, "*?[]\\,:/") ||
            make_table(uses->list[i].file, folder, &err))
            continue;
        if (asprintf(&longer, "%s,%s/*", patterns, uses->list[i].soname) < 0)
            longer = NULL;
        free(patterns);
        patterns = longer;
    }
    return patterns;
}

int mm_whole_time_calls(struct mm_whole *whole, struct cca_error *err)
{
    char *folder = make_folder(), *patterns = NULL;
    struct mm_uses uses = {.program = NULL};
    int result;

    if (!folder)
        return cca_error_set(err, -errno, "no folder for temporary files: %s",
                             strerror(errno));
    result = mm_uses_read(&uses, whole->program, err);
    if (!result)
        result = make_table(uses.program, folder, err);
    if (!result && (!(patterns = make_patterns(&uses, folder)) ||
                    asprintf(&whole->calls, "%s/calls.mm", folder) < 0)) {
        whole->calls = NULL;
        result = cca_no_memory(err);
    }
    if (!result && mm_record_functions((const char *const *)&patterns, 1, whole->program))
        result = cca_no_memory(err);
    mm_uses_done(&uses);
    free(patterns);
    free(folder);
    return result;
}

/* --- After the run ---------------------------------------------------------- */

/* Add a row of CPU time in us; the file of a method is known by its name alone. */
static int add_method(struct mm_samples *samples, const struct mm_method_info *method,
                      const char *program, double ns)
{
    const char *slash = strrchr(program, '/');
    int is_own = strcmp(method->class_name, slash ? slash + 1 : program) == 0;
    int is_symbol = strncmp(method->method, "0x", 2) != 0; /* else an address */
    struct mm_sample_row *row;

    if (!(ns >= 1000))
        return 0;
    row = cca_array_add(&samples->rows, &samples->row_count, sizeof *row);
    if (!row)
        return -ENOMEM;
    if (asprintf(&row->function, "%s%s%s", is_symbol ? "" : method->class_name,
                 is_symbol ? "" : "+", method->method) < 0)
        row->function = NULL;
    row->path = strdup(is_own ? program : method->class_name);
    row->count = (uint64_t)llround(ns / 1000);
    row->is_symbol = is_symbol;
    samples->count += row->count;
    return row->function && row->path ? 0 : -ENOMEM;
}

static int order_rows(const void *left, const void *right)
{
    const struct mm_sample_row *a = left, *b = right;

    return (a->count < b->count) - (a->count > b->count);
}

/* CPU time of the calls of each method, without the cost of recording them. */
static int read_input(const struct mm_input *input, const char *program,
                      struct mm_samples *samples, double *measuring_ns)
{
    const struct mm_dual *dual = input->profiles[0]->dual;
    struct mm_process_times times = {0};
    struct cca_error err = {0};
    int result = 0;

    if (mm_experiment_process(input->experiments[0], 0, &times, &err))
        times.measuring_ns = 0;
    for (size_t i = 0; i < dual->thread_vertex && !result; i++)
        if (dual->vertices[i].calls && dual->vertices[i].method)
            result = add_method(samples, dual->vertices[i].method, program,
                                (double)dual->vertices[i].exclusive_ns);
    if (samples->row_count)
        qsort(samples->rows, samples->row_count, sizeof *samples->rows, order_rows);
    *measuring_ns = dual->recording_ns + (double)times.measuring_ns;
    return result;
}

int mm_whole_read_calls(const struct mm_whole *whole, struct mm_samples *samples,
                        double *measuring_ns)
{
    static const char *const metric[] = {"CPU_TIME"};
    const struct cca_given option = {"--metric", 1, (const char **)metric};
    char *program = realpath(whole->program, NULL), *paths[] = {whole->calls, NULL};
    struct mm_input input = {.count = 0};
    int result = program ? 0 : -ENOMEM;

    *samples = (struct mm_samples){.has_kernel = 1};
    *measuring_ns = 0;
    if (!result && access(whole->calls, F_OK) == 0) {
        if (mm_input_open(&input, paths, 1, &option) < 0)
            result = read_input(&input, program, samples, measuring_ns);
        mm_input_done(&input);
    }
    free(program);
    return result;
}

void mm_whole_forget_calls(struct mm_whole *whole)
{
    char *slash = whole->calls ? strrchr(whole->calls, '/') : NULL;

    if (slash) {
        *slash = 0;
        cca_directory_remove(whole->calls);
    }
    free(whole->calls);
    whole->calls = NULL;
}
