/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.c: order the kernel's records by time, and count samples by function. */
#include "mastermind/library/sample/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/library/sample/cost.h"
#include "mastermind/library/sample/functions.h"
#include "mastermind/library/sample/places.h"
#include "mastermind/library/sample/ranks.h"
#include "mastermind/library/sample/returns.h"
#include "mastermind/library/sample/ring.h"
#include "mastermind/library/sample/stacks.h"
#include "mastermind/library/sample/unwind.h"

/* sampling periods; they have no simple ratio to the kernel's own periods */
enum { PERIOD_NS = 1003009, STACK_PERIOD_NS = 4001003, MOST_KEPT = 4000000 };

struct mm_sampler {
    struct sample_rings rings;
    struct sample_places places;
    struct sample_event *events; /* [event_count] events of the kernel's rings, not yet
                                  added to the counts of places */
    size_t event_count;
    struct mm_kept_sample *kept; /* [kept_count] */
    size_t kept_count, kept_room;
    int is_keeping;
    uint64_t seen_ns; /* latest time of all records that were read so far */
    struct sample_unwinder *unwinder; /* NULL: no stacks are taken */
    struct sample_stacks stacks;
    struct sample_ranks ranks;
    int (*find_returns)(void *context, pid_t pid, struct mm_sample_returns *returns);
    void *find_context;
    struct sample_returns *returns; /* with find_returns */
    const char *lacking;            /* why no stacks are taken; NULL: they are */
};

static struct mm_sampler *make_sampler(pid_t pid, int is_keeping, struct cca_error *err)
{
    struct mm_sampler *sampler = calloc(1, sizeof *sampler);

    if (!sampler) {
        cca_no_memory(err);
        return NULL;
    }
    sampler->is_keeping = is_keeping;
    sampler->lacking = "none were requested";
    if (sample_rings_open(&sampler->rings, pid, PERIOD_NS, is_keeping, err)) {
        free(sampler);
        return NULL;
    }
    return sampler;
}

struct mm_sampler *mm_sampler_new(pid_t pid, struct cca_error *err)
{
    return make_sampler(pid, 0, err);
}

struct mm_sampler *mm_sampler_new_kept(pid_t pid, struct cca_error *err)
{
    return make_sampler(pid, 1, err);
}

void mm_sampler_add_stacks(struct mm_sampler *sampler, pid_t pid,
                           int (*find)(void *context, pid_t pid,
                                       struct mm_sample_returns *returns),
                           void *context)
{
    sampler->find_returns = find;
    sampler->find_context = context;
    if (find && !(sampler->returns = calloc(1, sizeof *sampler->returns))) {
        sampler->lacking = "out of memory";
        return;
    }
    sampler->lacking = sample_unwinder_lacks();
    if (sampler->lacking)
        return;
    sample_rings_open_stacks(&sampler->rings, pid, STACK_PERIOD_NS, find != NULL);
    if (sampler->rings.stack_error == -ENOTSUP)
        sampler->lacking = "not on this processor";
    else if (sampler->rings.stack_error)
        sampler->lacking = strerror(-sampler->rings.stack_error);
    else if (!(sampler->unwinder = sample_unwinder_new()))
        sampler->lacking = "out of memory";
}

void mm_sampler_free(struct mm_sampler *sampler)
{
    if (!sampler)
        return;
    for (size_t i = 0; i < sampler->event_count; i++) {
        free(sampler->events[i].path);
        free(sampler->events[i].stack);
    }
    free(sampler->events);
    sample_unwinder_free(sampler->unwinder);
    free(sampler->returns);
    sample_stacks_done(&sampler->stacks);
    sample_ranks_done(&sampler->ranks);
    sample_rings_close(&sampler->rings);
    sample_places_done(&sampler->places);
    free(sampler->kept);
    free(sampler);
}

static int order_events(const void *left, const void *right)
{
    const struct sample_event *a = left, *b = right;

    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

int mm_path_is_recorder(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL,
               *name = slash ? slash + 1 : path;

    if (!path)
        return 0;
    return strncmp(name, "libmm_", 6) == 0 || strncmp(name, "libmeas_", 8) == 0 ||
           strstr(name, "_interpose.so");
}

/* Remove the recorder's frames: wrappers, and a stub at the end of a stack whose return
 * address is not known. Returns the number of frames; 0: the recorder was at work. */
static size_t without_recorder(const struct sample_places *places,
                               struct sample_frame *frames, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const char *path = frames[i].object == SAMPLE_NO_OBJECT
                               ? NULL
                               : places->objects[frames[i].object];

        if (!mm_path_is_recorder(path))
            frames[kept++] = frames[i];
        else if (i == 0 || (i + 1 < count && strstr(path, "/libmm_preload.so")))
            return 0;
    }
    return kept;
}

/* A stack that is being followed, and the callee of the return address to find. */
struct followed {
    struct mm_sampler *sampler;
    const struct sample_event *event;
    const struct sample_frame *callee;
};

static int is_callee(void *context, uint64_t function)
{
    const struct followed *followed = context;
    struct sample_event at = {.pid = followed->event->pid, .address = function};
    struct sample_frame frame;

    if (!sample_places_find(&followed->sampler->places, &at, &frame.object,
                            &frame.offset))
        return 0;
    return sample_stacks_are_same(&followed->sampler->stacks, &followed->sampler->places,
                                  followed->callee, &frame);
}

static uint64_t find_back(void *context, const struct sample_frame *callee,
                          uint64_t place)
{
    struct followed *followed = context;
    const struct sample_return *found;

    followed->callee = callee;
    found = sample_returns_find(followed->sampler->returns, followed->event->stack, place,
                                is_callee, followed);
    return found ? found->back : 0;
}

/* A thread in the beginning of a function that the recorder has moved: go on as if it
 * were in the function itself, which has only its return address on the stack. */
static void leave_moved(struct followed *followed)
{
    struct sample_stack *stack = followed->event->stack;
    struct sample_event at = {.pid = followed->event->pid,
                              .address = stack->registers[SAMPLE_PC]};
    struct sample_frame frame;
    uint64_t red_zone = 128, lowest;

    if (!stack->return_count ||
        sample_places_find(&followed->sampler->places, &at, &frame.object, &frame.offset))
        return;
    lowest = stack->returns[0].place - stack->registers[SAMPLE_STACK_POINTER];
    if ((lowest == 0 || lowest == red_zone) && stack->returns[0].function) {
        stack->registers[SAMPLE_PC] = stack->returns[0].function;
        stack->registers[SAMPLE_STACK_POINTER] += lowest;
    }
}

/* Follow a stack, and count it. Returns 0 or -ENOMEM. */
static int count_stack(struct mm_sampler *sampler, struct sample_event *event)
{
    struct sample_frame frames[SAMPLE_MOST_FRAMES];
    struct followed followed = {.sampler = sampler, .event = event};
    const struct sample_back back = {find_back, &followed};
    int is_whole, result;
    size_t count;

    if (!sampler->unwinder)
        return 0;
    leave_moved(&followed);
    count = sample_unwind(sampler->unwinder, &sampler->places, event->pid, event->stack,
                          &back, frames, &is_whole);
    count = without_recorder(&sampler->places, frames, count);
    result = !count ? 0
                    : sample_stacks_add(&sampler->stacks, &sampler->places, frames, count,
                                        is_whole, event->stack->is_kernel);
    free(event->stack);
    event->stack = NULL;
    return result;
}

/* Keep a sample one by one, not only as a count. Returns 0 or -ENOMEM. */
static int keep_sample(struct mm_sampler *sampler, const struct sample_event *event)
{
    struct mm_kept_sample kept = {.time_ns = (int64_t)event->time_ns,
                                  .pid = event->pid,
                                  .tid = event->tid,
                                  .kind = MM_KEPT_KERNEL};

    if (event->kind != SAMPLE_USER && event->kind != SAMPLE_KERNEL)
        return 0;
    if (sampler->kept_count == MOST_KEPT)
        return 0;
    if (event->kind == SAMPLE_USER)
        kept.kind =
            sample_places_find(&sampler->places, event, &kept.object, &kept.offset)
                ? MM_KEPT_FILE
                : MM_KEPT_UNMAPPED;
    if (kept.kind == MM_KEPT_FILE &&
        mm_path_is_recorder(sampler->places.objects[kept.object]))
        kept.kind = MM_KEPT_MEASURING;
    if (cca_array_extend(&sampler->kept, &sampler->kept_room, sizeof kept,
                         sampler->kept_count + 1))
        return -ENOMEM;
    sampler->kept[sampler->kept_count++] = kept;
    return 0;
}

/* Count an event by the rank of its process. Returns 0 or -ENOMEM. */
static int count_rank(struct mm_sampler *sampler, const struct sample_event *event)
{
    const char *path = NULL;
    uint32_t object;
    uint64_t offset;

    if (event->kind == SAMPLE_USER &&
        sample_places_find(&sampler->places, event, &object, &offset))
        path = sampler->places.objects[object];
    return sample_ranks_add(&sampler->ranks, event, path);
}

/* Count an event, and keep it if it is a sample. Returns 0 or -ENOMEM. */
static int count_event(struct mm_sampler *sampler, struct sample_event *event)
{
    int result;

    if (event->kind == SAMPLE_STACK)
        return count_stack(sampler, event);
    result = count_rank(sampler, event);
    if (sampler->is_keeping && !result)
        result = keep_sample(sampler, event);
    return result ? result : sample_places_add(&sampler->places, event);
}

/* Count the events up to a time, and keep the later ones. */
static int count_events(struct mm_sampler *sampler, uint64_t until_ns)
{
    size_t done = 0;
    int result = 0;

    qsort(sampler->events, sampler->event_count, sizeof *sampler->events, order_events);
    while (done < sampler->event_count && sampler->events[done].time_ns <= until_ns &&
           !result)
        result = count_event(sampler, &sampler->events[done++]);
    memmove(sampler->events, sampler->events + done,
            (sampler->event_count - done) * sizeof *sampler->events);
    sampler->event_count -= done;
    return result;
}

void mm_sampler_wait(const struct mm_sampler *sampler, int fd, int most_ms)
{
    sample_rings_wait(&sampler->rings, fd, most_ms);
}

/* Read the return addresses of recorded calls in a stack that has just been taken. */
static void read_returns(struct mm_sampler *sampler, struct sample_event *event)
{
    struct mm_sample_returns where;

    if (event->kind == SAMPLE_STACK && sampler->find_returns &&
        sampler->find_returns(sampler->find_context, event->pid, &where))
        sample_returns_read(sampler->returns, &where, event->pid, event->stack);
}

/* The rings are read one after the other. So an event is counted only after the next
 * reading, when all events before it have been read. */
int mm_sampler_collect(struct mm_sampler *sampler)
{
    uint64_t until_ns = sampler->seen_ns;
    size_t before = sampler->event_count;
    int result =
        sample_rings_read(&sampler->rings, &sampler->events, &sampler->event_count);

    for (size_t i = before; i < sampler->event_count; i++)
        read_returns(sampler, &sampler->events[i]);
    for (size_t i = 0; i < sampler->event_count; i++)
        if (sampler->events[i].time_ns > sampler->seen_ns)
            sampler->seen_ns = sampler->events[i].time_ns;
    return result || !sampler->event_count ? result : count_events(sampler, until_ns);
}

/* --- Rows ----------------------------------------------------------------- */

/* Add a row for a function; its name `function` is stolen. */
static int add_row(struct mm_samples *samples, char *function,
                   const struct sample_function *known, const char *path, uint64_t count,
                   uint64_t hottest)
{
    struct mm_sample_row *row =
        cca_array_add(&samples->rows, &samples->row_count, sizeof *row);

    if (!row) {
        free(function);
        return -ENOMEM;
    }
    *row = (struct mm_sample_row){.function = function,
                                  .path = path ? strdup(path) : NULL,
                                  .count = count,
                                  .hottest = hottest,
                                  .begin = known ? known->address : 0,
                                  .is_symbol = known && known->name};
    return path && !row->path ? -ENOMEM : 0;
}

/* Add the rows of one object (program or library) from its `count` places, which are
 * ordered by offset. */
static int add_object(struct mm_samples *samples, const char *path,
                      const struct sample_place *places, size_t count)
{
    struct sample_functions functions;
    int result = sample_functions_read(&functions, path);
    uint64_t nameless = 0, nameless_most = 0, nameless_at = 0;

    for (size_t i = 0; i < count && !result;) {
        uint64_t address = sample_functions_address(&functions, places[i].offset);
        const struct sample_function *function = sample_functions_at(&functions, address);
        uint64_t sum = 0, most = 0, hottest = address;

        do {
            uint64_t at = sample_functions_address(&functions, places[i].offset);

            if (sum && (!function || sample_functions_at(&functions, at) != function))
                break;
            sum += places[i].count;
            if (places[i].count > most) {
                most = places[i].count;
                hottest = at;
            }
        } while (++i < count);
        if (function) {
            char *name = sample_functions_name(function, path);

            result =
                name ? add_row(samples, name, function, path, sum, hottest) : -ENOMEM;
            continue;
        }
        nameless += sum;
        if (most > nameless_most) {
            nameless_most = most;
            nameless_at = hottest;
        }
    }
    if (nameless && !result)
        result = add_row(samples, NULL, NULL, path, nameless, nameless_at);
    sample_functions_done(&functions);
    return result;
}

static int order_rows(const void *left, const void *right)
{
    const struct mm_sample_row *a = left, *b = right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->function ? a->function : "", b->function ? b->function : "");
}

/* Add the rows of all places. */
static int count_places(struct sample_places *places, char *const *objects,
                        const struct mm_sampler *sampler, struct mm_samples *samples)
{
    int result = 0;

    sample_places_merge(places);
    for (size_t i = 0, end; i < places->place_count && !result; i = end) {
        uint32_t object = places->places[i].object;

        for (end = i; end < places->place_count; end++)
            if (places->places[end].object != object)
                break;
        result = add_object(samples, objects[object], places->places + i, end - i);
    }
    if (places->unmapped && !result)
        result = add_row(samples, NULL, NULL, NULL, places->unmapped, 0);
    samples->count = places->user + places->kernel;
    samples->kernel = places->kernel;
    samples->lost = sampler->rings.lost;
    samples->tasks = sampler->rings.tasks;
    samples->has_kernel = sampler->rings.has_kernel;
    samples->period_ns = PERIOD_NS;
    if (samples->row_count)
        qsort(samples->rows, samples->row_count, sizeof *samples->rows, order_rows);
    return result;
}

/* Collect and count all events. Returns 0 or -ENOMEM. */
static int collect_rest(struct mm_sampler *sampler)
{
    int result = mm_sampler_collect(sampler);

    return result || !sampler->event_count ? result : count_events(sampler, UINT64_MAX);
}

int mm_sampler_count(struct mm_sampler *sampler, struct mm_samples *samples)
{
    int result;

    *samples = (struct mm_samples){.rows = NULL};
    result = collect_rest(sampler);
    if (!result)
        result =
            count_places(&sampler->places, sampler->places.objects, sampler, samples);
    samples->cost_ns = sample_cost_ns(sampler->rings.has_kernel, 0);
    if (sampler->stacks.count && samples->count)
        samples->cost_ns += sample_cost_ns(sampler->rings.has_kernel, 1) *
                            (double)sampler->stacks.count / (double)samples->count;
    return result;
}

int mm_sampler_set_rank(struct mm_sampler *sampler, pid_t pid, int rank)
{
    return sample_ranks_set(&sampler->ranks, (int32_t)pid, rank);
}

int mm_sampler_ranks(struct mm_sampler *sampler, const struct mm_rank_samples **list,
                     size_t *count)
{
    int result = collect_rest(sampler);

    if (!result)
        result = sample_ranks_end(&sampler->ranks);
    *list = sampler->ranks.list;
    *count = sampler->ranks.count;
    return result;
}

/* --- Samples of their own --------------------------------------------------- */

static int order_kept(const void *left, const void *right)
{
    const struct mm_kept_sample *a = left, *b = right;

    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

struct mm_kept_sample *mm_sampler_kept(struct mm_sampler *sampler, size_t *count)
{
    *count = 0;
    if (collect_rest(sampler) || !sampler->kept_count)
        return NULL;
    qsort(sampler->kept, sampler->kept_count, sizeof *sampler->kept, order_kept);
    *count = sampler->kept_count;
    return sampler->kept;
}

int mm_sampler_count_owner(struct mm_sampler *sampler, int32_t owner,
                           struct mm_samples *samples)
{
    struct sample_places places = {.objects = NULL};
    int result = 0;

    *samples = (struct mm_samples){.rows = NULL};
    for (size_t i = 0; i < sampler->kept_count && !result; i++) {
        const struct mm_kept_sample *kept = &sampler->kept[i];

        if (kept->owner != owner)
            continue;
        places.user += kept->kind != MM_KEPT_KERNEL;
        places.kernel += kept->kind == MM_KEPT_KERNEL;
        places.unmapped += kept->kind == MM_KEPT_UNMAPPED;
        if (kept->kind == MM_KEPT_FILE)
            result = sample_places_count(&places, kept->object, kept->offset);
    }
    if (!result)
        result = count_places(&places, sampler->places.objects, sampler, samples);
    sample_places_done(&places);
    return result;
}

void mm_samples_done(struct mm_samples *samples)
{
    for (size_t i = 0; i < samples->row_count; i++) {
        free(samples->rows[i].function);
        free(samples->rows[i].path);
        free(samples->rows[i].place);
    }
    free(samples->rows);
    *samples = (struct mm_samples){.rows = NULL};
}

int mm_sampler_stacks(struct mm_sampler *sampler, struct mm_stacks *stacks)
{
    int result = collect_rest(sampler);

    *stacks = (struct mm_stacks){.period_ns = STACK_PERIOD_NS};
    if (sampler->lacking)
        snprintf(stacks->lacking, sizeof stacks->lacking, "%s", sampler->lacking);
    if (!result)
        result = sample_stacks_make(&sampler->stacks, &sampler->places, stacks);
    stacks->lost = sampler->rings.lost_stacks + sampler->stacks.dropped;
    return result;
}

void mm_stacks_done(struct mm_stacks *stacks)
{
    for (size_t i = 0; i < stacks->function_count; i++) {
        free(stacks->functions[i].name);
        free(stacks->functions[i].path);
    }
    free(stacks->functions);
    free(stacks->nodes);
    *stacks = (struct mm_stacks){.nodes = NULL};
}
