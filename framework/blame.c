/* SPDX-License-Identifier: BSD-3-Clause */
/* blame.c: in whose code a fatal signal came, found by a signal handler.
 *
 * The framework notes whom it calls, a recorder of calls may know the innermost one that it
 * measures, and the addresses on the stack say which component's shared object was at work.
 * Nothing here allocates, locks or formats by stdio. */
#include "framework/assembly.h"

#include <stdint.h>

struct cca_activity cca_activity_begin(struct cca_services *instance, const char *what)
{
    struct cca_activity before = instance->framework->activity;

    instance->framework->activity =
        (struct cca_activity){instance, what, pthread_self(),
                              (uintptr_t)__builtin_frame_address(0)};
    return before;
}

void cca_activity_end(struct cca_framework *framework, const struct cca_activity *before)
{
    framework->activity = *before;
}

/* --- Text ---------------------------------------------------------------------------- */

struct text {
    char *at, *end; /* one byte is left for the end */
};

static void add(struct text *text, const char *words)
{
    while (*words && text->at < text->end)
        *text->at++ = *words++;
}

static void add_three(struct text *text, const char *before, const char *words, const char *after)
{
    add(text, before);
    add(text, words);
    add(text, after);
}

static void add_number(struct text *text, uintptr_t number, unsigned base)
{
    char digits[3 * sizeof number], *at = digits + sizeof digits - 1;

    *at = '\0';
    do
        *--at = "0123456789abcdef"[number % base];
    while (number /= base);
    add(text, at);
}

/* --- Who ----------------------------------------------------------------------------- */

/* What is known of a fault. */
struct suspect {
    const struct cca_class_info *info; /* whose code is innermost, or NULL: no component's */
    uintptr_t offset;                  /* in its file */
    int direct;                        /* the framework has called it, not another component */
    const struct cca_activity *activity; /* what this thread does for the framework, or NULL */
    const char *call; /* "instance.port.method", innermost that is measured; or NULL */
};

static int same_class(const struct cca_class_info *a, const struct cca_class_info *b)
{
    return a == b || (a && b && !strcmp(a->build_id, b->build_id) &&
                      !strcmp(a->cls.name, b->cls.name));
}

/* An interposer belongs to nobody's way from one component to another. */
static int is_component(const struct cca_class_info *info)
{
    return info && !info->cls.proxy_for;
}

static void look(const struct cca_framework *framework, const struct cca_fault *fault,
                 struct suspect *suspect)
{
    const struct cca_activity *activity = &framework->activity;

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
        } else if (is_component(info) && !same_class(info, suspect->info) &&
                   suspect->activity && fault->frames[i].stack < suspect->activity->stack) {
            suspect->direct = 0;
        }
    }
}

/* The instance whose name begins `call` and ends at its first dot. */
static const struct cca_services *instance_of_call(const struct cca_framework *framework,
                                                   const char *call)
{
    const struct cca_link *link = cca_list_first(&framework->instances);

    for (size_t i = 0; link && i < framework->instances.count; i++) {
        const struct cca_services *instance = cca_instance_of_link(link);
        size_t length = strlen(instance->name);

        if (strncmp(instance->name, call, length) == 0 && call[length] == '.')
            return instance;
        link = cca_list_next(&framework->instances, link);
    }
    return NULL;
}

/* "'a'", or "one of 'a', 'b', 'c' and 4 more": the instances of the class. */
static void add_instances(struct text *text, const struct cca_framework *framework,
                          const struct cca_class_info *info)
{
    enum { SHOWN = 3 };
    const struct cca_link *link = cca_list_first(&framework->instances);
    const char *names[SHOWN];
    size_t found = 0;

    for (size_t i = 0; link && i < framework->instances.count; i++) {
        const struct cca_services *instance = cca_instance_of_link(link);

        if (same_class(instance->info, info) && found++ < SHOWN)
            names[found - 1] = instance->name;
        link = cca_list_next(&framework->instances, link);
    }
    add(text, found > 1 ? "one of " : found ? "" : "no instance");
    for (size_t i = 0; i < found && i < SHOWN; i++)
        add_three(text, i ? ", '" : "'", names[i], "'");
    if (found > SHOWN) {
        add(text, " and ");
        add_number(text, found - SHOWN, 10);
        add(text, " more");
    }
}

static void add_class(struct text *text, const struct cca_class_info *info)
{
    add_three(text, " (class ", info->cls.name, ", build id ");
    add(text, info->build_id);
}

static void add_place(struct text *text, const struct suspect *suspect)
{
    const char *slash = strrchr(suspect->info->file, '/');

    add_three(text, ", ", slash ? slash + 1 : suspect->info->file, "+0x");
    add_number(text, suspect->offset, 16);
    add(text, ")");
}

static void add_activity(struct text *text, const struct cca_activity *activity)
{
    add_three(text, "in '", activity->what, "' of '");
    add(text, activity->instance->name);
    add(text, "'");
}

/* No component's code is on the stack: the call that has led there is all there is to say. */
static void accuse_caller(struct text *text, const struct suspect *suspect,
                          const struct cca_services *called)
{
    if (suspect->call)
        add_three(text, "in '", suspect->call, "'");
    else if (suspect->activity)
        add_activity(text, suspect->activity);
    else
        add(text, "in a thread with no code of components");
    if (!suspect->call && suspect->activity)
        called = suspect->activity->instance;
    if (called) {
        add_class(text, called->info);
        add(text, ")");
    }
}

static void accuse(struct text *text, const struct cca_framework *framework,
                   const struct suspect *suspect, const struct cca_services *called)
{
    const struct cca_activity *activity = suspect->activity;
    int measured = called && same_class(called->info, suspect->info);
    int direct = !measured && activity && suspect->direct &&
                 same_class(activity->instance->info, suspect->info);

    if (measured) {
        add_three(text, "in '", suspect->call, "'");
    } else if (direct) {
        add_activity(text, activity);
    } else {
        add(text, "in code of ");
        add_instances(text, framework, suspect->info);
    }
    add_class(text, suspect->info);
    add_place(text, suspect);
    if (measured || direct)
        return;
    if (suspect->call) {
        add_three(text, ", called by '", suspect->call, "'");
    } else if (activity) {
        add_three(text, ", during '", activity->what, "' of '");
        add(text, activity->instance->name);
        add(text, "'");
    } else {
        add(text, ", in a thread of its own");
    }
}

void cca_framework_blame(const struct cca_framework *framework, const struct cca_fault *fault,
                         char *text, size_t size)
{
    struct text to = {text, text + size - 1};
    struct suspect suspect = {.info = NULL};
    const struct cca_services *called = NULL;

    look(framework, fault, &suspect);
    if (suspect.call)
        called = instance_of_call(framework, suspect.call);
    if (suspect.info)
        accuse(&to, framework, &suspect, called);
    else
        accuse_caller(&to, &suspect, called);
    *to.at = '\0';
}
