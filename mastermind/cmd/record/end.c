/* SPDX-License-Identifier: BSD-3-Clause */
/* end.c: record in the experiment the way in which a program ended abnormally. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "mastermind/cmd/record/record.h"
#include "mastermind/reader/json.h"
#include "mastermind/writer/json_file.h"

/* Write the cause of the end, as a clause: "SIGSEGV ended it". */
static void describe_end(int status, const struct mm_run_notes *notes, char text[200])
{
    const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

    if (WIFSIGNALED(status) && name)
        snprintf(text, 200, "SIG%s ended it", name);
    else if (WIFSIGNALED(status))
        snprintf(text, 200, "signal %d ended it", WTERMSIG(status));
    else if (notes && notes->programs > 1)
        snprintf(text, 200, "it became another program by exec%s%.95s",
                 *notes->successor ? ", whose experiment is " : "", notes->successor);
    else
        snprintf(text, 200, "it called _exit, which leaves the recorder no time");
}

static void add_line(void *context, const char *line)
{
    json_array_append_new(context, mm_json_text(line));
}

void mm_record_keep_end(const char *experiment, int status, struct mm_run_notes *notes)
{
    struct cca_error ignored = {0}; /* such as a full disk: not reported here */
    char *path = NULL, text[200];
    json_t *about, *lines;
    int code = 0;

    if (asprintf(&path, "%s/experiment.json", experiment) < 0)
        return;
    about = mm_json_load(path, &code, &ignored);
    free(path);
    if (!about || json_is_true(json_object_get(about, "finished"))) {
        json_decref(about);
        return;
    }
    lines = json_object_get(about, "not_seen");
    if (!lines) {
        lines = json_array();
        json_object_set_new(about, "not_seen", lines);
    }
    if (notes && !notes->is_reported)
        mm_run_notes_report(notes, 0, add_line, lines);
    describe_end(status, notes, text);
    json_object_set_new(about, "ended_by", mm_json_text(text));
    json_object_del(about, "check");
    mm_json_replace(experiment, "experiment.json", about, &ignored);
    json_decref(about);
}
