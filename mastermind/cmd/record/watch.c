/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c: run the program in a child, report, and exit with its status. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/beside.h"
#include "mastermind/cmd/record/record.h"
#include "mastermind/reader/experiment.h"

static volatile pid_t child;

static void hand_on(int number)
{
    if (child > 0)
        kill(child, number);
}

/* Signals of a terminal, SIGINT and SIGQUIT, reach the program, too; others are sent only
 * to this process. */
static const int theirs[] = {SIGINT, SIGQUIT},
                 ours[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

void mm_record_watch(pid_t pid)
{
    static struct sigaction was[6];
    struct sigaction ignore = {.sa_handler = SIG_IGN},
                     pass = {.sa_handler = hand_on, .sa_flags = SA_RESTART};

    child = pid;
    for (size_t i = 0; i < 6; i++)
        if (pid)
            sigaction(i < 2 ? theirs[i] : ours[i - 2], i < 2 ? &ignore : &pass, &was[i]);
        else
            sigaction(i < 2 ? theirs[i] : ours[i - 2], &was[i], NULL);
}

int mm_record_end_as(int status)
{
    struct rlimit none = {0, 0};

    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    fflush(NULL);
    setrlimit(RLIMIT_CORE, &none); /* the program has written its own core file */
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

void mm_record_report(const char *experiment, struct mm_whole *whole, int has_table,
                      int has_tree)
{
    char *copy = experiment ? strdup(experiment) : NULL, *argv[] = {copy, NULL};
    int output;

    fflush(NULL);
    output = dup(STDOUT_FILENO);
    if (output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        if (has_table && mm_whole_print(whole))
            mm_no_memory();
        if (copy && access(copy, F_OK) == 0) {
            if (has_table)
                putchar('\n');
            mm_verb_run(&mm_verb_report, 1, argv);
        }
        if (has_tree && mm_whole_print_tree(whole))
            mm_no_memory();
        fflush(stdout);
        dup2(output, STDOUT_FILENO);
    }
    if (output >= 0)
        close(output);
    free(copy);
}

char *mm_record_free_name(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    char *path = NULL;

    for (int n = 1; n < 1000000; n++) {
        if (asprintf(&path, "%s-%d.mm", name, n) < 0)
            return NULL;
        if (access(path, F_OK) != 0)
            break;
        free(path);
        path = NULL;
    }
    return path;
}

static int is_experiment(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 3 && strcmp(entry->d_name + length - 3, ".mm") == 0;
}

char *mm_record_of_job(const struct mm_job *job)
{
    struct dirent **entries = NULL;
    int count = scandir(".", &entries, is_experiment, alphasort);
    char *found = NULL;

    for (int i = 0; i < count; i++) {
        if (!found && mm_job_owns(job, entries[i]->d_name))
            found = strdup(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return found;
}

/* True if all ranks have ended normally. */
static int is_whole(const char *path, int ranks)
{
    struct cca_error err = {0};
    struct mm_experiment *experiment = mm_experiment_open(path, &err);
    int whole = experiment && experiment->finished && experiment->ranks == ranks;

    mm_experiment_free(experiment);
    return whole;
}

void mm_record_wait(const char *experiment, const struct mm_job *job, int status)
{
    enum { PAUSE_MS = 50, MOST_MS = 3000, MOST_FAILED_MS = 500 };
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    int most = status ? MOST_FAILED_MS : MOST_MS;

    for (int ms = 0; ms < most && !is_whole(experiment, job->ranks); ms += PAUSE_MS)
        nanosleep(&pause, NULL);
}

const char *mm_record_proxygen(void)
{
    static char path[PATH_MAX + 16];
    ssize_t length = cca_path_own(path, PATH_MAX);
    char *slash;

    path[length < 0 ? 0 : length] = 0;
    slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "proxygen");
    return path;
}
