/* SPDX-License-Identifier: BSD-3-Clause */
/* word.c: check names and types before they reach generated code. */
#include "tools/proxygen/perf/word.h"

#include <string.h>

#include "common/expr/words.h"
#include "common/nearest.h"

/* Keywords that may be a part of a type. */
static const char type_words[] =
    "_Bool _Complex bool char const double enum float int long restrict short signed "
    "struct union unsigned void volatile";

static int alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int alnum(char c)
{
    return alpha(c) || (c >= '0' && c <= '9');
}

int pg_word_ok(const char *name, size_t length)
{
    if (length == 0 || length > 255 || !alpha(name[0]))
        return 0;
    for (size_t i = 1; i < length; i++)
        if (!alnum(name[i]))
            return 0;
    return 1;
}

int pg_word_keyword(const char *name, size_t length)
{
    return cca_is_keyword(CCA_C | CCA_CXX, name, length);
}

int pg_word_usable(const char *name)
{
    size_t length = strlen(name);

    return pg_word_ok(name, length) && !pg_word_keyword(name, length);
}

const char *pg_type_word(const char **at, size_t *length)
{
    const char *word;

    while (**at && !alpha(**at))
        ++*at;
    word = *at;
    while (alnum(**at))
        ++*at;
    *length = (size_t)(*at - word);
    return *length ? word : NULL;
}

int pg_type_ok(const char *spelling)
{
    size_t words = 0;

    if (strlen(spelling) > 300)
        return 0;
    for (const char *at = spelling; *at;) {
        const char *word = at;

        if (*at == ' ' || *at == '*') {
            at++;
            continue;
        }
        while (alnum(*at))
            at++;
        if (!pg_word_ok(word, (size_t)(at - word)) ||
            (pg_word_keyword(word, (size_t)(at - word)) &&
             !cca_is_word(type_words, word, (size_t)(at - word))) ||
            (at - word > 1 && word[0] == '_' && word[1] == '_'))
            return 0;
        words++;
    }
    return words > 0;
}

int pg_type_spelled_ok(const char *spelling)
{
    int depth = 0;

    if (strlen(spelling) > 400 || strstr(spelling, "__attribute__") ||
        strstr(spelling, "unnamed") || strstr(spelling, "anonymous"))
        return 0;
    for (const char *c = spelling; *c; c++) {
        if (!alnum(*c) && !strchr(" *()[],.", *c))
            return 0;
        depth += (*c == '(') - (*c == ')');
        if (depth < 0)
            return 0;
    }
    return depth == 0;
}

int pg_type_written_ok(const char *text)
{
    static const char head[] = "__typeof__(";
    size_t length = strlen(text);
    char inner[420];

    if (pg_type_ok(text) || strcmp(text, "__builtin_va_list") == 0)
        return 1;
    if (strncmp(text, head, sizeof head - 1) != 0 || text[length - 1] != ')' ||
        length - sizeof head >= sizeof inner)
        return 0;
    memcpy(inner, text + sizeof head - 1, length - sizeof head);
    inner[length - sizeof head] = 0;
    return pg_type_spelled_ok(inner);
}

int pg_port_type_ok(const char *type)
{
    size_t length = strlen(type);
    const char *slash = strrchr(type, '/');

    if (length > 200 || !slash || slash == type || !slash[1] ||
        strspn(slash + 1, "0123456789") != strlen(slash + 1))
        return 0;
    for (size_t i = 0; i < length; i++)
        if (!alnum(type[i]) && !strchr("./-+:", type[i]))
            return 0;
    return 1;
}

int pg_word_near(const char *name, size_t length, const char *candidate)
{
    size_t other = strlen(candidate), longer = length > other ? length : other;

    if (length > CCA_NEAREST_LONGEST || other > CCA_NEAREST_LONGEST || longer < 2)
        return 0;
    return cca_edit_distance(name, length, candidate, other) <=
           (longer < 5 ? 1 : longer / 3);
}

void pg_word_literal(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c >= 0x7f || *c == '"' || *c == '\\' || *c == '?')
            fprintf(out, "\\%03o", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}
