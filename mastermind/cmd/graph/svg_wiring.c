/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_wiring.c: the assembly as a picture: instances with their ports, connections. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/graph/graph_svg.h"

/* Sums over the methods of an instance. */
struct instance_sum {
    /* numbers of methods with calls, of their calls, and of drawn methods */
    uint64_t methods, calls, kept;
    double exclusive_ns, predicted_share; /* exclusive time; predicted share of the
                                           * run, NaN: a method has no model */
};

struct drawing {
    struct mm_picture *picture;
    const struct mm_svg_run *run;
    const struct mm_wiring *wiring;
    struct instance_sum *sums; /* [instance_count] sums over the methods of each
                                * instance */
    size_t *node;              /* [instance_count] picture node of each instance, or
                                * `rest` */
    size_t rest;               /* picture node that stands for all cut instances */
    struct cca_error *err;
};

static struct instance_sum sum_instance(const struct mm_svg_run *run, const char *name)
{
    struct instance_sum sum = {0};

    for (size_t i = 0; i < run->dual->thread_vertex; i++) {
        const struct mm_vertex *v = &run->dual->vertices[i];

        if (!v->calls || strcmp(v->method->instance, name) != 0)
            continue;
        sum.methods++;
        sum.kept += run->core->keep[i];
        sum.calls += v->calls;
        sum.exclusive_ns += (double)v->exclusive_ns;
        sum.predicted_share += mm_svg_predicted(run, i);
    }
    return sum;
}

/* --- Instances --------------------------------------------------------------- */

/* True if a connection ends at this port. */
static int is_connected(const struct mm_wiring *wiring, const char *instance,
                        const char *port, int is_used)
{
    for (size_t i = 0; i < wiring->connection_count; i++) {
        const struct mm_connection *c = &wiring->connections[i];

        if (strcmp(is_used ? c->user : c->provider, instance) == 0 &&
            strcmp(is_used ? c->uses : c->provides, port) == 0)
            return 1;
    }
    return 0;
}

static void add_ports(struct drawing *d, const struct mm_instance *instance, int is_used)
{
    const struct mm_wiring_port *ports = is_used ? instance->uses : instance->provides;
    size_t count = is_used ? instance->uses_count : instance->provides_count;

    for (size_t i = 0; i < count; i++) {
        char hover[2200];
        int connected = is_connected(d->wiring, instance->name, ports[i].name, is_used);

        snprintf(hover, sizeof hover, "%s %s.%s\ntype %s%s\n",
                 is_used ? "uses" : "provides", mm_safe(instance->name),
                 mm_safe(ports[i].name), mm_safe(ports[i].type),
                 connected ? "" : "\nnot connected");
        mm_picture_port(d->picture, mm_safe(ports[i].name), is_used, hover);
    }
}

static void write_instance(const struct drawing *d, size_t at, char *text, size_t size)
{
    const struct mm_instance *instance = &d->wiring->instances[at];
    const struct instance_sum *sum = &d->sums[at];
    size_t used;

    snprintf(text, size, "%s\nclass %s, build %.12s\n", mm_safe(instance->name),
             mm_safe(instance->class_name),
             mm_safe(instance->build_id ? instance->build_id : "unknown"));
    used = strlen(text);
    if (!sum->methods)
        snprintf(text + used, size - used, "no recorded call\n");
    else if (isnan(sum->predicted_share))
        snprintf(text + used, size - used,
                 "calls %s of %s\nexclusive %s, %.1f %%\nno model of a method\n",
                 mm_thousands(sum->calls), mm_counted(sum->methods, "method"),
                 mm_time(sum->exclusive_ns),
                 100 * mm_svg_share(d->run, sum->exclusive_ns));
    else
        snprintf(text + used, size - used,
                 "calls %s of %s\nexclusive %s, %.1f %%\nby the models %.1f %%\n",
                 mm_thousands(sum->calls), mm_counted(sum->methods, "method"),
                 mm_time(sum->exclusive_ns),
                 100 * mm_svg_share(d->run, sum->exclusive_ns),
                 100 * sum->predicted_share);
}

static void add_instance(struct drawing *d, size_t at)
{
    const struct mm_instance *instance = &d->wiring->instances[at];
    struct mm_picture_node *node;
    char hover[3000];

    write_instance(d, at, hover, sizeof hover);
    d->node[at] = d->picture->node_count;
    node = mm_picture_node(d->picture, MM_NODE_BOX, mm_safe(instance->name),
                           mm_safe(instance->class_name), hover);
    if (d->sums[at].methods) {
        node->bars = 2;
        node->measured = mm_svg_share(d->run, d->sums[at].exclusive_ns);
        node->predicted = d->sums[at].predicted_share;
    }
    add_ports(d, instance, 0);
    add_ports(d, instance, 1);
}

/* True if all methods of the instance were cut. */
static int is_cut(const struct drawing *d, size_t at)
{
    return d->sums[at].methods && !d->sums[at].kept;
}

/* Add one grey node that stands for all cut instances. */
static void add_rest(struct drawing *d)
{
    struct instance_sum all = {0};
    struct mm_picture_node *node;
    char title[80], subtitle[160], hover[1200];
    size_t count = 0;

    for (size_t i = 0; i < d->wiring->instance_count; i++) {
        if (!is_cut(d, i))
            continue;
        count++;
        all.methods += d->sums[i].methods;
        all.calls += d->sums[i].calls;
        all.exclusive_ns += d->sums[i].exclusive_ns;
        all.predicted_share += d->sums[i].predicted_share;
        d->node[i] = d->picture->node_count;
    }
    if (!count)
        return;
    snprintf(title, sizeof title, "%s cut", mm_counted(count, "instance"));
    snprintf(subtitle, sizeof subtitle, "%s, %s, at most %s",
             mm_counted(all.methods, "method"), mm_counted(all.calls, "call"),
             mm_percent(mm_svg_share(d->run, d->run->core->limit_ns)));
    snprintf(hover, sizeof hover,
             "%s cut by %s: all their methods were\nmethods %s\ncalls %s\nexclusive %s, "
             "%.1f %%\nthe rule allows %s\n",
             mm_counted(count, "instance"), d->run->core->rule, mm_thousands(all.methods),
             mm_thousands(all.calls), mm_time(all.exclusive_ns),
             100 * mm_svg_share(d->run, all.exclusive_ns),
             mm_percent(mm_svg_share(d->run, d->run->core->limit_ns)));
    d->rest = d->picture->node_count;
    node = mm_picture_node(d->picture, MM_NODE_REST, title, subtitle, hover);
    node->bars = 2;
    node->measured = mm_svg_share(d->run, all.exclusive_ns);
    node->predicted = all.predicted_share;
}

/* --- Connections ------------------------------------------------------------- */

/* Count the calls from methods of the user to methods of the connected port. */
static struct mm_edge count_calls(const struct drawing *d, const struct mm_connection *c)
{
    const struct mm_dual *dual = d->run->dual;
    struct mm_edge sum = {0};

    if (d->run->laws)
        mm_svg_laws_begin(d->run->laws);
    for (size_t i = 0; i < dual->edge_count; i++) {
        const struct mm_edge *edge = &dual->edges[i];
        const struct mm_method_info *from = dual->vertices[edge->caller].method;
        const struct mm_method_info *to = dual->vertices[edge->callee].method;

        if (!from || !to || strcmp(from->instance, c->user) != 0 ||
            strcmp(to->instance, c->provider) != 0 || strcmp(to->port, c->provides) != 0)
            continue;
        if (d->run->laws)
            mm_svg_laws_add(d->run->laws, edge);
        sum.calls += edge->calls;
        sum.inclusive_ns += edge->inclusive_ns;
    }
    return sum;
}

static size_t find_instance(const struct mm_wiring *wiring, const char *name)
{
    size_t i = 0;

    while (i < wiring->instance_count && strcmp(wiring->instances[i].name, name) != 0)
        i++;
    return i;
}

static size_t find_port(const struct mm_picture_node *node, const char *name, int is_used)
{
    for (size_t i = 0; i < node->port_count; i++)
        if (!!node->ports[i].is_used == is_used && node->ports[i].name &&
            strcmp(node->ports[i].name, name) == 0)
            return i;
    return MM_NO_PORT;
}

/* Make a new text of a connection's tooltip; NULL: out of memory. */
static char *connection_hover(struct drawing *d, const struct mm_connection *c,
                              const struct mm_instance *provider,
                              const struct mm_edge *sum)
{
    const struct mm_wiring_port *port =
        mm_wiring_port_named(provider->provides, provider->provides_count, c->provides);
    char *hover = NULL;
    size_t size;
    FILE *to = open_memstream(&hover, &size);

    if (!to)
        return NULL;
    fprintf(to, "%s.%s\n  uses %s.%s\ntype %s\n", mm_safe(c->user), mm_safe(c->uses),
            mm_safe(c->provider), mm_safe(c->provides),
            port ? mm_safe(port->type) : "unknown");
    fprintf(to, "calls %s\ninclusive %s, %.1f %%\n", mm_thousands(sum->calls),
            mm_time((double)sum->inclusive_ns),
            100 * mm_svg_share(d->run, (double)sum->inclusive_ns));
    if (d->run->laws && sum->calls)
        mm_svg_laws_write(d->run->laws, to, d->err);
    if (fclose(to) == 0)
        return hover;
    free(hover);
    return NULL;
}

static void add_connection(struct drawing *d, const struct mm_connection *c)
{
    size_t user = find_instance(d->wiring, c->user);
    size_t provider = find_instance(d->wiring, c->provider);
    struct mm_picture_edge *edge;
    struct mm_edge sum = count_calls(d, c);
    char *hover;

    if (user == d->wiring->instance_count || provider == d->wiring->instance_count ||
        (d->node[user] == d->rest && d->node[provider] == d->rest))
        return;
    hover = connection_hover(d, c, &d->wiring->instances[provider], &sum);
    d->picture->failed |= !hover;
    edge = mm_picture_edge(d->picture, d->node[user], d->node[provider],
                           sum.calls ? mm_thousands(sum.calls) : "", hover);
    free(hover);
    edge->weight = mm_svg_share(d->run, (double)sum.inclusive_ns);
    edge->is_rest = d->node[user] == d->rest || d->node[provider] == d->rest;
    if (d->picture->failed)
        return;
    edge->from_port = find_port(&d->picture->nodes[d->node[user]], mm_safe(c->uses), 1);
    edge->to_port =
        find_port(&d->picture->nodes[d->node[provider]], mm_safe(c->provides), 0);
}

int mm_svg_wiring(struct mm_picture *picture, const struct mm_svg_run *run)
{
    const struct mm_wiring *wiring = run->experiment->wiring;
    struct cca_error err = {0};
    struct drawing d = {picture, run, wiring, NULL, NULL, SIZE_MAX, &err};
    char note[160];

    snprintf(note, sizeof note,
             "%s, %s; provided ports at the left, used ones at the right",
             mm_counted(wiring->instance_count, "instance"),
             mm_counted(wiring->connection_count, "connection"));
    mm_picture_init(picture, "wiring", "Wiring: instances, ports, connections", note);
    d.sums = calloc(wiring->instance_count + 1, sizeof *d.sums);
    d.node = calloc(wiring->instance_count + 1, sizeof *d.node);
    picture->failed |= !d.sums || !d.node;
    for (size_t i = 0; i < wiring->instance_count && !picture->failed; i++)
        d.sums[i] = sum_instance(run, wiring->instances[i].name);
    for (size_t i = 0; i < wiring->instance_count && !picture->failed; i++)
        if (!is_cut(&d, i))
            add_instance(&d, i);
    if (!picture->failed)
        add_rest(&d);
    for (size_t i = 0; i < wiring->connection_count && !picture->failed; i++)
        add_connection(&d, &wiring->connections[i]);
    free(d.sums);
    free(d.node);
    return picture->failed || err.code ? -ENOMEM : 0;
}
