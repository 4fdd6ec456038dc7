/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c: run one component in a framework of its own. */
#include "properties/plugin/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/framework.h"
#include "properties/evaluate/rows.h"
#include "properties/store/store.h"

enum { MOST_TEXT = 1000, MOST_NEEDS = 100 };

static const char instance[] = "property";

struct host {
    struct cca_framework *framework;
    struct cca_services *services;
    const struct cca_class_info *info;
};

/* --- The component
 * ----------------------------------------------------------------------- */

static int begin(struct host *h, const struct mm_component *component,
                 struct cca_error *err)
{
    const struct cca_framework_options options = {.strict = !component->trust};
    const char *slash = strrchr(component->file, '/');
    struct cca_repository *repository;
    char directory[4096];
    int result = 0;

    h->framework = cca_framework_new(&options, err);
    if (!h->framework)
        return err->code;
    repository = cca_framework_repository(h->framework);
    snprintf(directory, sizeof directory, "%.*s",
             slash ? (int)(slash - component->file) + 1 : 1,
             slash ? component->file : ".");
    result = cca_repository_path_append(repository, directory, err);
    h->info = result ? NULL : cca_repository_find(repository, component->class_name);
    if (!result && !h->info)
        result = cca_repository_unknown(repository, component->class_name, err);
    if (!result)
        result = cca_framework_create(h->framework, component->class_name, instance, err);
    if (!result) {
        h->services = cca_framework_get_services(h->framework, "mastermind",
                                                 "mastermind.Properties", NULL, err);
        result = h->services ? 0 : err->code;
    }
    return result;
}

/* Connect to the component's port with this name and return it. */
static struct property_port *connect_port(struct host *h, const char *name,
                                          struct cca_error *err)
{
    char own[64];

    if (cca_services_unique_port_name(h->services, "ask", own, sizeof own, err) ||
        cca_services_register_uses_port(h->services, own, PROPERTY_PORT_TYPE,
                                        sizeof(struct property_port), NULL, err) ||
        cca_framework_connect(h->framework, "mastermind", own, instance, name, err))
        return NULL;
    return cca_services_get_port(h->services, own, PROPERTY_PORT_TYPE,
                                 sizeof(struct property_port), err);
}

/* --- Describe
 * ---------------------------------------------------------------------------- */

static int put_text(char *body, size_t *used, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 1;

    if (size > MOST_TEXT)
        return -EMSGSIZE;
    memcpy(body + *used, text ? text : "", size);
    *used += size;
    return 0;
}

static int put_about(struct mm_frames *frames, const char *port,
                     const struct property_about *about, struct cca_error *err)
{
    char body[6 * MOST_TEXT + 16], number[16];
    size_t used = 0;

    snprintf(number, sizeof number, "%d", (int)about->object);
    if (put_text(body, &used, port) || put_text(body, &used, number) ||
        put_text(body, &used, about->share_of_region ? "1" : "") ||
        put_text(body, &used, about->name) || put_text(body, &used, about->doc) ||
        put_text(body, &used, about->because))
        return cca_error_set(
            err, -EMSGSIZE,
            "port %s: found a text of more than %d bytes in the answer of describe", port,
            MOST_TEXT - 1);
    return mm_frame_put(frames, MM_FRAME_ABOUT, body, used);
}

static int put_needs(struct property_port *port, struct mm_frames *frames,
                     struct cca_error *err)
{
    const char *const *needs = port->requires_data ? port->requires_data(port) : NULL;
    int result = 0;

    for (size_t i = 0; needs && needs[i] && !result; i++) {
        if (i == MOST_NEEDS || strlen(needs[i]) > 200)
            return cca_error_set(err, -EMSGSIZE,
                                 "found names in requires_data that are too many or too "
                                 "long, expected at most %d of 200 bytes",
                                 MOST_NEEDS);
        result = mm_frame_put(frames, MM_FRAME_NEEDS, needs[i], strlen(needs[i]));
    }
    return result;
}

static int describe(struct host *h, const char *name, struct mm_frames *frames,
                    struct cca_error *err)
{
    struct property_port *port = connect_port(h, name, err);
    struct property_about about = {0};
    int result;

    if (!port)
        return err->code;
    if (!port->describe || !port->evaluate)
        return cca_error_set(err, -EINVAL,
                             "port %s: found no function '%s', expected one", name,
                             port->describe ? "evaluate" : "describe");
    result = port->describe(port, &about, err);
    if (!result)
        result = put_about(frames, name, &about, err);
    return result ? result : put_needs(port, frames, err);
}

int mm_host_describe(const struct mm_component *component, struct mm_frames *frames,
                     struct cca_error *err)
{
    struct host h = {0};
    int result = begin(&h, component, err);

    for (const struct cca_port_decl *decl = result ? NULL : h.info->cls.provides;
         decl && decl->name && !result; decl++)
        if (strcmp(decl->type, PROPERTY_PORT_TYPE) == 0)
            result = describe(&h, decl->name, frames, err);
    cca_framework_free(h.framework);
    return result;
}

/* --- Evaluate
 * ---------------------------------------------------------------------------- */

/* The data of a question; `base` is the part that the component sees. */
struct data {
    struct property_data base;
    struct mm_store *store;
    int64_t *experiments; /* the parallel runs and the sequential one */
    size_t experiment_count;
    struct mm_frames *frames;
};

/* struct property_rows is struct mm_rows; the component sees only the opaque name. */
static struct property_rows *data_rows(struct property_data *self, const char *table,
                                       const char *columns, struct cca_error *err)
{
    struct data *d = cca_container_of(self, struct data, base);
    struct mm_rows *rows;

    if (!table || !columns) {
        cca_error_set(err, -EINVAL, "rows: found no table or columns");
        return NULL;
    }
    return mm_rows_open(&rows, d->store, table, columns, d->experiments,
                        d->experiment_count, err)
               ? NULL
               : (struct property_rows *)rows;
}

static int data_next(struct property_rows *rows)
{
    return mm_rows_next((struct mm_rows *)rows);
}

static double data_number(const struct property_rows *rows, int column)
{
    return mm_rows_number((const struct mm_rows *)rows, column);
}

static int64_t data_id(const struct property_rows *rows, int column)
{
    return mm_rows_id((const struct mm_rows *)rows, column);
}

static const char *data_text(struct property_rows *rows, int column)
{
    return mm_rows_text((struct mm_rows *)rows, column);
}

static void data_end(struct property_rows *rows)
{
    mm_rows_close((struct mm_rows *)rows);
}

static int data_answer(struct property_data *self, const struct property_answer *a)
{
    struct data *d = cca_container_of(self, struct data, base);
    struct mm_answer_frame head = {.experiment = a->experiment,
                                   .region = a->region,
                                   .unit = a->unit,
                                   .severity = a->severity,
                                   .confidence = a->confidence,
                                   .holds = a->holds,
                                   .has_detail = a->detail != NULL,
                                   .has_reason = a->reason != NULL};
    char body[sizeof head + 2 * MOST_TEXT];
    size_t used = sizeof head;

    memcpy(body, &head, sizeof head);
    if (put_text(body, &used, a->detail) || put_text(body, &used, a->reason))
        return -EMSGSIZE;
    return mm_frame_put(d->frames, MM_FRAME_ANSWER, body, used);
}

static int set_data(struct data *d, const struct mm_host_question *q,
                    struct cca_error *err)
{
    d->base = (struct property_data){.runs = q->runs,
                                     .run_count = q->run_count,
                                     .sequential = q->sequential,
                                     .basis = q->basis,
                                     .rows = data_rows,
                                     .next = data_next,
                                     .number = data_number,
                                     .id = data_id,
                                     .text = data_text,
                                     .end = data_end,
                                     .answer = data_answer};
    d->experiments = calloc(q->run_count + 1, sizeof *d->experiments);
    if (!d->experiments)
        return cca_no_memory(err);
    for (size_t i = 0; i < q->run_count; i++)
        d->experiments[d->experiment_count++] = q->runs[i];
    if (q->sequential)
        d->experiments[d->experiment_count++] = q->sequential;
    /* after fork a file must be opened again: its connection belongs to the parent */
    if (q->store->path)
        return mm_store_open(&d->store, q->store->path, err);
    d->store = q->store;
    return 0;
}

int mm_host_evaluate(const struct mm_component *component,
                     const struct mm_host_question *question, struct mm_frames *frames,
                     struct cca_error *err)
{
    struct data data = {.frames = frames};
    struct host h = {0};
    struct property_port *port = NULL;
    int result = set_data(&data, question, err);

    if (!result) {
        mm_rows_stay_in_memory(data.store);
        result = begin(&h, component, err);
    }
    if (!result) {
        port = connect_port(&h, component->port, err);
        result = port ? port->evaluate(port, &data.base, err) : err->code;
    }
    free(data.experiments);
    cca_framework_free(h.framework);
    return result;
}
