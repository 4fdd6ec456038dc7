/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_call.h: shared code of interposition libraries (interpose.h) and table
 * proxies (table_proxy.h): the data that they pass to the runtime, libmm_preload.so, and
 * the code around a call.
 *
 * The including file defines before
 *     INTERPOSE_BUSY            an int of the calling thread: true while it is inside the
 *                               monitor
 *     INTERPOSE_OPEN(lib, fn)   open a function at the runtime; always sets fn->method
 *     INTERPOSE_DEEP            true if the thread has so many calls open that a further
 *                               one must not be recorded */
#ifndef PROXIES_INTERPOSE_CALL_H
#define PROXIES_INTERPOSE_CALL_H

#include <errno.h>
#include <stddef.h>

#include "ports/monitor_port.h"
#include "proxies/proxy_float.h"
#include "proxies/proxy_memory.h"
#include "proxies/proxy_value.h"

#define INTERPOSE_ABI 4u
#define INTERPOSE_EXPORT __attribute__((visibility("default")))

struct interpose_function {
    const char *name;   /* as in the header */
    const char *symbol; /* linker symbol; NULL for a member of a table */
    const struct monitor_value_decl
        *values; /* values of the function: in-values, then out-values */
    size_t in_count, out_count;
    union {
        void *address; /* address of the real function; NULL: it was not searched yet;
                          __atomic */
        void (*call)(void);
    } real;
    struct monitor_method *method; /* the recorder's struct for the function; NULL: the
                                      function was not called yet; __atomic */
    int versioned; /* true if the library has several versions of the symbol; valid once
                      `real` is set */
};

/* A quality attribute of the library, stated in its sidecar. */
struct interpose_quality {
    const char *name;
    double value;
    int compose; /* value of an assembly from the values of its libraries: 0 the largest,
                    1 the smallest, 2 the sum */
};

struct interpose_library {
    unsigned abi;         /* INTERPOSE_ABI */
    unsigned size;        /* sizeof(struct interpose_library) when the library was
                           * compiled */
    const char *header;   /* "zlib.h" */
    const char *instance; /* instance name: for a table the name that its user gave; NULL:
                             the library's name */
    /* port name: for a table the type of the table, "sqlite3_vfs"; NULL: "c" */
    const char *port;
    struct interpose_function *functions;
    size_t function_count;
    struct monitor_port *monitor;   /* port of the recorder, or of a choice before it; set
                                     * before a function's method; __atomic */
    struct interpose_library *next; /* next library in the list of the runtime */
    const struct interpose_quality *qualities;
    size_t quality_count;
};

static struct monitor_method interpose_off __attribute__((unused)); /* never measured */

/* --- One call ------------------------------------------------------------- */

static __attribute__((noinline, unused, cold)) int
interpose_open(struct interpose_library *library, struct interpose_function *function)
{
    const struct proxy_float floats = proxy_float_save();
    int number = errno;

    INTERPOSE_BUSY = 1;
    INTERPOSE_OPEN(library, function);
    INTERPOSE_BUSY = 0;
    errno = number;
    proxy_float_restore(&floats, function);
    return monitor_method_on(function->method);
}

/* True if calls of the function are not measured, or the monitor itself makes this one.
 */
static inline int interpose_is_off(const struct interpose_function *function)
{
    const struct monitor_method *method =
        __atomic_load_n(&function->method, __ATOMIC_ACQUIRE);

    return (method && !monitor_method_on(method)) || INTERPOSE_BUSY;
}

/* True if the current call of the function must be measured. */
static inline int interpose_on(struct interpose_library *library,
                               struct interpose_function *function)
{
    if (interpose_is_off(function) || INTERPOSE_DEEP)
        return 0;
    return function->method ? 1 : interpose_open(library, function);
}

/* An open invocation. If an exception or a cancellation leaves its block before
 * interpose_end, it is closed as unwound. */
struct interpose_call {
    struct monitor_port *monitor; /* NULL once closed */
    struct monitor_frame *frame;
};

static inline void interpose_unwind(struct interpose_call *call)
{
    if (!call->monitor)
        return;
    INTERPOSE_BUSY = 1;
    call->monitor->unwind(call->monitor, call->frame);
    INTERPOSE_BUSY = 0;
}

#define INTERPOSE_CALL __attribute__((cleanup(interpose_unwind))) struct interpose_call

static inline struct interpose_call interpose_begin(struct interpose_library *library,
                                                    struct interpose_function *function,
                                                    const union monitor_value *in)
{
    struct interpose_call call = {__atomic_load_n(&library->monitor, __ATOMIC_ACQUIRE),
                                  NULL};

    INTERPOSE_BUSY = 1;
    call.frame = call.monitor->begin(call.monitor, function->method, in);
    INTERPOSE_BUSY = 0;
    return call;
}

static inline void interpose_end(struct interpose_call *call,
                                 const union monitor_value *out)
{
    struct monitor_port *monitor = call->monitor;

    call->monitor = NULL;
    INTERPOSE_BUSY = 1;
    monitor->end(monitor, call->frame, out);
    INTERPOSE_BUSY = 0;
}

/* Return the end of a call in two steps, if getters are called in between: the time, then
 * the end. */
static inline uint64_t interpose_now(const struct interpose_call *call)
{
    return call->monitor->now(call->monitor);
}

static inline void interpose_end_at(struct interpose_call *call,
                                    const union monitor_value *out, uint64_t when)
{
    struct monitor_port *monitor = call->monitor;

    call->monitor = NULL;
    INTERPOSE_BUSY = 1;
    monitor->end_at(monitor, call->frame, out, when);
    INTERPOSE_BUSY = 0;
}

/* State saved around calls of getters: these calls are not recorded, and errno and the
 * floating-point environment are preserved. */
struct interpose_pure {
    int busy, number;
    struct proxy_float floats;
};

static inline struct interpose_pure interpose_pure(void)
{
    struct interpose_pure pure = {INTERPOSE_BUSY, errno, proxy_float_save()};

    INTERPOSE_BUSY = 1;
    return pure;
}

static inline void interpose_pure_done(struct interpose_pure *pure)
{
    INTERPOSE_BUSY = pure->busy;
    proxy_float_restore(&pure->floats, pure);
    errno = pure->number;
}

#define PROXY_PURE                                                                       \
    __attribute__((cleanup(interpose_pure_done),                                         \
                   unused)) struct interpose_pure proxy_pure = interpose_pure()

#endif
