/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c: start agents for a run that records mesh profiles. */
#include "mesh/agent/start.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/beside.h"
#include "mesh/agent/parts.h"
#include "mesh/probe/request.h"
#include "mesh/probe/segment.h"

extern char **environ;

int mesh_agent_prepare(const char *cells, int ranks, struct cca_error *err)
{
    struct mesh_request request;
    pid_t pid = ranks ? getppid() : getpid();
    char session[MESH_SESSION_BYTES], program[4200];
    int rc = mesh_request_read(cells, &request, err);

    if (!rc &&
        cca_path_beside(program, sizeof program, "../libexec/mastermind/mesh-agent"))
        rc = cca_error_set(err, -ENOENT, "found no place of this program");
    if (rc)
        return rc;
    snprintf(session, sizeof session, "p%ldt%llu", (long)pid,
             (unsigned long long)mesh_process_start(pid));
    return setenv(MESH_CELLS_VARIABLE, cells, 1) ||
                   setenv(MESH_SESSION_VARIABLE, session, 1) ||
                   setenv(MESH_AGENT_VARIABLE, program, 1)
               ? cca_no_memory(err)
               : 0;
}

static int prepare_files(posix_spawn_file_actions_t *files, const char *log)
{
    int rc = posix_spawn_file_actions_init(files);

    if (!rc)
        rc = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDWR, 0);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(files, 0, 1);
    if (!rc)
        rc = posix_spawn_file_actions_addopen(files, 2, log,
                                              O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (!rc) /* close pipes: a launcher waits for all processes that hold its pipes */
        rc = posix_spawn_file_actions_addclosefrom_np(files, 3);
    return rc;
}

/* Return the environment without variables that preload libraries or record this process:
 * [n], ended by NULL; or NULL: out of memory. */
static char **plain_environment(void)
{
    char **plain;
    size_t count = 0, kept = 0;

    while (environ && environ[count])
        count++;
    plain = calloc(count + 1, sizeof *plain);
    for (size_t i = 0; plain && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 &&
            strncmp(environ[i], "MASTERMIND_RECORD", 17) != 0)
            plain[kept++] = environ[i];
    return plain;
}

/* Start the local agent: the spawned process forks the agent and exits. */
static int start_local(const char *path, struct cca_error *err)
{
    const char *program = getenv(MESH_AGENT_VARIABLE);
    const char *session = getenv(MESH_SESSION_VARIABLE);
    posix_spawn_file_actions_t files;
    char folder[4200], log[4300], verb[] = "local";
    char **environment,
        *arguments[5] = {(char *)(uintptr_t)program, verb, (char *)(uintptr_t)path,
                         (char *)(uintptr_t)session, NULL};
    pid_t pid = 0;
    int rc, status;

    if (!program || !session || !getenv(MESH_CELLS_VARIABLE))
        return 0;
    snprintf(folder, sizeof folder, "%s/" MM_MESH_FOLDER, path);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cca_error_set(err, -errno, "%s: %s", folder, strerror(errno));
    snprintf(log, sizeof log, "%s/" MESH_AGENT_LOG, folder);
    environment = plain_environment();
    rc = prepare_files(&files, log);
    if (!rc)
        rc = environment
                 ? posix_spawn(&pid, program, &files, NULL, arguments, environment)
                 : ENOMEM;
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return rc ? cca_error_set(err, -rc, "%s: %s; mesh profiles are not kept", program,
                              strerror(rc))
              : 0;
}

int mesh_agent_start(const char *rank_path, struct cca_error *err)
{
    const char *slash = strrchr(rank_path, '/');
    char *path = strndup(rank_path, slash ? (size_t)(slash - rank_path) : 0);
    int rc = path ? start_local(path, err) : cca_no_memory(err);

    free(path);
    return rc;
}
