/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c: the property files that are asked, and those that serve as members. */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"

const char *properties_library_path(void)
{
    /* Beside an installed program, and in the tree that it was built in. */
    static const char *const places[] = {"../share/mastermind/properties",
                                         "../../../properties/library"};
    static char path[PATH_MAX + 64];
    const char *given = getenv("MASTERMIND_PROPERTIES");
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (given && *given) {
        snprintf(path, sizeof path, "%s", given);
        return path;
    }
    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", self, places[i]);
        if (access(path, R_OK) == 0)
            break;
    }
    return path;
}

/* Add a property; one of the same name, a later file, takes its place. */
static int add(struct properties_library *library, struct mm_property *property)
{
    struct mm_property **place;

    for (size_t i = 0; i < library->count; i++)
        if (strcmp(library->all[i]->name.text, property->name.text) == 0) {
            mm_property_free(library->all[i]);
            library->all[i] = property;
            return -1;
        }
    place = cca_array_add(&library->all, &library->count, sizeof *place);
    if (!place) {
        mm_property_free(property);
        return mm_no_memory();
    }
    *place = property;
    return -1;
}

static int read_file(struct properties_library *library, const char *path)
{
    struct cca_error err = {0};
    struct mm_property *property;

    return mm_property_read(&property, path, &err) ? mm_complain(&err)
                                                   : add(library, property);
}

static int read_own(struct properties_library *library)
{
    const char *directory = properties_library_path();
    char pattern[PATH_MAX + 96];
    glob_t files = {0};
    int result = -1, found;

    snprintf(pattern, sizeof pattern, "%s/*.property", directory);
    found = glob(pattern, 0, NULL, &files);
    if (found)
        result =
            mm_refuse(MM_EXIT_INPUT,
                      "%s: found no property files; MASTERMIND_PROPERTIES names their "
                      "directory",
                      mm_safe(directory));
    for (size_t i = 0; i < files.gl_pathc && result < 0; i++)
        result = read_file(library, files.gl_pathv[i]);
    globfree(&files);
    return result;
}

static int is_file(const char *word)
{
    return strchr(word, '/') ||
           (strlen(word) > 9 && strcmp(word + strlen(word) - 9, ".property") == 0);
}

/* Mark what a word asks for. Returns -1 to go on. */
static int choose(struct properties_library *library, const char *word)
{
    struct cca_nearest nearest;
    int found = 0;

    cca_nearest_init(&nearest, word);
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_property *p = library->all[i];
        int matches = is_file(word) ? strcmp(p->path, word) == 0
                                    : fnmatch(word, p->name.text, 0) == 0;

        library->asked[i] |= matches;
        found |= matches;
        cca_nearest_offer(&nearest, p->name.text);
    }
    if (found)
        return -1;
    return mm_refuse(MM_EXIT_MISUSE, "found no property '%s'%s%s; --list prints all",
                     mm_safe(word), nearest.best ? ", did you mean " : "",
                     nearest.best ? nearest.best : "");
}

int properties_library_read(struct properties_library *library, const char *const *words,
                            size_t count)
{
    int result;

    memset(library, 0, sizeof *library);
    result = read_own(library);
    for (size_t i = 0; i < count && result < 0; i++)
        if (is_file(words[i]))
            result = read_file(library, words[i]);
    if (result >= 0)
        return result;
    library->asked = calloc(library->count + 1, 1);
    if (!library->asked)
        return mm_no_memory();
    for (size_t i = 0; !count && i < library->count; i++)
        library->asked[i] = !library->all[i]->only_named;
    for (size_t i = 0; i < count && result < 0; i++)
        result = choose(library, words[i]);
    return result;
}

void properties_library_done(struct properties_library *library)
{
    for (size_t i = 0; i < library->count; i++)
        mm_property_free(library->all[i]);
    free(library->all);
    free(library->asked);
    memset(library, 0, sizeof *library);
}
