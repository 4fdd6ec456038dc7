/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.c: Expressions and code from UML files are checked before use. */
#include "activity/xmi/parts.h"

#include <ctype.h>
#include <string.h>

/* Whether a text is an expression, or several with commas between: its parentheses and
 * quotes are closed, and it has no braces, `;`, comments or assignments. */
static int xmi_is_expression(const char *text)
{
    char open[64];
    int depth = 0, quoted = 0, words = 0;

    for (const char *c = text; *c; c++) {
        if (*c == '"')
            quoted = !quoted;
        words += !isspace((unsigned char)*c);
        if (quoted)
            continue;
        if (*c == '(' || *c == '[') {
            if (depth == (int)sizeof open)
                return 0;
            open[depth++] = *c == '(' ? ')' : ']';
        } else if ((*c == ')' || *c == ']') && (depth == 0 || open[--depth] != *c)) {
            return 0;
        } else if (strchr("{};", *c) || (c[0] == '/' && c[1] == '/') ||
                   (*c == '=' && depth == 0 && c[1] != '=' &&
                    (c == text || !strchr("=!<>", c[-1])))) {
            return 0;
        }
    }
    return !depth && !quoted && words;
}

static int begins_operand(const char *at)
{
    return isalnum((unsigned char)*at) || *at == '_' || *at == '(' || *at == '"' ||
           *at == '[';
}

/* Two operands side by side, as in "1 time 3", are two clauses: an operator must stand
 * between operands unless they are in parentheses. Parentheses or brackets may follow a
 * name. */
int xmi_is_one_clause(const char *text)
{
    int was_operand = 0, was_name = 0;

    if (!xmi_is_expression(text))
        return 0;
    while (*text) {
        size_t length = 1;

        if (isspace((unsigned char)*text)) {
            text++;
            continue;
        }
        if (!begins_operand(text)) {
            was_operand = was_name = 0;
            text++;
            continue;
        }
        if (was_operand && !(was_name && (*text == '(' || *text == '[')))
            return 0;
        was_name = isalpha((unsigned char)*text) || *text == '_';
        if (was_name || isdigit((unsigned char)*text)) {
            while (isalnum((unsigned char)text[length]) || text[length] == '_' ||
                   text[length] == '.' ||
                   (!was_name && strchr("+-", text[length]) && text[length] &&
                    strchr("eE", text[length - 1])))
                length++;
        } else {
            int depth = 0, quoted = 0;

            for (length = 0; text[length]; length++) {
                quoted ^= text[length] == '"';
                depth += !quoted && strchr("([", text[length]) != NULL;
                depth -= !quoted && strchr(")]", text[length]) != NULL;
                if (depth == 0 && !quoted)
                    break;
            }
            length++;
        }
        text += length;
        was_operand = 1;
    }
    return was_operand;
}

int xmi_is_code(const char *text)
{
    int depth = 0;

    for (; *text; text++) {
        if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
            if (!*text)
                break;
        } else if (*text == '{' && text[1] == '{') {
            return 0;
        } else if (*text == '{') {
            depth++;
        } else if (*text == '}' && --depth < 0) {
            return 0;
        }
    }
    return depth == 0;
}

int xmi_is_prose(const char *language, const char *body)
{
    static const char *const ours[] = {"", "C", "c", "C++", "c++", "CPP", "cpp", "act"};
    int is_ours = language == NULL;

    for (size_t i = 0; i < sizeof ours / sizeof *ours && !is_ours; i++)
        is_ours = strcmp(language, ours[i]) == 0;
    return !is_ours || !strchr(body, '=') || !strchr(body, ';');
}

int xmi_has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; *word && (at = strstr(at, word)); at++)
        if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            !isalnum((unsigned char)at[length]) && at[length] != '_')
            return 1;
    return 0;
}
