/* SPDX-License-Identifier: BSD-3-Clause */
/* deadline.c: print the open calls of each thread of a run that has passed its deadline,
 * as a path from the outermost to the innermost call.
 *
 * A stuck thread may hold any lock of the C library, so lines are formatted without the
 * library and written by one system call. Of a deep path only the two ends are
 * printed. */
#include "mastermind/component/parts.h"

#include "mastermind/recorder/open_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"

enum { FIRST = 6, LAST = 10 };

int mm_deadline_name(struct mm_deadline *deadline, uint32_t id,
                     const struct monitor_method_decl *decl)
{
    if (cca_array_extend(&deadline->names, &deadline->capacity, sizeof *deadline->names,
                         (size_t)id + 1))
        return -ENOMEM;
    while (deadline->count <= id)
        deadline->names[deadline->count++] = NULL;
    free(deadline->names[id]);
    if (asprintf(&deadline->names[id], "%s.%s.%s", decl->instance, decl->port,
                 decl->method) < 0) {
        deadline->names[id] = NULL;
        return -ENOMEM;
    }
    return 0;
}

void mm_deadline_done(struct mm_deadline *deadline)
{
    for (uint32_t i = 0; i < deadline->count; i++)
        free(deadline->names[i]);
    free(deadline->names);
    memset(deadline, 0, sizeof *deadline);
}

/* The open calls of one thread, while they are collected. */
struct path {
    const struct mm_deadline *deadline;
    const char *shown;
    /* the outermost calls, and the innermost calls in a ring buffer */
    struct mm_open_call first[FIRST], last[LAST];
    uint32_t count;
};

static void append_text(char *line, size_t size, size_t *length, const char *text)
{
    /* without the space for a newline */
    size_t room = size - *length - 2, n = strlen(text);

    if (n > room)
        n = room;
    memcpy(line + *length, text, n);
    *length += n;
}

static void append_call(const struct path *path, const struct mm_open_call *call,
                        char *line, size_t size, size_t *length)
{
    const struct mm_deadline *deadline = path->deadline;
    const char *name =
        call->method < deadline->count ? deadline->names[call->method] : NULL;
    char time[32];

    append_text(line, size, length, call->depth ? " > " : " ");
    append_text(line, size, length, name ? name : "?");
    snprintf(time, sizeof time, " (%.2f s)", call->for_s);
    append_text(line, size, length, time);
}

static void print_path(struct path *path)
{
    char line[4096], number[64];
    size_t length = 0;

    if (!path->count)
        return;
    snprintf(number, sizeof number, ": open in thread %u:", path->first[0].thread);
    append_text(line, sizeof line, &length, "experiment ");
    append_text(line, sizeof line, &length, path->shown);
    append_text(line, sizeof line, &length, number);
    for (uint32_t i = 0; i < path->count; i++) {
        if (i < FIRST) {
            append_call(path, &path->first[i], line, sizeof line, &length);
        } else if (i + LAST >= path->count) {
            append_call(path, &path->last[i % LAST], line, sizeof line, &length);
        } else if (i == FIRST) {
            snprintf(number, sizeof number, " > ... %u more ...",
                     path->count - FIRST - LAST);
            append_text(line, sizeof line, &length, number);
        }
    }
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, length) < 0)
        return; /* stderr cannot be written: give up */
}

static void collect_call(void *context, const struct mm_open_call *call)
{
    struct path *path = context;

    if (call->depth == 0) {
        print_path(path);
        path->count = 0;
    }
    if (path->count < FIRST)
        path->first[path->count] = *call;
    path->last[path->count % LAST] = *call;
    path->count++;
}

void mm_deadline_say(const struct mm_deadline *deadline, struct mm_recorder *recorder,
                     const char *shown)
{
    struct path path = {.deadline = deadline, .shown = shown};

    if (mm_recorder_open_calls(recorder, collect_call, &path) == 0)
        print_path(&path);
}
