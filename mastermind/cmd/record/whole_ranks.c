/* SPDX-License-Identifier: BSD-3-Clause */
/* whole_ranks.c: the ranks of MPI in a whole run: ranks below a launcher that this
 * process watches, and ranks that other processes of the job watch, whose tables are
 * added up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/directory.h"
#include "common/hash.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/cmd/record/whole.h"

/* --- Ranks below a launcher -------------------------------------------------- */

/* The number that a variable of a process has, from the text of /proc/PID/environ; -1:
 * none. */
static int number_of(const char *text, size_t size, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; at < text + size; at += strlen(at) + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            char *end;
            long number = strtol(at + length + 1, &end, 10);

            return !*end && number >= 0 && number < 1 << 24 ? (int)number : -1;
        }
    return -1;
}

/* Find the rank of a process, and the number of ranks of its job. Returns true if the
 * launcher has started it as a rank. */
static int find_rank(pid_t pid, int *rank, int *ranks)
{
    enum { MOST = 1 << 17 };
    char path[40], *text = malloc(MOST + 1);
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    file = text ? fopen(path, "re") : NULL;
    size = file ? fread(text, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    *rank = -1;
    if (size) {
        text[size] = 0;
        *rank = number_of(text, size, "OMPI_COMM_WORLD_RANK");
        *ranks = number_of(text, size, "OMPI_COMM_WORLD_SIZE");
        if (*rank < 0) {
            *rank = number_of(text, size, "PMI_RANK");
            *ranks = number_of(text, size, "PMI_SIZE");
        }
    }
    free(text);
    return *rank >= 0 && *ranks > *rank;
}

/* Peak memory of a living process; 0: unknown. */
static int64_t peak_of(pid_t pid)
{
    char path[40], line[200];
    long long kib = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return 1024 * kib;
}

void mm_whole_see_rank(struct mm_whole *whole, pid_t pid)
{
    struct mm_whole_process *process = NULL;
    int rank, ranks;

    if (whole->ranks) /* the program itself is a rank */
        return;
    for (size_t i = 0; i < whole->process_count && !process; i++)
        if (whole->processes[i].pid == pid)
            process = &whole->processes[i];
    if (!process) {
        if (!whole->sampler || !find_rank(pid, &rank, &ranks) ||
            mm_sampler_set_rank(whole->sampler, pid, rank))
            return;
        process =
            cca_array_add(&whole->processes, &whole->process_count, sizeof *process);
        if (!process)
            return;
        *process = (struct mm_whole_process){pid, rank, 0};
        whole->job_ranks = ranks;
    }
    process->peak_bytes =
        peak_of(pid) > process->peak_bytes ? peak_of(pid) : process->peak_bytes;
}

/* Find the ranks' program: the sampled file with most samples that is neither a library
 * nor the launcher. */
static void find_program(struct mm_whole *whole)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "orte",
                                            "orted",  "prte",    "hydra_"};
    char *own = realpath(whole->program, NULL);

    for (size_t i = 0; i < whole->samples.row_count && own && !whole->file; i++) {
        const char *path = whole->samples.rows[i].path,
                   *slash = path ? strrchr(path, '/') : NULL;
        int is_other = !slash || strstr(slash, ".so") || strcmp(path, own) == 0;

        for (size_t k = 0; k < sizeof launchers / sizeof *launchers && !is_other; k++)
            is_other = strncmp(slash + 1, launchers[k], strlen(launchers[k])) == 0;
        if (!is_other)
            whole->file = path;
    }
    free(own);
}

int mm_whole_count_ranks(struct mm_whole *whole)
{
    const struct mm_rank_samples *list = NULL;
    size_t count = 0;

    if (!whole->process_count)
        return 0;
    if (mm_sampler_ranks(whole->sampler, &list, &count))
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct mm_whole_rank *rank =
            cca_array_add(&whole->rank_list, &whole->rank_count, sizeof *rank);

        if (!rank)
            return -ENOMEM;
        rank->samples = list[i];
        for (size_t k = 0; k < whole->process_count; k++)
            if (whole->processes[k].rank == list[i].rank &&
                whole->processes[k].peak_bytes > rank->peak_bytes)
                rank->peak_bytes = whole->processes[k].peak_bytes;
    }
    find_program(whole);
    return 0;
}

/* --- Ranks that other processes watch ----------------------------------------- */

/* Add a rank to the list of `whole`, from the table of that rank alone. Returns 0 or
 * -ENOMEM. */
static int list_rank(struct mm_whole *whole, const struct mm_whole *one, int number)
{
    struct mm_whole_rank *rank =
        cca_array_add(&whole->rank_list, &whole->rank_count, sizeof *rank);

    if (!rank)
        return -ENOMEM;
    rank->samples.rank = number;
    rank->samples.kernel = one->samples.kernel;
    rank->peak_bytes = one->peak_bytes;
    for (size_t i = 0; i < one->samples.row_count; i++) {
        const struct mm_sample_row *row = &one->samples.rows[i];

        if (mm_path_is_mpi(row->path))
            rank->samples.mpi += row->count;
        else if (!mm_path_is_recorder(row->path))
            rank->samples.own += row->count;
    }
    return 0;
}

static int number_in(const char *name)
{
    const char *text = getenv(name);

    return text ? atoi(text) : 0;
}

/* The folder in which ranks of a job exchange their tables: a temporary one where all
 * ranks are on this machine, else one in the working directory. The text is new; NULL:
 * out of memory. */
static char *folder_of(const struct mm_job *job)
{
    const char *temporary = getenv("TMPDIR");
    int is_here = number_in("OMPI_COMM_WORLD_LOCAL_SIZE") == job->ranks ||
                  number_in("MPI_LOCALNRANKS") == job->ranks;
    char *folder = NULL;

    if (!temporary || *temporary != '/')
        temporary = "/tmp";
    if (asprintf(&folder, "%s/.mastermind-%ld-%016llx", is_here ? temporary : ".",
                 (long)geteuid(),
                 (unsigned long long)cca_hash_text(CCA_HASH_START, job->name)) < 0)
        return NULL;
    return folder;
}

/* Make a folder that belongs to this user alone, unless it is there. Returns 0 or -1. */
static int make_own(const char *path)
{
    struct stat status;

    if (mkdir(path, 0700) && errno != EEXIST)
        return -1;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
                   status.st_uid == geteuid()
               ? 0
               : -1;
}

void mm_whole_hand_over(struct mm_whole *whole, const struct mm_job *job)
{
    char *folder = folder_of(job), *path = NULL;
    struct cca_error ignored = {0}; /* rank 0 reports that the table is missing */

    if (folder && asprintf(&path, "%s/%d", folder, job->rank) >= 0 && !make_own(folder) &&
        !make_own(path))
        mm_whole_keep(whole, path, &ignored);
    free(folder);
    free(path);
}

/* Add the functions of a row's stack tree: the new index of each. Returns NULL: out of
 * memory. */
static uint32_t *add_functions(struct mm_stacks *all, struct mm_stacks *more)
{
    uint32_t *index = calloc(more->function_count + 1, sizeof *index);

    for (size_t i = 0; index && i < more->function_count; i++) {
        struct mm_stack_function *function = &more->functions[i], *added;
        size_t k = 0;

        while (k < all->function_count &&
               (all->functions[k].kind != function->kind ||
                all->functions[k].begin != function->begin ||
                strcmp(all->functions[k].path ? all->functions[k].path : "",
                       function->path ? function->path : "") != 0))
            k++;
        index[i] = (uint32_t)k;
        if (k < all->function_count)
            continue;
        added = cca_array_add(&all->functions, &all->function_count, sizeof *added);
        if (!added) {
            free(index);
            return NULL;
        }
        *added = *function;
        *function = (struct mm_stack_function){.name = NULL};
    }
    return index;
}

/* Add stacks. Both trees have a node behind its parent. Returns 0 or -ENOMEM. */
static int add_stacks(struct mm_stacks *all, struct mm_stacks *more)
{
    uint32_t *functions = add_functions(all, more),
             *nodes = calloc(more->node_count + 1, sizeof *nodes);
    int result = functions && nodes ? 0 : -ENOMEM;

    for (size_t i = 0; i < more->node_count && !result; i++) {
        const struct mm_stack_node *node = &more->nodes[i];
        uint32_t parent =
                     node->parent == MM_STACK_TOP ? MM_STACK_TOP : nodes[node->parent],
                 function = functions[node->function];
        size_t k = parent == MM_STACK_TOP ? 0 : parent + 1;

        while (k < all->node_count &&
               (all->nodes[k].parent != parent || all->nodes[k].function != function))
            k++;
        nodes[i] = (uint32_t)k;
        if (k == all->node_count) {
            struct mm_stack_node *added =
                cca_array_add(&all->nodes, &all->node_count, sizeof *added);

            if (added)
                *added = (struct mm_stack_node){parent, function, 0};
            else
                result = -ENOMEM;
        }
        if (!result)
            all->nodes[k].count += node->count;
    }
    all->count += more->count;
    all->cut += more->cut;
    all->lost += more->lost;
    free(functions);
    free(nodes);
    return result;
}

static int is_same(const struct mm_sample_row *a, const struct mm_sample_row *b)
{
    return a->begin == b->begin && !a->function == !b->function && !a->path == !b->path &&
           (!a->path || strcmp(a->path, b->path) == 0) &&
           (!a->function || strcmp(a->function, b->function) == 0);
}

static int order_rows(const void *left, const void *right)
{
    const struct mm_sample_row *a = left, *b = right;

    return (a->count < b->count) - (a->count > b->count);
}

static int add_samples(struct mm_samples *all, struct mm_samples *more)
{
    double cost_ns =
        all->cost_ns * (double)all->count + more->cost_ns * (double)more->count;

    for (size_t i = 0; i < more->row_count; i++) {
        struct mm_sample_row *row = &more->rows[i], *added;
        size_t k = 0;

        while (k < all->row_count && !is_same(&all->rows[k], row))
            k++;
        if (k < all->row_count) {
            all->rows[k].count += row->count;
            continue;
        }
        added = cca_array_add(&all->rows, &all->row_count, sizeof *added);
        if (!added)
            return -ENOMEM;
        *added = *row;
        *row = (struct mm_sample_row){.function = NULL};
    }
    if (all->row_count)
        qsort(all->rows, all->row_count, sizeof *all->rows, order_rows);
    all->count += more->count;
    all->kernel += more->kernel;
    all->lost += more->lost;
    all->tasks += more->tasks + 1;
    all->cost_ns = all->count ? cost_ns / (double)all->count : 0;
    return 0;
}

/* Add the table of another rank. Returns 0 or -ENOMEM. */
static int add_rank(struct mm_whole *whole, struct mm_whole *other, int number)
{
    struct mm_callers *callers = &whole->callers;

    whole->cpu_ns += other->cpu_ns;
    whole->user_ns += other->user_ns;
    whole->queued_ns += other->queued_ns;
    if (other->wall_ns > whole->wall_ns)
        whole->wall_ns = other->wall_ns;
    if (other->peak_bytes > whole->peak_bytes)
        whole->peak_bytes = other->peak_bytes;
    if (other->stolen_ns > whole->stolen_ns) /* on one machine it is the same time */
        whole->stolen_ns = other->stolen_ns;
    if (WIFSIGNALED(other->status) && !WIFSIGNALED(whole->status))
        whole->status = other->status;
    whole->is_sampled &= other->is_sampled;
    return list_rank(whole, other, number) ||
                   add_samples(&whole->samples, &other->samples) ||
                   add_stacks(&callers->stacks, &other->callers.stacks) ||
                   mm_callers_count(callers)
               ? -ENOMEM
               : 0;
}

/* Read the table of a rank when it is there, at the latest `*left_ms` from now. Returns
 * 0, or a negative errno. */
static int await_rank(struct mm_whole *other, const char *folder, int rank, int *left_ms)
{
    enum { PAUSE_MS = 20 };
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    struct cca_error ignored = {0};
    char *path = NULL, *file = NULL;
    int result = -ENOMEM;

    if (asprintf(&path, "%s/%d", folder, rank) >= 0 &&
        asprintf(&file, "%s/whole.json", path) >= 0) {
        for (; access(file, R_OK) != 0 && *left_ms > 0; *left_ms -= PAUSE_MS)
            nanosleep(&pause, NULL);
        result = mm_whole_read(other, path, &ignored);
    }
    free(path);
    free(file);
    return result;
}

int mm_whole_join_ranks(struct mm_whole *whole, const struct mm_job *job)
{
    enum { MOST_MS = 3000, MOST_FAILED_MS = 500 };
    char *folder = folder_of(job);
    int left_ms = whole->status ? MOST_FAILED_MS : MOST_MS;
    struct mm_stacks own = whole->callers.stacks;
    int result = folder ? list_rank(whole, whole, 0) : -ENOMEM;

    whole->callers.stacks = (struct mm_stacks){.period_ns = own.period_ns};
    memcpy(whole->callers.stacks.lacking, own.lacking, sizeof own.lacking);
    if (add_stacks(&whole->callers.stacks, &own) || mm_callers_count(&whole->callers))
        result = -ENOMEM;
    mm_stacks_done(&own);
    whole->job_ranks = job->ranks;
    for (int rank = 1; rank < job->ranks && !result; rank++) {
        struct mm_whole other = {.program = NULL};

        if (!await_rank(&other, folder, rank, &left_ms))
            result = add_rank(whole, &other, rank);
        mm_whole_done(&other);
    }
    if (folder && !make_own(folder))
        cca_directory_remove(folder);
    free(folder);
    return result;
}
