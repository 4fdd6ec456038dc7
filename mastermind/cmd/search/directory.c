/* SPDX-License-Identifier: BSD-3-Clause */
/* directory.c: the directory of a search and its document, search.json. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/directory.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/search/search_verb.h"
#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/cmd/sweep/words.h"
#include "mastermind/writer/json_file.h"

#define FILE_NAME "search.json"
#define SCHEMA "mastermind/search-steps/1"

static const char *const states[] = {"open", "done", "failed", "submitted"};

char *search_path(const struct search *search, size_t at, const char *ending)
{
    char *path = NULL;

    return asprintf(&path, "%s/run-%03zu%s", search->path, at + 1, ending) < 0 ? NULL
                                                                               : path;
}

struct search_step *search_add(struct search *search, const struct mm_search_run *run)
{
    struct search_step *step =
        cca_array_add(&search->steps, &search->step_count, sizeof *step);

    if (step)
        step->run = *run;
    return step;
}

void search_done(struct search *search)
{
    for (size_t i = 0; i < search->step_count; i++)
        free(search->steps[i].decided);
    free(search->steps);
    free(search->ranks);
    free(search->launcher);
    sweep_words_free(search->command);
    free(search->cwd);
    free(search->path);
    if (search->lock >= 0)
        close(search->lock);
}

/* --- The request ------------------------------------------------------------------- */

static json_t *asked_json(const struct search *search)
{
    json_t *asked = json_object(), *command = json_array(), *ranks = json_array();

    for (char **word = search->command; *word; word++)
        json_array_append_new(command, mm_json_text(*word));
    for (size_t i = 0; i < search->ranks_count; i++)
        json_array_append_new(ranks, json_integer(search->ranks[i]));
    mm_json_set(asked, "command ranks", command, ranks);
    if (search->launcher)
        mm_json_put(asked, "launcher", mm_json_text(search->launcher));
    mm_json_set(asked, "directory threshold confidence", mm_json_text(search->cwd),
                search->threshold, search->confidence);
    return asked;
}

static json_t *step_json(const struct search_step *step)
{
    json_t *object = json_object();

    mm_json_set(object, "state ranks asks seconds", states[step->state], step->run.ranks,
                step->run.asks, step->run.seconds);
    if (step->decided)
        mm_json_put(object, "decided", mm_json_text(step->decided));
    return object;
}

int search_write(const struct search *search)
{
    json_t *document = json_object(), *steps = json_array();
    struct cca_error err = {0};
    char *text;
    int result;

    for (size_t i = 0; i < search->step_count; i++)
        json_array_append_new(steps, step_json(&search->steps[i]));
    mm_json_set(document, "schema asked steps", SCHEMA, asked_json(search), steps);
    text = mm_json_dump(document, JSON_INDENT(1));
    result = text ? mm_file_replace(search->path, FILE_NAME, text, strlen(text), &err)
                  : cca_no_memory(&err);
    free(text);
    json_decref(document);
    return result ? mm_complain(&err) : -1;
}

/* --- Reading ----------------------------------------------------------------------- */

static json_t *load(const char *dir, int *missing)
{
    char *path = NULL;
    json_error_t where;
    json_t *json;

    if (asprintf(&path, "%s/" FILE_NAME, dir) < 0)
        return NULL;
    json = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    *missing = !json && access(path, F_OK) != 0;
    free(path);
    return json;
}

static int damaged(const struct search *search)
{
    return mm_refuse(MM_EXIT_INPUT, "'%s/" FILE_NAME "' is damaged, or is of no search",
                     mm_safe(search->dir));
}

static int read_step(struct search *search, const json_t *json)
{
    const char *word = json_string_value(json_object_get(json, "state")),
               *decided = json_string_value(json_object_get(json, "decided"));
    const json_t *seconds = json_object_get(json, "seconds");
    struct mm_search_run run = {
        .ranks = (int)json_integer_value(json_object_get(json, "ranks")),
        .asks = (unsigned)json_integer_value(json_object_get(json, "asks")),
        .seconds = json_is_number(seconds) ? json_number_value(seconds) : NAN};
    struct search_step *step;
    size_t state = 0;

    while (state < sizeof states / sizeof *states &&
           (!word || strcmp(word, states[state]) != 0))
        state++;
    if (state == sizeof states / sizeof *states || run.ranks < 1 ||
        run.asks >> MM_SEARCH_ASKS)
        return damaged(search);
    step = search_add(search, &run);
    if (!step || (decided && !(step->decided = strdup(decided))))
        return mm_no_memory();
    step->state = (enum search_state)state;
    return -1;
}

static int read_steps(struct search *search, const json_t *document)
{
    const json_t *steps = json_object_get(document, "steps");
    const char *schema = json_string_value(json_object_get(document, "schema"));
    int result = schema && strcmp(schema, SCHEMA) == 0 ? -1 : damaged(search);

    for (size_t i = 0; i < json_array_size(steps) && result < 0; i++)
        result = read_step(search, json_array_get(steps, i));
    return result;
}

static int read_ranks(struct search *search, const json_t *ranks)
{
    search->ranks = calloc(json_array_size(ranks) + 1, sizeof *search->ranks);
    if (!search->ranks)
        return mm_no_memory();
    for (size_t i = 0; i < json_array_size(ranks); i++) {
        search->ranks[i] = (int)json_integer_value(json_array_get(ranks, i));
        if (search->ranks[i] < 1)
            return damaged(search);
    }
    search->ranks_count = json_array_size(ranks);
    return search->ranks_count ? -1 : damaged(search);
}

int search_read_asked(struct search *search)
{
    int missing = 0, result = -1;
    json_t *document = load(search->dir, &missing),
           *asked = json_object_get(document, "asked"),
           *command = json_object_get(asked, "command");
    const char *launcher = json_string_value(json_object_get(asked, "launcher")),
               *cwd = json_string_value(json_object_get(asked, "directory"));

    if (missing)
        result = mm_refuse(MM_EXIT_MISUSE,
                           "found no command, and no search in '%s'; expected search "
                           "[options] -o DIR -- ccafe ... SCRIPT",
                           mm_safe(search->dir));
    else if (!json_array_size(command) || !cwd)
        result = damaged(search);
    else
        result = read_ranks(search, json_object_get(asked, "ranks"));
    if (result < 0) {
        search->threshold = json_number_value(json_object_get(asked, "threshold"));
        search->confidence = json_number_value(json_object_get(asked, "confidence"));
        search->launcher = launcher ? strdup(launcher) : NULL;
        search->cwd = strdup(cwd);
        search->command = calloc(json_array_size(command) + 1, sizeof *search->command);
        if ((launcher && !search->launcher) || !search->cwd || !search->command)
            result = mm_no_memory();
    }
    for (size_t i = 0; result < 0 && i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));

        search->command[i] = strdup(word ? word : "");
        if (!word || !search->command[i])
            result = word ? mm_no_memory() : damaged(search);
    }
    json_decref(document);
    return result;
}

/* --- Opening ------------------------------------------------------------------------ */

static int compare_asked(const struct search *search, const json_t *document)
{
    json_t *asked = asked_json(search);
    int same = json_equal(asked, json_object_get(document, "asked"));

    json_decref(asked);
    return same ? -1
                : mm_refuse(MM_EXIT_MISUSE,
                            "'%s' has another search: its command or options differ; -o "
                            "alone goes on with it",
                            mm_safe(search->dir));
}

int search_open(struct search *search)
{
    json_t *document;
    int missing = 0, result;

    result = sweep_make_directory(search->dir, "search", 0, &search->path, &search->lock);
    if (result >= 0)
        return result;
    document = load(search->path, &missing);
    if (document) {
        result = compare_asked(search, document);
        if (result < 0)
            result = read_steps(search, document);
    } else if (!missing) {
        result = damaged(search);
    } else if (cca_directory_is_empty(search->path) != 1) {
        result = mm_refuse(MM_EXIT_MISUSE, "'%s' is not empty, and has no search",
                           mm_safe(search->dir));
    } else {
        result = search_write(search);
    }
    json_decref(document);
    return result;
}
