/* SPDX-License-Identifier: BSD-3-Clause */
/* chrome.c: write a run as a trace in Chrome's format, event by event during the run:
 * slices of elements and methods, arrows of messages. Times are microseconds. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "activity/trace/file.h"
#include "activity/trace/picture.h"

/* Numbers of messages sent and received from one process to another: the n-th sent is the
 * n-th received. */
struct way {
    int64_t from, to, tag;
    int64_t sent, received;
    int used;
};

struct act_chrome {
    struct act_picture picture;
    struct act_sink sink;
    struct act_file file;
    struct way *ways; /* hash table of pairs of processes, open addressing; its size is a
                       * power of two */
    size_t way_room, way_count;
};

static size_t place_of(const struct act_chrome *c, int64_t from, int64_t to, int64_t tag)
{
    uint64_t h = (uint64_t)from * 0x9e3779b97f4a7c15u ^
                 (uint64_t)to * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)tag * 0x165667b19e3779f9u;
    size_t at = (size_t)(h >> 20) & (c->way_room - 1);

    while (c->ways[at].used &&
           (c->ways[at].from != from || c->ways[at].to != to || c->ways[at].tag != tag))
        at = (at + 1) & (c->way_room - 1);
    return at;
}

static struct way *way_of(struct act_chrome *c, int64_t from, int64_t to, int64_t tag)
{
    size_t at;

    if (2 * (c->way_count + 1) > c->way_room) {
        struct way *old = c->ways;
        size_t room = c->way_room;

        c->way_room = room ? 2 * room : 1024;
        c->ways = calloc(c->way_room, sizeof *c->ways);
        if (!c->ways) {
            c->ways = old;
            c->way_room = room;
            return NULL;
        }
        for (size_t i = 0; i < room; i++)
            if (old[i].used)
                c->ways[place_of(c, old[i].from, old[i].to, old[i].tag)] = old[i];
        free(old);
    }
    at = place_of(c, from, to, tag);
    if (!c->ways[at].used) {
        c->ways[at] = (struct way){.from = from, .to = to, .tag = tag, .used = 1};
        c->way_count++;
    }
    return &c->ways[at];
}

/* Write an end of an arrow, which leads from the slice of a send to that of the
 * receive. */
static int put_arrow(struct act_chrome *c, const struct act_span *s, int is_send)
{
    struct way *way =
        is_send ? way_of(c, s->pid, s->peer, s->tag) : way_of(c, s->peer, s->pid, s->tag);

    if (!way)
        return -ENOMEM;
    fprintf(
        c->file.out,
        ",\n{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"%s\"%s,\"id\":\"%" PRId64
        "-%" PRId64 "-%" PRId64 "-%" PRId64 "\",\"ts\":%.6f,\"pid\":%d,\"tid\":%d}",
        is_send ? "s" : "f", is_send ? "" : ",\"bp\":\"e\"", way->from, way->to, way->tag,
        is_send ? way->sent++ : way->received++, 1e6 * (is_send ? s->start_s : s->end_s),
        (int)s->pid, (int)s->tid);
    return 0;
}

static void put_method(struct act_chrome *c, const struct act_span *s)
{
    const struct act_model *m = c->picture.model;
    const struct act_activity *a =
        s->element < 0 ? m->main : m->elements[s->element]->activity;

    fputs(",\n{\"name\":\"", c->file.out);
    act_put_json(c->file.out, a && a->method ? a->method : "");
    fprintf(c->file.out,
            "\",\"cat\":\"method\",\"ph\":\"%s\",\"ts\":%.6f,\"pid\":%d,\"tid\":%d}",
            s->kind == ACT_EVENT_ENTER ? "B" : "E", 1e6 * s->start_s, (int)s->pid,
            (int)s->tid);
}

static int take(void *context, const struct act_span *s)
{
    struct act_chrome *c = context;
    const struct act_element *e;
    char label[80];

    if (s->kind == ACT_EVENT_ENTER || s->kind == ACT_EVENT_LEAVE) {
        put_method(c, s);
        return ferror(c->file.out) ? -EIO : 0;
    }
    e = c->picture.model->elements[s->element];
    if (s->kind != ACT_EVENT_ELEMENT && s->kind != ACT_EVENT_LOCK)
        return 0;
    fputs(",\n{\"name\":\"", c->file.out);
    act_put_json(c->file.out, act_element_label(e, label, sizeof label));
    fprintf(
        c->file.out,
        "\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%.6f,\"dur\":%.6f,\"pid\":%d,\"tid\":%d,"
        "\"args\":{\"line\":%d,\"busy_us\":%.6f",
        s->kind == ACT_EVENT_LOCK ? "lock" : act_kind_name(e->kind), 1e6 * s->start_s,
        1e6 * (s->end_s - s->start_s), (int)s->pid, (int)s->tid, e->place.line,
        1e6 * s->busy_s);
    if (e->kind >= ACT_SEND && e->kind <= ACT_ALLTOALL)
        fprintf(c->file.out,
                ",\"bytes\":%" PRId64 ",\"peer\":%" PRId64 ",\"tag\":%" PRId64, s->bytes,
                s->peer, s->tag);
    fputs("}}", c->file.out);
    if (s->kind == ACT_EVENT_ELEMENT && (e->kind == ACT_SEND || e->kind == ACT_ISEND))
        return put_arrow(c, s, 1);
    if (s->kind == ACT_EVENT_ELEMENT && e->kind == ACT_RECV)
        return put_arrow(c, s, 0);
    return ferror(c->file.out) ? -EIO : 0;
}

struct act_chrome *act_chrome_new(const struct act_picture *picture, const char *path,
                                  struct cca_error *err)
{
    struct act_chrome *c = calloc(1, sizeof *c);

    if (!c) {
        cca_no_memory(err);
        return NULL;
    }
    c->picture = *picture;
    c->sink = (struct act_sink){.context = c, .span = take};
    if (act_file_begin(&c->file, path, err)) {
        free(c);
        return NULL;
    }
    fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"origin\":\"simulated\",\"model\":"
          "\"",
          c->file.out);
    act_put_json(c->file.out, picture->model->name);
    fputs("\"},\n\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,"
          "\"args\":{\"name\":\"process 0\"}}",
          c->file.out);
    for (int64_t pid = 1; pid < picture->config.processes; pid++)
        fprintf(c->file.out,
                ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRId64
                ",\"args\":{\"name\":\"process %" PRId64 "\"}}",
                pid, pid);
    return c;
}

const struct act_sink *act_chrome_sink(struct act_chrome *chrome)
{
    return &chrome->sink;
}

int act_chrome_finish(struct act_chrome *c, struct cca_error *err)
{
    fputs("\n]}\n", c->file.out);
    return act_file_end(&c->file, err);
}

void act_chrome_free(struct act_chrome *c)
{
    if (!c)
        return;
    act_file_drop(&c->file);
    free(c->ways);
    free(c);
}
