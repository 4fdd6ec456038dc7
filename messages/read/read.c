/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c: open the files of all processes and sum their headers. */
#include "messages/read/read.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/sort.h"
#include "messages/read/parts.h"

static int make_path(char path[PATH_MAX], const struct mm_experiment *e, int rank,
                     struct cca_error *err)
{
    if (snprintf(path, PATH_MAX, "%s/rank-%04d/" MM_MESSAGES_FILE, e->path, rank) >=
        PATH_MAX)
        return cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long", e->path);
    return 0;
}

/* --- Headers ----------------------------------------------------------------------- */

static int compare_head(const struct mm_messages *m, const struct mm_messages_file *file,
                        struct cca_error *err)
{
    const struct mm_messages_head *h = &file->head;

    if (h->job != m->job || h->seed != m->seed || h->processes != m->processes)
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, job), err,
                                   "found job %016llx of %d processes, expected %016llx "
                                   "of %d, as in the file of "
                                   "another rank",
                                   (unsigned long long)h->job, h->processes,
                                   (unsigned long long)m->job, m->processes);
    if (strcmp(h->request, m->request_text) != 0)
        return mm_messages_damaged(
            file, offsetof(struct mm_messages_head, request), err,
            "found the request '%.99s', expected '%.99s', as in the "
            "file of another rank",
            h->request, m->request_text);
    return 0;
}

static int first_head(struct mm_messages *m, const struct mm_messages_file *file,
                      struct cca_error *err)
{
    const struct mm_messages_head *h = &file->head;
    struct cca_error wrong = {0};

    memcpy(m->request_text, h->request, sizeof m->request_text);
    if (mm_message_request_parse(m->request_text, &m->request, &wrong))
        return mm_messages_damaged(file, offsetof(struct mm_messages_head, request), err,
                                   "%s", wrong.text);
    m->job = h->job;
    m->seed = h->seed;
    m->processes = h->processes;
    m->flags = MM_MESSAGES_TSC | MM_MESSAGES_ONE_NODE;
    m->process = calloc((size_t)m->processes, sizeof *m->process);
    return m->process ? 0 : cca_no_memory(err);
}

static int add_host(struct mm_messages *m, const char host[64], uint32_t *index)
{
    char(*added)[64];
    size_t i = 0;

    while (i < m->host_count && strcmp(m->hosts[i], host) != 0)
        i++;
    if (i == m->host_count) {
        added = cca_array_add(&m->hosts, &m->host_count, sizeof *added);
        if (!added)
            return -ENOMEM;
        memcpy(*added, host, sizeof *added);
    }
    *index = (uint32_t)i;
    return 0;
}

static int add_head(struct mm_messages *m, int rank, const struct mm_messages_file *file)
{
    const struct mm_messages_head *h = &file->head;
    struct mm_messages_process *p = &m->process[rank];
    const uint32_t both = MM_MESSAGES_TSC | MM_MESSAGES_ONE_NODE;

    *p = (struct mm_messages_process){.present = 1,
                                      .sealed = file->sealed,
                                      .node = h->node,
                                      .ns_per_tick = h->ns_per_tick,
                                      .epoch_ticks = h->epoch_ticks,
                                      .point_count = h->clock_points};
    m->present++;
    m->live += !file->sealed;
    m->flags = ((m->flags | h->flags) & ~both) | (m->flags & h->flags & both);
    m->f08 += !!(h->flags & MM_MESSAGES_F08);
    m->has_buckets |= h->class_bytes > sizeof(struct mm_messages_class);
    for (int i = 0; i < MM_MESSAGES_COUNTS; i++)
        m->counts[i] += h->counts[i];
    for (int i = 0; i < MM_MESSAGES_TYPES; i++)
        m->entries[i] += file->entries[i];
    for (uint32_t i = 0; i < h->clock_points; i++)
        if (h->points[i].bound_ns > m->bound_ns)
            m->bound_ns = h->points[i].bound_ns;
    if (add_host(m, h->host, &p->host))
        return -ENOMEM;
    if (!h->clock_points)
        return 0;
    p->points = malloc(h->clock_points * sizeof *p->points);
    if (!p->points)
        return -ENOMEM;
    memcpy(p->points, h->points, h->clock_points * sizeof *p->points);
    return 0;
}

static int read_rank(struct mm_messages *m, int rank, struct cca_error *err)
{
    struct mm_messages_file file;
    char path[PATH_MAX];
    int code = make_path(path, m->experiment, rank, err);

    if (code)
        return code;
    code = mm_messages_file_open(&file, path, rank, err);
    if (code == -ENOENT || code == -EAGAIN) {
        mm_messages_file_close(&file);
        return 0;
    }
    if (!code)
        code = m->process ? compare_head(m, &file, err) : first_head(m, &file, err);
    if (!code && add_head(m, rank, &file))
        code = cca_no_memory(err);
    if (!code)
        code = mm_messages_add_tables(m, rank, &file, err);
    mm_messages_file_close(&file);
    return code;
}

/* Count the different clocks, and the processes whose clock was never compared with
 * another. */
static int count_nodes(struct mm_messages *m)
{
    uint64_t *nodes = calloc((size_t)m->present, sizeof *nodes);
    size_t count = 0;

    if (!nodes)
        return -ENOMEM;
    for (int i = 0; i < m->processes; i++)
        if (m->process[i].present)
            nodes[count++] = m->process[i].node;
    qsort(nodes, count, sizeof *nodes, cca_order_uint64);
    for (size_t i = 0; i < count; i++)
        m->nodes += !i || nodes[i] != nodes[i - 1];
    free(nodes);
    for (int i = 1; i < m->processes; i++) {
        const struct mm_messages_process *p = &m->process[i];

        m->no_points += p->present && m->process[0].present &&
                        p->node != m->process[0].node && !p->point_count;
    }
    return 0;
}

/* --- Open, free, walk -------------------------------------------------------------- */

struct mm_messages *mm_messages_open(const struct mm_experiment *experiment,
                                     struct cca_error *err)
{
    struct mm_messages *m = calloc(1, sizeof *m);
    int code = m ? 0 : cca_no_memory(err);

    if (m)
        m->experiment = experiment;
    /* the first file that exists gives the number of processes */
    for (int rank = 0; !code && rank < (m->process ? m->processes : experiment->ranks);
         rank++)
        code = read_rank(m, rank, err);
    if (!code && !m->present)
        code = cca_error_set(err, -ENOENT, "%s: found no messages, expected some",
                             experiment->path);
    if (!code && count_nodes(m))
        code = cca_no_memory(err);
    if (!code)
        return m;
    mm_messages_free(m);
    return NULL;
}

void mm_messages_free(struct mm_messages *m)
{
    if (!m)
        return;
    for (int i = 0; m->process && i < m->processes; i++)
        free(m->process[i].points);
    free(m->process);
    free(m->hosts);
    free(m->objects);
    free(m->sites);
    free(m->comms);
    free(m->unverified);
    free(m);
}

struct walk {
    mm_messages_function function;
    void *context;
    int rank;
};

static int on_entry(void *context, const void *entry, uint64_t number)
{
    const struct walk *walk = context;

    (void)number;
    return walk->function(walk->context, walk->rank, entry);
}

int mm_messages_walk(const struct mm_messages *m, enum mm_messages_type type,
                     mm_messages_function function, void *context,
                     struct mm_messages_odd *odd, struct cca_error *err)
{
    int code = 0;

    for (int rank = 0; rank < m->processes && !code; rank++) {
        struct walk walk = {function, context, rank};
        struct mm_messages_file file;
        char path[PATH_MAX];

        if (!m->process[rank].present)
            continue;
        code = make_path(path, m->experiment, rank, err);
        if (code)
            return code;
        code = mm_messages_file_open(&file, path, rank, err);
        if (code == -ENOENT || code == -EAGAIN)
            code = cca_error_set(err, -EIO, "%s: the file has gone", path);
        if (!code)
            code = mm_messages_file_walk(&file, type, on_entry, &walk, odd, err);
        mm_messages_file_close(&file);
    }
    return code;
}

const struct mm_method_info *mm_messages_method(const struct mm_messages *m, int process,
                                                int id)
{
    if (process < 0 || process >= m->experiment->ranks)
        return NULL;
    return mm_experiment_rank_method(m->experiment, process, id);
}
