/* SPDX-License-Identifier: BSD-3-Clause */
/* demangle.h: demangle C++ symbols. */
#ifndef COMMON_DEMANGLE_H
#define COMMON_DEMANGLE_H

#include <dlfcn.h>
#include <string.h>

/* Return the demangled name of a C++ symbol as a new string. The C++ library of g++ is
 * loaded for this, and remains loaded. NULL: the symbol is no C++ symbol, or the library
 * is missing. */
static inline char *cca_demangle(const char *symbol)
{
    void *library = strncmp(symbol, "_Z", 2) == 0
                        ? dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL)
                        : NULL;
    char *(*demangle)(const char *, char *, size_t *, int *) = NULL;

    if (library)
        *(void **)&demangle = dlsym(library, "__cxa_demangle");
    return demangle ? demangle(symbol, NULL, NULL, NULL) : NULL;
}

#endif
