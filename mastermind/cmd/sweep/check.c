/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c: the user's command that judges the result of a run by its standard output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/sweep/cost.h"
#include "mastermind/cmd/sweep/sweep.h"

/* A word with `{out}` replaced by the path of the output. New; NULL: out of memory. */
static char *fill_output(const char *word, const char *out, int *has_output)
{
    static const char place[] = "{out}";
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    const char *at;

    if (!stream)
        return NULL;
    while ((at = strstr(word, place))) {
        fprintf(stream, "%.*s%s", (int)(at - word), word, out);
        word = at + strlen(place);
        *has_output = 1;
    }
    fputs(word, stream);
    if (fclose(stream)) {
        free(text);
        return NULL;
    }
    return text;
}

/* The words of the check for run `at`: {NAME} stands for a value, {out} for the path of
 * the output, which otherwise is the last word. New; NULL: out of memory. */
static char **check_words(const struct sweep *sweep, const char *check, size_t at,
                          const char *out)
{
    struct sweep_words words = {0};
    int has_output = 0;

    for (const char *rest = check; *rest;) {
        size_t length = strcspn(rest, " \t");
        char *word = length ? strndup(rest, length) : NULL;
        char *filled = word ? sweep_fill_word(sweep, at, word) : NULL;

        if (length)
            sweep_words_add(&words,
                            filled ? fill_output(filled, out, &has_output) : NULL);
        free(word);
        free(filled);
        rest += length;
        rest += strspn(rest, " \t");
    }
    if (!has_output)
        sweep_words_add(&words, strdup(out));
    return sweep_words_end(&words);
}

/* The reason of a rejected result: the last line that the check printed, else its
 * status. New; NULL: out of memory. */
static char *reason_of(int status, const char *out, const char *err)
{
    char *line = sweep_last_line(err), *reason = NULL;

    if (!line)
        line = sweep_last_line(out);
    if (line ? asprintf(&reason, "wrong result: %s", line) < 0
             : asprintf(&reason, "wrong result: the check ended with status %d",
                        WEXITSTATUS(status)) < 0)
        reason = NULL;
    free(line);
    return reason;
}

/* Refuse a check that was not run, or ended without a verdict. */
static int refuse_check(const char *check, int status, const char *err)
{
    char *line = sweep_last_line(err), text[64];
    int result;

    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof text, "status %d", WEXITSTATUS(status));
    result =
        mm_refuse(MM_EXIT_SYSTEM, "the check '%s' ended with %s, which is no verdict%s%s",
                  mm_safe(check), text, line ? ": " : "", line ? mm_safe(line) : "");
    free(line);
    return result;
}

static void renew_claim(void *context, double elapsed_s)
{
    (void)elapsed_s;
    sweep_queue_renew(context);
}

int sweep_check_result(const struct sweep *sweep, const char *check, const char *cwd,
                       size_t at, char **wrong)
{
    enum { CANNOT_RUN = 126 }; /* and 127, by shells and by sweep_child_run */
    char *result_path = sweep_run_path(sweep, at, ".out");
    char *out = sweep_run_path(sweep, at, ".check.out");
    char *err = sweep_run_path(sweep, at, ".check.err");
    char **words = result_path ? check_words(sweep, check, at, result_path) : NULL;
    const struct sweep_watch watch = {.tick = renew_claim, .context = sweep->queue};
    int status = -ENOMEM, signal_number = 0, result;
    double elapsed_s;

    *wrong = NULL;
    if (words && out && err)
        status =
            sweep_child_run(words, cwd, out, err, &watch, &elapsed_s, &signal_number);
    if (signal_number)
        result = 128 + signal_number;
    else if (status == -ENOMEM)
        result = mm_no_memory();
    else if (status < 0)
        result = mm_refuse(MM_EXIT_SYSTEM, "cannot start the check '%s': %s",
                           mm_safe(check), strerror(-status));
    else if (WIFSIGNALED(status) || WEXITSTATUS(status) >= CANNOT_RUN)
        result = refuse_check(check, status, err);
    else
        result = -1;
    if (result < 0 && status && !(*wrong = reason_of(status, out, err)))
        result = mm_no_memory();
    sweep_words_free(words);
    free(result_path);
    free(out);
    free(err);
    return result;
}
