/* SPDX-License-Identifier: BSD-3-Clause */
/* scripts.c: run the scripts: first the rc file (--rc; in Ccaffeine's mode $CCAFE_RC_FILE
 * or ~/.ccaferc), then the named script or standard input. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/cmd/cmd.h"

static int is_stdin(const struct ccafe_options *options)
{
    return !options->script || strcmp(options->script, "-") == 0;
}

const char *ccafe_script_name(const struct ccafe_options *options)
{
    return is_stdin(options) ? "stdin" : options->script;
}

int ccafe_is_interactive(const struct ccafe_options *options)
{
    return is_stdin(options) && !options->cohort && isatty(STDIN_FILENO);
}

/* Check that the file is one of Ccaffeine's rc files. Returns 0, or an exit status after
 * a message. */
static int check_rc(const char *file)
{
    static const char magic[] = "#!ccaffeine";
    char start[sizeof magic] = "";
    FILE *opened = fopen(file, "re");
    int bad =
        !opened || (fread(start, 1, sizeof magic - 1, opened) == 0 && ferror(opened));
    int error = errno;

    if (opened)
        fclose(opened);
    if (bad)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "cannot read rc file '%s': %s", file,
                              strerror(error));
    if (strcmp(start, magic) != 0)
        return ccafe_complain(CCA_EXIT_BAD_INPUT, "rc file '%s' does not begin with %s",
                              file, magic);
    return 0;
}

/* Find the rc file. `*file` gets its path, new, or NULL if there is none. Returns 0, or
 * an exit status after a message. */
static int find_rc(const struct ccafe_options *options, char **file)
{
    const char *named = options->rc, *home = NULL;

    *file = NULL;
    if (!named && options->compat && !options->script) {
        named = getenv("CCAFE_RC_FILE");
        home = named ? NULL : getenv("HOME");
    }
    if (named)
        *file = strdup(named);
    else if (home && asprintf(file, "%s/.ccaferc", home) < 0)
        *file = NULL;
    if ((named || home) && !*file)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
    if (home && access(*file, F_OK) < 0) {
        free(*file);
        *file = NULL;
    }
    return *file ? check_rc(*file) : 0;
}

static int run_stdin(struct cca_script *script, const struct ccafe_options *options)
{
    FILE *stream;
    int status;

    if (options->cohort)
        return ccafe_ranks_run_stdin(script, options, ccafe_script_name(options));
    stream = ccafe_is_interactive(options) ? ccafe_terminal() : stdin;
    if (!stream)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "no terminal: %s", strerror(errno));
    status = cca_script_run_stream(script, stream, ccafe_script_name(options));
    if (stream != stdin)
        fclose(stream);
    return status;
}

/* Report each --set and --class that had no effect. They are the same on all ranks, so
 * only rank 0 prints. Returns the status of a run that ended with `status`. */
static int report_unmet(struct cca_script *script, const struct ccafe_options *options,
                        int status)
{
    int is_silent = options->cohort && options->cohort->rank != 0;
    int misused = 0;

    for (size_t i = 0;; i++) {
        struct cca_error err = {0};

        if (cca_script_unmet(script, i, &err) < 0)
            break;
        misused = 1;
        if (!is_silent)
            fprintf(ccafe_ranks_words(options), "ccafe: %s\n", err.text);
    }
    return misused && status == CCA_EXIT_DONE && !ccafe_is_interactive(options)
               ? CCA_EXIT_MISUSE
               : status;
}

static int run_scripts(struct cca_script *script, const struct ccafe_options *options)
{
    char *rc;
    int status = ccafe_ranks_agree(options, find_rc(options, &rc));

    if (status != 0) {
        free(rc);
        return status;
    }
    if (rc)
        status = cca_script_run(script, rc);
    free(rc);
    if (cca_script_ended(script))
        return status;
    return is_stdin(options) ? run_stdin(script, options)
                             : cca_script_run(script, options->script);
}

int ccafe_run_scripts(struct cca_script *script, const struct ccafe_options *options)
{
    int status = run_scripts(script, options);

    return cca_script_failed(script) ? status : report_unmet(script, options, status);
}
