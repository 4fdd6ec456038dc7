/* SPDX-License-Identifier: BSD-3-Clause */
/* framework.h: the framework's interface for main programs: instances and connections by
 * name.
 *
 * With .dry set, instances are made from their descriptors alone: no component code is
 * loaded or run, everything else is checked as in a real run (`ccafe check`). Only one
 * thread may use a framework.
 *
 * A failed command changes nothing, with one exception: a listener that fails *after* a
 * connection was made or broken makes the command return its error. If a function of a
 * component (create, set_services, a listener, go) failed or refused, err->exception is
 * CCA_EXCEPTION_UNEXPECTED. A listener, and a component during its creation, cannot
 * change the assembly: -EBUSY.
 *
 * A uses port is in use from getPort to releasePort. Meanwhile its connections cannot be
 * broken and no interposer can be inserted or ejected at the other end; the error names
 * the holder. A listener of CONNECT events gets DISCONNECT_PENDING first and may release
 * the port then. Ports that an instance holds itself do not stop its removal. */
#ifndef FRAMEWORK_FRAMEWORK_H
#define FRAMEWORK_FRAMEWORK_H

#include "framework/cca.h"
#include "framework/repository.h"
#include "ports/builder_port.h"
#include "ports/parameter_port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cca_framework;
struct swap_port;

struct cca_framework_options {
    int dry;     /* use descriptors only, run no component code */
    int strict;  /* refuse code that other users can have written:
                  * cca_repository_be_strict */
    int measure; /* interpose every provides port at instantiation, except cca.* ports */
    /* port type that some instance must provide from the first call of a Go port on: if
     * no instance of the script provides it, one is created from the class that serves
     * the type; NULL: none. Borrowed */
    const char *served;
    /* shadow calls, "flux=HLLCFlux,GodunovFlux:1%" (docs/guide/shadow.md), begun before
     * the first call of a Go port. Borrowed */
    const char *const *shadows;
    int shadow_count;
    struct cca_cohort *cohort; /* ranks with the same assembly, framework/cohort.h;
                                * borrowed. NULL: this process is alone */
};

/* Make a framework, which owns `repository`. Returns NULL with `err` on failure. */
CCA_API struct cca_framework *
cca_framework_new(const struct cca_framework_options *options, struct cca_error *err);
/* Free the framework, even with ports in use: call all functions registered for release
 * while the whole assembly exists, disconnect everything (nobody may refuse), destroy all
 * instances (last created first; interposers and their servers last). Builders' listeners
 * are not called. NULL is allowed. */
CCA_API void cca_framework_free(struct cca_framework *framework);
/* createEmptyFramework: make a framework without instances, with the path of `like` and
 * its options except .served. Returns NULL with `err` on failure. */
CCA_API struct cca_framework *cca_framework_new_empty(const struct cca_framework *like,
                                                      struct cca_error *err);

/* getServices: the main program becomes an instance `name`. Its class `class_name` has
 * CCA_DYNAMIC_PORTS and is in no library; `properties` (NULL: none) are copied. The
 * program adds, registers and gets ports with these Services, borrowed until
 * cca_framework_release_services or cca_framework_free. The instance is connected like
 * any other; only the program can remove it. Returns NULL with `err` on failure, like
 * cca_framework_create. */
CCA_API struct cca_services *
cca_framework_get_services(struct cca_framework *framework, const char *name,
                           const char *class_name, const struct cca_typemap *properties,
                           struct cca_error *err);
/* releaseServices: disconnect and remove the instance. Returns like cca_framework_remove;
 * -EINVAL: it was not made by getServices. */
CCA_API int cca_framework_release_services(struct cca_framework *framework,
                                           struct cca_services *services,
                                           struct cca_error *err);

CCA_API struct cca_repository *cca_framework_repository(struct cca_framework *framework);
/* Return the cohort in the framework's options, or NULL. */
CCA_API struct cca_cohort *cca_framework_cohort(const struct cca_framework *framework);
CCA_API int cca_framework_set_property(struct cca_framework *framework, const char *key,
                                       const char *value);
/* True if a component has read the property `key`. */
CCA_API int cca_framework_property_asked(struct cca_framework *framework,
                                         const char *key);
/* Return the text set by cca_last_words_set, borrowed, or NULL. A signal handler may call
 * it. */
CCA_API const char *cca_last_words(void);
/* Call the function set by cca_last_moment_set. A signal handler may call it. */
CCA_API void cca_last_moment(void);
/* True if a component has called cca_files_lost. */
CCA_API int cca_are_files_lost(void);

/* Position of a thread in the code when it got a fatal signal. */
struct cca_fault {
    uintptr_t stack; /* its stack pointer */
    size_t count;    /* number of frames, innermost first; 0: unknown */
    const struct cca_fault_frame {
        uintptr_t code, stack; /* code: address in the function's code; stack: address
                                  where the frame begins */
        uintptr_t function;    /* address where the frame's function begins; 0: unknown */
    } * frames;

    /* Functions that find names, also called in the handler. Each may be NULL and may
     * return NULL: unknown. Borrowed until the next call. */

    /* Return the name of method `number`, counted from 0, of a port type. */
    const char *(*method)(const char *port_type, size_t number);
    /* Return the name of the function at `offset` of a shared object that was loaded from
     * `file` to `base`. */
    const char *(*function)(const char *file, uintptr_t base, uintptr_t offset);
};
/* Name the code at fault: instance, method or port, class, build id and place in the
 * file, as far as known, in one line without newline, cut to `size` > 0 bytes. It is made
 * for signal handlers: it takes no lock and allocates nothing. If the framework's lists
 * are damaged, it may itself cause a fault. */
CCA_API void cca_framework_blame(const struct cca_framework *framework,
                                 const struct cca_fault *fault, char *text, size_t size);

/* Create an instance. If `name` is NULL, it is the class name with the lowest free
 * number, returned by cca_framework_last_created. Errors: -ENOENT unknown class, -EEXIST
 * name in use, -EINVAL bad name (letters, digits, '_', '-', no dot), or the error of the
 * class. After a failure the instance does not exist. */
CCA_API int cca_framework_create(struct cca_framework *framework, const char *class_name,
                                 const char *name, struct cca_error *err);
CCA_API const char *cca_framework_last_created(const struct cca_framework *framework);
/* Disconnect an instance, then destroy it. -EBUSY, with the name of the holder, while a
 * port of it is in use; nothing is changed then. */
CCA_API int cca_framework_remove(struct cca_framework *framework, const char *name,
                                 struct cca_error *err);
/* Like cca_framework_remove, but threads of components get `timeout_s` seconds, >= 0, to
 * release ports in use; they may call no other service meanwhile. Listeners of the
 * disconnections are called before the wait. -EINVAL: bad timeout. */
CCA_API int cca_framework_remove_within(struct cca_framework *framework, const char *name,
                                        double timeout_s, struct cca_error *err);

/* Connect a uses port to a provides port. Type and size are compared, MAX_CONNECTIONS of
 * both sides is enforced, a second identical connection is refused. */
CCA_API int cca_framework_connect(struct cca_framework *framework, const char *user,
                                  const char *uses_port, const char *provider,
                                  const char *provides_port, struct cca_error *err);
CCA_API int cca_framework_disconnect(struct cca_framework *framework, const char *user,
                                     const char *uses_port, const char *provider,
                                     const char *provides_port, struct cca_error *err);
CCA_API int cca_framework_disconnect_within(struct cca_framework *framework,
                                            const char *user, const char *uses_port,
                                            const char *provider,
                                            const char *provides_port, double timeout_s,
                                            struct cca_error *err);
/* Break all connections between two instances in both directions, if there are any. */
CCA_API int cca_framework_disconnect_all(struct cca_framework *framework, const char *one,
                                         const char *other, double timeout_s,
                                         struct cca_error *err);

/* Interposition: see decision 3 of docs/architecture.md. If `class_name` is NULL, the
 * class is the default proxy. insert returns 0; -ENOTSUP: there is no default proxy, or
 * the port forbids interposers; -EEXIST: the port has an interposer; -EINVAL: the class
 * is no interposer for that type and size; -EBUSY: the port is in use; or an error in
 * creating the interposer or its servers. eject returns 0; -ENOENT: the port has no
 * interposer; -EBUSY: it is in use. .measure does not interpose ports that are added
 * after set_services; insert can. */
CCA_API int cca_framework_insert(struct cca_framework *framework, const char *instance,
                                 const char *port, const char *class_name,
                                 struct cca_error *err);
CCA_API int cca_framework_eject(struct cca_framework *framework, const char *instance,
                                const char *port, struct cca_error *err);
/* Let each call of a provides port go to one of several classes, by the rules in a file
 * (docs/guide/dispatch.md). The port's proxy, which is inserted if there is none, makes
 * the choice; an instance of each further class is made. Returns 0; -EINVAL: a rule, or a
 * class of another port type; -ENOTSUP: a class does not declare that calls are
 * independent, or the interposer cannot choose; -EEXIST: the port has rules; -EBUSY: the
 * port is in use; or an error of creating instances and of reading the file. */
CCA_API int cca_framework_dispatch(struct cca_framework *framework, const char *instance,
                                   const char *port, const char *file,
                                   struct cca_error *err);
/* Make an instance a slot, whose class can be exchanged while the program runs
 * (docs/guide/swap.md); with `class_name`, exchange it.
 *
 *   class_name  in  class to put in its place; NULL: only make the slot
 *   at          in  number of further calls of `step` (swap_port.h) before the swap; -1:
 *                   now
 *
 * Returns 0; -ENOENT: no such instance or class; -EINVAL, -ENOTSUP: the class cannot
 * replace the instance's class, or the port has no proxy; -EBUSY: a port is in use; 1: a
 * later step of the swap has failed, `err` has the cause, and the class is as before. */
CCA_API int cca_framework_swap(struct cca_framework *framework, const char *instance,
                               const char *class_name, int64_t at, struct cca_error *err);
/* Return the framework's port for swaps, with all their outcomes; borrowed for the life
 * of the framework. */
CCA_API struct swap_port *cca_framework_swap_port(struct cca_framework *framework);
/* At a sample of the calls of a provides port, call instances of other classes, too, on
 * copies of the arguments (docs/guide/shadow.md).
 *
 *   classes  in  names with commas between
 *   rate     in  "1%", or a fraction
 *
 * Returns 0; -ENOTSUP: copies of the arguments cannot be made, or a class does not
 * declare that calls are independent; otherwise like cca_framework_dispatch. */
CCA_API int cca_framework_shadow(struct cca_framework *framework, const char *instance,
                                 const char *port, const char *classes, const char *rate,
                                 struct cca_error *err);
/* Pass on the changes that learning has made to rules since the last call, each as a line
 * of text, which `put` borrows. */
CCA_API void cca_framework_learned(struct cca_framework *framework,
                                   void (*put)(void *context, const char *text),
                                   void *context);
/* With .measure: return the type with index `index` among the types of ports that are not
 * measured because they have no proxy, in the order in which they were found; NULL beyond
 * the last. */
CCA_API const char *cca_framework_unproxied(const struct cca_framework *framework,
                                            size_t index);
/* Return the reason why the class that is a proxy for every type refused that type; NULL:
 * there was no description of the type. */
CCA_API const char *cca_framework_unproxied_why(const struct cca_framework *framework,
                                                size_t index);

/* Set and get a parameter of an instance by the port ("config") that has it. */
CCA_API int cca_framework_set_parameter(struct cca_framework *framework,
                                        const char *instance, const char *port,
                                        const char *name, const char *value,
                                        struct cca_error *err);
CCA_API const char *cca_framework_parameter(struct cca_framework *framework,
                                            const char *instance, const char *port,
                                            const char *name, struct cca_error *err);
/* Return the parameter port of an instance, borrowed; NULL: it has none. */
CCA_API struct parameter_port *cca_framework_parameters(struct cca_framework *framework,
                                                        const char *instance,
                                                        const char *port,
                                                        struct cca_error *err);

/* Return the properties of an instance, or of one of its ports (CCA's component and port
 * properties). They are borrowed until the instance or port is removed, and may be
 * changed. NULL with `err`: no such instance or port, or out of memory. */
CCA_API struct cca_typemap *cca_framework_properties(struct cca_framework *framework,
                                                     const char *instance,
                                                     struct cca_error *err);
CCA_API struct cca_typemap *cca_framework_port_properties(struct cca_framework *framework,
                                                          const char *instance,
                                                          const char *port,
                                                          struct cca_error *err);

/* Return the properties of a connection. */
CCA_API struct cca_typemap *
cca_framework_connection_properties(struct cca_framework *framework, const char *user,
                                    const char *uses_port, const char *provider,
                                    const char *provides_port, struct cca_error *err);

/* List the required uses ports (MIN_CONNECTIONS) that are not connected. For the port
 * with index `index` it sets `item->user` and `item->uses_port`. Returns 0; -ENOENT
 * beyond the last. */
CCA_API int cca_framework_unconnected(struct cca_framework *framework, size_t index,
                                      struct builder_connection *item);

/* With .measure, instances that serve interposers may be created as late as the first use
 * of the assembly. This function does so now: it connects waiting interposers, and
 * creates missing servers, including the one of .served. cca_framework_go and
 * cca_framework_port call it first. On failure nothing is created, and the next call
 * tries again. */
CCA_API int cca_framework_settle(struct cca_framework *framework, struct cca_error *err);

/* Call the Go port of an instance, through its interposer if it has one. The call is
 * refused with -ENOTCONN if an instance that the port can reach lacks a required
 * connection, with -EBUSY if the port is running. Returns the result of go; if that is
 * not 0 `err` has the message of cca_services_fail, and exception
 * CCA_EXCEPTION_UNEXPECTED (err->code is -ECANCELED for a positive number). With .dry it
 * only checks. */
CCA_API int cca_framework_go(struct cca_framework *framework, const char *instance,
                             const char *port, struct cca_error *err);

/* Send BUILDER_GO_OVERDUE to builders' listeners: a call of a Go port has passed its
 * deadline. Any thread, also during the call, until cca_framework_free begins. */
CCA_API void cca_framework_overdue(struct cca_framework *framework, const char *instance,
                                   const char *port);

/* Return a provides port of an instance (or of the interposer in front of it) for users'
 * main programs, or NULL. Borrowed until the instance is removed. */
CCA_API void *cca_framework_port(struct cca_framework *framework, const char *instance,
                                 const char *port, const char *type, size_t size,
                                 struct cca_error *err);
/* Release a port that cca_framework_port has returned, for users' main programs. Until
 * then insert and eject are refused, because they would change the pointer. Returns 0;
 * -EINVAL: the port was not got. */
CCA_API int cca_framework_release_port(struct cca_framework *framework,
                                       const char *instance, const char *port,
                                       struct cca_error *err);

/* Return the builder port, with all queries that components can make; borrowed for the
 * life of the framework. */
CCA_API struct builder_port *cca_framework_builder(struct cca_framework *framework);

#ifdef __cplusplus
}
#endif
#endif
