/* SPDX-License-Identifier: BSD-3-Clause */
/* whole.c: watch a child to its end, and print its CPU time by function. */
#include "mastermind/cmd/record/whole.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/statistics.h"
#include "mastermind/cmd/cmd.h"
#include "messages/read/lookup.h"

/* --- Watching --------------------------------------------------------------- */

enum { PAUSE_MS = 200 };

/* Time that a thread was ready but waited for a core, from the kernel's schedstat ("RAN
 * QUEUED SLICES"). */
static int64_t queued_ns(pid_t pid, const char *thread)
{
    char path[80];
    long long ran, queued;
    FILE *file;
    int found;

    snprintf(path, sizeof path, "/proc/%ld/task/%.20s/schedstat", (long)pid, thread);
    file = fopen(path, "re");
    if (!file)
        return 0;
    found = fscanf(file, "%lld %lld", &ran, &queued) == 2;
    fclose(file);
    return found ? queued : 0;
}

/* Threads with their last reading; kept after the thread's end. */
struct threads {
    struct thread {
        char name[20];
        int64_t queued_ns;
    } * list;
    size_t count;
};

static void see_thread(struct threads *threads, pid_t pid, const char *name)
{
    struct thread *thread = NULL;

    for (size_t i = 0; i < threads->count && !thread; i++)
        if (strcmp(threads->list[i].name, name) == 0)
            thread = &threads->list[i];
    if (!thread) {
        thread = cca_array_add(&threads->list, &threads->count, sizeof *thread);
        if (!thread)
            return;
        snprintf(thread->name, sizeof thread->name, "%.19s", name);
    }
    thread->queued_ns = queued_ns(pid, name);
}

static void see_threads(struct threads *threads, pid_t pid)
{
    char path[60];
    struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)))
        if (*entry->d_name != '.')
            see_thread(threads, pid, entry->d_name);
    if (folder)
        closedir(folder);
}

static uint64_t own_peak_kib(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss;
}

void mm_whole_begin(struct mm_whole *whole, pid_t pid, int samples)
{
    struct cca_error err = {0};

    whole->wall_ns = -cca_clock_ns(CLOCK_MONOTONIC);
    whole->own_peak_kib = own_peak_kib();
    whole->sampler = samples ? mm_sampler_new(pid, &err) : NULL;
    if (!whole->sampler)
        snprintf(whole->unsampled, sizeof whole->unsampled, "%.190s", err.text);
}

void mm_whole_wait(struct mm_whole *whole, pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct threads threads = {NULL, 0};
    siginfo_t info = {.si_pid = 0};

    do {
        struct pollfd ends = {.fd = fd, .events = POLLIN};

        poll(&ends, 1, PAUSE_MS);
        if (whole->sampler)
            mm_sampler_collect(whole->sampler);
        see_threads(&threads, pid);
    } while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_pid == 0);
    see_threads(&threads, pid);
    whole->wall_ns += cca_clock_ns(CLOCK_MONOTONIC);
    while (wait4(pid, &whole->status, 0, &whole->usage) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; i < threads.count; i++)
        whole->queued_ns += threads.list[i].queued_ns;
    free(threads.list);
    if (fd >= 0)
        close(fd);
}

void mm_whole_done(struct mm_whole *whole)
{
    mm_sampler_free(whole->sampler);
    whole->sampler = NULL;
}

/* --- The table -------------------------------------------------------------- */

/* least shares of the samples for a function's own line; the other functions share a line
 * per file */
#define LEAST_SHARE .004
#define LEAST_LIBRARY_SHARE .05
enum { MOST_FUNCTIONS = 14, MOST_FILES = 9, NAME = 44 };

struct line {
    char *name, *place;
    uint64_t count;
};

struct sheet {
    const struct mm_whole *whole;
    const struct mm_samples *samples;
    double cpu_ns, sample_ns;
    struct line *lines; /* [count] */
    size_t count;
    struct mm_lookup *lookup; /* path of the file that `lookup` reads; NULL: none */
    const char *lookup_path;
};

static double seconds_ns(const struct timeval *time)
{
    return 1e9 * (double)time->tv_sec + 1e3 * (double)time->tv_usec;
}

static const char *name_of_file(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

static int is_library(const char *path)
{
    const char *name = path ? name_of_file(path) : "";

    return strstr(name, ".so") || *name == '[';
}

/* Shorten a name to at most NAME columns by cutting its middle. New or NULL. */
static char *fit(const char *name)
{
    size_t length = strlen(name), half = (NAME - 3) / 2;
    char *text = NULL;

    if (length <= NAME)
        return strdup(name);
    return asprintf(&text, "%.*s...%s", (int)half, name, name + length - half) < 0 ? NULL
                                                                                   : text;
}

static int add_line(struct sheet *sheet, char *name, char *place, uint64_t count)
{
    struct line *line = cca_array_add(&sheet->lines, &sheet->count, sizeof *line);

    if (!line || !name) {
        free(name);
        free(place);
        return -ENOMEM;
    }
    *line = (struct line){name, place, count};
    return 0;
}

/* File and line of a row's hottest address: "heat heat.c:2". New or NULL. */
static char *place_of(struct sheet *sheet, const struct mm_sample_row *row)
{
    char function[256] = "", line[256] = "", *place = NULL;

    if (!sheet->lookup_path || strcmp(sheet->lookup_path, row->path) != 0) {
        mm_lookup_free(sheet->lookup);
        sheet->lookup = mm_lookup_new(row->path);
        sheet->lookup_path = row->path;
    }
    if (sheet->lookup)
        mm_lookup_place(sheet->lookup, row->hottest, function, line);
    if (*line == '?')
        *line = 0;
    return asprintf(&place, "%.40s %.60s", name_of_file(row->path), line) < 0 ? NULL
                                                                              : place;
}

/* The samples of a file outside of the functions with their own lines. */
struct file {
    const char *path;
    const char *function; /* the function with most of these samples */
    uint64_t count;
    /* number of the functions with these samples whose names are known */
    size_t functions;
    uint64_t nameless; /* samples without a function name */
    int is_listed;     /* 1: a function of the file has its own line */
};

static int order_files(const void *left, const void *right)
{
    const struct file *a = left, *b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->path, b->path);
}

/* Find or add the entry of a file in an array; NULL: out of memory. */
static struct file *find_file(struct file **files, size_t *count, const char *path)
{
    struct file *file;

    for (size_t i = 0; i < *count; i++)
        if (strcmp((*files)[i].path, path) == 0)
            return &(*files)[i];
    file = cca_array_add(files, count, sizeof *file);
    if (file)
        file->path = path;
    return file;
}

static int add_file(struct sheet *sheet, const struct file *file)
{
    const char *base = name_of_file(file->path);
    char *name = NULL;
    int made;

    if (strncmp(base, "libmm_", 6) == 0 || strncmp(base, "libmeas_", 8) == 0)
        return add_line(sheet, strdup("(measuring)"), strdup(base), file->count);
    if (2 * file->nameless > file->count)
        made = asprintf(&name, "(functions without names)");
    else if (file->is_listed || file->functions == 1)
        made = asprintf(&name, "(%zu %sfunction%s)", file->functions,
                        file->is_listed ? "other " : "", file->functions > 1 ? "s" : "");
    else
        made = asprintf(&name, "(%zu functions, %.24s first)", file->functions,
                        file->function);
    return made < 0 ? -ENOMEM : add_line(sheet, name, strdup(base), file->count);
}

/* Add a line for each file with samples in functions without their own line, and one line
 * for all files beyond MOST_FILES. */
static int add_files(struct sheet *sheet, struct file *files, size_t count)
{
    uint64_t rest = 0;
    int result = 0;

    if (count)
        qsort(files, count, sizeof *files, order_files);
    for (size_t i = 0; i < count && files[i].count && !result; i++)
        if (i < MOST_FILES)
            result = add_file(sheet, &files[i]);
        else
            rest += files[i].count;
    return rest && !result ? add_line(sheet, strdup("(other files)"), NULL, rest)
                           : result;
}

static int order_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    return (a->count < b->count) - (a->count > b->count);
}

/* Add the lines of functions and files, in descending order of samples. */
static int add_functions(struct sheet *sheet)
{
    const struct mm_samples *samples = sheet->samples;
    struct file *files = NULL;
    size_t count = 0, shown = 0;
    int result = 0;

    for (size_t i = 0; i < samples->row_count && !result; i++) {
        const struct mm_sample_row *row = &samples->rows[i];
        double share = (double)row->count / (double)samples->count;
        struct file *file;

        if (!row->path)
            continue;
        file = find_file(&files, &count, row->path);
        if (!file) {
            result = -ENOMEM;
        } else if (row->function && shown < MOST_FUNCTIONS &&
                   share >= (is_library(row->path) ? LEAST_LIBRARY_SHARE : LEAST_SHARE)) {
            shown++;
            file->is_listed = 1;
            result =
                add_line(sheet, fit(row->function), place_of(sheet, row), row->count);
        } else {
            if (!row->function)
                file->nameless += row->count;
            else if (!file->functions++)
                file->function = row->function;
            file->count += row->count;
        }
    }
    if (!result)
        result = add_files(sheet, files, count);
    if (sheet->count)
        qsort(sheet->lines, sheet->count, sizeof *sheet->lines, order_lines);
    free(files);
    return result;
}

static int add_others(struct sheet *sheet)
{
    const struct mm_samples *samples = sheet->samples;
    uint64_t made = 0;
    int result = 0;

    for (size_t i = 0; i < samples->row_count; i++)
        if (!samples->rows[i].path)
            made += samples->rows[i].count;
    if (made)
        result = add_line(sheet, strdup("(code that the program made)"), NULL, made);
    if (!result && samples->kernel)
        result = add_line(sheet, strdup("(kernel)"), strdup("system calls, page faults"),
                          samples->kernel);
    return result;
}

/* Half-width of the 90 % interval of a share, in percent. */
static double half_width(const struct line *line, const struct mm_samples *samples)
{
    double low, high;

    cca_share_interval((double)line->count, (double)samples->count, .9, &low, &high);
    return 50 * (high - low);
}

static void rows(const void *context, struct mm_table *table)
{
    const struct sheet *sheet = context;
    char cells[MM_TABLE_COLUMNS][MM_CELL] = {"%CPU", "+-", "CPU ms"};

    mm_table_row(table, cells, "function");
    for (size_t i = 0; i < sheet->count; i++) {
        const struct line *line = &sheet->lines[i];
        double share = (double)line->count / (double)sheet->samples->count;
        char name[160];

        snprintf(cells[0], MM_CELL, "%.1f", 100 * share);
        snprintf(cells[1], MM_CELL, "%.1f", half_width(line, sheet->samples));
        snprintf(cells[2], MM_CELL, "%s",
                 mm_amount((double)line->count * sheet->sample_ns / 1e6));
        snprintf(name, sizeof name, "%-*s  %.50s", NAME, mm_safe(line->name),
                 line->place ? mm_safe(line->place) : "");
        for (size_t end = strlen(name); end && name[end - 1] == ' ';)
            name[--end] = 0;
        mm_table_row(table, cells, name);
    }
    snprintf(cells[0], MM_CELL, "100.0");
    *cells[1] = 0;
    snprintf(cells[2], MM_CELL, "%s", mm_amount(sheet->cpu_ns / 1e6));
    mm_table_row(table, cells, "");
}

static void print_totals(const struct mm_whole *whole, double cpu_ns)
{
    uint64_t peak_kib = (uint64_t)whole->usage.ru_maxrss;
    int is_seen = peak_kib > whole->own_peak_kib;

    if (whole->ranks > 1)
        printf("rank 0 of %d, ", whole->ranks);
    printf("%s: %s of CPU time in %s", mm_safe(name_of_file(whole->program)),
           mm_time(cpu_ns), mm_time((double)whole->wall_ns));
    printf(", %s waiting for a core; peak memory %s%s\n",
           mm_time((double)whole->queued_ns), is_seen ? "" : "below ",
           mm_bytes(1024. * (double)(is_seen ? peak_kib : whole->own_peak_kib)));
}

/* True for a word that needs quotes in a shell command only if it has blanks or special
 * characters. */
static int is_plain(const char *word)
{
    return *word && !strpbrk(word, "'\n") && strcmp(mm_safe(word), word) == 0;
}

/* Print a command that records each call of the function with most samples, if that
 * function is in the program's own file. */
static void print_next(const struct mm_whole *whole, const struct mm_samples *samples)
{
    static const char signs[] = " \t\"$&|;<>()*?[]{}~#!\\`";
    const struct mm_sample_row *row = samples->rows;
    char *real = realpath(whole->program, NULL);
    size_t i = 0;

    while (i < samples->row_count && !row[i].function)
        i++;
    if (whole->is_recordable && real && i < samples->row_count && row[i].path &&
        strcmp(row[i].path, real) == 0 && strcmp(row[i].function, "main") != 0 &&
        is_plain(row[i].function) && !strpbrk(row[i].function, " ,*?[]\\")) {
        int plain = 1;

        for (char *const *word = whole->words; *word; word++)
            plain &= is_plain(*word);
        if (plain) {
            printf("next: mastermind record --functions '%s' --", row[i].function);
            for (char *const *word = whole->words; *word; word++)
                printf(strpbrk(*word, signs) ? " '%s'" : " %s", *word);
            putchar('\n');
        }
    }
    free(real);
}

static int print_samples(struct mm_whole *whole, double cpu_ns)
{
    struct mm_samples samples;
    struct sheet sheet = {.whole = whole, .samples = &samples, .cpu_ns = cpu_ns};
    int result = mm_sampler_count(whole->sampler, &samples);

    if (!samples.has_kernel) { /* then rusage alone gives the kernel's share */
        double user_ns = seconds_ns(&whole->usage.ru_utime);

        if (user_ns > 0)
            samples.kernel =
                (uint64_t)llround((double)samples.count * (cpu_ns - user_ns) / user_ns);
        samples.count += samples.kernel;
    }
    if (!result && samples.count) {
        sheet.sample_ns = cpu_ns / (double)samples.count;
        result = add_functions(&sheet);
        if (!result)
            result = add_others(&sheet);
        if (!result) {
            putchar('\n');
            mm_table_print(3, rows, &sheet);
            printf("\n%s, one each ms of CPU time; +- is half of a 90 %% interval, in "
                   "points\n",
                   mm_counted(samples.count, "sample"));
            print_next(whole, &samples);
        }
    } else if (!result) {
        puts("it ended before it was sampled");
    }
    if (samples.lost)
        printf("%s were lost: shares are of the others\n",
               mm_counted(samples.lost, "sample"));
    for (size_t i = 0; i < sheet.count; i++) {
        free(sheet.lines[i].name);
        free(sheet.lines[i].place);
    }
    free(sheet.lines);
    mm_lookup_free(sheet.lookup);
    mm_samples_done(&samples);
    return result;
}

int mm_whole_print(struct mm_whole *whole)
{
    double cpu_ns =
        seconds_ns(&whole->usage.ru_utime) + seconds_ns(&whole->usage.ru_stime);

    print_totals(whole, cpu_ns);
    if (whole->sampler)
        return print_samples(whole, cpu_ns);
    printf("functions were not sampled: %s\n", whole->unsampled);
    return 0;
}
