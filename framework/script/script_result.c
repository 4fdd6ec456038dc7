/* SPDX-License-Identifier: BSD-3-Clause */
/* script_result.c: print output and errors of all commands. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "framework/script/script_core.h"

int cca_script_exit_of(const struct cca_error *err)
{
    if (err->code == -ENOMEM || err->code == -EIO)
        return CCA_EXIT_IO_OR_MEMORY; /* lack of memory or an I/O error, which components
                                         report, too, mostly those that measure */
    if (err->exception == CCA_EXCEPTION_UNEXPECTED ||
        err->exception == CCA_EXCEPTION_USES_PORT_NOT_RELEASED)
        return CCA_EXIT_COMPONENT; /* the component failed, or refused to release a
                                    * port */
    if (err->code == -EMFILE || err->code == -ENFILE)
        return CCA_EXIT_IO_OR_MEMORY; /* too many open files are no mistake in the
                                       * script */
    return err->code ? CCA_EXIT_BAD_INPUT : CCA_EXIT_DONE;
}

int cca_script_bad(struct cca_error *err, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cca_error_set(err, -EINVAL, "%s", text);
    return CCA_EXIT_BAD_INPUT;
}

void cca_script_say(struct cca_script *script, const char *format, ...)
{
    va_list args;

    if (script->options.check)
        return;
    va_start(args, format);
    vfprintf(script->options.out, format, args);
    va_end(args);
}

void cca_script_put_printable(FILE *words, const char *text)
{
    for (; *text; text++)
        putc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, words);
}

int cca_script_outcome(int code, struct cca_error *err)
{
    if (code >= 0)
        return CCA_EXIT_DONE;
    cca_error_set(err, code, "%s", strerror(-code));
    return cca_script_exit_of(err);
}

char *cca_script_join(char **words, size_t from, size_t count)
{
    size_t length = 1;
    char *text, *end;

    for (size_t i = from; i < count; i++)
        length += strlen(words[i]) + 1;
    text = end = malloc(length);
    if (!text)
        return NULL;
    *end = '\0';
    for (size_t i = from; i < count; i++) {
        if (i > from)
            *end++ = ' ';
        end = stpcpy(end, words[i]);
    }
    return text;
}

const char *cca_script_subcommand(const char *command, const char *word,
                                  const char *const *words, size_t count,
                                  struct cca_error *err)
{
    const char *found = NULL;
    size_t length = strlen(word), matches = 0;
    char hint[128];

    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0)
            return words[i];
        if (length > 0 && strncmp(words[i], word, length) == 0) {
            matches++;
            found = words[i];
        }
    }
    if (matches == 1)
        return found;
    cca_script_bad(err, "%s '%s %s'%s", matches ? "ambiguous" : "unknown command",
                   command, word,
                   cca_nearest_hint(cca_nearest(word, words, count), hint, sizeof hint));
    return NULL;
}

void cca_script_say_word(struct cca_script *script, const char *word)
{
    if (*word && !strpbrk(word, " \t\r\n#'\"$\\!/")) {
        cca_script_say(script, "%s", word);
        return;
    }
    cca_script_say(script, "\"");
    for (; *word; word++) {
        if (*word == '\n')
            cca_script_say(script, "\\n");
        else if (*word == '\t')
            cca_script_say(script, "\\t");
        else
            cca_script_say(script, strchr("\"\\$", *word) ? "\\%c" : "%c", *word);
    }
    cca_script_say(script, "\"");
}

void cca_script_say_parameter(struct cca_script *script, const char *instance,
                              const char *port, const char *name, const char *value)
{
    cca_script_say(script, "parameter %s %s %s ", instance, port, name);
    cca_script_say_word(script, value ? value : "");
    cca_script_say(script, "\n");
}
