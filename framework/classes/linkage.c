/* SPDX-License-Identifier: BSD-3-Clause */
/* linkage.c: rehearse the loading of a library by the rules of the dynamic linker. */
#include "framework/classes/linkage.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/demangle.h"
#include "framework/classes/parts.h"
#include "framework/classes/linkage_search.h"

/* Largest number of missing symbols that are named for a library. */
enum { MOST_NAMED = 5 };

struct cca_linkage {
    struct cca_library **libraries;
    size_t count;
    char **findings;
    size_t finding_count;
};

/* The libraries in which a loaded library searches for symbols, itself first. */
struct scope {
    struct cca_library **items;
    size_t count;
    int unknown; /* true if a library is missing, which may have any symbol */
};

/* --- Findings ------------------------------------------------------------- */

static int add_finding(struct cca_linkage *linkage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int add_finding(struct cca_linkage *linkage, const char *format, ...)
{
    va_list args;
    int length;

    if (cca_array_reserve(&linkage->findings, linkage->finding_count, sizeof(char *)))
        return -ENOMEM;
    va_start(args, format);
    length = vasprintf(&linkage->findings[linkage->finding_count], format, args);
    va_end(args);
    if (length < 0)
        return -ENOMEM;
    linkage->finding_count++;
    return 0;
}

const char *cca_linkage_finding(const struct cca_linkage *linkage, size_t index)
{
    return index < linkage->finding_count ? linkage->findings[index] : NULL;
}

static const char *file_name(const struct cca_library *library)
{
    const char *slash = strrchr(library->file, '/');

    return slash ? slash + 1 : library->file;
}

/* --- Libraries ------------------------------------------------------------ */

static int add_library(struct cca_linkage *linkage, struct cca_library *library)
{
    if (cca_array_reserve(&linkage->libraries, linkage->count, sizeof library)) {
        cca_library_free(library);
        return -ENOMEM;
    }
    linkage->libraries[linkage->count++] = library;
    return 0;
}

/* Return the library that the dynamic linker uses for `name` because it is already
 * loaded. */
static struct cca_library *known_library(const struct cca_linkage *linkage,
                                         const char *name)
{
    for (size_t i = 0; i < linkage->count; i++)
        if (cca_library_is_named(linkage->libraries[i], name))
            return linkage->libraries[i];
    return NULL;
}

/* Undo a failed rehearsal: remove all libraries from index `first` on. */
static void forget_from(struct cca_linkage *linkage, size_t first)
{
    while (linkage->count > first)
        cca_library_free(linkage->libraries[--linkage->count]);
}

/* --- Scope ---------------------------------------------------------------- */

static int scope_add(struct scope *scope, struct cca_library *library)
{
    for (size_t i = 0; i < scope->count; i++)
        if (scope->items[i] == library)
            return 0;
    if (cca_array_reserve(&scope->items, scope->count, sizeof library))
        return -ENOMEM;
    scope->items[scope->count++] = library;
    return 0;
}

/* Find a library and add it to the scope. If it is not found, a finding is added. */
static int scope_find(struct cca_linkage *linkage, struct scope *scope, const char *label,
                      const struct cca_library *user, const char *name)
{
    struct cca_library *library = known_library(linkage, name);
    struct cca_error err = {0};
    int status = 0;

    if (!library) {
        status = cca_library_find(user, name, &library, &err);
        if (!status)
            status = add_library(linkage, library);
    }
    if (!status)
        return scope_add(scope, library);
    if (status == -ENOMEM)
        return status;
    scope->unknown = 1;
    if (status == -ENOTSUP)
        return 0;
    if (user)
        return add_finding(
            linkage, "%s cannot be loaded: '%s' needs library '%s', which %s%s", label,
            file_name(user), name,
            status == -ENOENT ? "is not found" : "cannot be read: ", err.text);
    return add_finding(linkage, "%s cannot be loaded: %s%s", label,
                       status == -ENOENT ? "it is not found" : "", err.text);
}

/* Add the library `file` and all libraries that it needs, directly or through others. */
static int scope_fill(struct cca_linkage *linkage, struct scope *scope, const char *label,
                      const char *file)
{
    int status = scope_find(linkage, scope, label, NULL, file);

    for (size_t at = 0; at < scope->count && !status; at++) {
        struct cca_library *user = scope->items[at];
        const char *name;

        for (size_t i = 0; !status && !user->resident &&
                           (name = cca_elf_text(&user->elf, DT_NEEDED, i));
             i++)
            status = scope_find(linkage, scope, label, user, name);
    }
    return status;
}

/* --- Versions and symbols ------------------------------------------------- */

/* Report each version that a needed library does not define. */
static int check_versions(struct cca_linkage *linkage, const struct scope *scope,
                          const char *label, const struct cca_library *user)
{
    int status = 0;

    for (size_t i = 0; i < user->needs.version_count && !status; i++) {
        const struct cca_elf_version *version = &user->needs.versions[i];

        for (size_t k = 0; k < scope->count && !status && !version->weak; k++)
            if (cca_library_is_named(scope->items[k], version->library) &&
                !cca_elf_has_version(&scope->items[k]->elf, version->name))
                status =
                    add_finding(linkage,
                                "%s cannot be loaded: '%s' needs version '%s' of "
                                "library '%s', which has no such version",
                                label, file_name(user), version->name, version->library);
    }
    return status;
}

/* True if the symbol is in the program or its loaded libraries, which are searched
 * first. */
static int is_loaded(const struct cca_elf_symbol *symbol)
{
    dlerror();
    (void)(symbol->version ? dlvsym(RTLD_DEFAULT, symbol->name, symbol->version->name)
                           : dlsym(RTLD_DEFAULT, symbol->name));
    return dlerror() == NULL;
}

static int is_defined(const struct cca_linkage *linkage, const struct scope *scope,
                      const struct cca_elf_symbol *symbol)
{
    if (is_loaded(symbol))
        return 1;
    for (size_t i = 0; i < linkage->count; i++)
        if (linkage->libraries[i]->global &&
            cca_elf_defines(&linkage->libraries[i]->elf, symbol))
            return 1;
    for (size_t i = 0; i < scope->count; i++)
        if (cca_elf_defines(&scope->items[i]->elf, symbol))
            return 1;
    return 0;
}

static int report_symbol(struct cca_linkage *linkage, const char *label,
                         const struct cca_library *user,
                         const struct cca_elf_symbol *symbol)
{
    char *readable = cca_demangle(symbol->name);
    int status = add_finding(
        linkage,
        "%s cannot be loaded: '%s' needs symbol '%s'%s%s, which no library defines",
        label, file_name(user), readable ? readable : symbol->name,
        symbol->version ? " of version " : "",
        symbol->version ? symbol->version->name : "");

    free(readable);
    return status;
}

static int check_symbols(struct cca_linkage *linkage, const struct scope *scope,
                         const char *label, const struct cca_library *user)
{
    size_t missing = 0;
    int status = 0;

    for (size_t i = 0; i < user->needs.symbol_count && !status; i++) {
        const struct cca_elf_symbol *symbol = &user->needs.symbols[i];

        if (is_defined(linkage, scope, symbol) || ++missing > MOST_NAMED)
            continue;
        status = report_symbol(linkage, label, user, symbol);
    }
    if (missing > MOST_NAMED && !status)
        status = add_finding(linkage, "%s cannot be loaded: '%s' lacks %zu more symbols",
                             label, file_name(user), missing - MOST_NAMED);
    return status;
}

/* Check the relocations of the libraries that this rehearsal has added. */
static int scope_check(struct cca_linkage *linkage, const struct scope *scope,
                       const char *label)
{
    int status = 0;

    for (size_t i = 0; i < scope->count && !status && !scope->unknown; i++) {
        const struct cca_library *library = scope->items[i];
        size_t before = linkage->finding_count;

        if (library->resident || library->checked)
            continue;
        status = check_versions(linkage, scope, label, library);
        if (!status && linkage->finding_count == before)
            status = check_symbols(linkage, scope, label, library);
    }
    return status;
}

/* --- Rehearsals ----------------------------------------------------------- */

int cca_linkage_rehearse(struct cca_linkage *linkage, const char *name, const char *file,
                         int global)
{
    size_t first = linkage->count, before = linkage->finding_count;
    struct scope scope = {.items = NULL};
    int status = scope_fill(linkage, &scope, name, file);

    if (!status)
        status = scope_check(linkage, &scope, name);
    if (status || scope.unknown || linkage->finding_count > before)
        forget_from(linkage, first);
    else
        for (size_t i = 0; i < scope.count; i++) {
            scope.items[i]->checked = 1;
            scope.items[i]->global |= global;
        }
    free(scope.items);
    return status;
}

struct cca_linkage *cca_linkage_new(void)
{
    return calloc(1, sizeof(struct cca_linkage));
}

void cca_linkage_free(struct cca_linkage *linkage)
{
    if (!linkage)
        return;
    forget_from(linkage, 0);
    for (size_t i = 0; i < linkage->finding_count; i++)
        free(linkage->findings[i]);
    free(linkage->libraries);
    free(linkage->findings);
    free(linkage);
}
