/* SPDX-License-Identifier: BSD-3-Clause */
/* find.c: make properties of components on the class path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "framework/repository.h"
#include "properties/plugin/parts.h"
#include "properties/plugin/plugin.h"

enum {
    MOST_PROPERTIES = 64,
    MOST_NAME = 64
}; /* limits of one component: number of properties, length of a name */

/* --- A property
 * -------------------------------------------------------------------------- */

char *mm_plugin_blame(const struct mm_plugin *plugin, const char *what)
{
    const char *slash = strrchr(plugin->file, '/');
    char *text;

    return asprintf(&text, "component %s (%s) %s", plugin->class_name,
                    slash ? slash + 1 : plugin->file, what) < 0
               ? NULL
               : text;
}

static void free_plugin(struct mm_property_code *self)
{
    struct mm_plugin *p = cca_container_of(self, struct mm_plugin, code);

    for (size_t i = 0; i < p->need_count; i++)
        free(p->needs[i]);
    free(p->needs);
    free(p->file);
    free(p->class_name);
    free(p->port);
    free(p->fault);
    free(p);
}

static struct mm_plugin *plugin_of(const struct mm_property *property)
{
    return cca_container_of(property->code, struct mm_plugin, code);
}

/* Make the property of a component from its description; NULL: out of memory. */
static struct mm_property *new_property(const struct cca_class_info *info,
                                        const char *port, const char *name,
                                        const char *doc)
{
    struct mm_property *p = calloc(1, sizeof *p);
    struct mm_plugin *plugin = calloc(1, sizeof *plugin);

    if (!p || !plugin) {
        free(p);
        free(plugin);
        return NULL;
    }
    plugin->code = (struct mm_property_code){
        .evaluate = mm_plugin_evaluate, .lint = mm_plugin_lint, .free = free_plugin};
    p->code = &plugin->code;
    plugin->file = strdup(info->file);
    plugin->class_name = strdup(info->cls.name);
    plugin->port = strdup(port);
    p->path = strdup(info->file);
    p->name.text = strdup(name);
    p->doc.text = strdup(doc);
    p->severity.text = strdup("");
    if (plugin->file && plugin->class_name && plugin->port && p->path && p->name.text &&
        p->doc.text && p->severity.text)
        return p;
    mm_property_free(p);
    return NULL;
}

static int is_name(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_");

    return length && length <= MOST_NAME && !text[length];
}

/* --- Descriptions from a child
 * ----------------------------------------------------------- */

struct describing {
    const struct cca_class_info *info;
    struct mm_component component;
    struct mm_property *found[MOST_PROPERTIES];
    size_t count;
};

static int work(void *context, struct mm_frames *frames, struct cca_error *err)
{
    struct describing *d = context;

    return mm_host_describe(&d->component, frames, err);
}

static int take_because(struct mm_property *p, const char *text)
{
    while (*(text += strspn(text, " ,"))) {
        size_t length = strcspn(text, " ,");
        char **place = cca_array_add(&p->because, &p->because_count, sizeof *place);

        if (!place || !(*place = strndup(text, length)))
            return -ENOMEM;
        text += length;
    }
    return 0;
}

static int expect(char *fault, size_t size, const char *found, const char *expected)
{
    snprintf(fault, size, "describe: found '%.60s', expected %s", found, expected);
    return 1;
}

static int take_about(struct describing *d, const char *body, size_t size, char *fault,
                      size_t fault_size)
{
    const char *texts[6], *at = body;
    struct mm_property *p;

    for (size_t i = 0; i < 6; i++) {
        if (at >= body + size)
            return expect(fault, fault_size, "", "a name and a doc");
        texts[i] = at;
        at += strlen(at) + 1;
    }
    if (d->count == MOST_PROPERTIES)
        return expect(fault, fault_size, texts[3], "at most 64 properties");
    if (!is_name(texts[3]))
        return expect(fault, fault_size, texts[3],
                      "a name of letters, digits and _, at most 64");
    if (!*texts[4] || texts[4][strcspn(texts[4], "\n\t\r\033")])
        return expect(fault, fault_size, texts[4], "a doc of one line");
    if (strlen(texts[1]) != 1 || *texts[1] < '0' ||
        *texts[1] > '0' + (int)PROPERTY_OF_EXPERIMENTS)
        return expect(fault, fault_size, texts[1], "an object of enum property_object");
    p = new_property(d->info, texts[0], texts[3], texts[4]);
    if (!p || take_because(p, texts[5])) {
        mm_property_free(p);
        snprintf(fault, fault_size, "out of memory");
        return 1;
    }
    p->object = (enum mm_property_for)(*texts[1] - '0');
    p->code->share_of_region = *texts[2] != '\0';
    d->found[d->count++] = p;
    return 0;
}

static int take(void *context, uint32_t kind, const char *body, size_t size, char *fault,
                size_t fault_size)
{
    struct describing *d = context;
    struct mm_plugin *plugin;
    char **place;

    if (kind == MM_FRAME_ABOUT)
        return take_about(d, body, size, fault, fault_size);
    if (kind != MM_FRAME_NEEDS || !d->count || strlen(body) != size)
        return expect(fault, fault_size, "other bytes", "a property");
    plugin = plugin_of(d->found[d->count - 1]);
    place = cca_array_add(&plugin->needs, &plugin->need_count, sizeof *place);
    if (!place || !(*place = strdup(body))) {
        snprintf(fault, fault_size, "out of memory");
        return 1;
    }
    return 0;
}

/* Replace all properties that could not be described by one that reports the failure. */
static int replace_by_fault(struct describing *d, const char *fault,
                            struct cca_error *err)
{
    const char *leaf = cca_class_leaf(d->info->cls.name);
    struct mm_property *p = new_property(d->info, "", leaf, fault);

    for (size_t i = 0; i < d->count; i++)
        mm_property_free(d->found[i]);
    d->count = 0;
    if (!p)
        return cca_no_memory(err);
    plugin_of(p)->fault = mm_plugin_blame(plugin_of(p), fault);
    if (!plugin_of(p)->fault) {
        mm_property_free(p);
        return cca_no_memory(err);
    }
    d->found[d->count++] = p;
    return 0;
}

static int describe(struct mm_property ***all, size_t *count,
                    const struct cca_class_info *info, int trust, double seconds,
                    struct cca_error *err)
{
    struct describing d = {.info = info,
                           .component = {info->file, info->cls.name, NULL, trust}};
    const struct mm_child child = {work, take, &d, seconds};
    char fault[400];
    int result = mm_child_run(&child, fault, sizeof fault, err);

    if (result == 1)
        result = replace_by_fault(&d, fault, err);
    for (size_t i = 0; i < d.count; i++) {
        struct mm_property **place =
            result ? NULL : cca_array_add(all, count, sizeof *place);

        if (place) {
            plugin_of(d.found[i])->trust = trust;
            *place = d.found[i];
        } else {
            mm_property_free(d.found[i]);
            result = result ? result : cca_no_memory(err);
        }
    }
    return result;
}

/* --- The path
 * ---------------------------------------------------------------------------- */

static int has_property(const struct cca_class *cls)
{
    for (const struct cca_port_decl *d = cls->provides; d && d->name; d++)
        if (d->type && strcmp(d->type, PROPERTY_PORT_TYPE) == 0)
            return 1;
    return 0;
}

/* Make the repository of classes on the path; NULL with `err`. */
static struct cca_repository *new_repository(const struct mm_plugin_path *path,
                                             struct cca_error *err)
{
    struct cca_repository *repository = cca_repository_new();
    int result = 0;

    if (!repository) {
        cca_no_memory(err);
        return NULL;
    }
    if (!path->trust)
        cca_repository_be_strict(repository);
    /* the default path is optional: property files work without it */
    if (path->last)
        cca_repository_path_fallback(repository, path->last, NULL);
    for (size_t i = 0; i < path->count && !result; i++)
        result = cca_repository_path_append(repository, path->directories[i], err);
    if (!result)
        return repository;
    cca_repository_free(repository);
    return NULL;
}

int mm_plugin_find(struct mm_property ***all, size_t *count,
                   const struct mm_plugin_path *path, double seconds,
                   struct cca_error *err)
{
    struct cca_repository *repository = new_repository(path, err);
    const struct cca_class_info *info;
    int result = 0;

    if (!repository)
        return err->code;
    for (size_t i = 0; !result && (info = cca_repository_class(repository, i)); i++)
        if (has_property(&info->cls))
            result = describe(all, count, info, path->trust, seconds, err);
    cca_repository_free(repository);
    return result;
}

void mm_plugin_refusal(const struct mm_plugin_path *path, const char *file, char *text,
                       size_t size)
{
    struct cca_repository *repository = new_repository(path, NULL);
    char *real = realpath(file, NULL), *other = NULL;
    const char *refused, *reason;

    snprintf(text, size, "%s",
             real ? "found no component with a PropertyPort" : strerror(errno));
    for (size_t i = 0;
         real && repository && (refused = cca_repository_refused(repository, i, &reason));
         i++) {
        other = realpath(refused, NULL);
        if (other && strcmp(other, real) == 0)
            snprintf(text, size, "%s", reason);
        free(other);
    }
    free(real);
    cca_repository_free(repository);
}
