/* SPDX-License-Identifier: BSD-3-Clause */
/* dry.c: simulate all processes to find errors, elements that are never reached, and
 * messages that nobody receives. */
#include <errno.h>
#include <stdlib.h>

#include "activity/check/check.h"
#include "activity/run/engine.h"
#include "activity/run/interpret.h"
#include "common/array.h"

/* Balance of the messages from one process to another: +1 for each send, -1 for each
 * receive. */
struct way {
    int64_t from, to, tag;
    int32_t element, count;
};

enum { MOST_WAYS = 2000000 };

struct ways {
    struct way *all;
    size_t count;
    int left_out; /* 1: some messages were not counted, because there are too many pairs
                   * of processes or no memory */
    const struct act_model *model;
};

static double usual_seconds(void *context, int number, const double *values)
{
    (void)context;
    (void)number;
    (void)values;
    return 1e-3;
}

static int take_span(void *context, const struct act_span *s)
{
    struct ways *w = context;
    enum act_kind kind;
    struct way *way;
    int sent;

    if (s->kind != ACT_EVENT_ELEMENT)
        return 0;
    kind = w->model->elements[s->element]->kind;
    sent = kind == ACT_SEND || kind == ACT_ISEND;
    if (!sent && kind != ACT_RECV && kind != ACT_IRECV)
        return 0;
    way = w->count < MOST_WAYS ? cca_array_add(&w->all, &w->count, sizeof *way) : NULL;
    if (!way) {
        w->left_out = 1;
        return 0;
    }
    *way = (struct way){.from = sent ? s->pid : s->peer,
                        .to = sent ? s->peer : s->pid,
                        .tag = s->tag,
                        .element = s->element,
                        .count = sent ? 1 : -1};
    return 0;
}

static int sign(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare(const void *x, const void *y)
{
    const struct way *a = x, *b = y;
    int c = sign(a->from, b->from);

    c = c ? c : sign(a->to, b->to);
    c = c ? c : sign(a->tag, b->tag);
    return c ? c : sign(a->element, b->element);
}

static void find_unreceived(struct act_findings *f, struct ways *w)
{
    size_t end;

    if (w->left_out || !w->count)
        return;
    qsort(w->all, w->count, sizeof *w->all, compare);
    for (size_t i = 0; i < w->count; i = end) {
        const struct act_element *e = w->model->elements[w->all[i].element];
        long long left = 0;

        for (end = i; end < w->count && w->all[end].from == w->all[i].from &&
                      w->all[end].to == w->all[i].to && w->all[end].tag == w->all[i].tag;
             end++) {
            left += w->all[end].count;
            if (w->all[end].count > 0)
                e = w->model->elements[w->all[end].element];
        }
        if (left > 0)
            act_find(f, "unreceived", e->place,
                     "%lld message%s from process %lld to %lld with tag %lld %s not "
                     "received",
                     left, left == 1 ? "" : "s", (long long)w->all[i].from,
                     (long long)w->all[i].to, (long long)w->all[i].tag,
                     left == 1 ? "is" : "are");
    }
}

static void run_one(struct act_findings *f, struct act_program *program,
                    const struct act_machine *machine, const struct act_config *config,
                    int64_t most_events, char *reached)
{
    struct ways ways = {.model = program->model};
    struct act_sink sink = {.context = &ways, .span = take_span};
    struct act_run_options options = {.config = *config,
                                      .machine = *machine,
                                      .most_events = most_events,
                                      .sink = &sink};
    struct act_result result;
    struct cca_error err = {0};

    if (act_run(program, &options, &result, &err)) {
        if (err.code == -ENOMEM)
            f->failed = -ENOMEM;
        act_find_error(f, err.text, "run");
        *reached = -1; /* a run that ended early cannot show which elements are
                        * unreachable */
    } else {
        for (int i = 0; i < program->model->element_count; i++)
            if (result.elements[i].calls && *reached >= 0)
                reached[1 + i] = 1;
        find_unreceived(f, &ways);
        act_result_free(&result);
    }
    free(ways.all);
}

/* Whether an element of this kind is reported if no process executes it. */
static int is_counted(enum act_kind kind)
{
    return kind == ACT_ACTION || (kind >= ACT_SEND && kind <= ACT_ALLTOALL);
}

void act_check_runs(struct act_findings *f, const struct act_model *model,
                    const struct act_machine *machine, const struct act_config *configs,
                    int count, int64_t most_events)
{
    struct act_costs costs = {.seconds = usual_seconds};
    struct act_machine usual;
    struct cca_error err = {0};
    struct act_program *program;
    char *reached;

    if (model->has_raw)
        return;
    act_machine_usual(&usual);
    reached = calloc((size_t)model->element_count + 2, 1);
    program = act_interpret_new(model, &costs, &err);
    if (!program || !reached)
        f->failed = -ENOMEM;
    for (int i = 0; i < count && !f->failed; i++)
        run_one(f, program, machine ? machine : &usual, &configs[i], most_events,
                reached);
    for (int i = 0; i < model->element_count && !f->failed && *reached >= 0; i++)
        if (is_counted(model->elements[i]->kind) && !reached[1 + i])
            act_find(f, "never-reached", model->elements[i]->place,
                     "no process comes to %s %.60s",
                     act_kind_name(model->elements[i]->kind), model->elements[i]->name);
    act_interpret_free(program);
    free(reached);
}
