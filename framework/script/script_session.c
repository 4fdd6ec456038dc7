/* SPDX-License-Identifier: BSD-3-Clause */
/* script_session.c: the commands about the session rather than the assembly: quit,
 * source, debug, shell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "framework/script/script_core.h"

/* Run `quit`. In Ccaffeine's mode every argument is accepted and ends the session. */
int cca_script_quit(struct cca_script *script, char **words, size_t count,
                    struct cca_error *err)
{
    char *end = NULL;
    long status = 0;

    script->quitting = script->options.compat;
    if (count > 1) {
        errno = 0;
        status = strtol(words[1], &end, 10);
        if (end == words[1] || *end || errno || status < 0 || status > 255)
            return cca_script_bad(err, "'%s' is no exit status; expected 0 to 255",
                                  words[1]);
    }
    script->quitting = 1;
    script->exit_status = (int)status;
    return CCA_EXIT_DONE;
}

int cca_script_source_command(struct cca_script *script, char **words, size_t count,
                              struct cca_error *err)
{
    (void)count;
    return cca_script_source(script, words[1], err);
}

int cca_script_debug(struct cca_script *script, char **words, size_t count,
                     struct cca_error *err)
{
    (void)words;
    (void)count;
    (void)err;
    script->echo = 1;
    return CCA_EXIT_DONE;
}

int cca_script_nodebug(struct cca_script *script, char **words, size_t count,
                       struct cca_error *err)
{
    (void)words;
    (void)count;
    (void)err;
    script->echo = 0;
    return CCA_EXIT_DONE;
}

int cca_script_shell(struct cca_script *script, char **words, size_t count,
                     struct cca_error *err)
{
    char *line;
    int status;

    if (!script->options.allow_shell)
        return cca_script_bad(err,
                              "'%s' is not allowed here; the option --allow-shell "
                              "allows it",
                              words[0]);
    if (script->options.check)
        return CCA_EXIT_DONE;
    line = cca_script_join(words, 1, count);
    if (!line)
        return cca_script_outcome(-ENOMEM, err);
    fflush(NULL);
    status = system(line);
    free(line);
    if (status == -1)
        return cca_script_outcome(
            cca_error_set(err, -EIO, "no shell: %s", strerror(errno)), err);
    if (status == 0)
        return CCA_EXIT_DONE;
    if (WIFSIGNALED(status))
        cca_error_set(err, -ECANCELED, "'%s' was killed by signal %d", words[1],
                      WTERMSIG(status));
    else
        cca_error_set(err, -ECANCELED, "'%s' ended with status %d", words[1],
                      WEXITSTATUS(status));
    return CCA_EXIT_COMPONENT;
}
