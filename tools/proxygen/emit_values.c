/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_values.c: the values of a method as C. */
#include "tools/proxygen/emit_values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/word.h"

static void put_labels(FILE *out, const struct pg_value *value, const char *prefix,
                       const char *key, size_t index)
{
    fprintf(out, "static const struct monitor_label %slabels_%s_%zu[] = {\n", prefix, key, index);
    for (size_t i = 0; i < value->label_count; i++) {
        fprintf(out, "    {%" PRId64 ", ", value->labels[i].value);
        pg_word_literal(out, value->labels[i].text);
        fputs("},\n", out);
    }
    fputs("};\n", out);
}

static int put_decl(FILE *out, const struct pg_method *method, size_t index, const char *prefix,
                    const char *key)
{
    static const char *const kinds[] = {"MONITOR_PARAM", "MONITOR_MODE", "MONITOR_OUT"};
    const struct pg_value *value = &method->values[index];
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if (memory)
        pg_expr_print(memory, value->expr, method);
    if (!memory || fclose(memory) != 0) {
        free(text);
        return -ENOMEM;
    }
    fprintf(out, "    {\"%s\", ", value->name);
    pg_word_literal(out, text);
    free(text);
    fprintf(out, ", %s, %s, ",
            value->expr->cls == PG_FLOATING ? "MONITOR_DOUBLE" : "MONITOR_INT64",
            kinds[value->kind]);
    if (value->label_count)
        fprintf(out, "%slabels_%s_%zu, ", prefix, key, index);
    else
        fputs("NULL, ", out);
    fprintf(out, "%zu},\n", value->label_count);
    return 0;
}

int pg_emit_value_tables(FILE *out, const struct pg_method *method, const char *prefix,
                         const char *key)
{
    int status = 0;

    if (!method->value_count)
        return 0;
    for (size_t i = 0; i < method->value_count; i++)
        if (method->values[i].label_count)
            put_labels(out, &method->values[i], prefix, key, i);
    fprintf(out, "static const struct monitor_value_decl %svalues_%s[] = {\n", prefix, key);
    for (size_t i = 0; i < method->value_count && status == 0; i++)
        status = put_decl(out, method, i, prefix, key);
    fputs("};\n", out);
    return status;
}

void pg_emit_values(FILE *out, const struct pg_method *method, const struct pg_c_names *names,
                    const char *name, size_t first, size_t count)
{
    fprintf(out, "    const union monitor_value %s[] = {\n", name);
    for (size_t i = first; i < first + count; i++) {
        const struct pg_value *value = &method->values[i];

        fprintf(out, "        {.%c = ", value->expr->cls == PG_FLOATING ? 'd' : 'i');
        pg_value_print_c(out, value, method, names);
        fputs("},\n", out);
    }
    fputs("    };\n", out);
}

const char *pg_emit_gap(const char *type)
{
    return type[strlen(type) - 1] == '*' ? "" : " ";
}
