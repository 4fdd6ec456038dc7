/* SPDX-License-Identifier: BSD-3-Clause */
/* fold_tables.c: calling contexts and entries of a thread's aggregates, found by hashing.
 */
#include <string.h>
#include <sys/mman.h>

#include "mastermind/recorder/fold.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

/* --- Records */

void *mm_fold_place(struct mm_thread *t, uint32_t lines, uint32_t *line)
{
    struct mm_fold *f = t->fold;
    uint64_t *latest = f->last ? mm_fold_at(f, f->last) : NULL;

    if (unlikely(latest && !*latest)) {
        /* longjmp out of a signal handler left the function that wrote the latest record,
         * before the record was complete */
        while (latest < (uint64_t *)mm_fold_at(f, f->used))
            *latest++ = 0;
        f->used = f->last;
    }
    if (unlikely(((size_t)f->used + lines) * MM_LINE > f->mapped)) {
        f->wanted = f->used + lines;
        if (f->failed || mm_quietly(t, mm_fold_make)) {
            f->failed = 1;
            return NULL;
        }
    }
    *line = f->last = f->used;
    f->used += lines;
    return mm_fold_at(f, *line);
}

/* --- Contexts */

static uint32_t step_hash(uint32_t parent, uint32_t method)
{
    return (uint32_t)(((uint64_t)parent << 32 | method) * mm_check_k[1] >> 32);
}

static struct mm_fold_step *find_step(const struct mm_fold *f, uint32_t parent,
                                      uint32_t method)
{
    uint32_t at = step_hash(parent, method) & f->steps_mask;

    while (f->steps[at].node &&
           (f->steps[at].parent != parent || f->steps[at].method != method))
        at = (at + 1) & f->steps_mask;
    return &f->steps[at];
}

static int grow_steps(struct mm_thread *t)
{
    struct mm_fold *f = t->fold;
    struct mm_fold_step *old = f->steps, *grown;
    size_t count = (size_t)f->steps_mask + 1, i;

    grown = mm_fold_memory(2 * count * sizeof *grown);
    if (!grown)
        return -1;
    f->steps = grown;
    f->steps_mask = (uint32_t)(2 * count - 1);
    for (i = 0; i < count; i++)
        if (old[i].node)
            *find_step(f, old[i].parent, old[i].method) = old[i];
    munmap(old, count * sizeof *old);
    return 0;
}

static struct mm_node *parent_of(const struct mm_fold *f, const struct mm_node *node)
{
    return node->parent ? mm_fold_at(f, node->parent) : NULL;
}

/* Find the context that a call of `method` from the context `node` shares, because
 * another round of a recursion adds no new path: of `node` and its ancestors the nearest
 * that has this method, the method of `node` as its caller, the set of methods on the
 * path to `node`, and the mark "nested". NULL: none. */
static struct mm_node *around(const struct mm_fold *f, struct mm_node *node,
                              uint32_t method)
{
    struct mm_node *at;

    for (at = node; at && at->distinct == node->distinct; at = parent_of(f, at))
        if (at->method == method && at->caller == node->method &&
            at->flags & MM_NODE_NESTED)
            return at;
    return NULL;
}

static int is_nested(const struct mm_fold *f, struct mm_node *node, uint32_t method)
{
    for (; node; node = parent_of(f, node))
        if (node->method == method)
            return 1;
    return 0;
}

/* Create a calling context. `unknown` is true if there are too many contexts; this one
 * then represents all further callers of the method. */
static struct mm_node *make_node(struct mm_thread *t, struct mm_node *parent,
                                 uint32_t method, int nested, int unknown)
{
    struct mm_node *node;
    uint32_t line;

    node = mm_fold_place(t, 1, &line);
    if (!node)
        return NULL;
    node->method = method;
    node->parent = unknown ? 0 : mm_fold_line(t->fold, parent);
    node->caller = unknown ? MM_METHOD_UNKNOWN : parent->method;
    node->flags = nested ? MM_NODE_NESTED : 0;
    node->distinct = unknown ? 1 : parent->distinct + !nested;
    __atomic_store_n(&node->word0,
                     mm_agg_word0(node, MM_AGG_NODE, 1, MM_NODE_FIXED, line),
                     __ATOMIC_RELEASE);
    t->fold->node_count++;
    return node;
}

/* Find or create the context of a method with unknown callers. Its hash table entry has 0
 * as its parent, or 1 if calls of the method are nested. */
static struct mm_node *unknown_caller(struct mm_thread *t, uint32_t method, int nested)
{
    struct mm_fold_step *step = find_step(t->fold, (uint32_t)nested, method);
    struct mm_node *node;

    if (step->node)
        return mm_fold_at(t->fold, step->node);
    node = make_node(t, NULL, method, nested, 1);
    if (node)
        *step = (struct mm_fold_step){(uint32_t)nested, method,
                                      mm_fold_line(t->fold, node), 0};
    return node;
}

static struct mm_node *find_callee(struct mm_thread *t, struct mm_node *parent,
                                   uint32_t method)
{
    struct mm_fold *f = t->fold;
    uint32_t line = mm_fold_line(f, parent);
    struct mm_fold_step *step = find_step(f, line, method);
    struct mm_node *node = NULL;
    int nested;

    if (step->node)
        return mm_fold_at(f, step->node);
    if (2 * (f->step_count + 1) > f->steps_mask && mm_quietly(t, grow_steps))
        return NULL;
    nested = is_nested(f, parent, method);
    if (nested)
        node = around(f, parent, method);
    if (!node && f->node_count >= MM_FOLD_MAX_NODES)
        return unknown_caller(t, method, nested);
    if (!node)
        node = make_node(t, parent, method, nested, 0);
    if (node) {
        *find_step(f, line, method) =
            (struct mm_fold_step){line, method, mm_fold_line(f, node), 0};
        f->step_count++;
    }
    return node;
}

/* Cache the context of a callee in the context of its caller. A signal handler may leave
 * this function by longjmp at any instruction. */
static void remember(struct mm_node *parent, int place, uint32_t method, uint32_t node)
{
    parent->cached_method[place] = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    parent->cached_node[place] = node;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    parent->cached_method[place] = method;
}

struct mm_node *mm_fold_callee(struct mm_thread *t, struct mm_node *parent,
                               uint32_t method)
{
    struct mm_node *node;

    if (parent->cached_method[0] == method + 1)
        return mm_fold_at(t->fold, parent->cached_node[0]);
    if (parent->cached_method[1] == method + 1)
        return mm_fold_at(t->fold, parent->cached_node[1]);
    node = find_callee(t, parent, method);
    if (node) {
        remember(parent, 1, parent->cached_method[0], parent->cached_node[0]);
        remember(parent, 0, method + 1, mm_fold_line(t->fold, node));
    }
    return node;
}

struct mm_node *mm_fold_context(struct mm_thread *t, struct mm_frame *frame)
{
    struct mm_frame *at = frame;
    struct mm_node *node;
    struct mm_entry *entry;

    if (!t->fold && !mm_fold_of(t))
        return NULL;
    while (!at->context)
        at = at->process[MM_FRAME_BELOW];
    if (at->context & MM_CONTEXT_PENDING)
        mm_fold_settle(t, at);
    if (at->context & MM_CONTEXT_LOST)
        return NULL;
    if (at->context & MM_CONTEXT_FOLDED) {
        entry = (struct mm_entry *)(at->context & ~(uint64_t)(MM_LINE - 1));
        node = mm_fold_at(t->fold, entry->node);
    } else {
        node = (struct mm_node *)(at->context & ~(uint64_t)(MM_LINE - 1));
    }
    while (at != frame) {
        at = at->process[MM_FRAME_ABOVE];
        node = mm_fold_callee(t, node, at->method);
        if (!node)
            return NULL;
        at->context = (uintptr_t)node;
    }
    return node;
}

/* --- Entries */

static int grow_index(struct mm_thread *t)
{
    struct mm_fold *f = t->fold;
    size_t count = (size_t)f->index_mask + 1, i;
    uint64_t *old = f->index, *grown = mm_fold_memory(2 * count * sizeof *grown);
    uint32_t mask = (uint32_t)(2 * count - 1), at;

    if (!grown)
        return -1;
    for (i = 0; i < count; i++) {
        if (!old[i])
            continue;
        for (at = (uint32_t)(old[i] >> 32) >> (f->index_shift - 1); grown[at];
             at = (at + 1) & mask)
            continue;
        grown[at] = old[i];
    }
    f->index = grown;
    f->index_mask = mask;
    f->index_shift--;
    munmap(old, count * sizeof *old);
    return 0;
}

static uint32_t tag_of(const uint64_t *values, uint32_t count, uint64_t sum)
{
    uint32_t i;

    for (i = 0; i < count; i++)
        sum += values[i] * mm_check_k[22 + i];
    return mm_tag_end(sum);
}

/* Loops, because the path of a patched function's call may not use memcmp and memcpy
 * without saving the vector registers. */
static int same_values(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

static void copy_values(uint64_t *to, const uint64_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* Put an entry into a free slot of the hash table `index`, which may grow. */
static int index_insert(struct mm_thread *t, uint32_t tag, uint32_t line)
{
    struct mm_fold *f = t->fold;
    uint32_t at;

    if (2 * (f->index_count + 1) > f->index_mask && mm_quietly(t, grow_index))
        return -1;
    for (at = mm_fold_first(f, tag); f->index[at];)
        at = (at + 1) & f->index_mask;
    f->index[at] = (uint64_t)tag << 32 | line;
    f->index_count++;
    return 0;
}

static uint32_t entry_lines(const struct mm_fold *f, uint32_t count)
{
    return mm_entry_key_lines(count) + ((uint32_t)f->end + 7) / 8;
}

/* Set the words of an entry's contents as for an entry without invocations. */
static void clear_words(uint64_t *words, uint32_t line, int end)
{
    words[MM_E_WALL_MIN] = words[MM_E_MPI_MIN] = UINT64_MAX;
    words[MM_E_NEXT] = 1;
    words[MM_E_CHECK] = words[MM_E_CHECK2] = 0;
    if (end > MM_E_CPU) {
        words[MM_E_CHECK3] = mm_entry_sum(words, MM_E_CPU, MM_E_WORDS, MM_E_CHECK3,
                                          mm_entry_seed(line, 2));
    }
    if (end > MM_E_COUNTS)
        words[end - 1] =
            mm_entry_sum(words, MM_E_COUNTS, end, end - 1, mm_entry_seed(line, 3));
    words[MM_E_CHECK] = mm_entry_sum(words, MM_E_COUNT, MM_E_MPI_COUNT, MM_E_CHECK,
                                     mm_entry_seed(line, 0));
    words[MM_E_CHECK2] = mm_entry_sum(words, MM_E_MPI_COUNT, MM_E_CPU, MM_E_CHECK2,
                                      mm_entry_seed(line, 1));
}

static struct mm_entry *make_entry(struct mm_thread *t, uint32_t node,
                                   const struct mm_frame *frame, uint64_t caller,
                                   uint32_t flags, uint32_t count, uint32_t tag)
{
    struct mm_fold *f = t->fold;
    uint32_t line, lines = entry_lines(f, count);
    struct mm_entry *e;

    e = mm_fold_place(t, lines, &line);
    if (!e)
        return NULL;
    e->node = node;
    e->caller = caller;
    e->flags = (uint16_t)flags;
    e->count = (uint16_t)count;
    copy_values(e->values, frame->values, count);
    clear_words(mm_entry_words(e), line, f->end);
    __atomic_store_n(&e->word0,
                     mm_agg_word0(e, MM_AGG_ENTRY, lines, MM_ENTRY_FIXED + count, line),
                     __ATOMIC_RELEASE);
    return index_insert(t, tag, line) ? NULL : e;
}

struct mm_entry *mm_fold_entry(struct mm_thread *t, uint32_t node,
                               const struct mm_frame *frame, uint64_t caller,
                               uint32_t flags)
{
    struct mm_fold *f = t->fold;
    uint32_t count = flags & MM_ENTRY_OTHER ? 0 : frame->count, tag, at;
    struct mm_entry *e;

    tag = tag_of(frame->values, count, mm_tag_begin(node, flags, caller));
    for (at = mm_fold_first(f, tag); f->index[at]; at = (at + 1) & f->index_mask) {
        if (f->index[at] >> 32 != tag)
            continue;
        e = mm_fold_at(f, (uint32_t)f->index[at]);
        if (mm_agg_kind(e->word0) == MM_AGG_ENTRY && e->node == node &&
            e->flags == flags && e->caller == caller && e->count == count &&
            same_values(e->values, frame->values, count))
            return e;
    }
    e = NULL;
    if (flags & MM_ENTRY_OTHER ||
        (f->index_count < MM_FOLD_MAX_KEYS &&
         (!t->recorder->storage.size_limit || mm_fold_allows(t, entry_lines(f, count)))))
        e = make_entry(t, node, frame, caller, flags, count, tag);
    if (!e && !(flags & MM_ENTRY_OTHER))
        e = mm_fold_entry(t, node, frame, 0, flags | MM_ENTRY_OTHER);
    return e;
}
