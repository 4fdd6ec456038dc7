/* SPDX-License-Identifier: BSD-3-Clause */
/* inside.c: the region tree. */
#include "properties/causes/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"

enum { DEEPEST = 1000 }; /* limit of parents: a damaged file may contain a cycle */

/* A calling context, with the name of its method, by which contexts are searched. */
struct leaf {
    const char *method;
    const struct mm_place *place;
};

struct mm_inside {
    const struct mm_place **by_id;
    struct leaf *leaves; /* contexts, sorted by method */
    size_t count, leaf_count;
    char **texts;
    size_t text_count;
    int failed;
};

static int by_id(const void *a, const void *b)
{
    int64_t x = (*(const struct mm_place *const *)a)->id;
    int64_t y = (*(const struct mm_place *const *)b)->id;

    return (x > y) - (x < y);
}

static int by_method(const void *a, const void *b)
{
    return strcmp(((const struct leaf *)a)->method, ((const struct leaf *)b)->method);
}

/* The last part "c" of "a > b > c". */
static const char *leaf_name(const char *name)
{
    const char *leaf = name, *next;

    while ((next = strstr(leaf, " > ")))
        leaf = next + 3;
    return leaf;
}

struct mm_inside *mm_inside_new(const struct mm_place *places, size_t count)
{
    struct mm_inside *in = calloc(1, sizeof *in);

    if (!in)
        return NULL;
    in->by_id = calloc(count + 1, sizeof(struct mm_place *));
    in->leaves = calloc(count + 1, sizeof *in->leaves);
    if (!in->by_id || !in->leaves) {
        mm_inside_free(in);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        in->by_id[in->count++] = &places[i];
        if (!strcmp(places[i].kind, "context"))
            in->leaves[in->leaf_count++] =
                (struct leaf){leaf_name(places[i].name), &places[i]};
    }
    qsort(in->by_id, in->count, sizeof(struct mm_place *), by_id);
    qsort(in->leaves, in->leaf_count, sizeof *in->leaves, by_method);
    return in;
}

void mm_inside_free(struct mm_inside *inside)
{
    if (!inside)
        return;
    for (size_t i = 0; i < inside->text_count; i++)
        free(inside->texts[i]);
    free(inside->texts);
    free(inside->by_id);
    free(inside->leaves);
    free(inside);
}

const struct mm_place *mm_inside_place(const struct mm_inside *inside, int64_t region)
{
    struct mm_place key = {.id = region}, *wanted = &key;
    const struct mm_place **found =
        bsearch(&wanted, inside->by_id, inside->count, sizeof(struct mm_place *), by_id);

    return found ? *found : NULL;
}

/* The contexts of a method: the first one, and their number. */
static const struct leaf *contexts_of(const struct mm_inside *inside, const char *method,
                                      size_t *count)
{
    size_t at;

    *count = 0;
    CCA_FIND_FIRST(at, inside->leaf_count, strcmp(inside->leaves[at].method, method) < 0);
    while (at + *count < inside->leaf_count &&
           !strcmp(inside->leaves[at + *count].method, method))
        ++*count;
    return inside->leaves + at;
}

/* Whether a region, or a region that encloses it, is region `b` or a context of method
 * `b`. */
static int is_under(const struct mm_inside *inside, const struct mm_place *a,
                    const struct mm_place *b)
{
    int method = !strcmp(b->kind, "method");

    for (int depth = 0; a && depth < DEEPEST; depth++) {
        if (a == b || (method && !strcmp(a->kind, "context") &&
                       !strcmp(leaf_name(a->name), b->name)))
            return 1;
        a = a->parent ? mm_inside_place(inside, a->parent) : NULL;
    }
    return 0;
}

int mm_is_inside(const struct mm_inside *inside, int64_t a, int64_t b)
{
    const struct mm_place *inner = mm_inside_place(inside, a);
    const struct mm_place *outer = mm_inside_place(inside, b);
    const struct leaf *contexts;
    size_t count;

    if (a == b)
        return 1;
    if (!inner || !outer)
        return 0;
    if (!strcmp(outer->kind, "program"))
        return 1;
    if (!strcmp(outer->kind, "go"))
        return strcmp(inner->kind, "program") != 0 && strcmp(inner->kind, "go") != 0;
    if (strcmp(inner->kind, "method") != 0)
        return is_under(inside, inner, outer);
    contexts = contexts_of(inside, inner->name, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_under(inside, contexts[i].place, outer))
            return 0;
    return count > 0;
}

/* List the regions that enclose `place`, from the outermost to `place` itself. Returns
 * their number. */
static size_t path_of(const struct mm_inside *inside, const struct mm_place *place,
                      const struct mm_place **path, size_t most)
{
    size_t n = 0;

    for (; place && n < most;
         place = place->parent ? mm_inside_place(inside, place->parent) : NULL)
        path[n++] = place;
    for (size_t i = 0; i < n / 2; i++) {
        const struct mm_place *swap = path[i];

        path[i] = path[n - 1 - i];
        path[n - 1 - i] = swap;
    }
    return n;
}

static size_t common_places(const struct mm_inside *inside, const struct mm_place *a,
                            const struct mm_place *b)
{
    const struct mm_place *x[64], *y[64];
    size_t n = path_of(inside, a, x, 64), m = path_of(inside, b, y, 64), same = 0;

    while (same < n && same < m && x[same] == y[same])
        same++;
    return same;
}

size_t mm_inside_common(const struct mm_inside *inside, int64_t a, int64_t b)
{
    const struct mm_place *x = mm_inside_place(inside, a),
                          *y = mm_inside_place(inside, b);
    struct leaf own_x = {NULL, x}, own_y = {NULL, y};
    const struct leaf *of_x = &own_x, *of_y = &own_y;
    size_t n = 1, m = 1, most = 0;

    if (!x || !y)
        return 0;
    if (!strcmp(x->kind, "method"))
        of_x = contexts_of(inside, x->name, &n);
    if (!strcmp(y->kind, "method"))
        of_y = contexts_of(inside, y->name, &m);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++) {
            size_t same = common_places(inside, of_x[i].place, of_y[k].place);

            most = same > most ? same : most;
        }
    return most;
}

const char *mm_inside_reason(struct mm_inside *inside, const char *property,
                             const char *reason)
{
    char *text = NULL;

    if (cca_array_reserve(&inside->texts, inside->text_count, sizeof *inside->texts) ||
        asprintf(&text, "%s: %s", property, reason ? reason : "no data") < 0) {
        inside->failed = 1;
        return "";
    }
    inside->texts[inside->text_count++] = text;
    return text;
}

int mm_inside_failed(const struct mm_inside *inside)
{
    return inside->failed;
}
