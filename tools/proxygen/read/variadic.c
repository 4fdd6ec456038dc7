/* SPDX-License-Identifier: BSD-3-Clause */
/* variadic.c: recognise the function that takes the arguments of a variadic function as a
 * va_list. */
#include "tools/proxygen/read/read.h"

#include <ctype.h>
#include <string.h>

#include "tools/proxygen/read/reader.h"

int pg_variadic_named(const char *variadic, const char *name)
{
    size_t same = 0;

    if (strlen(name) != strlen(variadic) + 1)
        return 0;
    while (variadic[same] && name[same] == variadic[same])
        same++;
    /* after a capital 'V' the name may continue with a capital letter */
    if (name[same] == 'V' && variadic[same] &&
        toupper((unsigned char)name[same + 1]) == toupper((unsigned char)variadic[same]))
        return strcmp(name + same + 2, variadic + same + 1) == 0;
    return name[same] == 'v' && strcmp(name + same + 1, variadic + same) == 0;
}

static int is_va_list(CXType type)
{
    CLANG_TEXT name = pg_clang_text(clang_getTypeSpelling(type));
    CLANG_TEXT plain = pg_clang_text(clang_getTypeSpelling(clang_getCanonicalType(type)));

    return strstr(name.text, "va_list") != NULL ||
           strstr(plain.text, "__va_list") != NULL;
}

int pg_variadic_fits(CXType variadic, CXType other)
{
    int count = clang_getNumArgTypes(variadic);

    if (count < 1 || clang_isFunctionTypeVariadic(other) ||
        clang_getNumArgTypes(other) != count + 1 ||
        !is_va_list(clang_getArgType(other, (unsigned)count)) ||
        !clang_equalTypes(clang_getCanonicalType(clang_getResultType(variadic)),
                          clang_getCanonicalType(clang_getResultType(other))))
        return 0;
    for (unsigned i = 0; i < (unsigned)count; i++)
        if (!clang_equalTypes(clang_getCanonicalType(clang_getArgType(variadic, i)),
                              clang_getCanonicalType(clang_getArgType(other, i))))
            return 0;
    return 1;
}
