/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_shadow.h: shadow calls: at a sample of its calls, a proxy also calls other
 * classes, the rivals, on copies of the arguments.
 *
 *     proxy_shadow_begin │ copies of the arrays that the call will write
 *     the call           │ target, as always
 *     proxy_shadow_end   │ for each rival, in random order: copies, the rival's call,
 *                        │ difference of the results, a row
 *
 * The clocks of the run stand still in both parts (`pause` of the monitor port), and rows
 * go to another recorder (`apart`). One of each 1/rate calls has shadow calls, at a
 * random place among them. While a thread makes shadow calls, the calls of other threads
 * have none. */
#ifndef PROXIES_PROXY_SHADOW_H
#define PROXIES_PROXY_SHADOW_H

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ports/shadow_port.h"
#include "proxies/proxy_float.h"
#include "proxies/proxy_table.h"
#include "proxies/proxy_turn.h"

enum { PROXY_READS = 1, PROXY_WRITES = 2, PROXY_UPDATES = 3 };
/* bytes of a long double that have its value; the rest is padding */
enum { PROXY_LONG_DOUBLE = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };
enum { PROXY_FENCE = 64, PROXY_FENCE_BYTE = 0xa5 }; /* bytes around each copy */

/* An array that an argument points to. */
struct proxy_array {
    const char *name;
    size_t arg; /* index of the argument */
    int access;
    size_t size; /* bytes of an element */
    /* of an element: 'd' floating, 'l' long double, 'i' signed, 'u' unsigned, 'b' other,
     * 'o' an out-value, which is no result */
    char kind;
};

/* A measured method for shadow calls. */
struct proxy_shadowed {
    const char *name;
    const char *lacks; /* argument without a mark, for a message; NULL: none */
    const struct proxy_array *arrays;
    size_t array_count, arg_count;
    size_t result_size; /* bytes of the result that have its value; 0: void */
    /* Set the number of elements of each array; negative: unknown. */
    void (*count)(void *const *args, int64_t *counts);
    /* Call the method of `port`. args[i] points to argument i. */
    void (*call)(void *port, void *const *args, void *result);
};

/* Values of a shadow call behind the method's in-values. */
enum {
    PROXY_SHADOW_CHOSEN,     /* time of the call whose arguments were copied */
    PROXY_SHADOW_ORDER,      /* place among the rivals, from 0 */
    PROXY_SHADOW_UNEQUAL,    /* number of elements that differ, and 1 if results do */
    PROXY_SHADOW_DIFFERENCE, /* norm (2) of the difference of all written arrays */
    PROXY_SHADOW_NORM,       /* norm (2) of the results of the chosen class */
    PROXY_SHADOW_LARGEST,    /* largest difference of an element */
    PROXY_SHADOW_COUNT
};

struct proxy_shadow_rival {
    void *port;
    struct dispatch_target about;
    struct monitor_method **methods; /* of the recorder of shadow calls */
    int stopped;                     /* true after a write outside its output */
};

/* The sample of a method's calls: the next one, and the block of calls it is in. */
struct proxy_sample {
    uint64_t calls, next, block;
};

struct proxy_shadow {
    const struct proxy_table *table;
    const struct proxy_shadowed *shadowed; /* of each measured method */
    struct monitor_port *apart;            /* NULL: nothing is recorded yet */
    struct proxy_shadow_rival *rivals;
    size_t rival_count;
    struct proxy_sample *samples; /* of each measured method */
    double rate;
    uint64_t seed;
    int busy;            /* true while a thread makes shadow calls; __atomic */
    char *before, *work; /* copies of the written arrays, and arguments of rivals */
    size_t before_size, work_size;
};

/* A call with shadow calls. */
struct proxy_shadow_call {
    struct proxy_shadow *shadow; /* NULL: the call has none */
    struct monitor_port *monitor;
    const struct proxy_shadowed *method;
    size_t measured;
    const union monitor_value *in;
    void *const *args;
    int64_t *counts; /* of elements; borrowed from `before` */
    int64_t start_ns;
    struct monitor_pause pause;
    int paused;
    const struct proxy_float *floats; /* the program's environment, for rivals */
    struct monitor_frame *frame;      /* open call of a rival */
};

static inline int64_t proxy_shadow_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline uint64_t proxy_shadow_random(uint64_t seed, uint64_t n)
{
    uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ULL;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

/* --- The sample ----------------------------------------------------------- */

/* Choose a call of the sample's current block. */
static inline void proxy_sample_draw(const struct proxy_shadow *shadow,
                                     struct proxy_sample *sample, size_t measured)
{
    const double first = (double)sample->block / shadow->rate,
                 end = (double)(sample->block + 1) / shadow->rate;
    const uint64_t low = (uint64_t)first, count = (uint64_t)end - low;

    __atomic_store_n(
        &sample->next,
        low + proxy_shadow_random(shadow->seed + 7919 * measured, sample->block) %
                  (count ? count : 1),
        __ATOMIC_RELAXED);
}

/* True if the current call of a method is in the sample, and no thread makes shadow
 * calls. */
static inline int proxy_sample_take(struct proxy_shadow *shadow, size_t measured)
{
    struct proxy_sample *sample = &shadow->samples[measured];
    const uint64_t call = __atomic_fetch_add(&sample->calls, 1, __ATOMIC_RELAXED);

    if (call < __atomic_load_n(&sample->next, __ATOMIC_RELAXED) ||
        __atomic_exchange_n(&shadow->busy, 1, __ATOMIC_ACQUIRE))
        return 0;
    if (call < sample->next) {
        __atomic_store_n(&shadow->busy, 0, __ATOMIC_RELEASE);
        return 0;
    }
    return 1;
}

/* --- Copies --------------------------------------------------------------- */

static inline void *proxy_array_at(const struct proxy_array *array, void *const *args)
{
    void *at;

    memcpy(&at, args[array->arg], sizeof at);
    return at;
}

/* Size of an array's copy with its fences, and a size that keeps the next one aligned. */
static inline size_t proxy_copy_size(size_t bytes)
{
    return (bytes + 2 * PROXY_FENCE + 63) & ~(size_t)63;
}

static inline int proxy_shadow_reserve(char **room, size_t *size, size_t wanted)
{
    if (wanted <= *size)
        return 0;
    free(*room);
    *size = 0;
    *room = (char *)aligned_alloc(64, (wanted + 63) & ~(size_t)63);
    if (!*room)
        return -ENOMEM;
    *size = wanted;
    return 0;
}

/* True if an array that the method writes overlaps another one. */
static inline int proxy_arrays_overlap(const struct proxy_shadow_call *call)
{
    const struct proxy_shadowed *m = call->method;

    for (size_t i = 0; i < m->array_count; i++)
        for (size_t j = 0; j < m->array_count; j++) {
            const char *a = (const char *)proxy_array_at(&m->arrays[i], call->args);
            const char *b = (const char *)proxy_array_at(&m->arrays[j], call->args);

            if (i != j && m->arrays[i].access != PROXY_READS && a && b &&
                a < b + (size_t)call->counts[j] * m->arrays[j].size &&
                b < a + (size_t)call->counts[i] * m->arrays[i].size)
                return 1;
        }
    return 0;
}

/* Find the sizes of all arrays, and copy the arrays that the call will write. */
static inline int proxy_shadow_copy(struct proxy_shadow_call *call)
{
    const struct proxy_shadowed *m = call->method;
    struct proxy_shadow *shadow = call->shadow;
    const size_t head = (m->array_count + 1) * sizeof *call->counts;
    int64_t counts[64];
    size_t size = head;
    char *at;

    if (m->array_count > sizeof counts / sizeof *counts)
        return -E2BIG;
    m->count(call->args, counts);
    for (size_t i = 0; i < m->array_count; i++) {
        if (!proxy_array_at(&m->arrays[i], call->args))
            counts[i] = 0;
        if (counts[i] < 0 || (uint64_t)counts[i] > (SIZE_MAX >> 8) / m->arrays[i].size)
            return -EINVAL;
        if (m->arrays[i].access != PROXY_READS)
            size += (size_t)counts[i] * m->arrays[i].size;
    }
    if (proxy_shadow_reserve(&shadow->before, &shadow->before_size, size))
        return -ENOMEM;
    call->counts = (int64_t *)(void *)shadow->before;
    memcpy(call->counts, counts, m->array_count * sizeof *counts);
    if (proxy_arrays_overlap(call))
        return -EINVAL;
    at = shadow->before + head;
    for (size_t i = 0; i < m->array_count; i++) {
        const size_t bytes = (size_t)counts[i] * m->arrays[i].size;

        if (m->arrays[i].access == PROXY_READS || !bytes)
            continue;
        memcpy(at, proxy_array_at(&m->arrays[i], call->args), bytes);
        at += bytes;
    }
    return 0;
}

/* Fill the arguments of a rival. pointers[i] becomes the copy of array i. */
static inline int proxy_shadow_fill(struct proxy_shadow_call *call, void **pointers)
{
    const struct proxy_shadowed *m = call->method;
    struct proxy_shadow *shadow = call->shadow;
    const char *before = shadow->before + (m->array_count + 1) * sizeof *call->counts;
    size_t size = 0;
    char *at;

    for (size_t i = 0; i < m->array_count; i++)
        size += proxy_copy_size((size_t)call->counts[i] * m->arrays[i].size);
    if (proxy_shadow_reserve(&shadow->work, &shadow->work_size, size))
        return -ENOMEM;
    at = shadow->work;
    for (size_t i = 0; i < m->array_count; i++) {
        const size_t bytes = (size_t)call->counts[i] * m->arrays[i].size;
        const int reads = m->arrays[i].access == PROXY_READS;
        const void *original = proxy_array_at(&m->arrays[i], call->args);

        pointers[i] = original ? at + PROXY_FENCE : NULL;
        memset(at, PROXY_FENCE_BYTE, PROXY_FENCE);
        if (bytes)
            memcpy(at + PROXY_FENCE, reads ? original : before, bytes);
        memset(at + PROXY_FENCE + bytes, PROXY_FENCE_BYTE,
               proxy_copy_size(bytes) - PROXY_FENCE - bytes);
        if (!reads)
            before += bytes;
        at += proxy_copy_size(bytes);
    }
    return 0;
}

/* Return the array that a rival has written although it may not, or NULL. */
static inline const struct proxy_array *
proxy_shadow_damage(const struct proxy_shadow_call *call, void *const *pointers)
{
    const struct proxy_shadowed *m = call->method;
    const char *at = call->shadow->work;

    for (size_t i = 0; i < m->array_count; i++) {
        const size_t bytes = (size_t)call->counts[i] * m->arrays[i].size,
                     whole = proxy_copy_size(bytes);

        for (size_t b = 0; b < whole; b = b + 1 == PROXY_FENCE ? b + 1 + bytes : b + 1)
            if ((unsigned char)at[b] != PROXY_FENCE_BYTE)
                return &m->arrays[i];
        if (bytes && m->arrays[i].access == PROXY_READS &&
            memcmp(pointers[i], proxy_array_at(&m->arrays[i], call->args), bytes) != 0)
            return &m->arrays[i];
        at += whole;
    }
    return NULL;
}

/* --- Results -------------------------------------------------------------- */

static inline double proxy_element(const struct proxy_array *array, const char *at)
{
    float single;
    double number;
    long double wide;
    int64_t whole = 0;

    if (array->kind == 'l') {
        memcpy(&wide, at, sizeof wide);
        return (double)wide;
    }
    if (array->kind == 'd' && array->size == sizeof single) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    if (array->kind == 'd') {
        memcpy(&number, at, sizeof number);
        return number;
    }
    memcpy(&whole, at, array->size); /* little-endian */
    if (array->kind == 'i' && array->size < sizeof whole) {
        const unsigned shift = 64 - 8 * (unsigned)array->size;

        return (double)((int64_t)((uint64_t)whole << shift) >> shift);
    }
    return array->kind == 'u' ? (double)(uint64_t)whole : (double)whole;
}

/* The square root by Newton's method; for sqrt() proxies would need libm. */
static inline double proxy_root(double square)
{
    uint64_t bits;
    double root;

    if (!(square > 0) || __builtin_isinf(square))
        return square;
    memcpy(&bits, &square, sizeof bits);
    bits = (bits >> 1) + (UINT64_C(1023) << 51);
    memcpy(&root, &bits, sizeof root);
    for (int i = 0; i < 6; i++)
        root = (root + square / root) / 2;
    return root;
}

/* Add the difference of one array of a rival and the chosen class. */
static inline void proxy_shadow_compare(const struct proxy_array *array,
                                        const char *chosen, const char *rival,
                                        size_t count, union monitor_value *out)
{
    const size_t bytes = array->kind == 'l' ? (size_t)PROXY_LONG_DOUBLE : array->size;
    double square = 0, norm = 0, largest = out[PROXY_SHADOW_LARGEST].d;
    int64_t unequal = 0;

    if (array->kind == 'b') {
        for (size_t i = 0; i < count; i++)
            unequal += memcmp(chosen + i * array->size, rival + i * array->size,
                              array->size) != 0;
        out[PROXY_SHADOW_UNEQUAL].i += unequal;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const double a = proxy_element(array, chosen + i * array->size);
        double difference, size;

        norm += a * a;
        /* equal infinities and NaNs have no difference either */
        if (memcmp(chosen + i * array->size, rival + i * array->size, bytes) == 0)
            continue;
        difference = a - proxy_element(array, rival + i * array->size);
        size = difference < 0 ? -difference : difference;
        unequal++;
        square += difference * difference;
        if (size > largest)
            largest = size;
    }
    out[PROXY_SHADOW_UNEQUAL].i += unequal;
    out[PROXY_SHADOW_DIFFERENCE].d += square;
    out[PROXY_SHADOW_NORM].d += norm;
    out[PROXY_SHADOW_LARGEST].d = largest;
}

/* --- Rivals --------------------------------------------------------------- */

/* Stop a rival that has written an input, or beyond an array; its row has no values. */
static inline void proxy_shadow_stop(struct proxy_shadow_call *call,
                                     struct proxy_shadow_rival *rival,
                                     const struct proxy_array *array)
{
    rival->stopped = 1;
    fprintf(stderr,
            "shadow: class %s has written %s'%s' of %s: it gets no more shadow calls\n",
            rival->about.class_name,
            array->access == PROXY_READS ? "the input " : "outside ", array->name,
            call->method->name);
    call->shadow->apart->unwind(call->shadow->apart, call->frame);
    call->frame = NULL;
}

/* Call a rival on copies, and record the call. */
static inline void proxy_shadow_run(struct proxy_shadow_call *call,
                                    struct proxy_shadow_rival *rival,
                                    union monitor_value *out, const void *result)
{
    const struct proxy_shadowed *m = call->method;
    struct monitor_port *apart = call->shadow->apart;
    const struct proxy_array *damaged;
    void *pointers[64], *args[64];
    char own[64] __attribute__((aligned(16)));
    uint64_t when;

    if (proxy_shadow_fill(call, pointers))
        return;
    for (size_t i = 0; i < m->arg_count; i++)
        args[i] = call->args[i];
    for (size_t i = 0; i < m->array_count; i++)
        args[m->arrays[i].arg] = &pointers[i];
    call->frame = apart->begin(apart, rival->methods[call->measured], call->in);
    proxy_float_work(call->floats);
    m->call(rival->port, args, own);
    proxy_float_quiet();
    when = apart->now(apart);
    damaged = proxy_shadow_damage(call, pointers);
    if (damaged) {
        proxy_shadow_stop(call, rival, damaged);
        return;
    }
    out[PROXY_SHADOW_UNEQUAL].i = result && memcmp(own, result, m->result_size) != 0;
    out[PROXY_SHADOW_DIFFERENCE].d = out[PROXY_SHADOW_NORM].d = 0;
    out[PROXY_SHADOW_LARGEST].d = 0;
    for (size_t i = 0; i < m->array_count; i++)
        if (m->arrays[i].access != PROXY_READS && call->counts[i] &&
            m->arrays[i].kind != 'o')
            proxy_shadow_compare(&m->arrays[i],
                                 (const char *)proxy_array_at(&m->arrays[i], call->args),
                                 (const char *)pointers[i], (size_t)call->counts[i], out);
    out[PROXY_SHADOW_DIFFERENCE].d = proxy_root(out[PROXY_SHADOW_DIFFERENCE].d);
    out[PROXY_SHADOW_NORM].d = proxy_root(out[PROXY_SHADOW_NORM].d);
    apart->end_at(apart, call->frame, out, when);
    call->frame = NULL;
}

/* Call all rivals in random order. */
static inline void proxy_shadow_run_all(struct proxy_shadow_call *call, int64_t chosen_ns,
                                        const void *result)
{
    struct proxy_shadow *shadow = call->shadow;
    union monitor_value out[PROXY_SHADOW_COUNT];
    size_t order[64], count = shadow->rival_count < 64 ? shadow->rival_count : 64;
    const uint64_t draw = shadow->samples[call->measured].block;

    for (size_t i = 0; i < count; i++) {
        const size_t j =
            proxy_shadow_random(shadow->seed ^ (draw << 8), i) % (uint64_t)(i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    out[PROXY_SHADOW_CHOSEN].i = chosen_ns;
    for (size_t i = 0; i < count; i++) {
        out[PROXY_SHADOW_ORDER].i = (int64_t)i;
        if (!shadow->rivals[order[i]].stopped)
            proxy_shadow_run(call, &shadow->rivals[order[i]], out, result);
    }
}

/* --- A call --------------------------------------------------------------- */

/* End the shadow calls, also when an exception or a cancellation leaves them. */
static inline void proxy_shadow_leave(struct proxy_shadow_call *call)
{
    if (!call->shadow)
        return;
    if (call->frame)
        call->shadow->apart->unwind(call->shadow->apart, call->frame);
    if (call->paused)
        call->monitor->resume(call->monitor, &call->pause);
    __atomic_store_n(&call->shadow->busy, 0, __ATOMIC_RELEASE);
    call->shadow = NULL;
}

#define PROXY_SHADOW __attribute__((cleanup(proxy_shadow_leave))) struct proxy_shadow_call

static __attribute__((noinline, unused)) void
proxy_shadow_prepare(struct proxy_shadow_call *call)
{
    const int number = errno;
    struct proxy_float floats = proxy_float_save();
    struct proxy_sample *sample = &call->shadow->samples[call->measured];
    int status = call->monitor->pause(call->monitor, &call->pause);

    do {
        sample->block++;
        proxy_sample_draw(call->shadow, sample, call->measured);
    } while (sample->next < __atomic_load_n(&sample->calls, __ATOMIC_RELAXED));
    if (!status) {
        status = proxy_shadow_copy(call);
        call->monitor->resume(call->monitor, &call->pause);
    }
    if (status)
        proxy_shadow_leave(call);
    proxy_float_restore(&floats, &number);
    errno = number;
    call->start_ns = proxy_shadow_now();
}

/* Begin a call that may have shadow calls. */
static inline struct proxy_shadow_call proxy_shadow_begin(const struct proxy_link *link,
                                                          size_t measured,
                                                          const union monitor_value *in,
                                                          void *const *args)
{
    struct proxy_shadow *shadow = link->shadow;
    struct proxy_shadow_call call;

    call.shadow = NULL;
    if (!shadow || !shadow->apart || !proxy_sample_take(shadow, measured))
        return call;
    call.shadow = shadow;
    call.monitor = link->monitor;
    call.method = &shadow->shadowed[measured];
    call.measured = measured;
    call.in = in;
    call.args = args;
    call.frame = NULL;
    call.paused = 0;
    proxy_shadow_prepare(&call);
    return call;
}

static __attribute__((noinline, unused)) void
proxy_shadow_finish(struct proxy_shadow_call *call, int64_t chosen_ns, const void *result)
{
    const int number = errno;
    struct proxy_float floats = proxy_float_save();

    call->floats = &floats;
    call->paused = !call->monitor->pause(call->monitor, &call->pause);
    if (call->paused)
        proxy_shadow_run_all(call, chosen_ns, result);
    proxy_shadow_leave(call);
    proxy_float_restore(&floats, &number);
    errno = number;
}

/* Make the shadow calls of a call that has ended with `result` (NULL: void). */
static inline void proxy_shadow_end(struct proxy_shadow_call *call, const void *result)
{
    if (__builtin_expect(call->shadow != NULL, 0))
        proxy_shadow_finish(call, proxy_shadow_now() - call->start_ns, result);
}

/* --- Setting -------------------------------------------------------------- */

static inline void proxy_shadow_free(struct proxy_shadow *shadow)
{
    for (size_t i = 0; shadow && i < shadow->rival_count; i++)
        free(shadow->rivals[i].methods);
    if (shadow) {
        free(shadow->rivals);
        free(shadow->samples);
        free(shadow->before);
        free(shadow->work);
    }
    free(shadow);
}

/* Check that copies of all arguments can be made, and that the rivals have all
 * methods. */
static inline int proxy_shadow_check(const struct proxy_table *table,
                                     const struct proxy_shadowed *shadowed,
                                     const struct dispatch_target *rivals, size_t count,
                                     struct cca_error *err)
{
    typedef void (*function)(void);

    for (size_t m = 0, measured = 0; m < table->method_count; m++) {
        function found;

        if (table->methods[m].unmeasured)
            continue;
        if (shadowed[measured].lacks)
            return cca_error_set(err, -ENOTSUP,
                                 "%s cannot be shadowed: the marks of %s have no size "
                                 "for '%s' (reads, writes or updates)",
                                 table->port_type, shadowed[measured].name,
                                 shadowed[measured].lacks);
        for (size_t i = 0; i < count; i++) {
            memcpy(&found,
                   (const char *)rivals[i].port + sizeof(struct cca_port) +
                       m * sizeof found,
                   sizeof found);
            if (!found)
                return cca_error_set(err, -ENOTSUP, "class %s has no %s",
                                     rivals[i].class_name, shadowed[measured].name);
        }
        measured++;
    }
    return 0;
}

/* Make shadow calls. Returns NULL with `err` set. */
static inline struct proxy_shadow *
proxy_shadow_make(const struct proxy_table *table, const struct proxy_shadowed *shadowed,
                  const struct dispatch_target *rivals, size_t count, double rate,
                  uint64_t seed, struct cca_error *err)
{
    struct proxy_shadow *shadow;
    int status = proxy_shadow_check(table, shadowed, rivals, count, err);

    if (status)
        return NULL;
    shadow = (struct proxy_shadow *)calloc(1, sizeof *shadow);
    if (shadow) {
        shadow->table = table;
        shadow->shadowed = shadowed;
        shadow->rate = rate;
        shadow->seed = seed;
        shadow->rivals =
            (struct proxy_shadow_rival *)calloc(count, sizeof *shadow->rivals);
        shadow->samples =
            (struct proxy_sample *)calloc(table->method_count, sizeof *shadow->samples);
    }
    if (!shadow || !shadow->rivals || !shadow->samples)
        status = -ENOMEM;
    for (size_t i = 0; i < count && !status; i++) {
        struct proxy_shadow_rival *rival = &shadow->rivals[shadow->rival_count++];

        rival->about = rivals[i];
        rival->port = rivals[i].port;
        rival->methods =
            (struct monitor_method **)calloc(table->method_count, sizeof *rival->methods);
        status = rival->methods ? 0 : -ENOMEM;
    }
    for (size_t m = 0; m < table->method_count && !status; m++)
        proxy_sample_draw(shadow, &shadow->samples[m], m);
    if (!status)
        return shadow;
    proxy_shadow_free(shadow);
    cca_no_memory(err);
    return NULL;
}

/* Open the methods of all rivals at the recorder of shadow calls. */
static inline int proxy_shadow_open(struct proxy_shadow *shadow,
                                    struct monitor_port *monitor, struct cca_error *err)
{
    static const struct monitor_value_decl values[PROXY_SHADOW_COUNT] = {
        {"chosen_ns", NULL, MONITOR_INT64, MONITOR_OUT, NULL, 0},
        {"order", NULL, MONITOR_INT64, MONITOR_OUT, NULL, 0},
        {"unequal", NULL, MONITOR_INT64, MONITOR_OUT, NULL, 0},
        {"difference", NULL, MONITOR_DOUBLE, MONITOR_OUT, NULL, 0},
        {"norm", NULL, MONITOR_DOUBLE, MONITOR_OUT, NULL, 0},
        {"largest", NULL, MONITOR_DOUBLE, MONITOR_OUT, NULL, 0}};
    struct monitor_value_decl all[MONITOR_MAX_IN + PROXY_SHADOW_COUNT];
    struct monitor_port *apart;

    shadow->apart = NULL;
    if (!monitor)
        return 0;
    apart = monitor->apart ? monitor->apart(monitor, err) : NULL;
    if (!monitor->apart)
        cca_error_set(err, -ENOTSUP, "the recorder keeps no shadow calls");
    if (!apart)
        return err && err->code ? err->code : -ENOTSUP;
    for (size_t i = 0; i < shadow->rival_count; i++)
        for (size_t m = 0, measured = 0; m < shadow->table->method_count; m++) {
            const struct proxy_table_method *method = &shadow->table->methods[m];
            const struct dispatch_target *about = &shadow->rivals[i].about;
            struct monitor_method_decl decl;

            if (method->unmeasured)
                continue;
            memset(&decl, 0, sizeof decl);
            decl.instance = about->instance;
            decl.port = about->port_name;
            decl.method = method->name;
            decl.class_name = about->class_name;
            decl.build_id = about->build_id;
            decl.port_type = shadow->table->port_type;
            for (size_t v = 0; v < method->in_count; v++)
                all[v] = method->values[v];
            memcpy(all + method->in_count, values, sizeof values);
            decl.values = all;
            decl.in_count = method->in_count;
            decl.out_count = PROXY_SHADOW_COUNT;
            shadow->rivals[i].methods[measured] = apart->method_open(apart, &decl, err);
            if (!shadow->rivals[i].methods[measured++])
                return err && err->code ? err->code : -EIO;
        }
    shadow->apart = apart;
    return 0;
}

#endif
