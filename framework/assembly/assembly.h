/* SPDX-License-Identifier: BSD-3-Clause */
/* assembly.h: internals of the framework, shared by its files: instances, sockets (the
 * ports of an instance) and connections.
 *
 *   instance ─ socket (uses) ── connection ── socket (provides) ─ instance
 *                                                │ front
 *                                                ▼
 *                                       socket `port` of the interposer
 *
 * Interposing does not change connections. The provides socket points to its interposer
 * (`front`), so that users call the interposer. The interposer's own connection to the
 * socket is a FRONTING one, which is not in the socket's list. */
#ifndef FRAMEWORK_ASSEMBLY_ASSEMBLY_H
#define FRAMEWORK_ASSEMBLY_ASSEMBLY_H

#include <pthread.h>
#include <stdint.h>

#include "framework/framework.h"
#include "framework/base/list.h"
#include "framework/base/base.h"
#include "common/array.h"
#include "common/nearest.h"
#include "framework/assembly/params.h"
#include "framework/base/table.h"
#include "ports/abstract_framework_port.h"
#include "ports/component_repository_port.h"
#include "ports/connection_event_port.h"
#include "ports/exchange_port.h"
#include "framework/assembly/rules.h"
#include "ports/mpi_port.h"
#include "ports/parameter_factory_port.h"
#include "ports/service_registry_port.h"
#include "ports/swap_port.h"

#define CCA_CONFIG_PORT "config"   /* name of the provides port for declared parameters */
#define CCA_INTERPOSER_PORT "port" /* name of both ports of an interposer */
#define CCA_SERVICE_PREFIX "cca."  /* prefix of the framework's own port types */

enum { CCA_HINT_SIZE = 160 };

struct cca_connection;

/* One port of one instance. */
struct cca_socket {
    struct cca_instance *owner;
    char *name;
    char *type; /* type of the port; "" if unknown: an undeclared port of a dynamic
                 * class in a dry run */
    size_t size;
    int uses; /* true for a uses port, false for a provides port */
    int min, max;
    unsigned flags; /* flags of the port, enum cca_port_flags */
    int held; /* number of times that the owner got the port and has not released it;
                 __atomic */
    int pins; /* event deliveries in progress that use the socket */
    struct cca_typemap *properties;
    struct cca_connection **connections; /* connections of the port, in order of
                                          * connecting */
    size_t count;

    /* --- members of a uses port --- */
    struct cca_port *service; /* the framework's own port or a registered service's port;
                               * or NULL */
    /* the registered service from which `service` comes; or NULL */
    struct cca_service *served_by;
    struct cca_port *lent_port; /* port lent by the cohort, to be given back; or
                                 * NULL */
    /* --- members of a provides port --- */
    struct cca_port *port; /* NULL in a dry run */
    /* provides port of the interposer in front of this socket, or NULL */
    struct cca_socket *front;
    int lent; /* number of times that the main program got the port and has not released
                 it */
    int running; /* number of calls of `go` of this port that are in progress */
};

enum cca_connection_kind {
    CCA_WRITTEN, /* a connection made by a script or a builder */
    CCA_SERVING, /* a connection from an interposer to an instance that serves it; not in
                    the list of connections */
    CCA_FRONTING /* a connection from an interposer to the port that it fronts */
};

struct cca_connection {
    struct cca_link link; /* link in the framework's list of connections, if
                           * CCA_WRITTEN */
    enum cca_connection_kind kind;
    struct cca_socket *user, *provider;
    struct cca_typemap *properties; /* properties of the connection; NULL until first
                                     * used */
};

/* A builder port, of the framework itself or of one instance. An instance owns the
 * listeners that it adds. */
struct cca_builder {
    struct builder_port port;
    struct cca_framework *framework;
    struct cca_instance *owner; /* instance that has the builder port; NULL: the main
                                 * program */
};

struct cca_connection_events {
    struct connection_event_port port;
    struct cca_instance *owner;
};

/* A port type that an instance provides to the whole assembly. */
struct cca_service {
    struct cca_service *next;
    char *type;
    size_t size;
    struct cca_instance *owner;
    const struct service_provider *provider; /* source of ports: either `provider` or
                                              * `single` is set */
    struct cca_port *single;
    size_t users; /* number of sockets that have a port from this service, also of
                     instances that are being created */
};

struct cca_service_registry {
    struct service_registry_port port;
    struct cca_instance *owner;
};

struct cca_abstract_framework {
    struct abstract_framework_port port;
    struct cca_framework *framework;
};

struct cca_component_repository {
    struct component_repository_port port;
    struct cca_framework *framework;
};

/* One of the two functions is set; both are NULL after the listener was removed. */
struct cca_parameter_listener {
    parameter_get_listener get;
    parameter_set_listener set;
    void *context;
};

/* A parameter port provided by the framework: `config`, or one made by a factory. */
struct cca_config {
    struct parameter_port port;
    struct cca_instance *owner;
    struct cca_params *params; /* parameters of the instance, or of a factory's port */
    struct cca_params own;
    struct cca_config *next; /* next port made by the factory */
    char *group; /* group title for the parameters that are added next, or NULL */
    struct cca_parameter_listener *listeners;
    size_t listener_count;
    int updating; /* true while listeners of reads are running */
};

struct cca_factory {
    struct parameter_factory_port port;
    struct cca_instance *owner;
};

struct cca_connection_listener {
    enum connection_event_type type;
    connection_listener function; /* the listener; NULL: it was removed while events
                                   * were delivered */
    void *context;
};

struct cca_release {
    void (*function)(void *context);
    void *context;
};

/* Handle of an instance that its component holds (gov.cca.Services). */
struct cca_services {
    struct cca_instance *instance;
};

/* An instance. */
struct cca_instance {
    struct cca_services services;
    struct cca_link link;         /* link in the list of all instances, in order of
                                   * creation */
    struct cca_link visible_link; /* link in the list of visible instances, unless the
                                   * instance is hidden */
    struct cca_framework *framework;
    char *name;
    const struct cca_class *cls;
    const struct cca_class_info *info;
    void *self;                      /* the component's object; NULL in a dry run, and
                                      * for an embedded instance */
    struct cca_class_info *embedded; /* class of an instance that was made by getServices,
                                        owned by the instance; or NULL */
    int hidden;                      /* true if the instance is an interposer, or was
                                      * created to serve one */
    int linked;                      /* true if the instance is part of the assembly */
    int announced;                   /* true if the event BUILDER_CREATED was sent for the
                                      * instance */
    int leaving; /* true if the instance is being removed; ports that it holds itself do
                  * not prevent that */
    unsigned visit; /* number of the last walk through the assembly that visited the
                     * instance */

    /* of an interposer: the provides port in front of which it stands */
    struct cca_socket *fronts;
    int marked;        /* true if .measure has inserted the interposer, not a command */
    char *description; /* path of the file that describes the fronted port type; NULL
                          until it is found */
    struct cca_dispatch *dispatch; /* rules that choose the target of each call; NULL:
                                    * none */
    struct cca_dispatch *shadow;   /* classes of shadow calls; NULL: none */
    int rival; /* true if the instance was made by `dispatch`, `shadow` or `swap`: it
                * stands behind a proxy beside the instance of the slot */
    struct cca_slot *slot; /* of an instance whose class can be exchanged; or NULL */
    int spoiled; /* true after it could not take a state: no swap uses it again */

    struct cca_table socket_names[2]; /* ports by name: [0] provides ports, [1] uses
                                       * ports */
    struct cca_socket **sockets;      /* in order */
    size_t socket_count;
    struct cca_typemap *properties; /* properties of the instance; NULL until first
                                     * used */
    struct cca_params params;
    struct cca_config config;
    struct cca_factory factory;
    struct cca_connection_events events;
    struct cca_builder builder;
    struct cca_service_registry registry;
    struct cca_connection_listener *listeners;
    size_t listener_count;
    int delivering; /* number of nested deliveries of events to `listeners` */
    struct cca_release *releases;
    size_t release_count;
};

/* Rules by which a proxy chooses among several classes, or the classes of its shadow
 * calls, without rules. */
struct cca_dispatch {
    char *file;
    struct cca_rules rules;
    /* provides ports to which calls may go, in the order of rules.classes: the slot, then
     * a port of each rival */
    struct cca_socket **ends;
    size_t count;
};

/* A slot: an instance of the script whose class can be exchanged while the program runs.
 * Its proxies count the calls in progress. */
struct cca_slot {
    struct cca_slot *next;         /* in the order in which the slots were made */
    struct cca_instance *instance; /* of the script */
    struct cca_instance *current;  /* gets the calls now: `instance`, or a rival */
    struct cca_instance **rivals;  /* instances of classes to which it was swapped */
    size_t rival_count;
    struct cca_socket **ports; /* provides ports of `instance`, all with a proxy */
    size_t port_count;
    /* the script's swap at the coming step `due_at`; NULL: none. Requests of components
     * leave it alone: one rank's must not hide it from that rank only */
    const struct cca_class_info *due;
    int64_t due_at;
    /* a component's request for the next step; NULL: none */
    const struct cca_class_info *wanted;
    char *reason;
    /* a swap about which the ranks vote until the next step */
    const struct cca_class_info *voted;
    char *voted_reason;
};

/* A swap that was tried. */
struct cca_swap {
    struct swap_outcome outcome;
    char *strings;            /* of `outcome`, one after the other */
    struct cca_error failure; /* has the text of `outcome` */
};

/* The framework's port for swaps, and all slots. */
struct cca_swapper {
    struct swap_port port;
    struct cca_framework *framework;
    struct cca_slot *slots;
    int64_t steps; /* number of calls of `step` */
    struct cca_swap **log;
    size_t log_count;
    struct exchange_port
        *ranks; /* for agreements; lent by the cohort. NULL: not used yet */
    struct exchange_port *vote; /* for the reduction from one step to the next */
    int is_voting;              /* true if that reduction was begun */
    int is_cancelled;           /* true if another rank has failed */
};

/* The framework's current call of a component, for a report after a crash. */
struct cca_activity {
    struct cca_instance *instance;
    const char *what; /* name of the called function: "create", "set_services", a Go
                       * port, ...; NULL: no call */
    pthread_t thread;
    uintptr_t stack; /* the frames of the call are below this address */
};

/* A port type without a proxy, left out by --measure. */
struct cca_unproxied {
    char *type;
    char *why; /* reason why there is no proxy; NULL: no class on the path knows the
                * type */
};

struct cca_builder_listener {
    builder_listener function; /* the listener; NULL: it was removed while events were
                                * delivered */
    void *context;
    struct cca_instance *owner;
};

struct cca_framework {
    struct cca_framework_options options;
    struct cca_repository *repository;
    struct cca_typemap *properties;
    struct cca_typemap *asked; /* keys of `properties` that a component has read; guarded
                                * by words_lock */
    struct cca_list instances, visible, connections;
    struct cca_table names, hidden_names;
    char *last_created;
    pthread_t thread; /* thread that created the framework and runs it */
    struct cca_activity activity;
    const char *changing; /* the command that is changing the assembly, or NULL */
    double patience_s;    /* total time that this command waits for ports in use */
    unsigned visit;
    int unsettled;   /* true if the instances that serve interposers are not connected yet
                      */
    int dispatching; /* number of proxies with rules or shadow calls */
    int shadowed;    /* true after options.shadows have been applied */
    int interposing; /* nesting depth of the functions that make and connect
                      * interposers */
    int64_t interposing_start_ns, interposing_ns; /* their CPU time */
    struct cca_builder builder;
    struct cca_abstract_framework abstract;
    struct cca_component_repository component_repository;
    struct cca_swapper swapper;
    struct cca_service *services; /* services that instances have registered */
    struct cca_builder_listener *listeners;
    size_t listener_count;
    int delivering;
    struct cca_unproxied *unproxied;
    size_t unproxied_count;
    struct cca_table unproxied_types;
    pthread_mutex_t words_lock;
    char words[384]; /* first message of cca_services_fail since the last call of a Go
                        port; "": none */
};

#define cca_instance_of_link(pointer) cca_container_of(pointer, struct cca_instance, link)
#define cca_instance_of_visible(pointer)                                                 \
    cca_container_of(pointer, struct cca_instance, visible_link)
#define cca_connection_of(pointer) cca_container_of(pointer, struct cca_connection, link)

/* --- find.c --------------------------------------------------------------- */
/* Begin and end a change: every command that changes the assembly runs between these two
 * calls. cca_change_begin returns 0, or -EBUSY: another command is running. */
int cca_change_begin(struct cca_framework *framework, const char *command,
                     struct cca_error *err);
void cca_change_end(struct cca_framework *framework);
/* Check a time limit. Returns 0, or -EINVAL unless it is a number of seconds >= 0. */
int cca_timeout_check(double timeout_s, struct cca_error *err);
/* Raise the error `inner` of a component as "WHO: inner", where `format` makes WHO;
 * `code` is not 0. The exception is CCA_EXCEPTION_UNEXPECTED. Returns a negative
 * errno. */
int cca_component_failed(struct cca_error *err, int code, const struct cca_error *inner,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Find an instance by name, visible instances first; NULL with `err` and the nearest
 * name. */
struct cca_instance *cca_framework_find(struct cca_framework *framework, const char *name,
                                        struct cca_error *err);

/* --- blame.c -------------------------------------------------------------- */
/* Record that the framework calls `what` of an instance. Returns the call that was
 * recorded before, for cca_activity_end. */
struct cca_activity cca_activity_begin(struct cca_instance *instance, const char *what);
void cca_activity_end(struct cca_framework *framework, const struct cca_activity *before);
/* Return the innermost call with frames above address `stack`, from the function that was
 * set by cca_last_call_set; or NULL. */
const char *cca_last_call(uintptr_t stack);

/* --- typemap.c ------------------------------------------------------------ */
int cca_typemap_merge(struct cca_typemap *map, const struct cca_typemap *from);

/* --- socket.c ------------------------------------------------------------- */
/* Make a socket of `owner` from a declaration; `properties` (NULL: none) are added to the
 * properties of the port. */
struct cca_socket *cca_socket_new(struct cca_instance *owner, int uses,
                                  const struct cca_port_decl *decl,
                                  const struct cca_typemap *properties,
                                  struct cca_error *err);
/* Remove a socket from its owner and free it; it must have no connections. */
void cca_socket_free(struct cca_socket *socket);
/* Find a socket by direction and name; NULL: none. */
struct cca_socket *cca_socket_in(const struct cca_instance *owner, int uses,
                                 const char *name);
/* Find a socket by name, uses ports first. */
struct cca_socket *cca_socket_find(const struct cca_instance *owner, const char *name);
/* Find a socket by name and direction for a command; NULL with `err` and the nearest
 * name. */
struct cca_socket *cca_socket_get(struct cca_instance *owner, int uses, const char *name,
                                  struct cca_error *err);
/* Return the pointer that users of a provides socket get. */
static inline struct cca_port *cca_socket_port(const struct cca_socket *provider)
{
    return provider->front ? provider->front->port : provider->port;
}
/* Compare the signatures of a port type in two classes. Returns 0 unless both classes
 * have one, and these differ. */
int cca_signatures_match(const struct cca_class *user, const struct cca_class *provider,
                         const char *type, struct cca_error *err);
/* Check that `user` can be connected to `provider`: they have the same type and size.
 * Returns 0 or a negative errno. */
int cca_socket_match(const struct cca_socket *user, const struct cca_socket *provider,
                     struct cca_error *err);
/* Check that other instances, the main program and calls of `go` have released a provides
 * socket as often as they got it. Returns 0, or -EBUSY with the name of the holder. */
int cca_socket_idle(const struct cca_socket *provider, struct cca_error *err);
/* Return the declaration of a port in a descriptor's array, or NULL. */
const struct cca_port_decl *cca_port_decl_find(const struct cca_port_decl *decls,
                                               const char *name);

/* True for a class of interposers for all described port types: the ports of its
 * instances are made when the type is known. */
static inline int cca_class_fronts_any(const struct cca_class *cls)
{
    return cls->proxy_for && *cls->proxy_for == '*';
}

/* --- instance.c ----------------------------------------------------------- */
void cca_embedded_free(struct cca_class_info *info);
/* Create an instance. `fronts`: the provides port in front of which it will be, if it
 * is an interposer; else NULL. */
int cca_instance_create(struct cca_framework *framework,
                        const struct cca_class_info *info, const char *name, int hidden,
                        struct cca_socket *fronts, struct cca_instance **created,
                        struct cca_error *err);
/* Create an instance without component code, of the class `info` (stolen, also on
 * failure). */
int cca_instance_embed(struct cca_framework *framework, struct cca_class_info *info,
                       const char *name, const struct cca_typemap *properties,
                       struct cca_instance **created, struct cca_error *err);
/* Remove an instance from the assembly and destroy it; it must be disconnected. */
void cca_instance_destroy(struct cca_instance *instance);
/* Call the functions registered for release, once each. */
void cca_instance_release(struct cca_instance *instance);

/* --- connection.c --------------------------------------------------------- */
/* Connect two ports. If a listener fails afterwards, its error is returned, too, and
 * the connection remains. */
int cca_connection_make(struct cca_socket *user, struct cca_socket *provider,
                        enum cca_connection_kind kind, struct cca_error *err);
/* Send DISCONNECT_PENDING to the listeners of a connection. Refuse if the user still
 * holds the port after the time that the framework waits for it, unless the user is being
 * removed, too. After a refusal the connection remains, and the listeners have got
 * CONNECTED. */
int cca_connection_may_break(struct cca_connection *connection, struct cca_error *err);
/* Undo cca_connection_may_break: send CONNECTED to every listener that got
 * DISCONNECT_PENDING. */
void cca_connection_stays(struct cca_connection *connection);
/* Break and free a connection; returns the first failure of a listener. */
int cca_connection_cut(struct cca_connection *connection, struct cca_error *err);

/* --- removal.c ------------------------------------------------------------ */
/* Disconnect and destroy an instance and its interposers. It is refused, and nothing
 * changed, if another instance holds a port of it, or a listener refuses. If nobody
 * refuses, it is destroyed, also if listeners fail afterwards; their first error is
 * returned. */
int cca_instance_remove(struct cca_instance *instance, struct cca_error *err);
/* Break all connections between two instances, if there are any. */
int cca_instances_part(struct cca_instance *one, struct cca_instance *other,
                       struct cca_error *err);
/* Undo a command that failed: remove the instances made after the first `count`;
 * listeners cannot refuse. */
void cca_instance_roll_back(struct cca_framework *framework, size_t count);

/* --- events.c ------------------------------------------------------------- */
void cca_connection_events_init(struct cca_instance *owner);
/* Call the listeners of the instance that owns `own`. An event about a pending change
 * goes to the listeners until one refuses; other events go to all listeners. Returns the
 * first error. */
int cca_connection_event(struct cca_socket *own, const struct cca_socket *peer,
                         enum connection_event_type type, struct cca_error *err);
int cca_builder_listen(struct cca_builder *builder, builder_listener listener,
                       void *context);
int cca_builder_unlisten(struct cca_builder *builder, builder_listener listener,
                         void *context);
void cca_builder_forget(struct cca_instance *owner); /* remove all builder listeners of
                                                      * `owner` */
void cca_builder_event(struct cca_framework *framework,
                       const struct builder_event *event);
/* Send a builder event about a connection of kind CCA_WRITTEN; connections of other kinds
 * have no events. */
void cca_builder_connection_event(const struct cca_connection *connection,
                                  enum builder_event_type type);

/* --- registry.c ----------------------------------------------------------- */
void cca_service_registry_init(struct cca_instance *owner);
struct cca_service *cca_service_find(const struct cca_framework *framework,
                                     const char *type);
/* Connect a uses port to the port of a service. Undo it with cca_service_give_back, also
 * after a failure. */
int cca_service_take(struct cca_service *service, struct cca_socket *socket,
                     struct cca_error *err);
void cca_service_give_back(struct cca_socket *socket);
/* Check that no instance that remains uses a port from a service of `owner`. Returns 0,
 * or -EBUSY with `err`. */
int cca_instance_unused(const struct cca_instance *owner, struct cca_error *err);
/* Remove all services of an instance. */
void cca_instance_unserve(struct cca_instance *owner);

/* --- embed.c -------------------------------------------------------------- */
void cca_abstract_framework_init(struct cca_abstract_framework *abstract,
                                 struct cca_framework *framework);
void cca_component_repository_init(struct cca_component_repository *repository,
                                   struct cca_framework *framework);

/* --- builder.c, config.c -------------------------------------------------- */
/* Make the framework's own builder port, which instances copy. */
void cca_builder_init(struct cca_framework *framework);
/* Make a parameter port of `owner` for the parameters `params`; if NULL, for parameters
 * of its own. */
void cca_config_init(struct cca_config *config, struct cca_instance *owner,
                     struct cca_params *params);
void cca_configs_done(struct cca_instance *owner);

/* --- factory.c ------------------------------------------------------------ */
void cca_factory_init(struct cca_instance *owner);

/* --- interpose.c ---------------------------------------------------------- */
int cca_interpose(struct cca_socket *provider, const char *class_name,
                  struct cca_error *err);
int cca_eject(struct cca_socket *provider, struct cca_error *err);
/* Insert the default proxy, without connecting it to a recorder. */
int cca_interpose_bare(struct cca_socket *provider, struct cca_error *err);
/* Make a new instance name from `stem`. Characters that instance names cannot have become
 * '_'. */
void cca_unique_name(struct cca_framework *framework, const char *stem,
                     char name[CCA_NAME_LONGEST + 1]);
/* Insert proxies in front of the ports of a new instance, for --measure. */
int cca_interpose_all(struct cca_instance *instance, struct cca_error *err);
/* For .measure: connect the unconnected optional uses ports for whose type a class
 * declares `serves`. */
int cca_serve_optional(struct cca_framework *framework, struct cca_error *err);

/* --- rivals.c ------------------------------------------------------------- */
/* Find the provides port of a class that can stand in for `slot`: a port of the same
 * type, preferably of the same name. NULL: there is none. */
const char *cca_rival_port(const struct cca_class *cls, const struct cca_socket *slot,
                           unsigned *flags);
/* Check by the flags of a port that its calls may go to instances of several classes. */
int cca_independent_check(const char *class_name, const char *port, unsigned flags,
                          struct cca_error *err);
/* Give a rival the parameters and connections of the slot's instance. */
int cca_rival_follow(struct cca_instance *slot, struct cca_instance *rival,
                     struct cca_error *err);

/* Check that calls of an instance go to itself, not to a class after a swap. */
int cca_slot_at_home(const struct cca_instance *instance, struct cca_error *err);
/* Forget the slot of an instance; NULL is allowed. */
void cca_slot_free(struct cca_slot *slot);
/* Give the rivals of all slots the parameters and connections of the slots. */
int cca_slots_follow(struct cca_framework *framework, struct cca_error *err);
/* Describe a provides port as a target of calls of a proxy. */
struct dispatch_target cca_rival_target(const struct cca_socket *port);

/* --- dispatch.c ----------------------------------------------------------- */
/* Let the calls of a provides port go to several classes, by the rules in `file`. */
int cca_dispatch(struct cca_socket *slot, const char *file, struct cca_error *err);
/* Give all rivals the parameters and connections of their slots. */
int cca_dispatch_follow(struct cca_framework *framework, struct cca_error *err);
void cca_dispatch_free(struct cca_dispatch *dispatch);
/* Make an instance of a class that can stand in for `slot`. */
int cca_rival_make(struct cca_instance *slot, const struct cca_class_info *info,
                   struct cca_instance **made, struct cca_error *err);

/* --- swap/slot.c, swap/swap.c, swap/steps.c -------------------------------- */
void cca_swapper_init(struct cca_swapper *swapper, struct cca_framework *framework);
void cca_swapper_done(struct cca_swapper *swapper);
/* Make an instance a slot, unless it is one: insert proxies where there are none. */
int cca_slot_make(struct cca_instance *instance, struct cca_error *err);
/* Check by descriptors that a class may replace the class of a slot. */
int cca_slot_check(const struct cca_slot *slot, const struct cca_class_info *info,
                   struct cca_error *err);
/* Exchange the class of a slot. Returns 0, also if it is that class already; or a
 * negative errno, the same on all ranks: the class is as before. Collective. */
int cca_swap(struct cca_slot *slot, const struct cca_class_info *info, const char *reason,
             struct cca_error *err);
/* Add a swap to the list of outcomes that failed because the ranks did not agree. */
void cca_swap_refused(struct cca_slot *slot, const struct cca_class_info *info,
                      const char *reason, const char *text);
/* Agree on the success of a step: all ranks get the status and the text of the first rank
 * that failed. `digest`: must be equal on all ranks. Returns the common status. */
int cca_swap_agree(struct cca_swapper *swapper, uint64_t digest, int status,
                   struct cca_error *err);
/* Make an instance of a class for `slot`, the next one of dispatch->ends, which has
 * room. */
int cca_dispatch_rival(struct cca_dispatch *dispatch, struct cca_socket *slot,
                       const char *class_name, struct cca_error *err);
/* Check that calls of the slot may go to several instances of its class. */
int cca_dispatch_check(const struct cca_socket *slot, struct cca_error *err);
/* Return the targets of dispatch->ends, new; NULL: out of memory. */
struct dispatch_target *cca_dispatch_targets(const struct cca_dispatch *dispatch);
/* Return the rules of an interposer (`which` 0) or its shadow calls (1); NULL: none. */
static inline struct cca_dispatch *cca_dispatch_of(const struct cca_instance *instance,
                                                   int which)
{
    return which ? instance->shadow : instance->dispatch;
}

/* --- shadow.c ------------------------------------------------------------- */
/* Call classes on copies of the arguments, at a sample of the calls of a provides port.
 * `classes` has commas between; `rate` is "1%". */
int cca_shadow(struct cca_socket *slot, const char *classes, const char *rate,
               struct cca_error *err);
/* Apply the option .shadows, once. */
int cca_shadow_options(struct cca_framework *framework, struct cca_error *err);

#endif
