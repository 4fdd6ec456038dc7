/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c: share the runs of a sweep among workers, by renaming files. */
#include "mastermind/cmd/sweep/queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/directory.h"
#include "common/file.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/job.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/writer/json_file.h"

#define CLOSED SWEEP_QUEUE ".closed" /* a queue that one process takes over */
enum { WORKER = SWEEP_WORKER, RENEW_S = 5 };

static double now(void)
{
    return cca_clock_s(CLOCK_MONOTONIC);
}

/* --- Names -------------------------------------------------------------------------- */

/* Set the name of this process as a worker. */
static void name_worker(char worker[WORKER])
{
    char host[65] = "", *boot = NULL;
    size_t size;

    if (gethostname(host, sizeof host - 1) || !*host || strchr(host, '/'))
        snprintf(host, sizeof host, "localhost");
    if (cca_file_read("/proc/sys/kernel/random/boot_id", 100, &boot, &size))
        boot = NULL;
    snprintf(worker, WORKER, "%s.%ld.%llu.%.8s", host, (long)getpid(),
             mm_process_started(getpid()), boot ? boot : "unknown");
    free(boot);
}

/* The parts of a worker's name. Returns true if it is one. */
static int split_worker(const char *worker, char host[WORKER], long *pid,
                        unsigned long long *started, const char **boot)
{
    int dots = 0;
    const char *at = worker + strlen(worker);

    while (at > worker && dots < 3)
        if (*--at == '.' && ++dots == 1)
            *boot = at + 1;
    if (dots < 3 || at == worker || sscanf(at, ".%ld.%llu.", pid, started) != 2)
        return 0;
    snprintf(host, WORKER, "%.*s", (int)(at - worker), worker);
    return 1;
}

/* A worker for people: "node1 (1234)". */
static const char *worker_text(const char *worker, char text[WORKER + 40])
{
    char host[WORKER];
    unsigned long long started;
    const char *boot;
    long pid;

    if (split_worker(worker, host, &pid, &started, &boot))
        snprintf(text, WORKER + 40, "%s (process %ld)", host, pid);
    else
        snprintf(text, WORKER + 40, "%s", worker);
    return text;
}

/* The name of a run's file: "003.done.WORKER"; without a worker, "003.open". */
static void name_file(char name[WORKER + 64], size_t at, const char *state,
                      const char *worker)
{
    snprintf(name, WORKER + 64, "%03zu.%s%s%s", at + 1, state, *worker ? "." : "",
             worker);
}

/* Path of such a file. New; NULL: out of memory. */
static char *path_of(const struct sweep_queue *queue, size_t at, const char *state,
                     const char *worker)
{
    char name[WORKER + 64], *path;

    name_file(name, at, state, worker);
    return asprintf(&path, "%s/%s", queue->path, name) < 0 ? NULL : path;
}

/* The state that the name of a file has: its number, state, and worker. Returns false if
 * it is no file of a run. */
static int split_name(const char *name, size_t count, size_t *at, char state[16],
                      const char **worker)
{
    int used = 0;

    if (sscanf(name, "%zu.%15[a-z]%n", at, state, &used) != 2 || !*at || *at > count ||
        (name[used] && name[used] != '.'))
        return 0;
    *worker = name[used] ? name + used + 1 : "";
    --*at;
    return 1;
}

/* --- Renaming ----------------------------------------------------------------------- */

/* Rename the file of a run. Returns 1; 0: there is no such file, as another process was
 * faster; else a negative errno. Over NFS a rename may succeed and report that the file
 * is missing; then the new name, which has the worker, is there. */
static int change_state(const struct sweep_queue *queue, size_t at, const char *from,
                        const char *from_worker, const char *to, const char *to_worker)
{
    char *old = path_of(queue, at, from, from_worker);
    char *fresh = path_of(queue, at, to, to_worker);
    int result = -ENOMEM;

    if (old && fresh) {
        result = rename(old, fresh) == 0 ? 1 : -errno;
        if (result == -ENOENT)
            result = *to_worker && access(fresh, F_OK) == 0;
    }
    free(old);
    free(fresh);
    return result;
}

static int refuse_queue(const struct sweep *sweep, int error)
{
    return mm_refuse(MM_EXIT_SYSTEM, "cannot change '%s/" SWEEP_QUEUE "': %s",
                     mm_safe(sweep->dir), strerror(-error));
}

/* --- Files of a run ----------------------------------------------------------------- */

static const char *const endings[] = {".out", ".err", ".check.out", ".check.err"};

/* Path of a file of a run while the worker makes it. New, or NULL. */
static char *worker_path(const struct sweep *sweep, size_t at, const char *worker,
                         const char *ending)
{
    char *path;

    return asprintf(&path, "%s/run-%03zu.%s%s", sweep->path, at + 1, worker, ending) < 0
               ? NULL
               : path;
}

static void remove_files(const struct sweep *sweep, size_t at, const char *worker)
{
    char unfinished[64] = "", host[WORKER];
    const char *const directories[] = {".part", ".usage", unfinished};
    unsigned long long started;
    const char *boot;
    long pid;

    /* an experiment that the worker was writing */
    if (split_worker(worker, host, &pid, &started, &boot))
        snprintf(unfinished, sizeof unfinished, ".part.%ld.new", pid);
    for (size_t i = 0; i < 2 + (*unfinished != 0); i++) {
        char *path = worker_path(sweep, at, worker, directories[i]);

        if (path)
            cca_directory_remove(path);
        free(path);
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *path = worker_path(sweep, at, worker, endings[i]);

        if (path)
            unlink(path);
        free(path);
    }
}

static int move_file(const struct sweep *sweep, size_t at, const char *worker,
                     const char *ending, const char *final)
{
    char *from = worker_path(sweep, at, worker, ending), *to = NULL;
    int result = -ENOMEM;

    if (asprintf(&to, "%s/run-%03zu%s", sweep->path, at + 1, final) < 0)
        to = NULL;
    if (from && to)
        result = rename(from, to) && errno != ENOENT ? -errno : 0;
    free(from);
    free(to);
    return result;
}

/* Give the files of an ended run their final names. Each step may have been made. */
static int settle_files(const struct sweep *sweep, size_t at, const char *worker,
                        int is_done)
{
    char *part = worker_path(sweep, at, worker, ".part");
    int result = part ? 0 : -ENOMEM;

    if (!is_done && part && access(part, F_OK) == 0) {
        char *old = NULL;

        if (asprintf(&old, "%s/run-%03zu.part", sweep->path, at + 1) >= 0)
            cca_directory_remove(old);
        free(old);
    }
    if (!result)
        result = move_file(sweep, at, worker, ".part", is_done ? ".mm" : ".part");
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !result; i++)
        result = move_file(sweep, at, worker, endings[i], endings[i]);
    free(part);
    return result;
}

/* --- Reading ------------------------------------------------------------------------ */

/* Read the results of a run that a worker has ended. Returns 0 or -ENOMEM. */
static int read_results(const struct sweep *sweep, const char *queue, size_t at,
                        const char *worker)
{
    struct sweep_run *run = &sweep->runs[at];
    char name[WORKER + 64];
    int missing;
    json_t *item;

    snprintf(name, sizeof name, "%03zu.%s.json", at + 1, worker);
    item = sweep_load(queue, name, &missing);
    if (!item && errno == ENOMEM)
        return -ENOMEM;
    sweep_run_reset(run);
    if (!sweep_read_run(run, item)) {
        const char *error = json_string_value(json_object_get(item, "error"));

        run->error = error ? strdup(error) : NULL;
        run->elapsed_s =
            json_number_value(json_object_get(item, "elapsed_s")); /* 0: none */
    }
    json_decref(item);
    return 0;
}

static void note_claim(const struct sweep *sweep, size_t at, const char *worker)
{
    struct sweep_run *run = &sweep->runs[at];
    struct sweep_claim *claim = sweep->queue ? &sweep->queue->claims[at] : NULL;
    char text[WORKER + 40];

    run->state = SWEEP_TAKEN;
    free(run->host);
    run->host = strdup(worker_text(worker, text));
    if (!claim || strcmp(claim->worker, worker) == 0)
        return;
    *claim = (struct sweep_claim){.since = now()};
    snprintf(claim->worker, WORKER, "%s", worker);
}

/* Set the state of a run from the name of its file. Returns 0 or a negative errno. */
static int read_state(const struct sweep *sweep, const char *queue, size_t at,
                      const char *state, const char *worker)
{
    struct sweep_run *run = &sweep->runs[at];
    int is_done = strcmp(state, "done") == 0, result;
    unsigned char *is_read = sweep->queue ? &sweep->queue->is_read[at] : NULL;

    if (strcmp(state, "open") == 0) {
        run->state = SWEEP_OPEN;
        free(run->host);
        run->host = NULL;
        return 0;
    }
    if (strcmp(state, "claim") == 0 && *worker) {
        note_claim(sweep, at, worker);
        return 0;
    }
    if ((!is_done && strcmp(state, "failed") != 0) || (is_read && *is_read))
        return 0;
    if (!*worker) { /* runs.json has it */
        run->state = is_done ? SWEEP_DONE : SWEEP_FAILED;
        return 0;
    }
    result = read_results(sweep, queue, at, worker);
    if (!result && is_done && sweep->queue)
        result = move_file(sweep, at, worker, ".part", ".mm");
    if (result)
        return result;
    run->state = is_done ? SWEEP_DONE : SWEEP_FAILED;
    if (is_read)
        *is_read = 1;
    return 0;
}

/* Read a queue. Returns 0; -ENOENT: there is none; another negative errno. A file that is
 * renamed meanwhile may be missing in the list: its run keeps the earlier state, or is
 * taken. */
static int read_queue(const struct sweep *sweep, const char *queue)
{
    DIR *dir = opendir(queue);
    const struct dirent *entry;
    int result = 0;

    if (!dir)
        return -errno;
    for (size_t i = 0; i < sweep->plan->run_count; i++)
        if (sweep->runs[i].state == SWEEP_OPEN)
            sweep->runs[i].state = SWEEP_TAKEN;
    while (!result && (entry = readdir(dir))) {
        char state[16];
        const char *worker;
        size_t at;

        if (split_name(entry->d_name, sweep->plan->run_count, &at, state, &worker))
            result = read_state(sweep, queue, at, state, worker);
    }
    closedir(dir);
    return result;
}

int sweep_queue_read(const struct sweep *sweep)
{
    static const char *const names[] = {SWEEP_QUEUE, CLOSED};
    int result = -ENOENT;

    for (size_t i = 0; i < 2 && result == -ENOENT; i++) {
        char *path = NULL;

        if (asprintf(&path, "%s/%s", sweep->path, names[i]) < 0)
            return mm_no_memory();
        result = read_queue(sweep, path);
        free(path);
    }
    if (result == -ENOENT)
        result = sweep->queue ? result : 0;
    return result ? refuse_queue(sweep, result) : -1;
}

/* --- Claims ------------------------------------------------------------------------- */

static void forget_claim(struct sweep_queue *queue)
{
    if (queue->claim >= 0)
        close(queue->claim);
    queue->claim = -1;
    queue->at = SIZE_MAX;
}

int sweep_queue_claim(const struct sweep *sweep, size_t at, int *claimed)
{
    struct sweep_queue *queue = sweep->queue;
    char *path = path_of(queue, at, "claim", queue->worker);
    int result =
        path ? change_state(queue, at, "open", "", "claim", queue->worker) : -ENOMEM;

    *claimed = 0;
    if (result > 0) {
        queue->at = at;
        queue->renewed = now();
        queue->claim = open(path, O_RDWR); /* runs inherit it */
        if (queue->claim >= 0) {
            flock(queue->claim, LOCK_EX | LOCK_NB);
            futimens(queue->claim, NULL);
        }
        /* before the lock, a process that sees no process of this id may have given it
         * back */
        *claimed = queue->claim >= 0 && access(path, F_OK) == 0;
        if (!*claimed)
            forget_claim(queue);
    }
    free(path);
    return result < 0 ? refuse_queue(sweep, result) : -1;
}

void sweep_queue_renew(struct sweep_queue *queue)
{
    if (!queue || queue->claim < 0 || now() - queue->renewed < RENEW_S)
        return;
    queue->renewed = now();
    futimens(queue->claim, NULL);
}

void sweep_queue_give_back(const struct sweep *sweep)
{
    struct sweep_queue *queue = sweep->queue;

    if (queue->at == SIZE_MAX)
        return;
    remove_files(sweep, queue->at, queue->worker);
    change_state(queue, queue->at, "claim", queue->worker, "open", "");
    forget_claim(queue);
}

static int write_results(const struct sweep *sweep)
{
    const struct sweep_queue *queue = sweep->queue;
    json_t *item = sweep_run_item(sweep, &sweep->runs[queue->at]);
    char *text = mm_json_dump(item, JSON_INDENT(1)), name[WORKER + 64];
    struct cca_error err = {0};
    int result;

    snprintf(name, sizeof name, "%03zu.%s.json", queue->at + 1, queue->worker);
    result = text ? mm_file_replace(queue->path, name, text, strlen(text), &err)
                  : cca_no_memory(&err);
    free(text);
    json_decref(item);
    return result ? mm_complain(&err) : -1;
}

/* Drop the results of a run whose claim was given to others. */
static void drop_results(const struct sweep *sweep, size_t at)
{
    struct sweep_queue *queue = sweep->queue;
    char *path;

    if (asprintf(&path, "%s/%03zu.%s.json", queue->path, at + 1, queue->worker) >= 0) {
        unlink(path);
        free(path);
    }
    remove_files(sweep, at, queue->worker);
    sweep_run_reset(&sweep->runs[at]);
    sweep->runs[at].state = SWEEP_TAKEN;
    fprintf(stderr,
            "mastermind: run %zu was given to another worker, as this one had not "
            "renewed its claim for too long; its results are dropped\n",
            at + 1);
}

int sweep_queue_end_run(const struct sweep *sweep)
{
    struct sweep_queue *queue = sweep->queue;
    size_t at = queue->at;
    struct sweep_run *run = &sweep->runs[at];
    int is_done = run->state == SWEEP_DONE, result;
    char host[WORKER];
    unsigned long long started;
    const char *boot;
    long pid;

    free(run->host);
    run->host =
        split_worker(queue->worker, host, &pid, &started, &boot) ? strdup(host) : NULL;
    result = write_results(sweep);
    if (result >= 0)
        return result;
    result = change_state(queue, at, "claim", queue->worker, is_done ? "done" : "failed",
                          queue->worker);
    forget_claim(queue);
    if (result == 0)
        drop_results(sweep, at);
    if (result > 0) {
        queue->is_read[at] = 1;
        result = settle_files(sweep, at, queue->worker, is_done);
    }
    return result < 0 ? refuse_queue(sweep, result) : -1;
}

/* --- Claims of workers that died ---------------------------------------------------- */

enum fate { ALIVE, DEAD, FOREIGN };

/* The fate of a claim's worker, if it runs under this kernel: it is dead if the process
 * is gone, and no run that it left holds the lock. */
static enum fate judge_claim(const struct sweep_queue *queue, const char *worker, int fd)
{
    char host[WORKER];
    unsigned long long started;
    const char *boot, *own = strrchr(queue->worker, '.') + 1;
    long pid;

    if (!split_worker(worker, host, &pid, &started, &boot) || strcmp(boot, own) != 0 ||
        strcmp(boot, "unknown") == 0)
        return FOREIGN;
    if (mm_process_started(pid) == started && started)
        return ALIVE;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return DEAD;
    return errno == EWOULDBLOCK ? ALIVE : FOREIGN;
}

/* True if the claim of a worker on another host was not renewed for too long. */
static int is_abandoned(const struct sweep *sweep, struct sweep_claim *claim, int fd)
{
    struct stat status;

    if (fstat(fd, &status))
        return 0;
    if (claim->renewed_at.tv_sec != status.st_mtim.tv_sec ||
        claim->renewed_at.tv_nsec != status.st_mtim.tv_nsec) {
        claim->was_renewed = claim->renewed_at.tv_sec != 0;
        claim->renewed_at = status.st_mtim;
        claim->since = now();
    }
    return now() - claim->since > sweep->patience_s;
}

static int release_claim(const struct sweep *sweep, size_t at)
{
    struct sweep_queue *queue = sweep->queue;
    struct sweep_claim *claim = &queue->claims[at];
    char *path = path_of(queue, at, "claim", claim->worker), text[WORKER + 40];
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1, result = 0;
    enum fate fate = fd >= 0 ? judge_claim(queue, claim->worker, fd) : ALIVE;

    if (fate == DEAD || (fate == FOREIGN && is_abandoned(sweep, claim, fd)))
        result = change_state(queue, at, "claim", claim->worker, "open", "");
    if (result > 0) {
        remove_files(sweep, at, claim->worker);
        sweep->runs[at].state = SWEEP_OPEN;
        fprintf(stderr, "mastermind: run %zu is open again: its worker %s %s\n", at + 1,
                worker_text(claim->worker, text),
                fate == DEAD ? "has died" : "has not renewed its claim");
    }
    claim->was_renewed |= fate == ALIVE;
    if (fd >= 0)
        close(fd);
    free(path);
    return result < 0 ? refuse_queue(sweep, result) : -1;
}

int sweep_queue_release_dead(const struct sweep *sweep)
{
    int result = -1;

    for (size_t i = 0; i < sweep->plan->run_count && result < 0; i++)
        if (sweep->runs[i].state == SWEEP_TAKEN && *sweep->queue->claims[i].worker)
            result = release_claim(sweep, i);
    return result;
}

int sweep_queue_watch(const struct sweep *sweep, int *is_open)
{
    for (;;) {
        int pending = 0, result = sweep_queue_read(sweep);

        if (result < 0)
            result = sweep_queue_release_dead(sweep);
        *is_open = 0;
        for (size_t i = 0; i < sweep->plan->run_count; i++) {
            const struct sweep_claim *claim = &sweep->queue->claims[i];

            *is_open |= sweep->runs[i].state == SWEEP_OPEN;
            pending |= sweep->runs[i].state == SWEEP_TAKEN && *claim->worker &&
                       !claim->was_renewed;
        }
        if (result >= 0 || *is_open || !pending)
            return result;
        result = sweep_pause(1);
        if (result)
            return 128 + result;
    }
}

/* --- Making and joining ------------------------------------------------------------- */

void sweep_queue_done(struct sweep_queue *queue)
{
    if (!queue)
        return;
    if (queue->claim >= 0)
        close(queue->claim);
    free(queue->path);
    free(queue->claims);
    free(queue->is_read);
    free(queue);
}

int sweep_queue_new(struct sweep *sweep)
{
    struct sweep_queue *queue = calloc(1, sizeof *queue);
    char *path = NULL;

    if (!queue || asprintf(&path, "%s/" SWEEP_QUEUE, sweep->path) < 0) {
        free(queue);
        return mm_no_memory();
    }
    *queue = (struct sweep_queue){.path = path, .at = SIZE_MAX, .claim = -1};
    name_worker(queue->worker);
    queue->claims = calloc(sweep->plan->run_count, sizeof *queue->claims);
    queue->is_read = calloc(sweep->plan->run_count, 1);
    sweep->queue = queue;
    return queue->claims && queue->is_read ? -1 : mm_no_memory();
}

static int make_file(const char *dir, size_t at, int is_done)
{
    char name[WORKER + 64], *path = NULL;
    int fd = -1, result = -ENOMEM;

    name_file(name, at, is_done ? "done" : "open", "");
    if (asprintf(&path, "%s/%s", dir, name) >= 0) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        result = fd < 0 ? -errno : 0;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return result;
}

/* Make a queue under a name of its own, and give it the final name. Another process may
 * have made one meanwhile. */
static int make_queue(const struct sweep *sweep, const char *path)
{
    char *own = NULL, worker[WORKER];
    int result;

    name_worker(worker);
    if (asprintf(&own, "%s.%s", path, worker) < 0)
        return -ENOMEM;
    result = mkdir(own, 0777) ? -errno : 0;
    for (size_t i = 0; i < sweep->plan->run_count && !result; i++)
        result = make_file(own, i, sweep->runs[i].state == SWEEP_DONE);
    if (!result && rename(own, path) && errno != ENOTEMPTY && errno != EEXIST)
        result = -errno;
    cca_directory_remove(own);
    free(own);
    return result;
}

/* True if a file or directory is in the directory of the sweep. */
static int is_there(const struct sweep *sweep, const char *name)
{
    char *path = NULL;
    int found = asprintf(&path, "%s/%s", sweep->path, name) >= 0 && !access(path, F_OK);

    free(path);
    return found;
}

int sweep_queue_make(struct sweep *sweep)
{
    char *path = NULL;
    int result = 0;

    if (is_there(sweep, CLOSED))
        return mm_refuse(MM_EXIT_MISUSE,
                         "'%s' was left by a sweep that ended half-way; 'mastermind "
                         "sweep -o %s' without --shared goes on",
                         mm_safe(sweep->dir), mm_safe(sweep->dir));
    if (asprintf(&path, "%s/" SWEEP_QUEUE, sweep->path) < 0)
        return mm_no_memory();
    if (access(path, F_OK)) {
        result = sweep_write_runs(sweep); /* the results of runs that are done */
        result = result < 0 ? make_queue(sweep, path) : -EIO;
    }
    free(path);
    return result ? refuse_queue(sweep, result) : -1;
}

/* --- Closing ------------------------------------------------------------------------ */

/* Refuse if a worker has a claim. Returns -1 to go on. */
static int refuse_claims(const struct sweep *sweep)
{
    size_t taken = 0, last = 0;

    for (size_t i = 0; i < sweep->plan->run_count; i++)
        if (sweep->runs[i].state == SWEEP_TAKEN && *sweep->queue->claims[i].worker) {
            taken++;
            last = i;
        }
    return taken ? mm_refuse(MM_EXIT_MISUSE,
                             "other workers make %s in '%s', as %s run %zu; --shared "
                             "works beside them, --status prints the results so far",
                             mm_counted(taken, "run"), mm_safe(sweep->dir),
                             sweep->runs[last].host ? mm_safe(sweep->runs[last].host)
                                                    : "one",
                             last + 1)
                 : -1;
}

/* Give the files of all ended runs their final names. */
static int settle_all(const struct sweep *sweep, const char *queue)
{
    DIR *dir = opendir(queue);
    const struct dirent *entry;
    int result = dir ? 0 : -errno;

    while (!result && (entry = readdir(dir))) {
        char state[16];
        const char *worker;
        size_t at;

        if (split_name(entry->d_name, sweep->plan->run_count, &at, state, &worker) &&
            *worker && (strcmp(state, "done") == 0 || strcmp(state, "failed") == 0))
            result = settle_files(sweep, at, worker, strcmp(state, "done") == 0);
    }
    if (dir)
        closedir(dir);
    return result;
}

int sweep_queue_close(struct sweep *sweep)
{
    char *closed = NULL;
    int is_open, result = -1, error = 0;

    if (!is_there(sweep, SWEEP_QUEUE) && !is_there(sweep, CLOSED))
        return -1;
    if (asprintf(&closed, "%s/" CLOSED, sweep->path) < 0)
        return mm_no_memory();
    result = sweep_queue_new(sweep);
    if (result < 0)
        result = sweep_read_results(sweep, 0);
    if (result < 0 && is_there(sweep, SWEEP_QUEUE)) {
        result = sweep_queue_watch(sweep, &is_open);
        if (result < 0)
            result = refuse_claims(sweep);
        if (result < 0 && rename(sweep->queue->path, closed))
            error = -errno;
    }
    if (result < 0 && !error)
        error = settle_all(sweep, closed);
    if (result < 0 && !error)
        error = read_queue(sweep, closed);
    if (result < 0 && !error && (result = refuse_claims(sweep)) >= 0)
        rename(closed, sweep->queue->path); /* one began meanwhile */
    if (error)
        result = refuse_queue(sweep, error);
    if (result < 0)
        result = sweep_write_runs(sweep);
    if (result < 0)
        cca_directory_remove(closed);
    sweep_queue_done(sweep->queue);
    sweep->queue = NULL;
    free(closed);
    return result;
}
