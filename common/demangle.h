/* SPDX-License-Identifier: BSD-3-Clause */
/* demangle.h: names of C++ symbols. */
#ifndef COMMON_DEMANGLE_H
#define COMMON_DEMANGLE_H

#include <dlfcn.h>
#include <string.h>

/* A C++ symbol as C++ writes it, by the library of g++, which is loaded for it and stays
 * loaded. New; NULL: no C++ symbol, or the library is missing. */
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
