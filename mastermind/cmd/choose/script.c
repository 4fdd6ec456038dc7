/* SPDX-License-Identifier: BSD-3-Clause */
/* script.c: write the assembly of a run as a script. */
#include "common/beside.h"
#include "mastermind/cmd/choose/choose_verb.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Quoting ----------------------------------------------------------------------- */

/* Print a blank and a word, quoted as scripts need it. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:/+-=@%^";

    fputc(' ', out);
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    if (!strpbrk(word, "'\n")) {
        fprintf(out, "'%s'", word);
        return;
    }
    fputc('"', out);
    for (; *word; word++) {
        if (*word == '\n')
            fputs("\\n", out);
        else
            fprintf(out, strchr("\"\\$", *word) ? "\\%c" : "%c", *word);
    }
    fputc('"', out);
}

static void put_command(FILE *out, const char *command, const char *const *words,
                        size_t count)
{
    fputs(command, out);
    for (size_t i = 0; i < count; i++)
        put_word(out, words[i]);
    fputc('\n', out);
}

/* --- Unchanged and changed parts --------------------------------------------------- */

static const struct mm_script_class *class_of(const struct mm_script *s,
                                              const char *instance)
{
    for (size_t i = 0; i < s->class_count; i++)
        if (strcmp(s->classes[i].instance, instance) == 0)
            return &s->classes[i];
    return NULL;
}

/* True if the run's script made the instance, or if that is unknown. */
static int is_of_script(const struct mm_script *s, const char *instance)
{
    return !s->base->run.is_known || mm_run_value(&s->base->run.classes, instance);
}

/* The instance that replaces `instance` of the base, or `instance` itself. */
static const struct mm_instance *stands_for(const struct mm_script *s,
                                            const struct mm_instance *instance)
{
    const struct mm_script_class *other = class_of(s, instance->name);

    return other && strcmp(other->class_name, instance->class_name) != 0 ? other->like
                                                                         : instance;
}

/* The value of an instance's parameter ".port.name" at the go command with number `go`;
 * NULL: none. */
static const char *value_at(const struct mm_wiring *wiring, const char *instance,
                            const char *rest, size_t go)
{
    size_t length = strlen(instance);

    for (size_t i = 0; i < wiring->parameter_count; i++) {
        const struct mm_run_parameter *p = &wiring->parameters[i];

        if (p->go == go && strncmp(p->name, instance, length) == 0 &&
            strcmp(p->name + length, rest) == 0)
            return p->text;
    }
    return NULL;
}

static int is_set(const struct mm_experiment *experiment, const char *name)
{
    return !experiment->run.is_known || mm_run_value(&experiment->run.set, name);
}

/* --- Parts of a script ------------------------------------------------------------- */

/* The folder of the components that are installed with ccafe. */
static void own_folder(char path[PATH_MAX])
{
    const char *set = getenv("CCA_LIB");
    char wanted[PATH_MAX + 32];

    *path = '\0';
    if (cca_path_beside(wanted, sizeof wanted, "../lib/mastermind"))
        return;
    if (!realpath(set && *set ? set : wanted, path))
        *path = '\0';
}

/* Print the path command: folders of components that ccafe does not search by default. */
static void put_path(FILE *out, const struct mm_script *s)
{
    const struct mm_wiring *wiring = s->base->wiring;
    char own[PATH_MAX], folder[PATH_MAX], written[4 * PATH_MAX] = ":";

    own_folder(own);
    for (size_t i = 0; i < wiring->instance_count; i++) {
        const char *file = stands_for(s, &wiring->instances[i])->file;
        const char *slash = strrchr(file, '/');
        char mark[PATH_MAX + 2];

        if (!slash || slash == file || (size_t)(slash - file) >= sizeof folder ||
            !is_of_script(s, wiring->instances[i].name))
            continue;
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - file), file);
        snprintf(mark, sizeof mark, ":%s:", folder);
        if (strcmp(folder, own) == 0 || strstr(written, mark) ||
            strlen(written) + strlen(mark) >= sizeof written)
            continue;
        strcat(written, mark + 1);
        put_command(out, "path append", (const char *[]){folder}, 1);
    }
}

static const char *class_name_of(const struct mm_script *s,
                                 const struct mm_instance *instance)
{
    const struct mm_script_class *other = class_of(s, instance->name);

    return other ? other->class_name : instance->class_name;
}

/* The uses port of the replacing class that corresponds to port `uses` of the base: same
 * name and type, else same type. NULL: the class has none. */
static const char *uses_port(const struct mm_script *s, const struct mm_instance *user,
                             const char *uses)
{
    const struct mm_instance *now = stands_for(s, user);
    const struct mm_wiring_port *port =
        mm_wiring_port_named(user->uses, user->uses_count, uses);
    const struct mm_wiring_port *same =
        mm_wiring_port_named(now->uses, now->uses_count, uses);

    if (now == user || !port)
        return uses;
    if (same && strcmp(same->type, port->type) == 0)
        return uses;
    for (size_t i = 0; i < now->uses_count; i++)
        if (strcmp(now->uses[i].type, port->type) == 0)
            return now->uses[i].name;
    return NULL;
}

static void put_connections(FILE *out, const struct mm_script *s)
{
    const struct mm_wiring *wiring = s->base->wiring;

    for (size_t i = 0; i < wiring->connection_count; i++) {
        const struct mm_connection *c = &wiring->connections[i];
        const struct mm_instance *user = mm_wiring_instance(wiring, c->user);
        const char *uses = user ? uses_port(s, user, c->uses) : NULL;

        if (uses && is_of_script(s, c->user) && is_of_script(s, c->provider))
            put_command(out, "connect",
                        (const char *[]){c->user, uses, c->provider, c->provides}, 4);
    }
}

/* Print a parameter "instance.port.name". */
static void put_parameter(FILE *out, const char *name, const char *text)
{
    const char *first = strchr(name, '.'), *second = first ? strchr(first + 1, '.') : 0;
    char instance[256], port[256];

    if (!second)
        return;
    snprintf(instance, sizeof instance, "%.*s", (int)(first - name), name);
    snprintf(port, sizeof port, "%.*s", (int)(second - first - 1), first + 1);
    put_command(out, "parameter", (const char *[]){instance, port, second + 1, text}, 4);
}

static const char *value_asked(const struct mm_script *s, const char *name,
                               const char *otherwise)
{
    for (size_t i = 0; i < s->value_count; i++)
        if (strcmp(s->values[i].name, name) == 0)
            return s->values[i].text;
    return otherwise;
}

/* Print the parameters of the base at the go command `go` that differ from the go command
 * before it. */
static void put_parameters(FILE *out, const struct mm_script *s, size_t go)
{
    const struct mm_wiring *wiring = s->base->wiring;

    for (size_t i = 0; i < wiring->parameter_count; i++) {
        const struct mm_run_parameter *p = &wiring->parameters[i];
        size_t length = strcspn(p->name, ".");
        const struct mm_script_class *other = NULL;
        const char *before;
        char instance[256];

        snprintf(instance, sizeof instance, "%.*s", (int)length, p->name);
        if (p->go != go || !is_set(s->base, p->name) || !is_of_script(s, instance))
            continue;
        before = go ? value_at(wiring, instance, p->name + length, go - 1) : NULL;
        if (before && strcmp(before, p->text) == 0)
            continue;
        other = class_of(s, instance);
        if (other && other->from != s->base &&
            !value_at(other->from->wiring, other->like->name, p->name + length, 0))
            continue;
        put_parameter(out, p->name, value_asked(s, p->name, p->text));
    }
}

/* Print parameters that the script of a new class had set and the base's had not. */
static void put_new_parameters(FILE *out, const struct mm_script *s)
{
    for (size_t k = 0; k < s->class_count; k++) {
        const struct mm_script_class *c = &s->classes[k];
        const struct mm_wiring *wiring = c->from->wiring;
        size_t length = strlen(c->like->name);

        for (size_t i = 0; i < wiring->parameter_count; i++) {
            const struct mm_run_parameter *p = &wiring->parameters[i];
            char name[600];

            if (p->go || strncmp(p->name, c->like->name, length) != 0 ||
                p->name[length] != '.' || !is_set(c->from, p->name))
                continue;
            snprintf(name, sizeof name, "%s%s", c->instance, p->name + length);
            if (!value_at(s->base->wiring, c->instance, p->name + length, 0))
                put_parameter(out, name, value_asked(s, name, p->text));
        }
    }
}

static void put_script(FILE *out, const struct mm_script *s)
{
    const struct mm_wiring *wiring = s->base->wiring;

    fputs("#!ccaffeine bootstrap file.\n", out);
    fprintf(out, "# Written by mastermind choose: %s\n", mm_safe(s->remark));
    put_path(out, s);
    for (size_t i = 0; i < wiring->instance_count; i++) {
        const struct mm_instance *instance = &wiring->instances[i];

        if (is_of_script(s, instance->name))
            put_command(out, "instantiate",
                        (const char *[]){class_name_of(s, instance), instance->name}, 2);
    }
    put_connections(out, s);
    put_new_parameters(out, s);
    for (size_t go = 0; go < wiring->go_count; go++) {
        put_parameters(out, s, go);
        put_command(out, "go",
                    (const char *[]){wiring->gos[go].instance, wiring->gos[go].port}, 2);
    }
    fputs("quit\n", out);
}

char *mm_script_text(const struct mm_script *s, struct cca_error *err)
{
    const struct mm_wiring *wiring = s->base->wiring;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!wiring || !wiring->go_count || !*wiring->gos[0].instance) {
        cca_error_set(err, -ENODATA, "%s: found no go command, which a script needs",
                      s->base->name);
        return NULL;
    }
    out = open_memstream(&text, &size);
    if (!out) {
        cca_no_memory(err);
        return NULL;
    }
    put_script(out, s);
    if (fclose(out) == 0)
        return text;
    free(text);
    cca_no_memory(err);
    return NULL;
}

int mm_script_write(const char *path, const char *text, int force)
{
    char *new = NULL;
    FILE *out;
    int bad;

    if (!force && access(path, F_OK) == 0)
        return mm_refuse(MM_EXIT_MISUSE, "%s exists; --force writes it anew",
                         mm_safe(path));
    if (asprintf(&new, "%s.%ld.new", path, (long)getpid()) < 0)
        return mm_no_memory();
    out = fopen(new, "wxe");
    bad = !out || fputs(text, out) < 0;
    if (out)
        bad |= fclose(out) != 0;
    /* link() fails if the file exists by now; rename() replaces it */
    bad = bad || (force ? rename(new, path) : link(new, path));
    if (bad)
        mm_refuse(MM_EXIT_SYSTEM, "%s: %s", mm_safe(path), strerror(errno));
    if (out && (bad || !force))
        unlink(new);
    free(new);
    return bad ? MM_EXIT_SYSTEM : -1;
}

/* --- The command line -------------------------------------------------------------- */

/* The number of words of a measuring option (with its value); 0: not such an option. */
static size_t measuring_words(const char *word)
{
    static const char *const valued[] = {
        "--experiment", "-o", "--metrics", "--storage", "--size-limit", "--tau-profiles"};

    if (strcmp(word, "--measure") == 0)
        return 1;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        size_t length = strlen(valued[i]);

        if (strcmp(word, valued[i]) == 0)
            return 2;
        if (length > 2 && strncmp(word, valued[i], length) == 0 && word[length] == '=')
            return 1;
    }
    return 0;
}

/* Print a blank and a word, quoted for the shell; start a new line if it would pass
 * column 98. */
static void put_shell_word(FILE *out, const char *word, size_t *column)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:/+-=@%^";

    *column += 1 + strlen(word);
    if (*column > 98) {
        fputs(" \\\n     ", out);
        *column = 6 + strlen(word);
    }
    fputc(' ', out);
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fprintf(out, *word == '\'' ? "'\\''" : "%c", *word);
    fputc('\'', out);
}

static void put_command_line(FILE *out, const struct mm_script *s)
{
    const struct mm_experiment *e = s->base;
    size_t column = strlen("  ccafe");

    fputs("ccafe", out);
    for (size_t i = 0; i < s->class_count; i++) {
        const char *had = mm_run_value(&e->run.classes, s->classes[i].instance);
        char word[600];

        if (had && strcmp(had, s->classes[i].class_name) == 0)
            continue;
        snprintf(word, sizeof word, "%s=%s", s->classes[i].instance,
                 s->classes[i].class_name);
        put_shell_word(out, "--class", &column);
        put_shell_word(out, word, &column);
    }
    for (size_t i = 1; i < e->command_count;) {
        size_t skip = measuring_words(e->command[i]);

        if (!skip)
            put_shell_word(out, e->command[i++], &column);
        i += skip;
    }
}

char *mm_script_command(const struct mm_script *s)
{
    const struct mm_experiment *e = s->base;
    const char *slash = e->command_count ? strrchr(e->command[0], '/') : NULL;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!e->command_count || !e->run.is_known ||
        strcmp(slash ? slash + 1 : e->command[0], "ccafe") != 0)
        return NULL;
    for (size_t i = 0; i < s->class_count; i++)
        if (!mm_run_value(&e->run.classes, s->classes[i].instance))
            return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put_command_line(out, s);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
