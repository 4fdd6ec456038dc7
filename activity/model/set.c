/* SPDX-License-Identifier: BSD-3-Clause */
/* set.c: change the initial values of globals. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/model/arena.h"
#include "activity/model/tree.h"
#include "common/nearest.h"

static struct act_variable *find_global(struct act_model *m, const char *name,
                                        struct cca_error *err)
{
    const char *names[256], *near;
    size_t count = 0;

    for (struct act_variable *v = m->globals; v; v = v->next) {
        if (strcmp(v->name, name) == 0)
            return v;
        if (count < 256)
            names[count++] = v->name;
    }
    near = cca_nearest(name, names, count);
    cca_error_set(err, -ENOENT, "no global %.60s in model %s%s%s%s", name, m->name,
                  near ? "; is it " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

/* Whether the text is a number of the language, with or without a sign. */
static int is_number(const char *text, int whole)
{
    text += *text == '-' || *text == '+';
    if (!*text || !(*text >= '0' && *text <= '9'))
        return 0;
    return !text[strspn(text, whole ? "0123456789" : "0123456789.eE+-")];
}

int act_model_set(struct act_model *model, const char *name, const char *value,
                  struct cca_error *err)
{
    struct act_variable *v = find_global(model, name, err);
    struct act_expr *e;
    char *end;

    if (!v)
        return -ENOENT;
    e = act_arena_take(model->arena, sizeof *e);
    if (!e || !(e->text = act_arena_text(model->arena, value, strlen(value))))
        return cca_no_memory(err);
    e->kind = ACT_NUMBER;
    e->type = v->type;
    e->place = v->place;
    errno = 0;
    if (v->type == ACT_LONG)
        e->number.whole = strtoll(value, &end, 10);
    else
        e->number.real = strtod(value, &end);
    if (!is_number(value, v->type == ACT_LONG) || *end || errno)
        return cca_error_set(err, -EINVAL, "%s: found '%.60s', expected %s", name, value,
                             v->type == ACT_LONG ? "a whole number: it is a long"
                                                 : "a number");
    v->value = e;
    return 0;
}

int act_method_is_of(const char *method, const char *instance)
{
    size_t length = strlen(instance);

    return method && strncmp(method, instance, length) == 0 && method[length] == '.';
}

void act_model_set_class(struct act_model *model, const char *instance,
                         const char *class_name)
{
    for (struct act_activity *a = model->activities; a; a = a->next)
        if (act_method_is_of(a->method, instance))
            a->type = class_name;
    for (int i = 0; i < model->element_count; i++)
        if (act_method_is_of(model->elements[i]->method, instance))
            model->elements[i]->type = class_name;
}
