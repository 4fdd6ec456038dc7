/* SPDX-License-Identifier: BSD-3-Clause */
/* cxx_name.h: shorten demangled C++ names to the form that programmers write, and split
 * lists of names. */
#ifndef COMMON_CXX_NAME_H
#define COMMON_CXX_NAME_H

#include <stddef.h>
#include <string.h>

static inline void cca_cxx_remove(char *at, size_t length)
{
    memmove(at, at + length, strlen(at + length) + 1);
}

/* True if the '<' or '>' at `at` is part of an operator's name, such as operator<<. */
static inline int cca_cxx_is_operator(const char *text, const char *at)
{
    const char *begin = at;

    while (begin > text && strchr("<>-=", begin[-1]))
        begin--;
    return begin - text >= 8 && memcmp(begin - 8, "operator", 8) == 0 &&
           at - begin < (begin[0] == '<' && begin[1] == '<' ? 2 : 3);
}

/* Return by how much the character at `at` changes the nesting depth of brackets: 1, -1
 * or 0. */
static inline int cca_cxx_bracket(const char *text, const char *at)
{
    if (*at == '(' || *at == '{')
        return 1;
    if (*at == ')' || *at == '}')
        return -1;
    if ((*at != '<' && *at != '>') || cca_cxx_is_operator(text, at))
        return 0;
    return *at == '<' ? 1 : -1;
}

/* Remove the arguments after a function's name, and the result type before it. */
static inline void cca_cxx_cut(char *text)
{
    char *begin = text, *end = NULL, *called = NULL;
    int depth = 0;

    for (char *c = text; *c && !end; c++) {
        if (depth == 0 && strncmp(c, "operator", 8) == 0 &&
            (c == text || strchr(": ", c[-1]))) {
            called = called ? called : c;
            c += 8;
            c += strncmp(c, "()", 2) == 0 ? 2 : 0;
            if (!*c)
                break;
        }
        if (depth == 0 && *c == '(' && strncmp(c, "(anonymous namespace)", 21) != 0 &&
            !(c - text >= 9 && memcmp(c - 9, "decltype ", 9) == 0))
            end = c;
        depth += cca_cxx_bracket(text, c);
    }
    if (!end)
        return; /* no function */
    *end = 0;
    depth = 0;
    for (char *c = text; *c && c != called; c++) {
        depth += cca_cxx_bracket(text, c);
        if (depth == 0 && *c == ' ')
            begin = c + 1;
    }
    memmove(text, begin, strlen(begin) + 1);
}

/* Return the end of the template arguments that begin with the '<' at `at`. */
static inline char *cca_cxx_arguments_end(char *at)
{
    int depth = 0;

    for (; *at; at++) {
        depth += (*at == '<') - (*at == '>');
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* Remove default arguments of the standard library's templates. */
static inline void cca_cxx_remove_defaults(char *text)
{
    static const char *const names[] = {", std::allocator<",      ", std::char_traits<",
                                        ", std::less<",           ", std::hash<",
                                        ", std::default_delete<", ", std::equal_to<"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (char *at = text; (at = strstr(at, names[i]));) {
            char *end = cca_cxx_arguments_end(at + strlen(names[i]) - 1);

            if (strchr(" >,", *end))
                cca_cxx_remove(at, (size_t)(end - at));
            else
                at++;
        }
}

/* Write basic_string<char> as string, basic_ostream<wchar_t> as wostream. */
static inline void cca_cxx_rename_basic(char *text)
{
    for (char *at = text; (at = strstr(at, "std::basic_"));) {
        char *name = at + 5, *end = name + strcspn(name, "<,>: ");
        int is_wide = strncmp(end, "<wchar_t", 8) == 0;
        size_t length = is_wide ? 8 : 5;

        at = name;
        if (!is_wide && strncmp(end, "<char", 5) != 0)
            continue;
        length += end[length] == ' ';
        if (end[length] != '>')
            continue;
        cca_cxx_remove(end, length + 1);
        cca_cxx_remove(name, 6);
        if (is_wide) {
            memmove(name + 1, name, strlen(name) + 1);
            *name = 'w';
        }
    }
}

/* Change a demangled name, in place, to the form that programmers write: without
 * arguments, result type, ABI tags, unnamed namespaces and default arguments of the
 * standard library's templates. The name does not get longer. */
static inline void cca_cxx_plain(char *text)
{
    static const char *const noise[] = {
        "__cxx11::", "std::__1::", "(anonymous namespace)::"};

    cca_cxx_cut(text);
    for (char *at = text; (at = strstr(at, "[abi:"));)
        cca_cxx_remove(at, strcspn(at, "]") + (at[strcspn(at, "]")] != 0));
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        for (char *at = text; (at = strstr(at, noise[i]));)
            cca_cxx_remove(at + (i == 1 ? 5 : 0), strlen(noise[i]) - (i == 1 ? 5 : 0));
    cca_cxx_remove_defaults(text);
    for (char *at = text; (at = strstr(at, "> >"));)
        cca_cxx_remove(at + 1, 1);
    cca_cxx_rename_basic(text);
    for (char *at = text; (at = strstr(at, " >"));)
        cca_cxx_remove(at, 1);
}

/* Return the next word of a list such as "solve,grid<double, 8>::sweep", and its length;
 * NULL: there is none. A comma in brackets is a part of the word. `*rest` is advanced. */
static inline const char *cca_list_next(const char **rest, size_t *length)
{
    const char *word = *rest, *c = word;
    int depth = 0;

    if (!word || !*word)
        return NULL;
    for (; *c && (*c != ',' || depth > 0); c++)
        depth += cca_cxx_bracket(word, c);
    if (depth > 0) /* a bracket is not closed, as may be in a pattern */
        c = word + strcspn(word, ",");
    *length = (size_t)(c - word);
    *rest = *c ? c + 1 : c;
    return word;
}

#endif
