/* SPDX-License-Identifier: BSD-3-Clause */
/* property_text.c: convert values of properties from and to text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/assembly/assembly.h"
#include "framework/assembly/properties.h"

/* Type names of the specification, with the element type of arrays. */
static const struct {
    const char *name;
    enum cca_type type, element; /* element: type of an array's elements; CCA_NONE: the
                                    type is no array */
    size_t size;                 /* size of a value, or of an array's element */
} types[] = {{"Int", CCA_INT, CCA_NONE, sizeof(int)},
             {"Long", CCA_LONG, CCA_NONE, sizeof(int64_t)},
             {"Float", CCA_FLOAT, CCA_NONE, sizeof(float)},
             {"Double", CCA_DOUBLE, CCA_NONE, sizeof(double)},
             {"Fcomplex", CCA_FCOMPLEX, CCA_NONE, sizeof(float[2])},
             {"Dcomplex", CCA_DCOMPLEX, CCA_NONE, sizeof(double[2])},
             {"String", CCA_STRING, CCA_NONE, sizeof(char *)},
             {"Bool", CCA_BOOL, CCA_NONE, sizeof(int)},
             {"IntArray", CCA_INT_ARRAY, CCA_INT, sizeof(int)},
             {"LongArray", CCA_LONG_ARRAY, CCA_LONG, sizeof(int64_t)},
             {"FloatArray", CCA_FLOAT_ARRAY, CCA_FLOAT, sizeof(float)},
             {"DoubleArray", CCA_DOUBLE_ARRAY, CCA_DOUBLE, sizeof(double)},
             {"FcomplexArray", CCA_FCOMPLEX_ARRAY, CCA_FCOMPLEX, sizeof(float[2])},
             {"DcomplexArray", CCA_DCOMPLEX_ARRAY, CCA_DCOMPLEX, sizeof(double[2])},
             {"StringArray", CCA_STRING_ARRAY, CCA_STRING, sizeof(char *)},
             {"BoolArray", CCA_BOOL_ARRAY, CCA_BOOL, sizeof(int)}};
enum { TYPE_COUNT = sizeof types / sizeof *types };

/* Return the index of a type in `types`; -1: unknown. */
static int number_of(enum cca_type type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == type)
            return (int)i;
    return -1;
}

const char *cca_property_type_name(enum cca_type type)
{
    int number = number_of(type);

    return number < 0 ? NULL : types[number].name;
}

enum cca_type cca_property_type(const char *name, struct cca_error *err)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    cca_error_set(
        err, -EINVAL,
        "'%s' is no type of a property; expected Int, Long, Float, Double, Fcomplex, "
        "Dcomplex, String, Bool, or one of these with Array behind it",
        name);
    return CCA_NONE;
}

/* --- Reading -------------------------------------------------------------- */

/* Read "(RE,IM)", or a real number alone. */
static int read_complex(enum cca_type part, char *text, double value[2])
{
    char *end = text + strlen(text), *comma = strchr(text, ',');
    struct cca_param param = {.text = NULL};
    int status;

    if (*text == '(') {
        if (!comma || end[-1] != ')')
            return -EINVAL;
        end[-1] = '\0';
        text++;
    } else if (comma) {
        return -EINVAL;
    }
    value[1] = 0;
    for (int i = comma ? 1 : 0; i >= 0; i--) {
        status = cca_param_read(part, i ? comma + 1 : text, &param);
        if (status)
            return status;
        value[i] = param.value.d;
        if (comma)
            *comma = '\0';
    }
    return 0;
}

/* Store the value read from `text` at an address. `text` is changed; a string value
 * points into it. */
static int read_element(enum cca_type type, char *text, void *to)
{
    struct cca_param param = {.text = NULL};
    double pair[2];
    int status;

    if (type == CCA_FCOMPLEX || type == CCA_DCOMPLEX)
        status = read_complex(type == CCA_FCOMPLEX ? CCA_FLOAT : CCA_DOUBLE, text, pair);
    else
        status = cca_param_read(type, text, &param);
    if (status)
        return status;
    if (type == CCA_LONG)
        *(int64_t *)to = param.value.i;
    else if (type == CCA_INT || type == CCA_BOOL)
        *(int *)to = (int)param.value.i;
    else if (type == CCA_FLOAT)
        *(float *)to = (float)param.value.d;
    else if (type == CCA_DOUBLE)
        *(double *)to = param.value.d;
    else if (type == CCA_STRING)
        *(char **)to = text;
    else if (type == CCA_DCOMPLEX)
        memcpy(to, pair, sizeof pair);
    else
        memcpy(to, (float[2]){(float)pair[0], (float)pair[1]}, sizeof(float[2]));
    return 0;
}

/* Cut off the next word. Words are separated by blanks; a word in double quotes may have
 * blanks, and \ escapes a quote or \. Returns NULL if there are no more words, or with
 * `*status` -EINVAL: a quote does not end. */
static char *next_word(char **at, int *status)
{
    char *word = *at + strspn(*at, " \t"), *to = word, *from = word + 1;

    if (*word != '"') {
        *at = word + strcspn(word, " \t");
        if (**at)
            *(*at)++ = '\0';
        return *word ? word : NULL;
    }
    for (; *from && *from != '"'; *to++ = *from++)
        from += *from == '\\' && from[1];
    *status = *from && strchr(" \t", from[1])
                  ? 0
                  : -EINVAL; /* a word must end at a blank or at the end of the text:
                                strchr finds the NUL, too */
    *at = *from ? from + 1 : from;
    *to = '\0';
    return *status ? NULL : word;
}

static int put_array(struct cca_typemap *map, const char *key, int number, char *text)
{
    /* `most`: largest number of words, each of one character and a blank */
    size_t most = strlen(text) / 2 + 1, count = 0;
    char *elements = calloc(most, types[number].size), *word;
    int status = elements ? 0 : -ENOMEM;

    while (status == 0 && (word = next_word(&text, &status)))
        status = read_element(types[number].element, word,
                              elements + count++ * types[number].size);
    if (status == 0)
        status = cca_typemap_put_array(map, key, types[number].type, elements, count);
    free(elements);
    return status;
}

static int put_value(struct cca_typemap *map, const char *key, int number, char *text)
{
    union {
        int i;
        int64_t l;
        float f, fc[2];
        double d, dc[2];
        char *s;
    } value;
    int status = read_element(types[number].type, text, &value);

    if (status)
        return status;
    switch (types[number].type) {
    case CCA_INT:
        return cca_typemap_put_int(map, key, value.i);
    case CCA_LONG:
        return cca_typemap_put_long(map, key, value.l);
    case CCA_FLOAT:
        return cca_typemap_put_float(map, key, value.f);
    case CCA_DOUBLE:
        return cca_typemap_put_double(map, key, value.d);
    case CCA_FCOMPLEX:
        return cca_typemap_put_fcomplex(map, key, value.fc);
    case CCA_DCOMPLEX:
        return cca_typemap_put_dcomplex(map, key, value.dc);
    case CCA_BOOL:
        return cca_typemap_put_bool(map, key, value.i);
    default:
        return cca_typemap_put_string(map, key, value.s);
    }
}

int cca_property_put(struct cca_typemap *map, const char *key, enum cca_type type,
                     const char *text, struct cca_error *err)
{
    enum cca_type held = cca_typemap_type_of(map, key);
    int number = number_of(type), status = -ENOMEM;
    char *copy = strdup(text);

    if (!*key)
        status = cca_error_raise(err, -EINVAL, CCA_EXCEPTION_BAD_PROPERTIES,
                                 "the name of a property is empty");
    else if (held != CCA_NONE && held != type)
        status = cca_error_raise(err, -EEXIST, CCA_EXCEPTION_BAD_PROPERTIES,
                                 "property '%s' is of type %s, found a value of type %s",
                                 key, cca_property_type_name(held), types[number].name);
    else if (copy)
        status = types[number].element ? put_array(map, key, number, copy)
                                       : put_value(map, key, number, copy);
    free(copy);
    if (status == -ENOMEM)
        return cca_no_memory(err);
    if (status && *key && (held == CCA_NONE || held == type))
        cca_error_raise(err, status, CCA_EXCEPTION_BAD_PROPERTIES,
                        "'%s' is no value of type %s", text, types[number].name);
    return status;
}

/* --- Writing -------------------------------------------------------------- */

/* 0, or -ENOMEM. */
static int write_number(FILE *out, enum cca_type type, const struct cca_param *param)
{
    char *text = cca_param_write(type, param, NULL);

    if (text)
        fputs(text, out);
    free(text);
    return text ? 0 : -ENOMEM;
}

static int write_complex(FILE *out, enum cca_type part, double re, double im)
{
    int status;

    putc('(', out);
    status = write_number(out, part, &(struct cca_param){.value.d = re});
    putc(',', out);
    if (status == 0)
        status = write_number(out, part, &(struct cca_param){.value.d = im});
    putc(')', out);
    return status;
}

/* Write a word so that next_word can read it. */
static void write_word(FILE *out, const char *text)
{
    if (*text && *text != '"' && !strpbrk(text, " \t")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    putc('"', out);
}

static int write_element(FILE *out, enum cca_type type, const void *at)
{
    struct cca_param param = {.text = NULL};
    const double *d = at;
    const float *f = at;

    switch (type) {
    case CCA_FCOMPLEX:
        return write_complex(out, CCA_FLOAT, (double)f[0], (double)f[1]);
    case CCA_DCOMPLEX:
        return write_complex(out, CCA_DOUBLE, d[0], d[1]);
    case CCA_STRING:
        write_word(out, *(char *const *)at);
        return 0;
    case CCA_FLOAT:
        param.value.d = (double)*f;
        break;
    case CCA_DOUBLE:
        param.value.d = *d;
        break;
    case CCA_LONG:
        param.value.i = *(const int64_t *)at;
        break;
    default:
        param.value.i = *(const int *)at;
    }
    return write_number(out, type, &param);
}

static int write_array(FILE *out, const struct cca_typemap *map, const char *key,
                       int number)
{
    size_t count = 0;
    const char *elements = cca_typemap_get_array(map, key, types[number].type, &count);
    int status = 0;

    for (size_t i = 0; i < count && status == 0; i++) {
        if (i > 0)
            putc(' ', out);
        status =
            write_element(out, types[number].element, elements + i * types[number].size);
    }
    return status;
}

static int write_value(FILE *out, const struct cca_typemap *map, const char *key,
                       enum cca_type type)
{
    int i = type == CCA_INT ? cca_typemap_get_int(map, key, 0)
                            : cca_typemap_get_bool(map, key, 0);
    int64_t l = cca_typemap_get_long(map, key, 0);
    float f = cca_typemap_get_float(map, key, 0);
    double d = cca_typemap_get_double(map, key, 0);

    switch (type) {
    case CCA_NONE:
        return 0;
    case CCA_STRING:
        fputs(cca_typemap_get_string(map, key, ""), out);
        return 0;
    case CCA_FCOMPLEX:
        return write_element(out, type, cca_typemap_get_fcomplex(map, key, NULL));
    case CCA_DCOMPLEX:
        return write_element(out, type, cca_typemap_get_dcomplex(map, key, NULL));
    case CCA_LONG:
        return write_element(out, type, &l);
    case CCA_FLOAT:
        return write_element(out, type, &f);
    case CCA_DOUBLE:
        return write_element(out, type, &d);
    default:
        return write_element(out, type, &i);
    }
}

char *cca_property_text(const struct cca_typemap *map, const char *key)
{
    enum cca_type type = cca_typemap_type_of(map, key);
    int number = number_of(type), status;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    status = number >= 0 && types[number].element ? write_array(out, map, key, number)
                                                  : write_value(out, map, key, type);
    if (fclose(out) == 0 && status == 0)
        return text;
    free(text);
    return NULL;
}
