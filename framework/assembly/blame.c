/* SPDX-License-Identifier: BSD-3-Clause */
/* blame.c: name the component whose code a fatal signal hit, in the signal handler.
 *
 * It uses three sources: the framework's record of its own calls of components; the
 * innermost measured call, from the recorder; addresses on the stack that are in shared
 * objects of components. Nothing here allocates, locks or formats by stdio. */
#include "framework/assembly/assembly.h"

#include <stdint.h>

struct cca_activity cca_activity_begin(struct cca_instance *instance, const char *what)
{
    struct cca_activity before = instance->framework->activity;

    instance->framework->activity = (struct cca_activity){
        instance, what, pthread_self(), (uintptr_t)__builtin_frame_address(0)};
    return before;
}

void cca_activity_end(struct cca_framework *framework, const struct cca_activity *before)
{
    framework->activity = *before;
}

/* --- Text ----------------------------------------------------------------- */

struct text {
    char *at, *end; /* next free byte of the text; last byte, reserved for the terminating
                       zero */
};

static void append_text(struct text *text, const char *words)
{
    while (*words && text->at < text->end)
        *text->at++ = *words++;
}

static void add_three(struct text *text, const char *before, const char *words,
                      const char *after)
{
    append_text(text, before);
    append_text(text, words);
    append_text(text, after);
}

static void add_number(struct text *text, uintptr_t number, unsigned base)
{
    char digits[3 * sizeof number], *at = digits + sizeof digits - 1;

    *at = '\0';
    do
        *--at = "0123456789abcdef"[number % base];
    while (number /= base);
    append_text(text, at);
}

/* --- The faulty component ------------------------------------------------- */

/* The facts known about a fault. */
struct suspect {
    const struct cca_class_info *info; /* innermost component on the stack, or NULL */
    uintptr_t base, offset;            /* load address of the component's file; offset
                                        * of the fault in that file */
    int direct; /* true if the component was called by the framework, not by another
                   component */
    const struct cca_activity
        *activity;    /* the framework's call in this thread, or NULL */
    const char *call; /* innermost measured call, "instance.port.method"; or NULL */

    /* The method of a provides port by which the faulty code was called, if a port has
     * the address of the function. */
    /* port of the first instance that has this method; or NULL */
    const struct cca_socket *port;
    size_t method, instances; /* index of the method in the port; number of instances that
                                 have this method */
    uintptr_t function;       /* offset of the function in the file */
};

static int same_class(const struct cca_class_info *a, const struct cca_class_info *b)
{
    return a == b || (a && b && !strcmp(a->build_id, b->build_id) &&
                      !strcmp(a->cls.name, b->cls.name));
}

/* True for a class that is no interposer. */
static int is_component(const struct cca_class_info *info)
{
    return info && !info->cls.proxy_for;
}

/* Return the index of the port's method that begins at `function`; -1: none. */
static int method_at(const struct cca_socket *socket, uintptr_t function)
{
    uintptr_t word;

    for (size_t at = sizeof(struct cca_port); at + sizeof word <= socket->size;
         at += sizeof word) {
        memcpy(&word, (const char *)socket->port + at, sizeof word);
        if (word == function)
            return (int)((at - sizeof(struct cca_port)) / sizeof word);
    }
    return -1;
}

/* Count the instances of the class with a method that begins at `function`. */
static void look_for_method(const struct cca_framework *framework, uintptr_t function,
                            struct suspect *suspect)
{
    const struct cca_link *link = cca_list_first(&framework->instances);

    for (size_t i = 0; link && i < framework->instances.count; i++) {
        const struct cca_instance *instance = cca_instance_of_link(link);
        int method = -1;

        for (size_t k = 0; method < 0 && k < instance->socket_count &&
                           same_class(instance->info, suspect->info);
             k++) {
            const struct cca_socket *socket = instance->sockets[k];

            if (!socket->uses && socket->port)
                method = method_at(socket, function);
            if (method < 0 || suspect->instances++ > 0)
                continue;
            suspect->port = socket;
            suspect->method = (size_t)method;
            suspect->function = function - suspect->base;
        }
        link = cca_list_next(&framework->instances, link);
    }
}

static void look_through_stack(const struct cca_framework *framework,
                               const struct cca_fault *fault, struct suspect *suspect)
{
    const struct cca_activity *activity = &framework->activity;
    int inside = 1; /* true if no other component or interposer is between the fault and
                     * the framework's call */

    if (activity->what && pthread_equal(activity->thread, pthread_self()) &&
        activity->stack > fault->stack)
        suspect->activity = activity;
    suspect->call = cca_last_call(fault->stack);
    suspect->direct = 1;
    for (size_t i = 0; i < fault->count; i++) {
        uintptr_t offset = 0;
        const struct cca_class_info *info =
            cca_repository_at(framework->repository, fault->frames[i].code, &offset);

        if (!suspect->info && info) {
            suspect->info = info;
            suspect->offset = offset;
            suspect->base = fault->frames[i].code - offset;
        } else if (is_component(info) && !same_class(info, suspect->info) &&
                   suspect->activity &&
                   fault->frames[i].stack < suspect->activity->stack) {
            suspect->direct = 0;
        }
        inside = inside && (!info || same_class(info, suspect->info));
        if (info && inside && !suspect->port && fault->frames[i].function)
            look_for_method(framework, fault->frames[i].function, suspect);
    }
}

/* Return the instance whose name begins `call`, up to the first dot. */
static const struct cca_instance *instance_of_call(const struct cca_framework *framework,
                                                   const char *call)
{
    const struct cca_link *link = cca_list_first(&framework->instances);

    for (size_t i = 0; link && i < framework->instances.count; i++) {
        const struct cca_instance *instance = cca_instance_of_link(link);
        size_t length = strlen(instance->name);

        if (strncmp(instance->name, call, length) == 0 && call[length] == '.')
            return instance;
        link = cca_list_next(&framework->instances, link);
    }
    return NULL;
}

/* Append the names of the instances of the class: "'a'", or "one of 'a', 'b', 'c' and 4
 * more". */
static void add_instances(struct text *text, const struct cca_framework *framework,
                          const struct cca_class_info *info)
{
    enum { SHOWN = 3 };
    const struct cca_link *link = cca_list_first(&framework->instances);
    const char *names[SHOWN];
    size_t found = 0;

    for (size_t i = 0; link && i < framework->instances.count; i++) {
        const struct cca_instance *instance = cca_instance_of_link(link);

        if (same_class(instance->info, info) && found++ < SHOWN)
            names[found - 1] = instance->name;
        link = cca_list_next(&framework->instances, link);
    }
    append_text(text, found > 1 ? "one of " : found ? "" : "no instance");
    for (size_t i = 0; i < found && i < SHOWN; i++)
        add_three(text, i ? ", '" : "'", names[i], "'");
    if (found > SHOWN) {
        append_text(text, " and ");
        add_number(text, found - SHOWN, 10);
        append_text(text, " more");
    }
}

static void add_class(struct text *text, const struct cca_class_info *info)
{
    add_three(text, " (class ", info->cls.name, ", build id ");
    append_text(text, info->build_id);
}

static const char *function_at(const struct cca_fault *fault,
                               const struct suspect *suspect, uintptr_t offset)
{
    return fault->function ? fault->function(suspect->info->file, suspect->base, offset)
                           : NULL;
}

static void add_place(struct text *text, const struct cca_fault *fault,
                      const struct suspect *suspect)
{
    const char *slash = strrchr(suspect->info->file, '/');
    const char *function = function_at(fault, suspect, suspect->offset);

    append_text(text, ", ");
    if (function)
        add_three(text, "", function, " at ");
    add_three(text, "", slash ? slash + 1 : suspect->info->file, "+0x");
    add_number(text, suspect->offset, 16);
    append_text(text, ")");
}

static void add_activity(struct text *text, const struct cca_activity *activity)
{
    add_three(text, "in '", activity->what, "' of '");
    append_text(text, activity->instance->name);
    append_text(text, "'");
}

/* No component's code is on the stack: name only the framework's call. */
static void accuse_caller(struct text *text, const struct suspect *suspect,
                          const struct cca_framework *framework,
                          const struct cca_instance *called)
{
    if (suspect->call)
        add_three(text, "in '", suspect->call, "'");
    else if (suspect->activity)
        add_activity(text, suspect->activity);
    else
        append_text(text, pthread_equal(framework->thread, pthread_self())
                              ? "in no code of components"
                              : "in a thread with no code of components");
    if (!suspect->call && suspect->activity)
        called = suspect->activity->instance;
    if (called) {
        add_class(text, called->info);
        append_text(text, ")");
    }
}

/* Append "in 'flux.flux.compute'"; for several instances "in 'flux.compute' of one of
 * 'a', 'b'"; if the methods' names are unknown "in 'flux.flux', function 'efm_compute'",
 * or "in method 1 of 'flux.flux'". */
static void add_method(struct text *text, const struct cca_framework *framework,
                       const struct cca_fault *fault, const struct suspect *suspect)
{
    const struct cca_socket *port = suspect->port;
    const char *name = fault->method ? fault->method(port->type, suspect->method) : NULL;
    const char *function = name ? NULL : function_at(fault, suspect, suspect->function);

    append_text(text, "in ");
    if (!name && !function) {
        append_text(text, "method ");
        add_number(text, suspect->method + 1, 10);
        append_text(text, " of ");
    }
    append_text(text, "'");
    if (suspect->instances == 1)
        add_three(text, "", port->owner->name, ".");
    append_text(text, port->name);
    if (name)
        add_three(text, ".", name, "");
    append_text(text, "'");
    if (function)
        add_three(text, ", function '", function, "'");
    if (suspect->instances > 1) {
        append_text(text, " of ");
        add_instances(text, framework, suspect->info);
    }
}

static void accuse(struct text *text, const struct cca_framework *framework,
                   const struct cca_fault *fault, const struct suspect *suspect,
                   const struct cca_instance *called)
{
    const struct cca_activity *activity = suspect->activity;
    int measured = called && same_class(called->info, suspect->info);
    int direct = !measured && activity && suspect->direct &&
                 same_class(activity->instance->info, suspect->info);

    if (measured) {
        add_three(text, "in '", suspect->call, "'");
    } else if (direct) {
        add_activity(text, activity);
    } else if (suspect->port) {
        add_method(text, framework, fault, suspect);
    } else {
        append_text(text, "in code of ");
        add_instances(text, framework, suspect->info);
    }
    add_class(text, suspect->info);
    add_place(text, fault, suspect);
    if (measured || direct)
        return;
    if (suspect->call) {
        add_three(text, ", called by '", suspect->call, "'");
    } else if (activity) {
        add_three(text, ", during '", activity->what, "' of '");
        append_text(text, activity->instance->name);
        append_text(text, "'");
    } else if (!pthread_equal(framework->thread, pthread_self())) {
        append_text(text, ", in a thread of its own");
    }
}

void cca_framework_blame(const struct cca_framework *framework,
                         const struct cca_fault *fault, char *text, size_t size)
{
    struct text to = {text, text + size - 1};
    struct suspect suspect = {.info = NULL};
    const struct cca_instance *called = NULL;

    look_through_stack(framework, fault, &suspect);
    if (suspect.call)
        called = instance_of_call(framework, suspect.call);
    if (suspect.info)
        accuse(&to, framework, fault, &suspect, called);
    else
        accuse_caller(&to, &suspect, framework, called);
    *to.at = '\0';
}
