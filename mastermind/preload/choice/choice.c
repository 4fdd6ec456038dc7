/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c: choose a setting of a library in each call. */
#include "mastermind/preload/choice/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "framework/assembly/rules.h"
#include "mastermind/preload/choice/changes.h"
#include "proxies/interpose.h"
#include "proxies/proxy_dispatch.h"

/* The rules and candidates of one library. */
struct choice {
    struct monitor_port port;      /* first: the port that the library's wrappers call */
    struct monitor_port *recorder; /* NULL: nothing is recorded */
    struct interpose_library *library;
    struct mm_setting setting;
    /* candidates: [0] is the setting as the program has it */
    struct proxy_dispatch *dispatch;
    struct mm_setting_value *values; /* [target_count], of the candidates */
    char **names;                    /* [target_count], their texts; [0] is "" */
    size_t count;
    int is_trial;        /* true: candidates are drawn at random */
    struct choice *next; /* next library that has a choice, or none */
};

/* A function whose calls are chosen. */
struct chosen {
    struct monitor_method head; /* first: the method that the wrapper has */
    struct choice *choice;
    size_t index;                     /* of the function in its library */
    struct monitor_method *methods[]; /* [count] the recorder's, of each candidate */
};

/* A file of rules. */
struct rules_file {
    char *path, *port_type;
    int is_used; /* true if a library of this process has the rules' port type */
};

static struct {
    struct mm_choice_calls calls;
    struct rules_file *files;
    size_t file_count;
    char *tried; /* lines "threads=1,2"; NULL: nothing is tried */
    int is_tried_used;
    struct choice *choices;
} all;

__attribute__((format(printf, 1, 2))) static void print_line(const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    all.calls.print(text);
}

/* --- A call --------------------------------------------------------------- */

/* Choose the candidate of a call. */
static size_t choose(const struct choice *choice, const struct chosen *chosen,
                     const union monitor_value *in)
{
    const struct proxy_dispatch *dispatch = choice->dispatch;

    if (!choice->is_trial)
        return (size_t)(proxy_choose(dispatch, chosen->index, in) - dispatch->targets);
    return 1 + (choice->setting.draw ? choice->setting.draw(choice->count - 1)
                                     : mm_change_draw(choice->count - 1));
}

static struct monitor_frame *begin(struct monitor_port *self,
                                   struct monitor_method *method,
                                   const union monitor_value *in)
{
    const struct choice *choice = (const struct choice *)self;
    const struct chosen *chosen = (const struct chosen *)method;
    const struct mm_setting *setting = &choice->setting;
    const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    const int number = errno;
    size_t target = choose(choice, chosen, in);
    struct mm_change *change = NULL;
    struct monitor_frame *frame = NULL;
    int is_foreign = 0; /* true: another thread has changed the setting */

    mm_changes_settle(stack);
    if (!setting->apply)
        is_foreign = target && mm_change_begin(setting, choice->values[target].value,
                                               choice->is_trial, stack, &change);
    if (is_foreign || (setting->apply && setting->apply(choice->names[target])))
        target = 0;
    errno = number;
    /* a call with a foreign setting is no trial */
    if (choice->recorder && !(is_foreign && choice->is_trial))
        frame = choice->recorder->begin(choice->recorder, chosen->methods[target], in);
    return change ? mm_change_frame(change, frame) : frame;
}

static void end_change(struct mm_change *change)
{
    const int number = errno;

    if (change)
        mm_change_end(change);
    errno = number;
}

static void end(struct monitor_port *self, struct monitor_frame *frame,
                const union monitor_value *out)
{
    struct monitor_port *recorder = ((const struct choice *)self)->recorder;
    struct mm_change *change = mm_change_of(&frame);

    if (recorder)
        recorder->end(recorder, frame, out);
    end_change(change);
}

static void unwind(struct monitor_port *self, struct monitor_frame *frame)
{
    struct monitor_port *recorder = ((const struct choice *)self)->recorder;
    struct mm_change *change = mm_change_of(&frame);

    if (recorder)
        recorder->unwind(recorder, frame);
    end_change(change);
}

static uint64_t now(struct monitor_port *self)
{
    struct monitor_port *recorder = ((const struct choice *)self)->recorder;

    return recorder ? recorder->now(recorder) : 0;
}

static void end_at(struct monitor_port *self, struct monitor_frame *frame,
                   const union monitor_value *out, uint64_t when)
{
    struct monitor_port *recorder = ((const struct choice *)self)->recorder;
    struct mm_change *change = mm_change_of(&frame);

    if (recorder)
        recorder->end_at(recorder, frame, out, when);
    end_change(change);
}

/* --- Candidates ------------------------------------------------------------ */

static int add_candidate(struct choice *choice, const char *text, struct cca_error *err)
{
    struct mm_setting_value value = {0};
    int status = *text ? mm_setting_parse(text, &value, err) : 0;
    size_t more = choice->count;

    if (status)
        return status;
    if (choice->count > 1 && strcmp(value.kind, choice->values[1].kind) != 0)
        return cca_error_set(err, -EINVAL, "found '%s', expected a value of %s", text,
                             choice->values[1].kind);
    if (cca_array_reserve(&choice->names, choice->count, sizeof *choice->names) ||
        cca_array_reserve(&choice->values, choice->count, sizeof *choice->values) ||
        !(choice->names[more] = strdup(text)))
        return cca_no_memory(err);
    choice->values[more] = value;
    choice->count++;
    return 0;
}

/* Add the candidates that begin with `before` and go on with a value of each of the lines
 * "threads=1,2" in `lines`. */
static int add_crossed(struct choice *choice, const char *before, const char *lines,
                       struct cca_error *err)
{
    const size_t length = strcspn(lines, "\n"), stem = strcspn(lines, "=");
    const char *rest = lines + length + (lines[length] == '\n');
    int status = 0;

    if (!*lines)
        return add_candidate(choice, before, err);
    for (size_t at = stem; at < length && !status;) {
        const size_t word = strcspn(lines + at + 1, ",\n");
        char text[160];

        snprintf(text, sizeof text, "%s%s%.*s=%.*s", before, *before ? "," : "",
                 (int)stem, lines, (int)word, lines + at + 1);
        status = add_crossed(choice, text, rest, err);
        at += 1 + word;
    }
    return status ? status
           : stem < length
               ? 0
               : cca_error_set(err, -EINVAL, "found '%.*s', expected SETTING=VALUE,...",
                               (int)length, lines);
}

/* Make the candidates of the rules. A class is "threads=1", or, with the library that it
 * was measured with, "libblas.so.3:threads=1". */
static int add_classes(struct choice *choice, const struct cca_rules *rules,
                       const char *object, struct cca_error *err)
{
    int status = 0;

    for (size_t i = 1; i < rules->class_count && !status; i++) {
        const char *name = rules->classes[i], *colon = strrchr(name, ':');

        if (colon &&
            (strncmp(name, object, (size_t)(colon - name)) != 0 || object[colon - name]))
            return cca_error_set(err, -EINVAL, "found '%s', but this is %s", name,
                                 object);
        status = add_candidate(choice, colon ? colon + 1 : name, err);
    }
    return status;
}

/* Make the cells of all functions of the library. */
static int make_cells(struct choice *choice, const struct cca_rules *rules, int *line,
                      struct cca_error *err)
{
    const struct interpose_library *library = choice->library;
    struct proxy_dispatch *dispatch = calloc(1, sizeof *dispatch);
    struct proxy_test *tests = calloc(rules->condition_count + 1, sizeof *tests);
    int status = 0;

    choice->dispatch = dispatch;
    if (dispatch) {
        dispatch->targets = calloc(choice->count, sizeof *dispatch->targets);
        dispatch->cells = calloc(library->function_count, sizeof *dispatch->cells);
    }
    if (!dispatch || !tests || !dispatch->targets || !dispatch->cells) {
        free(tests);
        return cca_no_memory(err);
    }
    dispatch->target_count = choice->count;
    for (size_t f = 0; f < library->function_count && !status; f++) {
        const struct interpose_function *function = &library->functions[f];
        const struct proxy_table_method method = {.name = function->name,
                                                  .values = function->values,
                                                  .in_count = function->in_count,
                                                  .out_count = function->out_count};

        status = proxy_cells_make(&dispatch->cells[dispatch->cell_count++], &method,
                                  rules->items, rules->count, tests, line, err);
    }
    free(tests);
    return status;
}

/* Check that each rule is about a function of the library. */
static int check_functions(const struct interpose_library *library,
                           const struct cca_rules *rules, int *line,
                           struct cca_error *err)
{
    for (size_t i = 0; i < rules->count; i++) {
        size_t f = 0;

        while (f < library->function_count &&
               strcmp(library->functions[f].name, rules->items[i].method) != 0)
            f++;
        *line = rules->items[i].line;
        if (f == library->function_count)
            return cca_error_set(err, -EINVAL,
                                 "found '%s', expected a function that is interposed",
                                 rules->items[i].method);
    }
    *line = 0;
    return 0;
}

/* Put the rules of a file in force for a library. Returns 0; or a negative errno, after
 * a message. */
static int read_rules(struct choice *choice, const struct rules_file *file,
                      const struct mm_choice_object *object)
{
    struct cca_rules rules = {0};
    struct cca_error err = {0};
    int line = 0, status = cca_rules_read(&rules, file->path, object->name, &err);

    if (status) {
        print_line("%s", err.text);
        cca_rules_done(&rules);
        return status;
    }
    status = add_classes(choice, &rules, object->name, &err);
    if (!status && rules.class_count > 1)
        status = mm_setting_find(choice->values[1].kind, object->file, all.calls.find,
                                 &choice->setting, &err);
    if (!status)
        status = check_functions(choice->library, &rules, &line, &err);
    if (!status)
        status = make_cells(choice, &rules, &line, &err);
    if (status && line)
        print_line("%s:%d: %s; the rules are not used", file->path, line, err.text);
    else if (status)
        print_line("%s: %s: %s; the rules are not used", file->path, object->name,
                   err.text);
    cca_rules_done(&rules);
    return status;
}

/* Let candidates be drawn for a library that has the setting. */
static int read_tried(struct choice *choice, const struct mm_choice_object *object)
{
    struct cca_error err = {0};
    int status = add_crossed(choice, "", all.tried, &err);

    if (!status)
        status = mm_setting_find(choice->values[1].kind, object->file, all.calls.find,
                                 &choice->setting, &err);
    if (status)
        print_line("--try %.*s: %s: %s", (int)strcspn(all.tried, "\n"), all.tried,
                   object->name, err.text);
    choice->is_trial = 1;
    all.is_tried_used |= !status;
    return status;
}

/* Make the choice of a library, without candidates where there is none for it. */
static struct choice *make_choice(struct interpose_library *library,
                                  const struct mm_choice_object *object,
                                  struct monitor_port *recorder, struct cca_error *err)
{
    struct choice *choice = calloc(1, sizeof *choice);
    size_t f = 0;
    int status;

    if (!choice || add_candidate(choice, "", err)) {
        free(choice);
        cca_no_memory(err);
        return NULL;
    }
    choice->port = (struct monitor_port){
        .begin = begin, .end = end, .unwind = unwind, .now = now, .end_at = end_at};
    choice->recorder = recorder;
    choice->library = library;
    while (f < all.file_count && strcmp(all.files[f].port_type, object->port_type) != 0)
        f++;
    if (f < all.file_count) {
        all.files[f].is_used = 1;
        status = read_rules(choice, &all.files[f], object);
    } else {
        status = all.tried ? read_tried(choice, object) : -ENOENT;
    }
    if (status)
        choice->count = 1;
    choice->next = all.choices;
    all.choices = choice;
    return choice;
}

/* --- Functions -------------------------------------------------------------- */

static struct choice *find_choice(const struct interpose_library *library)
{
    struct choice *choice = all.choices;

    while (choice && choice->library != library)
        choice = choice->next;
    return choice;
}

struct monitor_method *mm_choice_open(struct interpose_library *library,
                                      const struct interpose_function *function,
                                      const struct mm_choice_object *object,
                                      struct monitor_port **port, struct cca_error *err)
{
    struct monitor_port *const recorder = *port;
    struct choice *choice;
    struct chosen *chosen;

    if (!all.file_count && !all.tried)
        return NULL;
    choice = find_choice(library);
    if (!choice)
        choice = make_choice(library, object, recorder, err);
    if (!choice || choice->count == 1)
        return NULL;
    *port = &choice->port;
    chosen = calloc(1, sizeof *chosen + choice->count * sizeof *chosen->methods);
    if (!chosen) {
        cca_no_memory(err);
        return NULL;
    }
    chosen->head.on = 1;
    chosen->choice = choice;
    chosen->index = (size_t)(function - library->functions);
    for (size_t i = 0; recorder && i < choice->count; i++) {
        chosen->methods[i] = all.calls.open(library, function, choice->names[i], err);
        if (!chosen->methods[i]) {
            free(chosen);
            return err->code ? NULL : &interpose_off; /* never one of the recorder's */
        }
    }
    return &chosen->head;
}

/* --- The beginning and the end ----------------------------------------------- */

/* Read the port type of a file of rules; mistakes in it are reported now. */
static void add_file(const char *path)
{
    struct cca_rules rules = {0};
    struct cca_error err = {0};
    struct rules_file file = {.path = strdup(path)};
    int status = cca_rules_read(&rules, path, "", &err);

    if (status)
        print_line("%s", err.text);
    else
        file.port_type = strdup(rules.port_type);
    cca_rules_done(&rules);
    if (!file.path || !file.port_type ||
        cca_array_reserve(&all.files, all.file_count, sizeof file)) {
        free(file.path);
        free(file.port_type);
    } else {
        all.files[all.file_count++] = file;
    }
}

void mm_choice_begin(const struct mm_choice_calls *calls)
{
    const char *files = getenv("MASTERMIND_RECORD_DISPATCH"),
               *tried = getenv("MASTERMIND_RECORD_TRY");
    char *copy = files ? strdup(files) : NULL, *rest = copy, *path;

    all.calls = *calls;
    all.tried = tried && *tried ? strdup(tried) : NULL;
    while (copy && (path = strsep(&rest, "\n")) != NULL)
        if (*path)
            add_file(path);
    free(copy);
}

void mm_choice_end(void)
{
    for (size_t i = 0; i < all.file_count; i++)
        if (!all.files[i].is_used)
            print_line("%s: no function of %s was called", all.files[i].path,
                       all.files[i].port_type);
    if (all.tried && !all.is_tried_used)
        print_line("--try %.*s: no library that has this setting was called",
                   (int)strcspn(all.tried, "\n"), all.tried);
}
