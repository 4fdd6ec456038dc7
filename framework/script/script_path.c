/* SPDX-License-Identifier: BSD-3-Clause */
/* script_path.c: the commands `path` and `repository`, which choose where classes come
 * from. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/script/script_core.h"

/* --- path ----------------------------------------------------------------- */

typedef int (*path_function)(struct cca_repository *, const char *, struct cca_error *);

/* Change the path by one directory. Ccaffeine accepts missing and empty directories,
 * which its scripts contain. */
static int path_one(struct cca_script *script, const char *dir, path_function put,
                    struct cca_error *err)
{
    struct cca_error why = {0};
    int status = put(script->repository, dir, &why);

    if (script->options.compat && (status == -ENOENT || status == -ENOTDIR)) {
        if (!*dir || cca_script_pairs_find(&script->lost_dirs, dir, NULL))
            return 0;
        return cca_script_pairs_add(&script->lost_dirs, dir, NULL);
    }
    return status < 0 ? cca_error_set(err, status, "%s", why.text) : 0;
}

/* Put each directory of the list "a:b:c" on the path. */
static int path_each(struct cca_script *script, const char *list, path_function put,
                     struct cca_error *err)
{
    char *dirs = strdup(list), *rest = dirs, *dir;
    int status = 0;

    if (!dirs)
        return cca_script_outcome(-ENOMEM, err);
    while (status == 0 && (dir = strsep(&rest, ":")))
        status = path_one(script, dir, put, err);
    free(dirs);
    return cca_script_outcome(status, err);
}

static int path_prepend(struct cca_script *script, const char *list,
                        struct cca_error *err)
{
    char *dirs = strdup(list), *colon;
    int status = CCA_EXIT_DONE;

    if (!dirs)
        return cca_script_outcome(-ENOMEM, err);
    /* insert the directories in reverse, so that they keep their order */
    while (status == CCA_EXIT_DONE && (colon = strrchr(dirs, ':'))) {
        status = path_each(script, colon + 1, cca_repository_path_prepend, err);
        *colon = '\0';
    }
    if (status == CCA_EXIT_DONE)
        status = path_each(script, dirs, cca_repository_path_prepend, err);
    free(dirs);
    return status;
}

static int path_set(struct cca_script *script, const char *list, struct cca_error *err)
{
    int status = CCA_EXIT_DONE;

    cca_script_pairs_done(&script->lost_dirs);
    cca_repository_path_clear(script->repository);
    for (size_t i = 0; i < script->first_dirs.count && status == CCA_EXIT_DONE; i++)
        status = cca_script_outcome(
            cca_repository_path_append(script->repository,
                                       script->first_dirs.items[i].name, err),
            err);
    return status == CCA_EXIT_DONE
               ? path_each(script, list, cca_repository_path_append, err)
               : status;
}

static int path_list(struct cca_script *script)
{
    const char *dir;

    for (size_t i = 0; (dir = cca_repository_path(script->repository, i)); i++)
        cca_script_say(script, "%s\n", dir);
    return CCA_EXIT_DONE;
}

static int path_init(struct cca_script *script, struct cca_error *err)
{
    const char *own = cca_script_variable(script, "CCA_COMPONENT_PATH");
    const char *more = script->options.path;
    int status = CCA_EXIT_DONE;

    if (!own && !more)
        return cca_script_bad(err, "'path init' needs the variable CCA_COMPONENT_PATH");
    if (own)
        status = path_set(script, own, err);
    if (status != CCA_EXIT_DONE || !more)
        return status;
    return own ? path_each(script, more, cca_repository_path_append, err)
               : path_set(script, more, err);
}

/* Return the value of a word NAME=VALUE. Ccaffeine accepts this form, in which a shell
 * prints a variable. */
static const char *past_variable(const struct cca_script *script, const char *list)
{
    const char *equals = script->options.compat ? strchr(list, '=') : NULL;

    return equals ? equals + strspn(equals, "= ") : list;
}

static int path_command(struct cca_script *script, char **words, size_t count,
                        struct cca_error *err)
{
    static const char *const what[] = {"append", "prepend", "set", "list", "init"};
    const char *sub =
        count > 1 ? cca_script_subcommand("path", words[1], what, 5, err) : "list";
    size_t arguments = count > 2 ? count - 2 : 0;

    if (!sub)
        return CCA_EXIT_BAD_INPUT;
    if (arguments != (strcmp(sub, "list") != 0 && strcmp(sub, "init") != 0))
        return cca_script_bad(err, "'path %s' takes %s, found %zu argument%s", sub,
                              arguments ? "nothing more" : "one DIR", arguments,
                              arguments == 1 ? "" : "s");
    if (strcmp(sub, "append") == 0)
        return path_each(script, words[2], cca_repository_path_append, err);
    if (strcmp(sub, "prepend") == 0)
        return path_prepend(script, words[2], err);
    if (strcmp(sub, "set") == 0)
        return path_set(script, past_variable(script, words[2]), err);
    if (strcmp(sub, "list") == 0)
        return path_list(script);
    return path_init(script, err);
}

int cca_script_path_command(struct cca_script *script, char **words, size_t count,
                            struct cca_error *err)
{
    int status = path_command(script, words, count, err);

    if (status != CCA_EXIT_DONE)
        script->path_is_wrong = 1;
    return status;
}

/* --- Classes -------------------------------------------------------------- */

const struct cca_class_info *cca_script_class(struct cca_script *script, const char *name,
                                              const char **shown, struct cca_error *err)
{
    const struct cca_class_info *info = cca_repository_find(script->repository, name);

    if (!info && script->options.compat)
        return cca_script_compat_class(script, name, shown, err);
    if (info && shown)
        *shown = info->cls.name;
    if (!info && !cca_script_class_may_exist(script, name))
        cca_repository_unknown(script->repository, name, err);
    return info;
}

/* --- repository ----------------------------------------------------------- */

static int repository_list(struct cca_script *script)
{
    const struct cca_class_info *info;
    const char *file, *reason;

    for (size_t i = 0; (info = cca_repository_class(script->repository, i)); i++)
        cca_script_say(script, "%-24s %s\n", info->cls.name,
                       info->cls.summary ? info->cls.summary : "");
    for (size_t i = 0; (file = cca_repository_refused(script->repository, i, &reason));
         i++)
        cca_script_say(script, "# refused: %s\n", reason);
    return CCA_EXIT_DONE;
}

static int get_class(struct cca_script *script, const char *name, int global,
                     struct cca_error *err)
{
    const struct cca_class_info *info = cca_script_class(script, name, NULL, err);

    if (!info)
        return cca_script_class_may_exist(script, name)
                   ? CCA_EXIT_DONE
                   : cca_script_outcome(-ENOENT, err);
    if (cca_script_on_palette(script, info) < 0)
        return cca_script_outcome(-ENOMEM, err);
    if (script->options.check)
        return cca_script_outcome(
            cca_repository_rehearse(script->repository, info, global, err), err);
    if (!cca_repository_load(script->repository, info, global, err))
        return cca_script_exit_of(err) == CCA_EXIT_IO_OR_MEMORY ? CCA_EXIT_IO_OR_MEMORY
                                                                : CCA_EXIT_COMPONENT;
    return CCA_EXIT_DONE;
}

/* Load each class of the list "A:B". */
static int repository_init(struct cca_script *script, int global, struct cca_error *err)
{
    char *names, *rest, *name;
    int status = CCA_EXIT_DONE;

    if (!script->options.load)
        return cca_script_bad(err, "'repository init' needs the option --load CLASSES");
    names = rest = strdup(script->options.load);
    if (!names)
        return cca_script_outcome(-ENOMEM, err);
    while (status == CCA_EXIT_DONE && (name = strsep(&rest, ":")))
        if (*name)
            status = get_class(script, name, global, err);
    free(names);
    return status;
}

/* Return the subcommand that a word names: Ccaffeine compares only the beginning. */
static const char *compat_subcommand(const char *word)
{
    if (*word == 'l')
        return "list";
    if (strncmp(word, "init", 4) == 0)
        return strstr(word, "global") ? "init-global" : "init";
    if (strncmp(word, "get", 3) == 0 && strcmp(word, "get-ports") != 0)
        return strstr(word, "global") ? "get-global" : "get";
    return NULL;
}

/* Run the command `repository`. A class is loaded at once, even if the script requests
 * lazy loading, so that a failure is reported here and not in the middle of a run. */
int cca_script_repository(struct cca_script *script, char **words, size_t count,
                          struct cca_error *err)
{
    static const char *const what[] = {
        "list",      "get",  "get-global",  "get-lazy",  "get-lazy-global",
        "get-ports", "init", "init-global", "init-lazy", "init-lazy-global"};
    const char *sub = script->options.compat ? compat_subcommand(words[1]) : NULL;
    size_t wanted;

    if (!sub)
        sub = cca_script_subcommand("repository", words[1], what,
                                    sizeof what / sizeof *what, err);
    if (!sub)
        return CCA_EXIT_BAD_INPUT;
    wanted = strncmp(sub, "get", 3) == 0;
    if (count - 2 != wanted)
        return cca_script_bad(err, "'repository %s' takes %s, found %zu argument%s", sub,
                              !wanted                         ? "nothing more"
                              : strcmp(sub, "get-ports") == 0 ? "one LIBRARY"
                                                              : "one CLASS",
                              count - 2, count == 3 ? "" : "s");
    if (strcmp(sub, "list") == 0)
        return repository_list(script);
    if (strcmp(sub, "get-ports") == 0)
        return cca_script_outcome(cca_repository_load_ports(script->repository, words[2],
                                                            script->options.check, err),
                                  err);
    return wanted ? get_class(script, words[2], strstr(sub, "global") != NULL, err)
                  : repository_init(script, strstr(sub, "global") != NULL, err);
}
