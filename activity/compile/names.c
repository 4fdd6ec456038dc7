/* SPDX-License-Identifier: BSD-3-Clause */
/* names.c: C names for the variables and functions of a model; they are no keywords and
 * do not clash. */
#include <stdio.h>
#include <string.h>

#include "activity/compile/emit_core.h"
#include "common/expr/words.h"

static int is_word(const char *name)
{
    static const char own[] =
        "L E PID TID UID NPROC NNODE NTHREAD head program next main fmin fmax fabs "
        "int64_t int32_t uint32_t size_t linux unix errno";

    return cca_is_keyword(CCA_C, name, strlen(name)) ||
           cca_is_word(own, name, strlen(name)) || strncmp(name, "act_", 4) == 0 ||
           strncmp(name, "ACT_", 4) == 0 || strncmp(name, "__", 2) == 0;
}

static char *ring(void)
{
    enum { TEXTS = 8 };
    static char texts[TEXTS][400];
    static int at;

    at = (at + 1) % TEXTS;
    return texts[at];
}

const char *act_emit_variable(const struct act_emit *m, const struct act_variable *v)
{
    char *text = ring();
    int clash = is_word(v->name);

    for (int i = 0; i < m->model->slots && !clash; i++)
        clash = m->variables[i] && m->variables[i] != v &&
                strcmp(m->variables[i]->name, v->name) == 0;
    if (clash)
        snprintf(text, 400, "%.380s_%d", v->name, v->slot);
    else
        snprintf(text, 400, "%.399s", v->name);
    return text;
}

const char *act_emit_name(const struct act_emit *m, const char *name)
{
    char *text = ring();

    snprintf(text, 400, "%.300s%s%s", name, is_word(name) ? "_" : "", m->suffix);
    return text;
}

const char *act_emit_parameter(const char *name)
{
    char *text = ring();

    snprintf(text, 400, "%.390s%s", name, is_word(name) ? "_" : "");
    return text;
}
