/* SPDX-License-Identifier: BSD-3-Clause */
/* script_statement.c: find the command of a statement, record the consequences of a wrong
 * command, and let ranks agree on a statement. */
#include <string.h>

#include "common/nearest.h"
#include "framework/script/script_core.h"

/* --- Finding -------------------------------------------------------------- */

static const struct cca_script_command *
find_exact(const struct cca_script_command *command, const char *word)
{
    for (; command->run; command++)
        for (const char *const *name = command->names; *name; name++)
            if (strcmp(*name, word) == 0)
                return command;
    return NULL;
}

/* The commands that a word may abbreviate. */
struct search {
    const struct cca_script_command *found; /* the first command that was found */
    size_t matches;
    char list[256]; /* names of the commands that were found, as a list */
};

static void add_match(struct search *search, const struct cca_script_command *command,
                      const char *name)
{
    size_t used = strlen(search->list);

    snprintf(search->list + used, sizeof search->list - used, "%s%s", used ? ", " : "",
             name);
    search->found = search->matches++ ? search->found : command;
}

/* Find commands with a name that begins with `word`, each once; for Ccaffeine each name
 * counts. */
static void find_beginning(struct search *search,
                           const struct cca_script_command *command, const char *word,
                           int compat)
{
    size_t length = strlen(word);

    for (; command->run && length > 0; command++)
        for (const char *const *name = command->names; *name; name++) {
            if (strncmp(*name, word, length) != 0 ||
                (compat && command->last_is_ours && !name[1]))
                continue;
            add_match(search, command, *name);
            if (!compat)
                break;
        }
}

const struct cca_script_command *
cca_script_command_find(const struct cca_script *script, const char *word,
                        const struct cca_script_command **likely, struct cca_error *err)
{
    struct search search = {.found = find_exact(script->commands, word)};
    struct cca_nearest nearest;
    char hint[128];

    *likely = search.found;
    if (search.found)
        return search.found;
    cca_nearest_init(&nearest, word);
    for (const struct cca_script_command *command = script->commands; command->run;
         command++)
        for (const char *const *name = command->names; *name; name++)
            cca_nearest_offer(&nearest, *name);
    find_beginning(&search, script->commands, word, script->options.compat);
    *likely = search.found   ? search.found
              : nearest.best ? find_exact(script->commands, nearest.best)
                             : NULL;
    if (search.matches == 1)
        return search.found;
    if (search.matches)
        cca_script_bad(err, "'%s' is ambiguous: %s", word, search.list);
    else if (cca_script_is_gui_word(word))
        cca_script_bad(err,
                       "'%s' is a word of Ccaffeine's graphical interface; "
                       "--compat=ccaffeine passes over it",
                       word);
    else
        cca_script_bad(err, "unknown command '%s'%s", word,
                       cca_nearest_hint(nearest.best, hint, sizeof hint));
    return NULL;
}

int cca_script_presume(struct cca_script *script,
                       const struct cca_script_command *command, char **words,
                       size_t count)
{
    if (command->run == cca_script_instantiate && count > 2 &&
        !cca_script_has_instance(script, words[2]))
        return cca_script_make_ghost(script, words[1], words[2]);
    if (command->run == cca_script_instantiate && count == 2)
        return cca_script_make_ghost(script, words[1], NULL);
    if ((command->run == cca_script_connect || command->run == cca_script_insert) &&
        count > 2)
        return cca_script_doubt(script, words[1], words[2]);
    if (command->run == cca_script_path_command)
        script->path_is_wrong = 1;
    if (command->run == cca_script_go)
        script->went = 1;
    return 0;
}

/* --- Agreement ------------------------------------------------------------ */

/* Return the argument that is a class name, or NULL. */
static const char *class_word(struct cca_script *script,
                              const struct cca_script_statement *statement)
{
    struct cca_error err = {0};
    const struct cca_script_command *likely,
        *command = cca_script_command_find(script, statement->words[0], &likely, &err);
    size_t at = command ? command->class_word : 0;
    const struct cca_script_override *override =
        at == 1 ? cca_script_class_override(script, statement->words, statement->count)
                : NULL;

    if (override)
        return override->value;
    return at && at < statement->count ? statement->words[at] : NULL;
}

/* Print the build of the class that a statement names; "" if it names none. */
static void say_class(struct cca_script *script,
                      const struct cca_script_statement *statement, char *text,
                      size_t size)
{
    const char *name = class_word(script, statement);
    const struct cca_class_info *info =
        name ? cca_repository_find(script->repository, name) : NULL;

    text[0] = '\0';
    if (info)
        snprintf(text, size, " with %s of build %s", name, info->build_id);
    else if (name)
        snprintf(text, size, " with no class '%s' on the path", name);
}

int cca_script_agree_on_statement(struct cca_script *script,
                                  const struct cca_script_statement *statement)
{
    uint64_t digest = cca_digest_text(0, "about to");
    char text[600] = "the end of the script", cls[300] = "";
    size_t used = 0;

    if (!script->cohort)
        return CCA_EXIT_DONE;
    digest = cca_digest(digest, &script->line, sizeof script->line);
    if (statement)
        say_class(script, statement, cls, sizeof cls);
    for (size_t i = 0; statement && i < statement->count; i++) {
        digest = cca_digest_text(digest, statement->words[i]);
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     i ? " " : "'", statement->words[i]);
    }
    if (statement) {
        if (used + strlen(cls) + 8 > sizeof text)
            used = sizeof text - strlen(cls) - 8;
        snprintf(text + used, sizeof text - used, "'%s", cls);
    }
    digest = cca_digest_text(digest, cls);
    return cca_script_agree(script, digest, CCA_EXIT_DONE, text, NULL);
}
