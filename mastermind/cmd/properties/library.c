/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c: read the properties to evaluate and the members of Metaproperties, from
 * files and from components on the class path. */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/beside.h"
#include "common/array.h"
#include "common/nearest.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"
#include "properties/plugin/plugin.h"

static const double describe_seconds = 5;
enum { MOST_SET = 64 }; /* largest number of directories of $CCA_COMPONENT_PATH */

/* Find the first existing path of `places`, which are relative to the program's
 * directory; if none exists return the last. */
static void find_beside(char *path, size_t size, const char *const *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cca_path_beside(path, size, places[i]) == 0 && access(path, R_OK) == 0)
            break;
}

/* The directory of the property files that come with the program, in a static buffer. */
static const char *properties_library_path(void)
{
    /* beside an installed program, and in its build tree */
    static const char *const places[] = {"../share/mastermind/properties",
                                         "../../../properties/library"};
    static char path[PATH_MAX + 64];
    const char *given = getenv("MASTERMIND_PROPERTIES");

    if (given && *given)
        snprintf(path, sizeof path, "%s", given);
    else
        find_beside(path, sizeof path, places, sizeof places / sizeof *places);
    return path;
}

/* Add a property; it replaces one of the same name from an earlier file. */
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
    errno = 0;
    found = glob(pattern, GLOB_ERR, NULL, &files);
    if (found && (found == GLOB_NOSPACE || errno == ENOMEM))
        result = mm_no_memory();
    else if (found)
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

static int ends_in(const char *word, const char *end)
{
    size_t length = strlen(word), tail = strlen(end);

    return length > tail && strcmp(word + length - tail, end) == 0;
}

static int is_component(const char *word)
{
    return ends_in(word, ".so");
}

static int is_file(const char *word)
{
    return strchr(word, '/') || ends_in(word, ".property") || is_component(word);
}

/* --- Components --------------------------------------------------------------------- */

/* Add a property of a component. A property whose name is taken is left out: properties
 * of files take precedence, as their content can be checked. */
static int add_component(struct properties_library *library, struct mm_property *property)
{
    for (size_t i = 0; i < library->count; i++)
        if (strcmp(library->all[i]->name.text, property->name.text) == 0) {
            fprintf(stderr,
                    "mastermind: %s: found property %s, which %s has, too: left out\n",
                    mm_safe(property->path), property->name.text,
                    mm_safe(library->all[i]->path));
            mm_property_free(property);
            return -1;
        }
    return add(library, property);
}

/* Collect component directories: the directories of --path, of components named by file,
 * and the existing directories of $CCA_COMPONENT_PATH. The texts are in `parts`. */
static int set_path(const struct properties_path *given, const char *const *words,
                    size_t count, const char ***directories, char **parts,
                    size_t *directory_count)
{
    const char *set = getenv("CCA_COMPONENT_PATH");
    size_t more = count + MOST_SET;
    char *next;

    *directories = calloc(given->count + more + 1, sizeof **directories);
    *parts = calloc(more + 1, PATH_MAX);
    if (!*directories || !*parts)
        return mm_no_memory();
    for (size_t i = 0; i < given->count; i++)
        (*directories)[(*directory_count)++] = given->directories[i];
    for (size_t i = 0; i < count; i++) {
        char *part = *parts + i * PATH_MAX, *slash;

        if (!is_component(words[i]))
            continue;
        snprintf(part, PATH_MAX, "%s", words[i]);
        slash = strrchr(part, '/');
        if (slash)
            slash[1] = '\0';
        else
            strcpy(part, ".");
        (*directories)[(*directory_count)++] = part;
    }
    next = *parts + count * PATH_MAX;
    for (size_t i = 0; set && *set && i < MOST_SET; i++, next += PATH_MAX) {
        size_t length = strcspn(set, ":");

        snprintf(next, PATH_MAX, "%.*s", (int)length, set);
        set += length + (set[length] == ':');
        if (*next && access(next, R_OK | X_OK) == 0)
            (*directories)[(*directory_count)++] = next;
    }
    return -1;
}

/* True if the property comes from the file named `word`. */
static int is_of_file(const struct mm_property *p, const char *word)
{
    char real[PATH_MAX];

    if (!p->code)
        return strcmp(p->path, word) == 0;
    return realpath(word, real) && strcmp(p->path, real) == 0;
}

/* Report why a named file defines no property. Returns -1 if all files define one. */
static int check_named(const struct properties_library *library,
                       const struct mm_plugin_path *path, const char *const *words,
                       size_t count)
{
    char why[400];

    for (size_t i = 0; i < count; i++) {
        int found = !is_component(words[i]);

        for (size_t k = 0; k < library->count && !found; k++)
            found = is_of_file(library->all[k], words[i]);
        if (found)
            continue;
        mm_plugin_refusal(path, words[i], why, sizeof why);
        return mm_refuse(MM_EXIT_INPUT, "%s: %s", mm_safe(words[i]), why);
    }
    return -1;
}

static int read_components(struct properties_library *library,
                           const struct properties_path *given, const char *const *words,
                           size_t count)
{
    static const char *const own[] = {"../lib/mastermind"};
    char last[PATH_MAX + 64], *parts = NULL;
    struct mm_plugin_path path = {.last = last, .trust = given->trust};
    struct mm_property **found = NULL;
    struct cca_error err = {0};
    const char **directories = NULL;
    size_t found_count = 0;
    int result;

    find_beside(last, sizeof last, own, 1);
    result = set_path(given, words, count, &directories, &parts, &path.count);
    path.directories = directories;
    if (result < 0 && mm_plugin_find(&found, &found_count, &path, describe_seconds, &err))
        result = mm_complain(&err);
    for (size_t i = 0; i < found_count; i++) {
        if (result < 0)
            result = add_component(library, found[i]);
        else
            mm_property_free(found[i]);
    }
    if (result < 0)
        result = check_named(library, &path, words, count);
    free(found);
    free(directories);
    free(parts);
    return result;
}

/* --- Selection --------------------------------------------------------------------- */

/* Mark the properties that an argument selects. Returns -1 to go on. */
static int choose(struct properties_library *library, const char *word)
{
    struct cca_nearest nearest;
    int found = 0;

    cca_nearest_init(&nearest, word);
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_property *p = library->all[i];
        int matches =
            is_file(word) ? is_of_file(p, word) : fnmatch(word, p->name.text, 0) == 0;

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
    return properties_library_read_path(library, words, count,
                                        &(struct properties_path){0});
}

int properties_library_read_path(struct properties_library *library,
                                 const char *const *words, size_t count,
                                 const struct properties_path *path)
{
    int result;

    memset(library, 0, sizeof *library);
    result = read_own(library);
    for (size_t i = 0; i < count && result < 0; i++)
        if (is_file(words[i]) && !is_component(words[i]))
            result = read_file(library, words[i]);
    if (result < 0)
        result = read_components(library, path, words, count);
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
