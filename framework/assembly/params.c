/* SPDX-License-Identifier: BSD-3-Clause */
/* params.c: parameters of an instance: parse and check the text of a value, store the
 * value and its canonical text. */
#include "framework/assembly/params.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/assembly/assembly.h"
#include "common/nearest.h"

/* Return the words for a type in messages: "an integer", ... */
static const char *type_noun(enum cca_type type)
{
    switch (type) {
    case CCA_INT:
    case CCA_LONG:
        return "an integer";
    case CCA_FLOAT:
    case CCA_DOUBLE:
        return "a finite number";
    case CCA_BOOL:
        return "true or false";
    case CCA_STRING:
        return "a string";
    default:
        return NULL;
    }
}

/* Read decimal digits. Returns the end; NULL: no digit, or a number too large. */
static const char *read_digits(const char *text, const char *end, uint64_t *value)
{
    const char *at = text;

    for (*value = 0; at < end && *at >= '0' && *at <= '9'; at++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return NULL;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    return at == text ? NULL : at;
}

/* True if `text` fits one choice of a list. LOW..HIGH in a choice is any integer between
 * them. */
static int is_choice(const char *choice, const char *end, const char *text)
{
    const char *text_end = text + strlen(text), *range = choice, *rest, *found;
    const char *dots = memmem(choice, (size_t)(end - choice), "..", 2);
    uint64_t low, high, value;

    if (dots)
        for (range = dots; range > choice && range[-1] >= '0' && range[-1] <= '9';)
            range--;
    rest = dots && read_digits(range, dots, &low) == dots
               ? read_digits(dots + 2, end, &high)
               : NULL;
    if (!rest)
        return text_end - text == end - choice &&
               !memcmp(choice, text, (size_t)(end - choice));
    if (strncmp(text, choice, (size_t)(range - choice)) != 0)
        return 0;
    found = read_digits(text + (range - choice), text_end, &value);
    return found && value >= low && value <= high && text_end - found == end - rest &&
           !memcmp(found, rest, (size_t)(end - rest));
}

/* True if `text` fits one of the choices in a list such as "a|b|c:1..9". */
static int is_one_of(const char *choices, const char *text)
{
    for (;; choices++) {
        const char *end = strchrnul(choices, '|');

        if (is_choice(choices, end, text))
            return 1;
        choices = end;
        if (!*end)
            return 0;
    }
}

/* Compare `param` with the bound in `text`: -1 below, 0 equal, 1 above. */
static int compare_bound(enum cca_type type, const struct cca_param *param,
                         const char *text)
{
    struct cca_param bound = {.text = NULL};

    cca_param_read(type, text, &bound); /* reading the bound cannot fail: it was checked
                                           when the parameter was added */
    if (type == CCA_DOUBLE || type == CCA_FLOAT)
        return (param->value.d > bound.value.d) - (param->value.d < bound.value.d);
    return (param->value.i > bound.value.i) - (param->value.i < bound.value.i);
}

static int is_number(enum cca_type type)
{
    return type == CCA_INT || type == CCA_LONG || type == CCA_FLOAT || type == CCA_DOUBLE;
}

/* Report a value that is out of bounds, or (`fits` 0) that its type cannot represent. */
static int report_bounds(const struct cca_param_decl *decl, const char *value, int fits,
                         const char *who, struct cca_error *err)
{
    if (decl->low && decl->high)
        return cca_error_set(err, -ERANGE,
                             "parameter '%s' of '%s' lies between %s and %s, "
                             "found '%s'",
                             decl->name, who, decl->low, decl->high, value);
    if (fits && decl->low)
        return cca_error_set(err, -ERANGE,
                             "parameter '%s' of '%s' is at least %s, found '%s'",
                             decl->name, who, decl->low, value);
    if (fits && decl->high)
        return cca_error_set(err, -ERANGE,
                             "parameter '%s' of '%s' is at most %s, found '%s'",
                             decl->name, who, decl->high, value);
    return cca_error_set(err, -ERANGE,
                         "parameter '%s' of '%s': '%s' does not fit its type", decl->name,
                         who, value);
}

/* Check a value against its declaration and store it, with its text, in `param`. */
static int read_value(const struct cca_param_decl *decl, const char *value,
                      const char *who, struct cca_param *param, struct cca_error *err)
{
    int status = cca_param_read(decl->type, value, param);

    if (status == -EINVAL)
        return cca_error_set(err, -EINVAL, "parameter '%s' of '%s' is %s, found '%s'",
                             decl->name, who, type_noun(decl->type), value);
    if (status == -ERANGE ||
        (!status && is_number(decl->type) &&
         ((decl->low && compare_bound(decl->type, param, decl->low) < 0) ||
          (decl->high && compare_bound(decl->type, param, decl->high) > 0))))
        return report_bounds(decl, value, status != -ERANGE, who, err);
    if (decl->type == CCA_STRING && decl->choices && !is_one_of(decl->choices, value))
        return cca_error_set(err, -EINVAL, "parameter '%s' of '%s' is %s %s, found '%s'",
                             decl->name, who,
                             *decl->choices == '|' ? "empty or one of" : "one of",
                             decl->choices + (*decl->choices == '|'), value);
    param->text = status ? NULL : cca_param_write(decl->type, param, value);
    if (!param->text)
        return cca_no_memory(err);
    return 0;
}

/* Return a description of the mistake in a declaration, or NULL. */
static const char *decl_fault(const struct cca_param_decl *decl)
{
    struct cca_param bound;

    if (!decl->name || !cca_name_valid(decl->name))
        return "its name is not made of letters, digits, '_' and '-'";
    if (!type_noun(decl->type))
        return "it has a type that parameters do not have";
    if (!decl->value)
        return "it has no default";
    if ((decl->low || decl->high) && !is_number(decl->type))
        return "it has bounds and is no number";
    if ((decl->low && cca_param_read(decl->type, decl->low, &bound)) ||
        (decl->high && cca_param_read(decl->type, decl->high, &bound)))
        return "its bounds are not of its type";
    return NULL;
}

/* Add a declaration with its default value. `kind` is the kind of `who`: class or
 * instance. */
static int take_decl(struct cca_params *params, const struct cca_param_decl *decl,
                     void *copy, const char *kind, const char *who, struct cca_error *err)
{
    struct cca_params_item *item;
    const char *fault = decl_fault(decl);
    int status;

    if (!fault && cca_params_find(params, decl->name, NULL))
        fault = "it is declared twice";
    if (fault)
        return cca_error_set(err, -EINVAL, "%s '%s' declares parameter '%s': %s", kind,
                             who, decl->name ? decl->name : "", fault);
    if (cca_array_reserve(&params->items, params->count, sizeof *params->items))
        return cca_no_memory(err);
    item = &params->items[params->count];
    *item = (struct cca_params_item){.decl = decl, .copy = copy};
    status = read_value(decl, decl->value, who, &item->value, err);
    if (!status)
        params->count++;
    return status;
}

int cca_params_init(struct cca_params *params, const struct cca_param_decl *decls,
                    const char *who, struct cca_error *err)
{
    int status = 0;

    *params = (struct cca_params){0};
    for (; decls && decls->name && !status; decls++)
        status = take_decl(params, decls, NULL, "class", who, err);
    return status;
}

/* Copy a declaration and its strings into one block of memory; NULL: out of memory. */
static struct cca_param_decl *copy_decl(const struct cca_param_decl *decl)
{
    static const size_t strings[] = {
        offsetof(struct cca_param_decl, name),    offsetof(struct cca_param_decl, value),
        offsetof(struct cca_param_decl, low),     offsetof(struct cca_param_decl, high),
        offsetof(struct cca_param_decl, choices), offsetof(struct cca_param_decl, unit),
        offsetof(struct cca_param_decl, help),    offsetof(struct cca_param_decl, group)};
    enum { STRINGS = sizeof strings / sizeof *strings };
    size_t size = sizeof *decl;
    struct cca_param_decl *copy;
    const char *from;
    char *to;

    for (size_t i = 0; i < STRINGS; i++) {
        memcpy(&from, (const char *)decl + strings[i], sizeof from);
        size += from ? strlen(from) + 1 : 0;
    }
    copy = malloc(size);
    if (!copy)
        return NULL;
    *copy = *decl;
    to = (char *)(copy + 1);
    for (size_t i = 0; i < STRINGS; i++) {
        memcpy(&from, (const char *)decl + strings[i], sizeof from);
        if (!from)
            continue;
        memcpy((char *)copy + strings[i], &to, sizeof to);
        to = stpcpy(to, from) + 1;
    }
    return copy;
}

int cca_params_add(struct cca_params *params, const struct cca_param_decl *decl,
                   const char *who, struct cca_error *err)
{
    struct cca_param_decl *copy = copy_decl(decl);
    int status =
        copy ? take_decl(params, copy, copy, "instance", who, err) : cca_no_memory(err);

    if (status)
        free(copy);
    return status;
}

int cca_params_check(const struct cca_param_decl *decl, const char *value,
                     const char *who, struct cca_error *err)
{
    struct cca_param param = {.text = NULL};
    int status = read_value(decl, value, who, &param, err);

    free(param.text);
    return status;
}

void cca_params_done(struct cca_params *params)
{
    for (size_t i = 0; i < params->count; i++) {
        free(params->items[i].value.text);
        free(params->items[i].copy);
    }
    free(params->items);
    *params = (struct cca_params){0};
}

/* Find a parameter by name; NULL: none. */
static struct cca_params_item *find_item(const struct cca_params *params,
                                         const char *name)
{
    for (size_t i = 0; name && i < params->count; i++)
        if (!strcmp(params->items[i].decl->name, name))
            return &params->items[i];
    return NULL;
}

const struct cca_param *cca_params_find(const struct cca_params *params, const char *name,
                                        const struct cca_param_decl **decl)
{
    const struct cca_params_item *item = find_item(params, name);

    if (item && decl)
        *decl = item->decl;
    return item ? &item->value : NULL;
}

int cca_params_set(struct cca_params *params, const char *name, const char *value,
                   const char *who, struct cca_error *err)
{
    struct cca_params_item *item = find_item(params, name);
    struct cca_param accepted = {.text = NULL};
    int status;

    if (!item) {
        struct cca_nearest nearest;
        char hint[128];

        cca_nearest_init(&nearest, name);
        for (size_t i = 0; i < params->count; i++)
            cca_nearest_offer(&nearest, params->items[i].decl->name);
        return cca_error_set(err, -ENOENT, "'%s' has no parameter '%s'%s", who, name,
                             cca_nearest_hint(nearest.best, hint, sizeof hint));
    }
    if (!value)
        return cca_error_set(err, -EINVAL, "parameter '%s' of '%s' is set to nothing",
                             name, who);
    status = read_value(item->decl, value, who, &accepted, err);
    if (status)
        return status;
    free(item->value.text);
    item->value = accepted;
    return 0;
}
