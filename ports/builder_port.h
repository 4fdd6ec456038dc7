/* SPDX-License-Identifier: BSD-3-Clause */
/* builder_port.h: build and inspect the assembly from inside (CCA's BuilderService). A
 * class uses a port of this type; the framework connects it.
 *
 * All functions show the wiring as the script has it: interposers and the instances that
 * the framework made for them are invisible, unless a function's comment states
 * otherwise. */
#ifndef PORTS_BUILDER_PORT_H
#define PORTS_BUILDER_PORT_H

#include "ports/cca_port.h"

#define BUILDER_PORT_TYPE "cca.BuilderService/2"

struct cca_class;
struct cca_typemap;
struct swap_outcome;

/* An instance, borrowed until the assembly changes. */
struct builder_instance {
    const char *name;
    const struct cca_class *cls; /* descriptor of the instance's class; borrowed for the
                                  * life of the framework */
    const char *file;            /* shared object */
    const char *build_id; /* build id of the class's shared object, hexadecimal; "" if
                           * unknown */
    int interposer; /* true if the instance was made by insert or --measure, or to serve
                       such an instance */
};

/* A connection. Strings are borrowed until the assembly changes. */
struct builder_connection {
    const char *user, *uses_port, *provider, *provides_port;
};

enum builder_event_type {
    BUILDER_CREATED = 1, /* an instance was created; `instance` is set */
    BUILDER_REMOVED,     /* an instance is about to be destroyed */
    BUILDER_CONNECTED,   /* a connection was made; `connection` is set */
    BUILDER_DISCONNECTED,
    BUILDER_GO_PENDING, /* a call of the Go port `port` of `instance` begins: parameters
                           are final */
    BUILDER_GO_DONE,    /* the call of the Go port has returned `result` */
    BUILDER_GO_OVERDUE, /* the call of the Go port has not returned by its deadline. Sent
                           from a separate thread of the main program during the call,
                           which may be stuck: the listener may only report data that it
                           has stored, and must not use builder or framework */
    BUILDER_SWAPPED /* a swap of `instance` has succeeded or failed; `swap` is set. Sent
                       during the call of a Go port, or between two calls */
};

struct builder_event {
    enum builder_event_type type;
    const char *instance;
    const char *port;
    const struct builder_connection *connection;
    int result;
    const struct swap_outcome *swap; /* see swap_port.h */
};

typedef void (*builder_listener)(void *context, const struct builder_event *event);

struct builder_port {
    struct cca_port base;

    /* createInstance (`properties` are copied into the new instance's own; NULL: none),
     * destroyInstance (removes its connections first), connect (user first), disconnect,
     * disconnectAll (every connection between the two instances in either direction; it
     * is no error if there is none). Errors are the same as of the script commands.
     *
     *   timeout_s   in   seconds, >= 0, to wait for other threads to release ports in
     *                    use; after that time -EBUSY is returned and nothing is changed;
     *                    -EINVAL if it is not such a number
     *
     * While it waits, other threads may release ports and nothing else. */
    int (*create_instance)(struct builder_port *self, const char *name,
                           const char *class_name, const struct cca_typemap *properties,
                           struct cca_error *err) CCA_UNMEASURED;
    int (*destroy_instance)(struct builder_port *self, const char *name, double timeout_s,
                            struct cca_error *err) CCA_UNMEASURED;
    int (*connect)(struct builder_port *self, const char *user, const char *uses_port,
                   const char *provider, const char *provides_port,
                   struct cca_error *err) CCA_UNMEASURED;
    int (*disconnect)(struct builder_port *self, const char *user, const char *uses_port,
                      const char *provider, const char *provides_port, double timeout_s,
                      struct cca_error *err) CCA_UNMEASURED;
    int (*disconnect_all)(struct builder_port *self, const char *one, const char *other,
                          double timeout_s, struct cca_error *err) CCA_UNMEASURED;

    /* getComponentIDs: get the instance with index `index` in order of creation; with
     * `all` != 0 interposers count, too. getConnectionIDs: get the connection with index
     * `index` in order of creation. Each returns 0 and fills `*item`, or -ENOENT beyond
     * the last. */
    int (*instance)(struct builder_port *self, size_t index, int all,
                    struct builder_instance *item) CCA_UNMEASURED;
    int (*connection)(struct builder_port *self, size_t index,
                      struct builder_connection *item) CCA_UNMEASURED;
    /* getComponentID, getDeserialization: find an instance by its name, which is its
     * whole identity. Returns 0 and fills `*item`, or -ENOENT. */
    int (*find)(struct builder_port *self, const char *name,
                struct builder_instance *item) CCA_UNMEASURED;

    /* getProvidedPortNames, getUsedPortNames: get name and type of the port with index
     * `index` of an instance. Each returns 0, or -ENOENT beyond the last. */
    int (*provided_port)(struct builder_port *self, const char *instance, size_t index,
                         const char **name, const char **type) CCA_UNMEASURED;
    int (*used_port)(struct builder_port *self, const char *instance, size_t index,
                     const char **name, const char **type) CCA_UNMEASURED;

    /* getComponentsThatProvide, getComponentsThatUse: get instance and name of the port
     * with index `index` among the assembly's ports of `type`, in order of creation. Each
     * returns 0, or -ENOENT beyond the last. */
    int (*providing_type)(struct builder_port *self, const char *type, size_t index,
                          const char **instance, const char **port) CCA_UNMEASURED;
    int (*using_type)(struct builder_port *self, const char *type, size_t index,
                      const char **instance, const char **port) CCA_UNMEASURED;

    /* get and setComponentProperties, -PortProperties, -ConnectionProperties: return the
     * map of properties itself, borrowed until the instance, port or connection is
     * removed. Values put into it are kept. Returns NULL with `err`: there is no such
     * instance, port or connection, or out of memory. */
    struct cca_typemap *(*properties)(struct builder_port *self, const char *instance,
                                      struct cca_error *err)CCA_UNMEASURED;
    struct cca_typemap *(*port_properties)(struct builder_port *self,
                                           const char *instance, const char *port,
                                           struct cca_error *err)CCA_UNMEASURED;
    struct cca_typemap *(*connection_properties)(struct builder_port *self,
                                                 const char *user, const char *uses_port,
                                                 const char *provider,
                                                 const char *provides_port,
                                                 struct cca_error *err)CCA_UNMEASURED;

    /* `parameter` returns the current value of a parameter of an instance as text,
     * borrowed until it is set; NULL if there is no such parameter. `set_parameter`
     * returns like `set` of parameter_port. */
    const char *(*parameter)(struct builder_port *self, const char *instance,
                             const char *name)CCA_UNMEASURED;
    int (*set_parameter)(struct builder_port *self, const char *instance,
                         const char *name, const char *value,
                         struct cca_error *err) CCA_UNMEASURED;

    /* Insert and eject an interposer, as in scripts; if `class_name` is NULL, the class
     * is the default proxy. */
    int (*insert)(struct builder_port *self, const char *instance, const char *port,
                  const char *class_name, struct cca_error *err) CCA_UNMEASURED;
    int (*eject)(struct builder_port *self, const char *instance, const char *port,
                 struct cca_error *err) CCA_UNMEASURED;
    /* True if an interposer stands in front of a provides port. */
    int (*interposed)(struct builder_port *self, const char *instance,
                      const char *port) CCA_UNMEASURED;

    /* Call a listener at each change of the assembly. add_listener returns 0, -ENOMEM, or
     * -EINVAL for a NULL; remove_listener 0 or -ENOENT. Listeners must not change the
     * assembly. */
    int (*add_listener)(struct builder_port *self, builder_listener listener,
                        void *context) CCA_UNMEASURED;
    int (*remove_listener)(struct builder_port *self, builder_listener listener,
                           void *context) CCA_UNMEASURED;
};

#endif
