/* SPDX-License-Identifier: BSD-3-Clause */
/* script_commands.c: the commands of a script, one function each, and the finding of
 * them.
 *
 * With .check a command that names an instance which could not be made (a ghost) is
 * passed over: its mistake has been reported. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/assembly.h"
#include "framework/nearest.h"
#include "framework/script_core.h"

/* What a call of the framework comes to; it has words for every failure, even if `code`
 * came without. */
static int outcome(int code, struct cca_error *err)
{
    if (code >= 0)
        return CCA_EXIT_DONE;
    cca_error_set(err, code, "%s", strerror(-code));
    return cca_script_exit_of(err);
}

static int no_memory(struct cca_error *err)
{
    return outcome(-ENOMEM, err);
}

/* --- path --------------------------------------------------------------------------- */

typedef int (*path_function)(struct cca_repository *, const char *, struct cca_error *);

/* Put each directory of the list "a:b:c" on the path. */
static int path_each(struct cca_script *script, const char *list, path_function put,
                     struct cca_error *err)
{
    char *dirs = strdup(list), *rest = dirs, *dir;
    int status = 0;

    if (!dirs)
        return no_memory(err);
    while (status == 0 && (dir = strsep(&rest, ":")))
        status = put(script->repository, dir, err);
    free(dirs);
    return outcome(status, err);
}

static int path_prepend(struct cca_script *script, const char *list,
                        struct cca_error *err)
{
    char *dirs = strdup(list), *colon;
    int status = CCA_EXIT_DONE;

    if (!dirs)
        return no_memory(err);
    /* From the back, so that the directories keep their order. */
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

    cca_repository_path_clear(script->repository);
    for (size_t i = 0; i < script->first_dirs.count && status == CCA_EXIT_DONE; i++)
        status = outcome(cca_repository_path_append(
                             script->repository, script->first_dirs.items[i].name, err),
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

/* Which of `words` is meant: exactly, or by a beginning that only one has. NULL with
 * `err`. */
static const char *subcommand(const char *command, const char *word,
                              const char *const *words, size_t count,
                              struct cca_error *err)
{
    const char *found = NULL;
    size_t length = strlen(word), matches = 0;
    char hint[128];

    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0)
            return words[i];
        if (length > 0 && strncmp(words[i], word, length) == 0) {
            matches++;
            found = words[i];
        }
    }
    if (matches == 1)
        return found;
    cca_script_bad(err, "%s '%s %s'%s", matches ? "ambiguous" : "unknown command",
                   command, word,
                   cca_nearest_hint(cca_nearest(word, words, count), hint, sizeof hint));
    return NULL;
}

static int run_path(struct cca_script *script, char **words, size_t count,
                    struct cca_error *err)
{
    static const char *const what[] = {"append", "prepend", "set", "list", "init"};
    const char *sub = count > 1 ? subcommand("path", words[1], what, 5, err) : "list";
    size_t arguments = count > 2 ? count - 2 : 0;
    const char *own;

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
        return path_set(script, words[2], err);
    if (strcmp(sub, "list") == 0)
        return path_list(script);
    own = cca_script_variable(script, "CCA_COMPONENT_PATH");
    return own ? path_set(script, own, err)
               : cca_script_bad(err, "'path init' needs the variable CCA_COMPONENT_PATH");
}

/* --- repository --------------------------------------------------------------------- */

/* A library whose file is named like the class, but could not be read. */
static const char *refusal_of(struct cca_script *script, const char *class_name)
{
    const char *file, *reason;
    size_t length = strlen(class_name);

    for (size_t i = 0; (file = cca_repository_refused(script->repository, i, &reason));
         i++) {
        const char *slash = strrchr(file, '/');
        const char *base = slash ? slash + 1 : file;

        if (strncmp(base, class_name, length) == 0 && strcmp(base + length, ".so") == 0)
            return reason;
    }
    return NULL;
}

static const struct cca_class_info *find_class(struct cca_script *script,
                                               const char *name, struct cca_error *err)
{
    const struct cca_class_info *info = cca_repository_find(script->repository, name);
    const char *refusal = info ? NULL : refusal_of(script, name);
    char hint[128];

    if (info)
        return info;
    if (refusal)
        cca_script_bad(err, "no class '%s' on the path; %s", name, refusal);
    else
        cca_script_bad(err, "no class '%s' on the path%s", name,
                       cca_nearest_hint(cca_repository_nearest(script->repository, name),
                                        hint, sizeof hint));
    return NULL;
}

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

/* Lazy is taken as now: what cannot be loaded shall be known here, not in the middle of a
 * run. */
static int run_repository(struct cca_script *script, char **words, size_t count,
                          struct cca_error *err)
{
    static const char *const what[] = {"list", "get", "get-global", "get-lazy",
                                       "get-lazy-global"};
    const char *sub = subcommand("repository", words[1], what, 5, err);
    const struct cca_class_info *info;

    if (!sub)
        return CCA_EXIT_BAD_INPUT;
    if ((count == 3) != (strcmp(sub, "list") != 0))
        return cca_script_bad(err, "'repository %s' takes %s, found %zu argument%s", sub,
                              count == 2 ? "one CLASS" : "nothing more", count - 2,
                              count == 3 ? "" : "s");
    if (count == 2)
        return repository_list(script);
    info = find_class(script, words[2], err);
    if (!info)
        return CCA_EXIT_BAD_INPUT;
    if (!script->options.check &&
        !cca_repository_load(script->repository, info, strstr(sub, "global") != NULL,
                             err))
        return CCA_EXIT_COMPONENT;
    return CCA_EXIT_DONE;
}

/* --- Instances and connections ------------------------------------------------------ */

static int run_instantiate(struct cca_script *script, char **words, size_t count,
                           struct cca_error *err)
{
    const char *name = count > 2 ? words[2] : NULL;
    const struct cca_class_info *info = find_class(script, words[1], err);
    int status = CCA_EXIT_BAD_INPUT;

    if (info) {
        int bad_name =
            name && (!cca_name_valid(name) || cca_script_has_instance(script, name));
        int code = cca_framework_create(script->framework, words[1], name, err);

        if (code == 0)
            return CCA_EXIT_DONE;
        status = outcome(code, err);
        if (bad_name)
            return status;
        if (status ==
            CCA_EXIT_BAD_INPUT) /* the script said nothing wrong: the class did */
            status = CCA_EXIT_COMPONENT;
    }
    if (script->options.check && cca_script_make_ghost(script, words[1], name) < 0)
        return no_memory(err);
    return status;
}

/* A connect or disconnect that names a ghost: the other side can still be looked at. */
static int connect_ghost(struct cca_script *script, char **words, struct cca_error *err)
{
    int user = cca_script_is_ghost(script, words[1]);
    int provider = cca_script_is_ghost(script, words[3]);

    if (!user && cca_script_doubt(script, words[1], words[2]) < 0)
        return no_memory(err);
    if (user && provider)
        return CCA_EXIT_DONE;
    return user ? cca_script_check_port(script, words[3], words[4], 0, err)
                : cca_script_check_port(script, words[1], words[2], 1, err);
}

static int run_connect(struct cca_script *script, char **words, size_t count,
                       struct cca_error *err)
{
    int code;

    (void)count;
    if (cca_script_is_ghost(script, words[1]) || cca_script_is_ghost(script, words[3]))
        return connect_ghost(script, words, err);
    code = cca_framework_connect(script->framework, words[1], words[2], words[3],
                                 words[4], err);
    if (code < 0 && script->options.check &&
        cca_script_doubt(script, words[1], words[2]) < 0)
        return no_memory(err);
    return outcome(code, err);
}

static int run_disconnect(struct cca_script *script, char **words, size_t count,
                          struct cca_error *err)
{
    (void)count;
    if (cca_script_is_ghost(script, words[1]) || cca_script_is_ghost(script, words[3]))
        return connect_ghost(script, words, err);
    if (cca_script_is_doubtful(script, words[1], words[2]))
        return CCA_EXIT_DONE;
    return outcome(cca_framework_disconnect(script->framework, words[1], words[2],
                                            words[3], words[4], err),
                   err);
}

static int run_remove(struct cca_script *script, char **words, size_t count,
                      struct cca_error *err)
{
    (void)count;
    if (cca_script_is_ghost(script, words[1])) {
        cca_script_pairs_remove(&script->ghosts, words[1]);
        return CCA_EXIT_DONE;
    }
    return outcome(cca_framework_remove(script->framework, words[1], err), err);
}

static int run_insert(struct cca_script *script, char **words, size_t count,
                      struct cca_error *err)
{
    int code;

    if (cca_script_is_ghost(script, words[1]))
        return CCA_EXIT_DONE;
    code = cca_framework_insert(script->framework, words[1], words[2],
                                count > 3 ? words[3] : NULL, err);
    if (code < 0 && script->options.check &&
        cca_script_doubt(script, words[1], words[2]) < 0)
        return no_memory(err);
    return outcome(code, err);
}

static int run_eject(struct cca_script *script, char **words, size_t count,
                     struct cca_error *err)
{
    (void)count;
    if (cca_script_is_ghost(script, words[1]) ||
        cca_script_is_doubtful(script, words[1], words[2]))
        return CCA_EXIT_DONE;
    return outcome(cca_framework_eject(script->framework, words[1], words[2], err), err);
}

/* --- parameter ---------------------------------------------------------------------- */

static int parameter_all(struct cca_script *script, char **words, struct cca_error *err)
{
    struct parameter_port *port =
        cca_framework_parameters(script->framework, words[1], words[2], err);
    const struct cca_param_decl *decl;

    if (!port)
        return outcome(err->code ? err->code : -ENOENT, err);
    for (size_t i = 0; (decl = port->decl(port, i)); i++)
        cca_script_say_parameter(script, words[1], words[2], decl->name,
                                 port->get(port, decl->name));
    return CCA_EXIT_DONE;
}

static int parameter_get(struct cca_script *script, char **words, struct cca_error *err)
{
    const char *value;

    if (strcmp(words[3], "ALL") == 0)
        return parameter_all(script, words, err);
    value = cca_framework_parameter(script->framework, words[1], words[2], words[3], err);
    if (!value)
        return outcome(err->code ? err->code : -ENOENT, err);
    cca_script_say(script, "%s\n", value);
    return CCA_EXIT_DONE;
}

static int run_parameter(struct cca_script *script, char **words, size_t count,
                         struct cca_error *err)
{
    size_t length = 1;
    char *value, *end;
    int code;

    if (cca_script_is_ghost(script, words[1]))
        return CCA_EXIT_DONE;
    if (count == 4)
        return parameter_get(script, words, err);
    if (strcmp(words[3], "ALL") == 0)
        return cca_script_bad(err, "'ALL' is for reading: name one parameter to set");
    for (size_t i = 4; i < count; i++)
        length += strlen(words[i]) + 1;
    value = end = malloc(length);
    if (!value)
        return no_memory(err);
    for (size_t i = 4; i < count; i++) {
        if (i > 4)
            *end++ = ' ';
        end = stpcpy(end, words[i]);
    }
    code = cca_framework_set_parameter(script->framework, words[1], words[2], words[3],
                                       value, err);
    free(value);
    return outcome(code, err);
}

/* --- go, quit, source --------------------------------------------------------------- */

static int run_go(struct cca_script *script, char **words, size_t count,
                  struct cca_error *err)
{
    int code;

    (void)count;
    script->went = 1;
    if (cca_script_is_ghost(script, words[1]))
        return CCA_EXIT_DONE;
    fflush(script->options.out);
    code = cca_framework_settle(script->framework, err);
    if (code < 0) /* measuring failed, not the application */
        return outcome(code, err);
    code = cca_framework_go(script->framework, words[1], words[2], err);
    if (code == -ENOTCONN && script->options.check) {
        int missing = cca_script_missing(script, words[1]);

        if (missing < 0)
            return no_memory(err);
        if (missing > 0)
            return CCA_EXIT_DONE; /* reported one by one */
    }
    if (code > 0) /* a component's own number */
        code = cca_error_raise(err, -ECANCELED, CCA_EXCEPTION_UNEXPECTED,
                               "'%s' of '%s' returned %d", words[2], words[1], code);
    if (code < 0 && err->exception == CCA_EXCEPTION_UNEXPECTED)
        return CCA_EXIT_COMPONENT; /* the application's failure, whatever number it chose
                                    */
    return outcome(code, err);
}

static int run_quit(struct cca_script *script, char **words, size_t count,
                    struct cca_error *err)
{
    char *end = NULL;
    long status = 0;

    if (count > 1) {
        errno = 0;
        status = strtol(words[1], &end, 10);
        if (end == words[1] || *end || errno || status < 0 || status > 255)
            return cca_script_bad(err, "'%s' is no exit status; expected 0 to 255",
                                  words[1]);
    }
    script->quitting = 1;
    script->exit_status = (int)status;
    return CCA_EXIT_DONE;
}

static int run_source(struct cca_script *script, char **words, size_t count,
                      struct cca_error *err)
{
    (void)count;
    return cca_script_source(script, words[1], err);
}

/* --- Finding a command -------------------------------------------------------------- */

static const struct cca_script_command commands[] = {
    {{"path"}, "path [list|append DIR|prepend DIR|set DIR|init]", 0, 2, run_path},
    {{"repository"},
     "repository list|get CLASS|get-global CLASS|get-lazy CLASS|get-lazy-global CLASS",
     1,
     2,
     run_repository},
    {{"instantiate", "create", "pulldown"},
     "instantiate CLASS [NAME]",
     1,
     2,
     run_instantiate},
    {{"connect"}, "connect USER USES_PORT PROVIDER PROVIDES_PORT", 4, 4, run_connect},
    {{"disconnect"},
     "disconnect USER USES_PORT PROVIDER PROVIDES_PORT",
     4,
     4,
     run_disconnect},
    {{"parameter", "parameters", "configure"},
     "parameter INSTANCE PORT KEY|ALL [VALUE]",
     3,
     (size_t)-1,
     run_parameter},
    {{"go", "run"}, "go INSTANCE PORT", 2, 2, run_go},
    {{"remove"}, "remove INSTANCE", 1, 1, run_remove},
    {{"display"},
     "display [palette|arena|chain|component INSTANCE|state]",
     0,
     2,
     cca_script_display},
    {{"insert"}, "insert INSTANCE PORT [CLASS]", 2, 3, run_insert},
    {{"eject"}, "eject INSTANCE PORT", 2, 2, run_eject},
    {{"source"}, "source FILE", 1, 1, run_source},
    {{"quit", "exit", "bye", "x"}, "quit [STATUS]", 0, 1, run_quit},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct cca_script_command *find_exact(const char *word)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        for (const char *const *name = commands[i].names; *name; name++)
            if (strcmp(*name, word) == 0)
                return &commands[i];
    return NULL;
}

int cca_script_presume(struct cca_script *script,
                       const struct cca_script_command *command, char **words,
                       size_t count)
{
    if (command->run == run_instantiate && count > 2 &&
        !cca_script_has_instance(script, words[2]))
        return cca_script_make_ghost(script, words[1], words[2]);
    if (command->run == run_instantiate && count == 2)
        return cca_script_make_ghost(script, words[1], NULL);
    if ((command->run == run_connect || command->run == run_insert) && count > 2)
        return cca_script_doubt(script, words[1], words[2]);
    if (command->run == run_go)
        script->went = 1;
    return 0;
}

const struct cca_script_command *
cca_script_command_find(const char *word, const struct cca_script_command **likely,
                        struct cca_error *err)
{
    const struct cca_script_command *found = find_exact(word);
    size_t length = strlen(word), matches = 0;
    struct cca_nearest nearest;
    char list[256] = "", hint[128];

    *likely = found;
    if (found)
        return found;
    cca_nearest_init(&nearest, word);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const char *matched = NULL;

        for (const char *const *name = commands[i].names; *name; name++) {
            cca_nearest_offer(&nearest, *name);
            if (!matched && length > 0 && strncmp(*name, word, length) == 0)
                matched = *name;
        }
        if (matched) {
            size_t used = strlen(list);

            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", matched);
            found = matches++ ? found : &commands[i];
        }
    }
    *likely = found ? found : nearest.best ? find_exact(nearest.best) : NULL;
    if (matches == 1)
        return found;
    if (matches)
        cca_script_bad(err, "'%s' is ambiguous: %s", word, list);
    else
        cca_script_bad(err, "unknown command '%s'%s", word,
                       cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}
