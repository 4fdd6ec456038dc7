/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: Activities of a UML file are written as models in the activity language, one
 * model for each activity that no other calls. Each text is read again before it is
 * returned; errors of the language's reader are reported at the line of the UML file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/model/tree.h"
#include "activity/xmi/text_core.h"
#include "common/array.h"

/* --- Activities. --- */

static const char *behind_hash(const char *text)
{
    const char *hash = text ? strrchr(text, '#') : NULL;

    return hash ? hash + 1 : text;
}

const struct xmi_graph *xmi_called(const struct xmi_document *d, const char *behavior)
{
    for (const struct xmi_graph *g = d->graphs; g && behavior; g = g->next)
        if (strcmp(g->id, behavior) == 0 || strcmp(g->id, behind_hash(behavior)) == 0)
            return g;
    return NULL;
}

int xmi_part_of(const struct xmi_writing *w, const struct xmi_graph *g)
{
    int i = 0;

    while (i < w->part_count && w->parts[i] != g)
        i++;
    return i;
}

static void add_part(struct xmi_writing *w, const struct xmi_graph *g)
{
    char fallback[40], *name;

    if (xmi_part_of(w, g) < w->part_count || w->failed)
        return;
    if (w->part_count == XMI_ACTIVITIES) {
        xmi_fail(w, g->line, "found more than %d activities, expected fewer",
                 XMI_ACTIVITIES);
        return;
    }
    snprintf(fallback, sizeof fallback, "Activity_%d", XMI_LINE(g->line));
    name = w->part_count == 0 ? strdup("Main") : xmi_name(g->name, fallback);
    for (int i = 0; name && i < w->part_count; i++)
        if (strcmp(w->names[i], name) == 0) { /* the name is taken */
            char *longer = NULL;

            if (asprintf(&longer, "%.100s_%d", name, XMI_LINE(g->line)) < 0)
                longer = NULL;
            free(name);
            name = longer;
            i = -1;
            if (name && strlen(name) > 180)
                break;
        }
    if (!name) {
        w->failed = -ENOMEM;
        return;
    }
    w->names[w->part_count] = name;
    w->parts[w->part_count++] = g;
}

/* Add the activities that a graph calls, at any depth, in the order of the file. */
static void add_called(struct xmi_writing *w, const struct xmi_graph *g)
{
    for (const struct xmi_node *n = g->nodes; n && !w->failed; n = n->next) {
        const struct xmi_graph *called = xmi_called(w->document, n->behavior);

        if (called && xmi_part_of(w, called) == w->part_count) {
            add_part(w, called);
            add_called(w, called);
        }
        if (n->inner)
            add_called(w, n->inner);
        if (n->setup)
            add_called(w, n->setup);
    }
}

/* Whether the activity is defined in the main file. Activities of other files are added
 * only where they are called. */
static int is_here(const struct xmi_graph *g)
{
    return g->line >> XMI_LINE_BITS == 0;
}

static int calls(const struct xmi_document *d, const struct xmi_graph *from,
                 const struct xmi_graph *g)
{
    for (const struct xmi_node *n = from->nodes; n; n = n->next)
        if (xmi_called(d, n->behavior) == g || (n->inner && calls(d, n->inner, g)) ||
            (n->setup && calls(d, n->setup, g)))
            return 1;
    return 0;
}

static int is_called(const struct xmi_document *d, const struct xmi_graph *g)
{
    for (const struct xmi_graph *other = d->graphs; other; other = other->next)
        if (other != g && calls(d, other, g))
            return 1;
    return 0;
}

/* --- Models. --- */

static const char *tag_or(const struct xmi_tag *tags, const char *name,
                          const char *otherwise)
{
    const char *value = xmi_tag(tags, name);

    return value ? value : otherwise;
}

/* A new text with a line for each declared value: first the list `a`, then `b`. */
static char *values_text(const struct xmi_value *a, const struct xmi_value *b)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    for (; a; a = a->next)
        fprintf(out, "%s\n", a->text);
    for (; b; b = b->next)
        fprintf(out, "%s\n", b->text);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void write_activity(struct xmi_writing *w, int i)
{
    const struct xmi_graph *g = w->parts[i];
    char *values = values_text(g->locals, NULL);
    const char *locals = tag_or(g->tags, "locals", values ? values : "");
    const char *words[] = {"id", "type", "method"};

    w->guards.locals = locals;
    xmi_write_line(w, g->line, "%s", "");
    xmi_write_comment(w, g->line, xmi_tag(g->tags, "comment"));
    xmi_begin_line(w, g->line);
    fprintf(w->out, "activity %s", w->names[i]);
    for (int k = 0; k < 3; k++) {
        const char *value = xmi_tag(g->tags, words[k]);

        if (value && *value && !strchr(value, '"'))
            fprintf(w->out, k ? " %s \"%s\"" : " %s %s", words[k], value);
    }
    if (*tag_or(g->tags, "applied", ""))
        fprintf(w->out, " %s", xmi_tag(g->tags, "applied"));
    fputs(" {\n", w->out);
    w->indent = 1;
    if (xmi_tag(g->tags, "locals"))
        xmi_write_lines(w, g->line, locals);
    for (const struct xmi_value *v = g->locals; v && !xmi_tag(g->tags, "locals");
         v = v->next)
        xmi_write_line(w, v->line, "%s", v->text);
    xmi_write_graph(w, g);
    free(values);
    w->guards.locals = "";
    xmi_write_comment(w, g->line, xmi_tag(g->tags, "end_comment"));
    w->indent = 0;
    xmi_write_line(w, g->line, "}");
}

static void write_values(struct xmi_writing *w)
{
    for (const struct xmi_value *v = w->document->values; v; v = v->next)
        xmi_write_line(w, v->line, "%s", v->text);
    for (const struct xmi_value *v = w->document->functions; v; v = v->next)
        xmi_write_line(w, v->line, "%s", v->text);
}

/* Write a model: the bodies of its activities first, because they show which globals the
 * guards need; then put the declarations before them. */
static int write_model(struct xmi_writing *w, const char *model_name, char **text)
{
    const struct xmi_document *d = w->document;
    char *body = NULL, *whole = NULL;
    size_t size, body_lines;
    int *lines;

    w->out = open_memstream(&body, &size);
    if (!w->out)
        return -ENOMEM;
    for (int i = 0; i < w->part_count && !w->failed; i++)
        write_activity(w, i);
    if (fclose(w->out) != 0)
        w->failed = w->failed ? w->failed : -ENOMEM;
    lines = w->lines;
    body_lines = w->line_count;
    w->lines = NULL;
    w->line_count = 0;
    w->out = w->failed ? NULL : open_memstream(&whole, &size);
    if (w->out) {
        xmi_write_comment(w, d->line, xmi_tag(d->tags, "comment"));
        xmi_write_line(w, d->line, "model %s", model_name);
        if (xmi_tag(d->tags, "declarations"))
            xmi_write_lines(w, d->line, w->guards.declarations);
        else
            write_values(w);
        for (size_t i = 0; i < w->guards.count; i++)
            xmi_write_line(w, w->guards.lines[i], "global long %s = %d",
                           w->guards.globals[i],
                           strstr(w->guards.globals[i], "_turns") != NULL);
        fputs(body, w->out);
        for (size_t i = 0; i < body_lines && !w->failed; i++) {
            int *added = cca_array_add(&w->lines, &w->line_count, sizeof *added);

            if (added)
                *added = lines[i];
            else
                w->failed = -ENOMEM;
        }
        xmi_write_comment(w, d->line, xmi_tag(d->tags, "end_comment"));
        if (fclose(w->out) != 0)
            w->failed = w->failed ? w->failed : -ENOMEM;
    } else if (!w->failed) {
        w->failed = -ENOMEM;
    }
    free(lines);
    free(body);
    *text = whole;
    return w->failed;
}

/* Read the text with the language's reader, report its errors at the line of the UML
 * file, and replace the text by the reader's own print of the model. */
static int check_model(struct xmi_writing *w, const char *name, char **text)
{
    struct cca_error err = {0};
    struct act_model *model = act_model_read(name, *text, strlen(*text), &err);
    int line = 0, used = 0;

    if (model) {
        free(*text);
        *text = act_model_print(model);
        act_model_free(model);
        return *text ? 0 : -ENOMEM;
    }
    if (err.code != -EINVAL) {
        *w->err = err;
        return err.code;
    }
    if (sscanf(err.text + strlen(name), ":%d:%*d: %n", &line, &used) != 1 || !used)
        used = 0;
    return xmi_fail(w, line > 0 && (size_t)line <= w->line_count ? w->lines[line - 1] : 1,
                    "%s", err.text + strlen(name) + used);
}

static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    return strndup(name, strcspn(name, "."));
}

/* Check the declarations alone: guards are tested together with them. */
static int check_values(struct xmi_writing *w)
{
    const struct xmi_document *d = w->document;
    const struct xmi_value *v = d->values ? d->values : d->functions;
    struct cca_error err = {0};
    char *text = NULL;
    struct act_model *model;
    int line = 0, used = 0, of_functions = !d->values;

    if (asprintf(&text, "model t\n%s\nactivity Main { }\n", w->guards.declarations) < 0)
        return -ENOMEM;
    model = act_model_read("x", text, strlen(text), &err);
    free(text);
    act_model_free(model);
    if (model)
        return 0;
    if (err.code != -EINVAL || sscanf(err.text, "x:%d:%*d: %n", &line, &used) != 1)
        return err.code;
    for (int i = 2; v && i < line; i++) {
        v = v->next;
        if (!v && !of_functions) {
            v = d->functions;
            of_functions = 1;
        }
    }
    return xmi_fail(w, v && !xmi_tag(d->tags, "declarations") ? v->line : d->line, "%s",
                    err.text + used);
}

/* Sort activities by their order in the file. */
static void sort_parts(struct xmi_writing *w)
{
    int at = 0;

    for (const struct xmi_graph *g = w->document->graphs; g; g = g->next) {
        int i = xmi_part_of(w, g);
        const struct xmi_graph *part;
        char *name;

        if (i == w->part_count)
            continue;
        part = w->parts[i];
        name = w->names[i];
        memmove(&w->parts[at + 1], &w->parts[at], (size_t)(i - at) * sizeof *w->parts);
        memmove(&w->names[at + 1], &w->names[at], (size_t)(i - at) * sizeof *w->names);
        w->parts[at] = part;
        w->names[at++] = name;
    }
}

static int write_one(const struct xmi_document *d, const struct xmi_graph *root,
                     int is_only, struct xmi_text *text, struct cca_error *err)
{
    struct xmi_writing *w = calloc(1, sizeof *w);
    char *stem = stem_of(d->path), *layout = NULL, *printed = NULL;
    char *values = values_text(d->values, d->functions);
    const char *named = is_only ? (d->name && *d->name ? d->name : stem)
                                : (root->name && *root->name ? root->name : stem);
    size_t size;
    int rc;

    text->name = xmi_name(named, "model_");
    if (!w || !stem || !text->name || !values) {
        free(values);
        free(w);
        free(stem);
        return cca_no_memory(err);
    }
    *w = (struct xmi_writing){.document = d, .root = root, .err = err};
    w->guards.document = d;
    w->guards.declarations = tag_or(d->tags, "declarations", values);
    w->layout = open_memstream(&layout, &size);
    add_part(w, root);
    add_called(w, root);
    for (const struct xmi_graph *g = d->graphs; g && is_only; g = g->next)
        if (is_here(g))
            add_part(w, g);
    sort_parts(w);
    if (!w->failed)
        w->failed = check_values(w);
    rc = w->failed   ? w->failed
         : w->layout ? write_model(w, text->name, &printed)
                     : -ENOMEM;
    if (w->layout && fclose(w->layout) != 0 && !rc)
        rc = -ENOMEM;
    if (!rc)
        rc = check_model(w, text->name, &printed);
    text->text = printed;
    text->layout = w->has_layout ? layout : NULL;
    if (!w->has_layout)
        free(layout);
    xmi_guards_done(&w->guards);
    for (int i = 0; i < w->part_count; i++)
        free(w->names[i]);
    free(w->lines);
    free(w);
    free(stem);
    free(values);
    return rc && !err->code ? cca_no_memory(err) : rc;
}

/* Whether a model begins at the activity: it is Main, or no activity calls it. */
static int is_root(const struct xmi_document *d, const struct xmi_graph *g,
                   const struct xmi_graph *main)
{
    return main ? g == main : is_here(g) && !is_called(d, g);
}

static const struct xmi_graph *find_main(const struct xmi_document *d)
{
    for (const struct xmi_graph *g = d->graphs; g; g = g->next)
        if (is_here(g) && g->name &&
            (strcmp(g->name, "Main") == 0 || strcmp(g->name, "main") == 0 ||
             strcmp(g->name, "MainActivity") == 0))
            return g;
    return NULL;
}

int xmi_texts(const struct xmi_document *document, struct xmi_text **texts, size_t *count,
              struct cca_error *err)
{
    const struct xmi_graph *main = find_main(document);
    size_t roots = 0;
    int rc = 0;

    *texts = NULL;
    *count = 0;
    for (const struct xmi_graph *g = document->graphs; g; g = g->next)
        roots += (size_t)is_root(document, g, main);
    if (!roots)
        return xmi_refuse(document, document->graphs->line, err,
                          "found activities that all call each other, expected one that "
                          "begins");
    *texts = calloc(roots, sizeof **texts);
    if (!*texts)
        return cca_no_memory(err);
    for (const struct xmi_graph *g = document->graphs; g && !rc; g = g->next)
        if (is_root(document, g, main))
            rc = write_one(document, g, roots == 1, &(*texts)[(*count)++], err);
    if (rc) {
        xmi_texts_free(*texts, *count);
        *texts = NULL;
        *count = 0;
    }
    return rc;
}

void xmi_texts_free(struct xmi_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(texts[i].name);
        free(texts[i].text);
        free(texts[i].layout);
    }
    free(texts);
}
