/* SPDX-License-Identifier: BSD-3-Clause */
/* script_compat.c: resolve names as Ccaffeine does (--compat=ccaffeine): a word stands
 * for the first name that is equal to it, else for one that is equal except for case,
 * else begins with it, else contains it. Classes are searched among the loaded classes
 * and in index files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "framework/script/script_core.h"
#include "ports/mpi_port.h"

enum closeness { EQUAL, EQUAL_BUT_CASE, BEGINNING, PART, NOT_AT_ALL };

static enum closeness compare(const char *name, const char *wanted)
{
    if (strcmp(name, wanted) == 0)
        return EQUAL;
    if (strcasecmp(name, wanted) == 0)
        return EQUAL_BUT_CASE;
    if (strncasecmp(name, wanted, strlen(wanted)) == 0)
        return BEGINNING;
    return strcasestr(name, wanted) ? PART : NOT_AT_ALL;
}

int cca_script_is_gui_word(const char *word)
{
    static const char *const gui[] = {"setSize", "setMaximum",   "setDropLocation",
                                      "move",    "commandCount", "eof"};

    for (size_t i = 0; i < sizeof gui / sizeof *gui; i++)
        if (strcmp(gui[i], word) == 0)
            return 1;
    return 0;
}

/* --- Instances ------------------------------------------------------------ */

static const char *resolve_instance(struct cca_script *script, const char *wanted)
{
    enum closeness best = NOT_AT_ALL;
    const char *found = wanted;
    struct builder_instance item;

    if (!*wanted || cca_script_is_ghost(script, wanted))
        return wanted;
    for (size_t i = 0; script->builder->instance(script->builder, i, 0, &item) == 0;
         i++) {
        enum closeness now = compare(item.name, wanted);

        if (now < best) {
            best = now;
            found = item.name;
        }
    }
    return found;
}

int cca_script_is_builtin(struct cca_script *script, const char *instance)
{
    return script->options.compat && strcasecmp(instance, "MPISetup") == 0 &&
           !cca_script_has_instance(script, instance);
}

int cca_script_connect_builtin(struct cca_script *script, char **words,
                               struct cca_error *err)
{
    struct builder_port *builder = script->builder;
    const char *name, *type;
    int status = cca_script_check_port(script, words[1], words[2], 1, err);

    for (size_t i = 0; status == CCA_EXIT_DONE &&
                       builder->used_port(builder, words[1], i, &name, &type) == 0;
         i++)
        if (strcmp(name, words[2]) == 0 && strcmp(type, MPI_PORT_TYPE) != 0)
            status =
                cca_script_bad(err, "'%s' of '%s' is %s, '%s' provides " MPI_PORT_TYPE,
                               name, words[1], type, words[3]);
    return status;
}

void cca_script_resolve(struct cca_script *script, const char *kinds, char **words,
                        size_t count)
{
    size_t used = 0;

    for (size_t i = 1; i < count && *kinds; i++, kinds++) {
        const char *meant = *kinds == 'i' ? resolve_instance(script, words[i]) : words[i];
        char *copy = script->resolved[used];

        if (meant == words[i])
            continue;
        snprintf(copy, sizeof script->resolved[used], "%s", meant);
        words[i] = copy;
        used++;
    }
}

/* --- Classes -------------------------------------------------------------- */

/* Return the class in library `path`, if the repository has it. */
static const struct cca_class_info *class_of(struct cca_script *script, const char *path)
{
    char *real = path ? realpath(path, NULL) : NULL;
    const struct cca_class_info *info = NULL;

    for (size_t i = 0; real && (info = cca_repository_class(script->repository, i)); i++)
        if (strcmp(info->file, real) == 0)
            break;
    free(real);
    return info;
}

/* Return the class that an index file lists under a name. */
static const struct cca_class_info *known(struct cca_script *script,
                                          const struct cca_dotcca_class *entry)
{
    const struct cca_class_info *info = class_of(script, entry->beside);

    return info ? info : class_of(script, entry->location);
}

/* Return the class of an index entry; its library may be in a folder that is not on the
 * path. */
static const struct cca_class_info *class_of_entry(struct cca_script *script,
                                                   const struct cca_dotcca_class *entry)
{
    const struct cca_class_info *info = known(script, entry);
    char *folder = info || !entry->location ? NULL : strdup(entry->location);

    if (folder) {
        *strrchr(folder, '/') = '\0';
        if (access(entry->location, F_OK) == 0 &&
            cca_repository_path_append(script->repository, folder, NULL) == 0)
            info = class_of(script, entry->location);
        free(folder);
    }
    return info;
}

/* A dry run loads nothing: `palette` has the classes that would be loaded. */
static int is_loaded(const struct cca_script *script, const struct cca_class_info *info)
{
    return script->options.check
               ? cca_script_pairs_find(&script->palette, info->cls.name, NULL) != NULL
               : cca_repository_loaded(script->repository, info);
}

int cca_script_on_palette(struct cca_script *script, const struct cca_class_info *info)
{
    return !script->options.check || is_loaded(script, info)
               ? 0
               : cca_script_pairs_add(&script->palette, info->cls.name, NULL);
}

static int read_index(struct cca_script *script, struct cca_error *err)
{
    const char *dir;

    for (size_t i = 0; (dir = cca_repository_path(script->repository, i)); i++)
        if (cca_dotcca_read(&script->index, dir) < 0)
            return cca_no_memory(err);
    return 0;
}

/* Return the loaded class whose name is nearest to a word. */
static const struct cca_class_info *loaded(struct cca_script *script, const char *wanted,
                                           const char **shown)
{
    const struct cca_class_info *found = NULL, *info;
    enum closeness best = NOT_AT_ALL, now;

    for (size_t i = 0; (info = cca_repository_class(script->repository, i)); i++)
        if (is_loaded(script, info) && (now = compare(info->cls.name, wanted)) < best) {
            best = now;
            found = info;
            *shown = info->cls.name;
        }
    for (size_t i = 0; i < script->index.count; i++) {
        now = compare(script->index.classes[i].name, wanted);
        info = now < best ? known(script, &script->index.classes[i]) : NULL;
        if (info && is_loaded(script, info)) {
            best = now;
            found = info;
            *shown = script->index.classes[i].name;
        }
    }
    return found;
}

/* Explain why a class was not found. */
static void report_mistake(struct cca_script *script, const char *name,
                           const struct cca_dotcca_class *entry, struct cca_error *err)
{
    const char *passed_over = cca_dotcca_passed_over(&script->index, name);
    struct cca_error why = {0};

    cca_repository_unknown(script->repository, name, &why);
    if (entry)
        cca_error_set(err, -ENOENT,
                      "no class '%s' on the path; %s:%d names the library '%s', which is "
                      "no component library there",
                      name, entry->file, entry->line, entry->library);
    else if (script->lost_dirs.count && why.code != -ENOMEM && !strchr(why.text, ';'))
        cca_error_set(err, why.code, "%s; '%s' of the path is not there", why.text,
                      script->lost_dirs.items[0].name);
    else if (passed_over && why.code != -ENOMEM && !strchr(why.text, ';'))
        cca_error_set(err, why.code,
                      "%s; the index file '%s' is in XML, which is not read", why.text,
                      passed_over);
    else
        cca_error_set(err, why.code, "%s", why.text);
}

const struct cca_class_info *cca_script_compat_class(struct cca_script *script,
                                                     const char *name, const char **shown,
                                                     struct cca_error *err)
{
    const struct cca_dotcca_class *entry;
    const struct cca_class_info *info;
    const char *unused;

    if (read_index(script, err) < 0)
        return NULL;
    entry = cca_dotcca_find(&script->index, name);
    info = entry ? class_of_entry(script, entry) : NULL;
    if (info && shown)
        *shown = entry->name;
    if (!info && *name)
        info = loaded(script, name, shown ? shown : &unused);
    if (!info && !cca_script_class_may_exist(script, name))
        report_mistake(script, name, entry, err);
    return info;
}
