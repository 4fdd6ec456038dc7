/* SPDX-License-Identifier: BSD-3-Clause */
/* script_run.c: run the statements of a script one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework/script/script_core.h"

enum { DEEPEST_SOURCE = 16 };

/* --- Statements ----------------------------------------------------------- */

/* True on ranks that do not print, because all ranks would print the same text. */
static int is_silent(const struct cca_script *script)
{
    return script->options.check || (script->cohort && script->cohort->rank != 0);
}

/* With .measure: print port types that remain unmeasured, each once. */
static void tell_unproxied(struct cca_script *script)
{
    const struct cca_framework *framework = script->framework;
    FILE *words = script->options.words;
    const char *type, *why;
    int unknown = 0;

    if (is_silent(script))
        return;
    for (size_t i = script->unproxied_told;
         (type = cca_framework_unproxied(framework, i)); i++)
        if (!cca_framework_unproxied_why(framework, i)) {
            if (!unknown++)
                fprintf(words, "%s: not measured, there is no proxy for %s", script->file,
                        type);
            else
                fprintf(words, ", %s", type);
        }
    if (unknown)
        fputs("; 'proxygen HEADER' makes one from the header of a port\n", words);
    for (; (type = cca_framework_unproxied(framework, script->unproxied_told));
         script->unproxied_told++)
        if ((why = cca_framework_unproxied_why(framework, script->unproxied_told)))
            fprintf(words, "%s: not measured: %s: %s\n", script->file, type, why);
}

/* True if an argument is a ghost, whose mistake was reported. */
static int names_ghost(const struct cca_script *script,
                       const struct cca_script_command *command,
                       const struct cca_script_statement *statement)
{
    const char *kinds = command->kinds ? command->kinds : "";

    for (size_t i = 1; i < statement->count && kinds[i - 1]; i++)
        if (kinds[i - 1] == 'i' && cca_script_is_ghost(script, statement->words[i]))
            return 1;
    return 0;
}

static int skip_statement(struct cca_script *script,
                          const struct cca_script_command *command,
                          const struct cca_script_statement *statement,
                          struct cca_error *err)
{
    if (command->run_ghost)
        return command->run_ghost(script, statement->words, statement->count, err);
    if (cca_script_presume(script, command, statement->words, statement->count) < 0)
        return cca_script_outcome(-ENOMEM, err);
    return CCA_EXIT_DONE;
}

/* True if undefined variables occur only in words that --class replaces. */
static int undefined_is_overridden(struct cca_script *script,
                                   const struct cca_script_command *command,
                                   const struct cca_script_statement *statement)
{
    return !script->undefined_beyond && command &&
           command->run == cca_script_instantiate && statement->count > 2 &&
           cca_script_class_override(script, statement->words, statement->count);
}

/* Run the command of a statement. If the script continues after mistakes, record the
 * consequences of a wrong statement. */
static int try_statement(struct cca_script *script,
                         const struct cca_script_statement *statement,
                         struct cca_error *err)
{
    const struct cca_script_command *likely, *command;
    size_t arguments = statement->count - 1;
    struct cca_error wrong = {0};

    if (script->options.compat && cca_script_is_gui_word(statement->words[0]))
        return CCA_EXIT_DONE;
    command = cca_script_command_find(script, statement->words[0], &likely, &wrong);
    if (script->undefined[0] && !undefined_is_overridden(script, command, statement))
        cca_script_undefined(script->undefined, err); /* `err` keeps the first error */
    if (wrong.code)
        cca_error_set(err, wrong.code, "%s", wrong.text);
    if (command && (arguments < command->least || arguments > command->most))
        cca_script_bad(err, "too %s arguments, %zu found; expected: %s",
                       arguments < command->least ? "few" : "many", arguments,
                       command->usage);
    if (script->options.compat && likely && likely->kinds)
        cca_script_resolve(script, likely->kinds, statement->words, statement->count);
    if (!err->code && names_ghost(script, command, statement))
        return skip_statement(script, command, statement, err);
    if (!err->code)
        return command->run(script, statement->words, statement->count, err);
    if (cca_script_presumes(script) && likely &&
        cca_script_presume(script, likely, statement->words, statement->count) < 0)
        return CCA_EXIT_IO_OR_MEMORY;
    return CCA_EXIT_BAD_INPUT;
}

/* Print a statement, for `debug`. */
static void echo_statement(struct cca_script *script,
                           const struct cca_script_statement *statement)
{
    FILE *words = script->options.words;

    fflush(script->options.out);
    fprintf(words, "%s:%d: + ", script->file, script->line);
    for (size_t i = 0; i < statement->count; i++) {
        if (i)
            putc(' ', words);
        cca_script_put_printable(words, statement->words[i]);
    }
    putc('\n', words);
}

/* With .check: report each library or symbol that the statement's classes lack, unless
 * the path has a mistake that may be the reason. */
static void settle_findings(struct cca_script *script)
{
    const char *finding;

    while (
        (finding = cca_repository_finding(script->repository, script->findings_told))) {
        struct cca_error err = {0};

        script->findings_told++;
        cca_error_set(&err, -ELIBBAD, "%s", finding);
        if (!script->path_is_wrong)
            cca_script_settle(script, CCA_EXIT_COMPONENT, &err);
    }
}

/* Run one statement; every command of every script is run by this function. */
static int run_statement(struct cca_script *script,
                         const struct cca_script_statement *statement)
{
    struct cca_error err = {0};
    int status = cca_script_agree_on_statement(script, statement);

    if (status != CCA_EXIT_DONE)
        return status;
    if (script->echo && !is_silent(script))
        echo_statement(script, statement);
    if (script->options.progress)
        script->options.progress(script->options.context, script->file, statement->line,
                                 statement->words[0]);
    status = cca_script_settle(script, try_statement(script, statement, &err), &err);
    settle_findings(script);
    return status;
}

/* A file that is being read for a script. */
struct reading {
    struct cca_script *script;
    struct cca_script_reader reader;
};

/* Find a variable for the reader. With .check an undefined variable is a mistake in its
 * statement and does not end the reading; in a word that --class may replace it is no
 * mistake. */
static const char *find_variable(void *context, const char *name)
{
    const struct reading *reading = context;
    struct cca_script *script = reading->script;
    const char *value = cca_script_variable(script, name);
    int may_be_class = script->overrides.classes && reading->reader.word == 1;

    if (value || (!script->options.check && !may_be_class))
        return value;
    if (!script->undefined[0])
        snprintf(script->undefined, sizeof script->undefined, "%s", name);
    if (reading->reader.word != 1)
        script->undefined_beyond = 1;
    return "";
}

static int run_file(struct cca_script *script, FILE *file)
{
    struct reading reading = {.script = script};
    struct cca_script_reader *reader = &reading.reader;
    int status = CCA_EXIT_DONE;

    cca_script_reader_init(reader, file, find_variable, &reading);
    reader->plain = script->options.compat;
    while (status == CCA_EXIT_DONE && !script->quitting) {
        struct cca_script_statement statement;
        struct cca_error err = {0};
        int got;

        script->undefined[0] = '\0';
        script->undefined_beyond = 0;
        got = cca_script_reader_next(reader, &statement, &err);
        if (got == 0) {
            script->line = reader->next_line > 1 ? reader->next_line - 1 : 1;
            status = cca_script_agree_on_statement(script, NULL);
            break;
        }
        script->line = statement.line;
        if (got > 0)
            status = run_statement(script, &statement);
        else
            status = cca_script_settle(script, cca_script_exit_of(&err), &err);
        if (got == -EIO || got == -ENOMEM)
            break;
    }
    cca_script_reader_done(reader);
    return status;
}

/* Copy a file's `size` bytes to a stream in memory, which has no descriptor that a
 * component could close or replace. Returns a new string, or NULL with errno. */
static FILE *copy_of(FILE *from, size_t size)
{
    FILE *copy = fmemopen(NULL, size + 1, "w+");
    size_t done = 0, n = 1;
    char piece[4096];

    for (; copy && done < size && n > 0; done += n) {
        n = size - done < sizeof piece ? size - done : sizeof piece;
        n = fread(piece, 1, n, from);
        if (fwrite(piece, 1, n, copy) != n)
            break;
    }
    if (copy && (done < size || fflush(copy) != 0)) {
        fclose(copy);
        errno = EIO;
        return NULL;
    }
    if (copy)
        rewind(copy);
    return copy;
}

/* Open a script. A directory can be opened but not read. A stream, such as a terminal, is
 * not copied. */
static FILE *open_script(const char *file, struct cca_script_frame *frame,
                         struct cca_error *err)
{
    FILE *opened = fopen(file, "re"), *copy;
    struct stat kind = {0};
    int saved;

    if (opened && fstat(fileno(opened), &kind) == 0 &&
        (S_ISDIR(kind.st_mode) || (S_ISREG(kind.st_mode) && kind.st_size > 0))) {
        errno = EISDIR;
        copy = S_ISREG(kind.st_mode) ? copy_of(opened, (size_t)kind.st_size) : NULL;
        saved = errno;
        fclose(opened);
        errno = saved;
        opened = copy;
    }
    frame->device = kind.st_dev;
    frame->number = kind.st_ino;
    if (!opened)
        cca_error_set(err, errno == ENOMEM ? -ENOMEM : -EIO,
                      "cannot read script '%s': %s", file, strerror(errno));
    return opened;
}

/* Make the path of a sourced file, which is relative to the file that sources it. Returns
 * a new string, or NULL. */
char *cca_script_beside(const char *from, const char *file)
{
    const char *slash = strrchr(from, '/');
    size_t folder = *file != '/' && slash ? (size_t)(slash - from) + 1 : 0;
    char *path = malloc(folder + strlen(file) + 1);

    if (path) {
        memcpy(path, from, folder);
        strcpy(path + folder, file);
    }
    return path;
}

/* True if a file is already being run: it would source itself for ever. */
static int is_at_work(const struct cca_script *script,
                      const struct cca_script_frame *frame)
{
    for (const struct cca_script_frame *f = script->frame; f; f = f->outer)
        if (f->device == frame->device && f->number == frame->number)
            return 1;
    return 0;
}

/* Run an opened file that another file sources. A failure is reported with its line in
 * the sourced file. */
static int run_inner(struct cca_script *script, FILE *opened, const char *path,
                     struct cca_script_frame *frame)
{
    const char *outer = script->file;
    int outer_line = script->line, status;

    frame->outer = script->frame;
    script->frame = frame;
    script->file = path;
    script->depth++;
    status = run_file(script, opened);
    script->depth--;
    script->file = outer;
    script->line = outer_line;
    script->frame = frame->outer;
    return status;
}

int cca_script_source(struct cca_script *script, const char *file, struct cca_error *err)
{
    struct cca_script_frame frame;
    int status;
    char *path;
    FILE *opened;

    if (script->depth >= DEEPEST_SOURCE)
        return cca_script_bad(err, "'%s' is sourced more than %d files deep", file,
                              DEEPEST_SOURCE);
    path = cca_script_beside(script->file, file);
    if (!path)
        return cca_script_outcome(-ENOMEM, err);
    opened = open_script(path, &frame, err);
    status = opened ? CCA_EXIT_DONE : CCA_EXIT_IO_OR_MEMORY;
    if (opened && is_at_work(script, &frame)) {
        status = cca_script_bad(err,
                                "'%s' is running already and would source itself for "
                                "ever",
                                file);
        fclose(opened);
        opened = NULL;
    }
    status = cca_script_agree_on_file(script, status, opened, path, err);
    if (status == CCA_EXIT_DONE)
        status = run_inner(script, opened, path, &frame);
    if (opened)
        fclose(opened);
    free(path);
    return status;
}

/* Return the exit status of the run so far. */
static int exit_of_run(const struct cca_script *script, int status)
{
    if (status != CCA_EXIT_DONE)
        return status;
    if (script->options.only_overrides)
        return script->misuses ? CCA_EXIT_MISUSE : CCA_EXIT_DONE;
    if (script->options.check)
        return script->mistakes > script->misuses ? CCA_EXIT_BAD_INPUT
               : script->misuses                  ? CCA_EXIT_MISUSE
                                                  : CCA_EXIT_DONE;
    return script->options.compat && script->exit_status == 0 ? script->failure
                                                              : script->exit_status;
}

static int run_outer(struct cca_script *script, FILE *stream, const char *name,
                     const struct cca_script_frame *frame)
{
    struct cca_error unused = {0};
    int status;

    script->file = name;
    script->line = 1;
    script->frame = frame;
    status = run_file(script, stream);
    script->ended = script->quitting || status != CCA_EXIT_DONE;
    if (status == CCA_EXIT_DONE && script->options.check && !script->went)
        cca_script_missing(script, NULL);
    tell_unproxied(script);
    cca_script_publish(script, &unused);
    script->file = NULL;
    script->frame = NULL;
    return exit_of_run(script, status);
}

int cca_script_run_stream(struct cca_script *script, FILE *stream, const char *name)
{
    return run_outer(script, stream, name, NULL);
}

int cca_script_run(struct cca_script *script, const char *file)
{
    struct cca_script_frame frame = {.outer = NULL};
    struct cca_error err = {0};
    FILE *opened = open_script(file, &frame, &err);
    int status = opened ? CCA_EXIT_DONE : CCA_EXIT_IO_OR_MEMORY;

    status = cca_script_agree_on_file(script, status, opened, file, &err);
    if (status == CCA_EXIT_DONE)
        status = run_outer(script, opened, file, &frame);
    else
        script->ended = 1;
    if (err.code && !script->options.only_overrides)
        fprintf(script->options.words, "%s\n", err.text);
    if (opened)
        fclose(opened);
    return status;
}

int cca_script_failed(const struct cca_script *script)
{
    return script->ended && !script->quitting;
}

int cca_script_ended(const struct cca_script *script)
{
    return script->ended;
}
