/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c: read and check LBDatafiles. */
#include "mesh/convert/lbaf/parts.h"

#include <inttypes.h>
#include <string.h>

#include "common/array.h"

/* --- Messages and members ------------------------------------------------- */

int mesh_lbaf_refuse(const struct mesh_lbaf_at *at, const char *found,
                     const char *expected)
{
    char place[80] = "";

    if (at->phase >= 0 && at->task >= 0)
        snprintf(place, sizeof place, "phase %" PRId64 ": task %" PRId64 ": ", at->phase,
                 at->task);
    else if (at->phase >= 0)
        snprintf(place, sizeof place, "phase %" PRId64 ": ", at->phase);
    return cca_error_set(at->err, -EBADMSG, "%s: %sfound %s, expected %s", at->file,
                         place, found, expected);
}

int mesh_lbaf_refuse_member(const struct mesh_lbaf_at *at, const json_t *object,
                            const char *name, const char *expected)
{
    const json_t *value = json_object_get(object, name);
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    char found[120];

    if (text)
        snprintf(found, sizeof found, "'%.30s' %.60s", name, text);
    else
        snprintf(found, sizeof found, "no '%.60s'", name);
    free(text);
    return mesh_lbaf_refuse(at, found, expected);
}

int mesh_lbaf_integer(const struct mesh_lbaf_at *at, const json_t *object,
                      const char *name, int64_t least, int64_t *value)
{
    const json_t *item = json_object_get(object, name);
    char expected[64];

    if (!item)
        return 0;
    if (json_is_integer(item) && json_integer_value(item) >= least) {
        *value = json_integer_value(item);
        return 1;
    }
    if (least == INT64_MIN)
        snprintf(expected, sizeof expected, "a whole number");
    else
        snprintf(expected, sizeof expected, "a whole number from %" PRId64, least);
    return mesh_lbaf_refuse_member(at, object, name, expected);
}

int mesh_lbaf_amount(const struct mesh_lbaf_at *at, const json_t *object,
                     const char *name, double *value)
{
    const json_t *item = json_object_get(object, name);

    if (!item)
        return 0;
    *value = json_number_value(item);
    if (json_is_number(item) && *value >= 0 && *value <= 3.4e38)
        return 1;
    return mesh_lbaf_refuse_member(at, object, name, "a number from 0 to 3.4e38");
}

/* --- Phases --------------------------------------------------------------- */

static int check_communications(struct mesh_lbaf_at *at, const json_t *phase,
                                struct mesh_lbaf_phase *to)
{
    const json_t *list = json_object_get(phase, "communications"), *item;
    int64_t messages;
    double bytes;
    size_t i;

    if (list && !json_is_array(list))
        return mesh_lbaf_refuse_member(at, phase, "communications", "an array");
    json_array_foreach(list, i, item)
    {
        int result = mesh_lbaf_amount(at, item, "bytes", &bytes);

        if (result <= 0)
            return result ? result
                          : mesh_lbaf_refuse_member(at, item, "bytes",
                                                    "those of a communication");
        result = mesh_lbaf_integer(at, item, "messages", 0, &messages);
        if (result >= 0 && !json_is_string(json_object_get(item, "type")))
            result = mesh_lbaf_refuse_member(at, item, "type",
                                             "a kind of communication, as \"SendRecv\"");
        if (result >= 0)
            result = mesh_lbaf_check_end(at, item, "from");
        if (result >= 0)
            result = mesh_lbaf_check_end(at, item, "to");
        if (result < 0)
            return result;
        to->communications++;
        to->bytes += bytes;
    }
    return 0;
}

static int take_phase(struct mesh_lbaf_at *at, const json_t *phase)
{
    struct mesh_lbaf_rank *rank = at->rank;
    struct mesh_lbaf_phase to = {.first_task = rank->task_count}, *added;
    const json_t *tasks = json_object_get(phase, "tasks"), *task;
    int result;
    size_t i;

    at->phase = at->task = -1;
    if (!json_is_object(phase))
        return mesh_lbaf_refuse(at, "a phase that is no object", "an object");
    result = mesh_lbaf_integer(at, phase, "id", 0, &to.id);
    if (result <= 0)
        return result ? result
                      : mesh_lbaf_refuse_member(at, phase, "id", "that of a phase");
    at->phase = to.id;
    if (!json_is_array(tasks))
        return mesh_lbaf_refuse_member(at, phase, "tasks", "an array");
    json_array_foreach(tasks, i, task)
    {
        at->task = (int64_t)i;
        if ((result = mesh_lbaf_take_task(at, task)) < 0)
            return result;
    }
    at->task = -1;
    to.tasks = json_array_size(tasks);
    if ((result = check_communications(at, phase, &to)) < 0)
        return result;
    added = cca_array_add(&rank->phases, &rank->phase_count, sizeof *added);
    if (!added)
        return cca_no_memory(at->err);
    *added = to;
    return 0;
}

/* --- Documents ------------------------------------------------------------ */

static int check_type(const struct mesh_lbaf_at *at, const json_t *object)
{
    const json_t *type = json_object_get(object, "type");

    if (!type ||
        (json_is_string(type) && strcmp(json_string_value(type), "LBDatafile") == 0))
        return 0;
    return mesh_lbaf_refuse_member(at, object, "type", "\"LBDatafile\"");
}

static int check_head(const struct mesh_lbaf_at *at, const json_t *document)
{
    const json_t *metadata = json_object_get(document, "metadata");
    int64_t number = at->number;
    char expected[64];
    int result;

    if (!json_is_object(document))
        return mesh_lbaf_refuse(at, "JSON that is no object", "an LBDatafile");
    result = check_type(at, document);
    if (!result && metadata && !json_is_object(metadata))
        result = mesh_lbaf_refuse_member(at, document, "metadata", "an object");
    if (!result)
        result = check_type(at, metadata);
    if (!result)
        result = mesh_lbaf_integer(at, metadata, "rank", 0, &number);
    snprintf(expected, sizeof expected, "%d, as the file is named", at->number);
    return result > 0 && number != at->number
               ? mesh_lbaf_refuse_member(at, metadata, "rank", expected)
               : (result < 0 ? result : 0);
}

/* Parse a part of the file that begins after `line` newlines. Returns NULL with `err`. */
static json_t *parse(const struct mesh_lbaf_at *at, const char *text, size_t size,
                     size_t line)
{
    json_error_t error;
    json_t *json =
        json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

    if (!json && json_error_code(&error) == json_error_out_of_memory)
        cca_no_memory(at->err);
    else if (!json)
        cca_error_set(at->err, -EBADMSG,
                      "%s:%zu: found invalid JSON: %s, expected an LBDatafile", at->file,
                      line + (size_t)error.line, error.text);
    return json;
}

/* Parse the document without the items of its array of phases. Returns NULL with `err`.
 */
static json_t *parse_head(const struct mesh_lbaf_at *at,
                          const struct mesh_lbaf_split *split)
{
    size_t rest = split->size - split->end;
    char *text = malloc(split->first + 2 + rest);
    json_t *head = NULL;

    if (text) {
        memcpy(text, split->text, split->first);
        memcpy(text + split->first, "[]", 2);
        memcpy(text + split->first + 2, split->text + split->end, rest);
        head = parse(at, text, split->first + 2 + rest, 0);
    } else {
        cca_no_memory(at->err);
    }
    free(text);
    return head;
}

static int take_phases(struct mesh_lbaf_at *at, struct mesh_lbaf_split *split)
{
    size_t length, line;
    const char *item;
    int result = 0;

    while (!result && mesh_lbaf_split_next(split, &item, &length, &line)) {
        json_t *phase = parse(at, item, length, line);

        result = phase ? take_phase(at, phase) : at->err->code;
        json_decref(phase);
    }
    return result < 0 ? result : 0;
}

/* The phases were not found in the text: let a parser report the error. */
static int refuse_text(struct mesh_lbaf_at *at, const char *text, size_t size)
{
    json_t *document = parse(at, text, size, 0);
    int result = document ? check_head(at, document) : at->err->code;

    if (!result)
        result = mesh_lbaf_refuse_member(at, document, "phases", "an array");
    json_decref(document);
    return result;
}

static int take_text(struct mesh_lbaf_at *at, const char *text, size_t size)
{
    struct mesh_lbaf_split split;
    json_t *head;
    int result;

    if (!mesh_lbaf_split(text, size, &split))
        return refuse_text(at, text, size);
    head = parse_head(at, &split);
    result = head ? check_head(at, head) : at->err->code;
    if (!result)
        result = take_phases(at, &split);
    if (!result)
        result = mesh_lbaf_take_lists(at, json_object_get(head, "metadata"));
    json_decref(head);
    return result;
}

static int read_file(struct mesh_lbaf *lbaf, const struct mesh_lbaf_file *file,
                     struct cca_error *err)
{
    struct mesh_lbaf_at at = {.lbaf = lbaf,
                              .rank = &lbaf->ranks[file->rank],
                              .file = file->path,
                              .number = file->rank,
                              .phase = -1,
                              .task = -1,
                              .err = err};
    size_t size;
    char *text = mesh_lbaf_text(file, &size, err);
    int result = text ? take_text(&at, text, size) : err->code;

    free(text);
    return result;
}

/* --- All files ------------------------------------------------------------ */

struct seen {
    int64_t phase;
    const struct mesh_lbaf_rank *rank;
    const struct mesh_lbaf_phase *of;
};

static int by_phase(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    return x->phase != y->phase ? (x->phase < y->phase ? -1 : 1)
                                : (x->of > y->of) - (x->of < y->of);
}

/* Sort the phases that are written in full in any file. Returns them, ascending; NULL: no
 * memory. */
static struct seen *sort_phases(const struct mesh_lbaf *lbaf, size_t *count)
{
    struct seen *all;

    *count = 0;
    for (size_t r = 0; r < lbaf->rank_count; r++)
        *count += lbaf->ranks[r].phase_count;
    all = calloc(*count + 1, sizeof *all);
    *count = 0;
    for (size_t r = 0; all && r < lbaf->rank_count; r++)
        for (size_t p = 0; p < lbaf->ranks[r].phase_count; p++)
            all[(*count)++] = (struct seen){lbaf->ranks[r].phases[p].id, &lbaf->ranks[r],
                                            &lbaf->ranks[r].phases[p]};
    if (*count)
        qsort(all, *count, sizeof *all, by_phase);
    return all;
}

/* Whether two tasks of one phase have the same seq_id: then homes distinguish them.
 * Returns 1, 0 or -ENOMEM. */
static int is_ambiguous(const struct mesh_lbaf *lbaf)
{
    int64_t *last = calloc(lbaf->element_count + 1, sizeof *last);
    int result = 0;
    size_t count;
    struct seen *all = sort_phases(lbaf, &count);

    if (!last || !all)
        result = -ENOMEM;
    for (size_t i = 0; !result && i < lbaf->element_count; i++)
        last[i] = -1;
    for (size_t i = 0; result >= 0 && i < count; i++) {
        const struct mesh_lbaf_task *tasks = all[i].rank->tasks + all[i].of->first_task;

        for (size_t t = 0; t < all[i].of->tasks; t++) {
            size_t e = tasks[t].element;

            result |= lbaf->elements[e].is_seq && last[e] == all[i].phase;
            last[e] = all[i].phase;
        }
    }
    free(last);
    free(all);
    return result;
}

static int read_all(const struct mesh_lbaf_files *files, struct mesh_lbaf *lbaf,
                    mesh_lbaf_progress_fn *progress, void *context, struct cca_error *err)
{
    int result = 0;

    lbaf->ranks = calloc(files->count, sizeof *lbaf->ranks);
    if (!lbaf->ranks)
        return cca_no_memory(err);
    lbaf->rank_count = files->count;
    for (size_t i = 0; !result && i < files->count; i++) {
        result = read_file(lbaf, &files->files[i], err);
        if (progress)
            progress(context, (double)(i + 1) / (double)files->count);
    }
    return result;
}

int mesh_lbaf_read(const struct mesh_lbaf_files *files, struct mesh_lbaf *lbaf,
                   mesh_lbaf_progress_fn *progress, void *context, struct cca_error *err)
{
    int result;

    memset(lbaf, 0, sizeof *lbaf);
    result = read_all(files, lbaf, progress, context, err);
    if (result)
        return result;
    result = is_ambiguous(lbaf);
    if (result <= 0)
        return result ? cca_no_memory(err) : 0;
    mesh_lbaf_done(lbaf);
    lbaf->by_home = 1;
    return read_all(files, lbaf, progress, context, err);
}

static void free_rank(struct mesh_lbaf_rank *rank)
{
    free(rank->phases);
    free(rank->tasks);
    free(rank->subphases);
    free(rank->told);
    free(rank->skipped);
}

void mesh_lbaf_done(struct mesh_lbaf *lbaf)
{
    for (size_t i = 0; i < lbaf->rank_count; i++)
        free_rank(&lbaf->ranks[i]);
    free(lbaf->ranks);
    free(lbaf->elements);
    free(lbaf->table);
    memset(lbaf, 0, sizeof *lbaf);
}
