/* SPDX-License-Identifier: BSD-3-Clause */
/* terminal.c: read lines typed at a terminal, with a prompt; if libedit is there, also
 * with line editing and a history. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef CCAFE_EDIT
#include <histedit.h>
#endif

#include "framework/cmd/cmd.h"

struct terminal {
    char *text; /* the current line */
    size_t size, taken;
    int continues; /* true if the last line ended with a backslash */
#ifdef CCAFE_EDIT
    EditLine *editor;
    History *history;
#endif
};

static const char *prompt_of(const struct terminal *terminal)
{
    return terminal->continues ? "     > " : "ccafe> ";
}

static int is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\n", text[i]))
            return 0;
    return 1;
}

#ifdef CCAFE_EDIT
static char *editor_prompt(EditLine *editor)
{
    struct terminal *terminal = NULL;

    el_get(editor, EL_CLIENTDATA, &terminal);
    return (char *)(uintptr_t)prompt_of(terminal);
}

static int editor_start(struct terminal *terminal)
{
    HistEvent event;

    /* use the terminal's encoding, for letters of more than one byte */
    setlocale(LC_CTYPE, "");
    terminal->history = history_init();
    terminal->editor = el_init("ccafe", stdin, stdout, stderr);
    if (!terminal->history || !terminal->editor)
        return -ENOMEM;
    history(terminal->history, &event, H_SETSIZE, 1000);
    history(terminal->history, &event, H_SETUNIQUE, 1);
    el_set(terminal->editor, EL_CLIENTDATA, terminal);
    el_set(terminal->editor, EL_PROMPT, editor_prompt);
    el_set(terminal->editor, EL_EDITOR, "emacs");
    el_set(terminal->editor, EL_SIGNAL, 1);
    el_set(terminal->editor, EL_HIST, history, terminal->history);
    el_source(terminal->editor, NULL); /* ~/.editrc */
    return 0;
}

static void editor_stop(struct terminal *terminal)
{
    if (terminal->editor)
        el_end(terminal->editor);
    if (terminal->history)
        history_end(terminal->history);
}

/* Read the next line into `text`, new. Returns 1, 0 at the end, or a negative errno. */
static int read_line(struct terminal *terminal)
{
    int count = 0;
    const char *line = el_gets(terminal->editor, &count);
    HistEvent event;

    if (!line || count <= 0)
        return count < 0 ? -EIO : 0;
    terminal->text = strdup(line);
    if (!terminal->text)
        return -ENOMEM;
    terminal->size = strlen(line);
    if (!is_blank(line, terminal->size))
        history(terminal->history, &event, H_ENTER, line);
    return 1;
}
#else
static int editor_start(struct terminal *terminal)
{
    (void)terminal;
    return 0;
}

static void editor_stop(struct terminal *terminal)
{
    (void)terminal;
}

static int read_line(struct terminal *terminal)
{
    size_t room = 0;
    ssize_t size;

    fputs(prompt_of(terminal), stdout);
    fflush(stdout);
    size = getline(&terminal->text, &room, stdin);
    if (size < 0)
        return ferror(stdin) ? -EIO : 0;
    terminal->size = (size_t)size;
    return 1;
}
#endif

static int ends_with_backslash(const struct terminal *terminal)
{
    size_t size = terminal->size;

    while (size > 0 && is_blank(terminal->text + size - 1, 1))
        size--;
    return size > 0 && terminal->text[size - 1] == '\\';
}

static ssize_t terminal_read(void *cookie, char *buffer, size_t size)
{
    struct terminal *terminal = cookie;
    int status = 1;

    if (terminal->taken == terminal->size) {
        free(terminal->text);
        terminal->text = NULL;
        terminal->size = terminal->taken = 0;
        fflush(stdout);
        status = read_line(terminal);
        if (status == 0)
            puts(""); /* end the line of the prompt, so that later output begins on a
                       * new line */
        if (status <= 0) {
            errno = -status;
            return status;
        }
        terminal->continues = ends_with_backslash(terminal);
    }
    if (size > terminal->size - terminal->taken)
        size = terminal->size - terminal->taken;
    memcpy(buffer, terminal->text + terminal->taken, size);
    terminal->taken += size;
    return (ssize_t)size;
}

static int terminal_close(void *cookie)
{
    struct terminal *terminal = cookie;

    editor_stop(terminal);
    free(terminal->text);
    free(terminal);
    return 0;
}

FILE *ccafe_terminal(void)
{
    const cookie_io_functions_t functions = {.read = terminal_read,
                                             .close = terminal_close};
    struct terminal *terminal = calloc(1, sizeof *terminal);
    FILE *stream = NULL;

    if (terminal && editor_start(terminal) == 0)
        stream = fopencookie(terminal, "r", functions);
    if (!stream && terminal)
        terminal_close(terminal);
    if (!stream)
        errno = ENOMEM;
    return stream;
}
