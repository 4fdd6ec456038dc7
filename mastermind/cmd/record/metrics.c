/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.c: the metrics of a recorded program: checked, and completed for the recorder;
 * counts of the whole run. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/number_file.h"
#include "common/thread_times.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/record/record.h"

/* Folder with the kernel's counters of energy. */
#define POWERCAP "/sys/class/powercap"

/* Append a name to a list with commas between. Returns 0 or an exit code. */
static int append(char **list, const char *name, size_t length)
{
    char *longer;

    if (asprintf(&longer, "%s%s%.*s", *list ? *list : "", *list ? "," : "", (int)length,
                 name) < 0)
        return mm_no_memory();
    free(*list);
    *list = longer;
    return 0;
}

/* Append a counter in a file, with the file's absolute path: the program may change its
 * working directory. Returns 0 or an exit code. */
static int append_file(char **list, const char *name, size_t length)
{
    struct cca_number_file file;
    char *path, *text = NULL;
    int result;

    if (cca_number_file_parse(name, length, &file))
        return mm_refuse(MM_EXIT_MISUSE,
                         "--metrics: found '%.*s', expected NAME=FILE or NAME=FILE:UNIT",
                         (int)length, mm_safe(name));
    path = realpath(file.path, NULL);
    if (!path || cca_number_read(path) == CCA_NUMBER_UNKNOWN) {
        result = mm_refuse(MM_EXIT_INPUT, "cannot read a whole number in '%s'%s%s",
                           mm_safe(file.path), errno ? ": " : "",
                           errno ? strerror(errno) : "");
    } else if (strpbrk(path, ",") || strlen(path) >= sizeof file.path) {
        result = mm_refuse(MM_EXIT_MISUSE,
                           "--metrics: the path '%s' has a comma, or is too long",
                           mm_safe(path));
    } else if (asprintf(&text, "%s=%s:%s", file.name, path, file.unit) < 0) {
        text = NULL;
        result = mm_no_memory();
    } else {
        result = append(list, text, strlen(text));
    }
    free(text);
    free(path);
    return result;
}

/* Return the number of a processor package if `path` is its counter of energy and can be
 * read; -1: it is another one, as of a part of a package. */
static int package_of(const char *path)
{
    char name[PATH_MAX] = "";
    const char *end = strrchr(path, '/'), *zone = end;
    FILE *file;
    int number, length = 0;

    while (zone > path && zone[-1] != '/')
        zone--;
    if (sscanf(zone, "intel-rapl:%d%n", &number, &length) < 1 || zone + length != end ||
        cca_number_read(path) == CCA_NUMBER_UNKNOWN)
        return -1;
    snprintf(name, sizeof name, "%.*s/name", (int)(end - path), path);
    file = fopen(name, "re");
    if (file && !fgets(name, sizeof name, file))
        *name = '\0';
    if (file)
        fclose(file);
    return file && strncmp(name, "package", strlen("package")) == 0 ? number : -1;
}

/* Append the counter of energy of each processor package; where none can be read, the
 * name itself, so that the experiment has the reason. Returns 0 or an exit code. */
static int append_energy(char **list)
{
    const char *folder = getenv("MM_POWERCAP");
    char text[PATH_MAX];
    glob_t found = {.gl_pathc = 0};
    int result = 0, count = 0;

    snprintf(text, sizeof text, "%.3000s/intel-rapl:[0-9]*/energy_uj",
             folder ? folder : POWERCAP);
    glob(text, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && !result; i++) {
        int package = package_of(found.gl_pathv[i]);

        if (package < 0)
            continue;
        snprintf(text, sizeof text, "ENERGY_%d=%.3000s:uJ", package, found.gl_pathv[i]);
        result = append_file(list, text, strlen(text));
        count++;
    }
    globfree(&found);
    if (!result && !count)
        result = append(list, "ENERGY", strlen("ENERGY"));
    return result;
}

static int is_known(const char *name, size_t length)
{
    static const char *const known[] = {"TIME", "CPU_TIME", "MPI_TIME"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && strncmp(name, known[i], length) == 0)
            return 1;
    return meas_times_find(name, length) != NULL;
}

int mm_record_metrics(const char *given, int has_memory, char **list)
{
    const char *rest = given && *given ? given : NULL, *name;
    size_t length;
    int result = 0;

    *list = NULL;
    while (!result && (name = meas_times_next(&rest, &length))) {
        if (memchr(name, '=', length))
            result = append_file(list, name, length);
        else if (length == strlen("ENERGY") && strncmp(name, "ENERGY", length) == 0)
            result = append_energy(list);
        else if (is_known(name, length))
            result = append(list, name, length);
        else
            result =
                mm_refuse(MM_EXIT_MISUSE,
                          "--metrics '%s': found '%.*s', expected TIME, CPU_TIME, "
                          "MPI_TIME, MPI_SPLIT, OPENMP, MEMORY, ENERGY or NAME=FILE; "
                          "other counters are kept in assemblies alone",
                          mm_safe(given), (int)length, mm_safe(name));
    }
    return !result && has_memory ? append(list, "MEMORY", strlen("MEMORY")) : result;
}

/* --- The whole run --------------------------------------------------------- */

static struct {
    struct cca_number_file files[MEAS_TIMES_MOST];
    int64_t began[MEAS_TIMES_MOST], counts[MEAS_TIMES_MOST];
    int count;
} whole;

void mm_record_count(const char *list)
{
    const char *name;
    size_t length;

    whole.count = 0;
    while (whole.count < MEAS_TIMES_MOST && (name = meas_times_next(&list, &length)))
        if (cca_number_file_parse(name, length, &whole.files[whole.count]) == 0) {
            whole.began[whole.count] = cca_number_read(whole.files[whole.count].path);
            whole.count++;
        }
}

void mm_record_count_end(void)
{
    for (int i = 0; i < whole.count; i++)
        whole.counts[i] = cca_number_difference(&whole.files[i], whole.began[i],
                                                cca_number_read(whole.files[i].path));
}

void mm_record_print_counts(void)
{
    for (int i = 0; i < whole.count; i++) {
        const struct cca_number_file *file = &whole.files[i];
        int64_t count = whole.counts[i];

        if (count == CCA_NUMBER_UNKNOWN)
            fprintf(stderr, "%s: not known, '%s' cannot be read\n", file->name,
                    mm_safe(file->path));
        else
            fprintf(stderr, "%s: %s%s %s in the whole run\n", file->name,
                    count < 0 ? "-" : "",
                    mm_thousands((uint64_t)(count < 0 ? -count : count)), file->unit);
    }
}
