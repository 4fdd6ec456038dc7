/* SPDX-License-Identifier: BSD-3-Clause */
/* cca.h: the framework's interface for components: class descriptor and Services.
 *
 *     struct efm {
 *         struct flux_port port;
 *         struct cca_services *services;
 *     };
 *
 *     static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
 *                                           .compute = efm_compute};
 *
 *     CCA_EXPORT const struct cca_class cca_class = {
 *         CCA_CLASS(struct efm, services),
 *         .name = "EFMFlux",
 *         .summary = "equilibrium flux method",
 *         CCA_IMPLEMENTS({"flux", offsetof(struct efm, port), &port.base}),
 *     };
 *
 * Life of an instance in steps; a step whose function is NULL is skipped:
 *
 *   1. create makes the instance; without create the framework allocates instance_size
 *      zeroed bytes, aligned to a cache line (64 bytes)
 *   2. if the class has an instance_size, the framework stores the services pointer at
 *      services_offset, copies each port of `implements` to its offset and adds it as a
 *      provides port
 *   3. set_services prepares the rest: further ports, listeners; it may read parameters
 *      but must not call ports
 *   4. any number of connects and calls
 *   5. destroy, when all connections are gone, also after a failed set_services: it frees
 *      the instance's resources, and the instance itself if create made it; otherwise the
 *      framework frees the instance
 *
 * No C++ exception may leave these functions: the framework is C. */
#ifndef FRAMEWORK_CCA_H
#define FRAMEWORK_CCA_H

#include "ports/cca_port.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCA_ABI 2u

#if defined(CCA_BUILDING_FRAMEWORK)
#define CCA_API __attribute__((visibility("default")))
#else
#define CCA_API
#endif

/* --- Typed maps (gov.cca.TypeMap) ----------------------------------------- */

enum cca_type {
    CCA_NONE = 0,
    CCA_INT = 1, /* type numbers as in the CCA specification */
    CCA_LONG = 2,
    CCA_FLOAT = 3,
    CCA_DOUBLE = 4,
    CCA_FCOMPLEX = 5,
    CCA_DCOMPLEX = 6,
    CCA_STRING = 7,
    CCA_BOOL = 8,
    CCA_INT_ARRAY = 21, /* elements: int */
    CCA_LONG_ARRAY,     /* int64_t */
    CCA_FLOAT_ARRAY,    /* float */
    CCA_DOUBLE_ARRAY,   /* double */
    CCA_FCOMPLEX_ARRAY, /* float[2]: real and imaginary part */
    CCA_DCOMPLEX_ARRAY, /* double[2] */
    CCA_STRING_ARRAY,   /* const char * */
    CCA_BOOL_ARRAY      /* int, 0 or 1 */
};

struct cca_typemap; /* a map from keys to typed values */

CCA_API struct cca_typemap *cca_typemap_new(void); /* make a map; NULL: out of memory */
CCA_API void cca_typemap_free(struct cca_typemap *map);
/* cloneTypeMap, for users' components: return a copy of a map; NULL: out of memory. If
 * `map` is NULL, the copy is empty. */
CCA_API struct cca_typemap *cca_typemap_clone(const struct cca_typemap *map);
/* Put a value into a map. Returns 0; -EINVAL: no map, no key or an empty key, or no
 * value; -EEXIST: the key has a value of another type (TypeMismatch); -ENOMEM. */
CCA_API int cca_typemap_put_int(struct cca_typemap *map, const char *key, int value);
CCA_API int cca_typemap_put_long(struct cca_typemap *map, const char *key, int64_t value);
CCA_API int cca_typemap_put_float(struct cca_typemap *map, const char *key, float value);
CCA_API int cca_typemap_put_double(struct cca_typemap *map, const char *key,
                                   double value);
CCA_API int cca_typemap_put_bool(struct cca_typemap *map, const char *key, int value);
CCA_API int cca_typemap_put_string(struct cca_typemap *map, const char *key,
                                   const char *value);
/* Put a complex number, real part first. */
CCA_API int cca_typemap_put_fcomplex(struct cca_typemap *map, const char *key,
                                     const float value[2]);
CCA_API int cca_typemap_put_dcomplex(struct cca_typemap *map, const char *key,
                                     const double value[2]);
/* Put an array, `type` CCA_INT_ARRAY to CCA_BOOL_ARRAY, of `count` elements, which are
 * copied, strings with their texts. `values` may be NULL if `count` is 0. Returns like
 * cca_typemap_put_int; -EINVAL, too, if `type` is not a type of arrays. */
CCA_API int cca_typemap_put_array(struct cca_typemap *map, const char *key,
                                  enum cca_type type, const void *values, size_t count);
/* Get a value; `missing` if the key is absent or has a value of another type. Strings are
 * borrowed until the key is put again or the map is freed. A `map` that is NULL counts as
 * empty. */
CCA_API int cca_typemap_get_int(const struct cca_typemap *map, const char *key,
                                int missing);
CCA_API int64_t cca_typemap_get_long(const struct cca_typemap *map, const char *key,
                                     int64_t missing);
CCA_API float cca_typemap_get_float(const struct cca_typemap *map, const char *key,
                                    float missing);
/* Get a complex number, borrowed like a string; `missing` may be NULL. */
CCA_API const float *cca_typemap_get_fcomplex(const struct cca_typemap *map,
                                              const char *key, const float missing[2]);
CCA_API const double *cca_typemap_get_dcomplex(const struct cca_typemap *map,
                                               const char *key, const double missing[2]);
/* Get the elements of an array, borrowed, and their number. The result is NULL, and the
 * number 0, if the key is absent or has a value of another type; for an array without
 * elements it is not NULL. */
CCA_API const void *cca_typemap_get_array(const struct cca_typemap *map, const char *key,
                                          enum cca_type type, size_t *count);
CCA_API double cca_typemap_get_double(const struct cca_typemap *map, const char *key,
                                      double missing);
CCA_API int cca_typemap_get_bool(const struct cca_typemap *map, const char *key,
                                 int missing);
CCA_API const char *cca_typemap_get_string(const struct cca_typemap *map, const char *key,
                                           const char *missing);
CCA_API enum cca_type cca_typemap_type_of(const struct cca_typemap *map, const char *key);
/* Return the key with index `index`, in the order in which keys were first put; NULL
 * beyond the last. Borrowed. */
CCA_API const char *cca_typemap_key(const struct cca_typemap *map, size_t index);
/* Remove a key, for users' components. Returns 0 or -ENOENT. */
CCA_API int cca_typemap_remove(struct cca_typemap *map, const char *key);

/* --- The class descriptor: data, read by tools without running the component --- */

enum cca_port_flags {
    CCA_PORT_NO_PROXY = 1, /* CCA's ABLE_TO_PROXY is false: no proxy may stand before
                            * it */
    /* A call depends on its arguments, and on parameters and connections of the instance,
     * but on no earlier call: calls may go to instances of several classes. */
    CCA_PORT_INDEPENDENT = 2
};

/* A port that a class provides or uses. Members that are zero have their defaults. An
 * array of such structs ends with an element that is all zeros. */
struct cca_port_decl {
    const char *name; /* name of the port: letters, digits, '_', '-'; no dot */
    const char *type;
    size_t size;
    int min_connections; /* MIN_CONNECTIONS: 1 for a required uses port, else 0 */
    int max_connections; /* MAX_CONNECTIONS; 0 means 1 for a uses port, no limit for a
                            provides port */
    unsigned flags;      /* flags of the port, enum cca_port_flags */
};

/* A parameter, served by the framework through the instance's port `config`. */
struct cca_param_decl {
    const char *name;
    enum cca_type
        type; /* CCA_INT, CCA_LONG, CCA_FLOAT, CCA_DOUBLE, CCA_BOOL, CCA_STRING */
    const char *value; /* default value, in script syntax */
    const char *low;   /* inclusive bounds, numbers only; or NULL */
    const char *high;
    const char *choices; /* allowed strings, "minmod|vanleer"; NULL: any. LOW..HIGH is any
                          * integer between them: "auto|auto:1..9"; the empty string can
                          * be a choice */
    const char *unit;    /* or NULL */
    const char *help;    /* one line */
    const char *group;   /* title of the parameter's group in listings, or NULL */
};

/* How the values of a quality in several instances combine to the value of the assembly.
 */
enum cca_compose { CCA_MAX = 0, CCA_MIN = 1, CCA_SUM = 2 };

/* A measured quality attribute of a class, such as an error or a robustness. */
struct cca_quality {
    const char *name; /* "sod_l1_200" */
    double value;
    enum cca_compose compose;
    const char *command; /* command that reproduces the value, from the root of the
                          * tree */
};

enum cca_class_flags {
    CCA_DYNAMIC_PORTS = 1, /* the class adds and registers undeclared ports */
    /* for optional uses ports `serves` applies only if the run has an option with the
       name of one of the class's parameters; --measure is not needed then */
    CCA_SERVES_ASKED = 2
};

/* A provides port that the framework makes in each instance. `provides` need not declare
 * it, as type and size come from `port`. If it declares the port, for limits and flags,
 * type and size must agree. */
struct cca_port_impl {
    const char *name; /* name of the provides port */
    size_t offset;    /* offset of its struct in the instance */
    /* struct of functions, base.size bytes, which is copied to `offset` */
    const struct cca_port *port;
};

/* A hash of the prototypes of a port type's methods. proxygen writes it beside the port's
 * header. */
struct cca_signature {
    const char *type;
    const char *hash;
};

struct cca_services;

/* Members that are zero have their defaults. A class compiled before the members at the
 * end existed has a smaller `size`: its missing members count as zero. A class with a
 * larger size is refused unless all members that the framework does not know are zero. */
struct cca_class {
    unsigned abi;  /* CCA_ABI */
    unsigned size; /* sizeof(struct cca_class) in the component's header */
    const char *name;
    const char *summary;                  /* one line */
    const struct cca_port_decl *provides; /* arrays of ports, parameters and qualities;
                                           * each may be NULL: none */
    const struct cca_port_decl *uses;
    const struct cca_param_decl *params;
    const struct cca_quality *quality;
    /* The port type for which this class is the default proxy, or NULL: it provides and
     * uses a port of that type, both named `port`. Or "*SUFFIX": the class is a proxy for
     * every type that has no proxy class of its own, if the path has a file TYPESUFFIX
     * that describes the type (in TYPE '-' replaces '/'). Such a class has
     * CCA_DYNAMIC_PORTS; its set_services makes both ports from the result of
     * cca_services_get_fronted, and returns -ENOTSUP if it cannot. The other required
     * ports of a proxy may be connected before or after both. */
    const char *proxy_for;
    /* Port types, separated by '|', for which the framework creates an instance of this
     * class when an interposer needs such a port, or, under --measure, an optional uses
     * port does; or NULL. */
    const char *serves;
    unsigned flags; /* flags of the class, enum cca_class_flags */

    /* Make an instance: allocate its memory only, at least instance_size bytes if that is
     * set. `cls` is this descriptor. Returns the instance, or NULL with `err` set. A
     * class with create needs destroy. */
    void *(*create)(const struct cca_class *cls, struct cca_error *err);
    /* Prepare the instance. Declared uses ports are registered already, and the ports of
     * `implements` are added; other provides ports are added here. Returns 0 or a
     * negative errno with `err` set. `services` is valid until destroy returns. */
    int (*set_services)(void *self, struct cca_services *services, struct cca_error *err);
    /* Free the instance's resources, and memory that create allocated. All its
     * connections are gone. Also called after a failed set_services. */
    void (*destroy)(void *self);

    /* Members that were added later: they exist only if `size` includes them. */
    size_t instance_size;   /* size of an instance; 0: the class has create, set_services
                               and destroy, and no `implements` */
    size_t services_offset; /* offset in an instance of its `struct cca_services *`; or
                               CCA_NO_SERVICES: it has none */
    const struct cca_port_impl *implements; /* implementations of provides ports,
                                             * ending with a zero name; NULL: none */
    const struct cca_signature *signatures; /* signatures of the ports with which the
                                             * class was compiled, ending with a zero
                                             * type; NULL: unknown */
};

#define CCA_NO_SERVICES ((size_t)-1)

/* Macros for descriptors in C. CCA_CLASS must be first: an instance is a `type`, and the
 * framework stores the services pointer in its member `services`. The other macros make
 * arrays with the elements that end them. (C++ has neither compound literals nor, before
 * C++20, designated initialisers: there write all members in order, and name the arrays.)
 */
#define CCA_CLASS(type, services) CCA_CLASS_AT(type, offsetof(type, services))
#define CCA_CLASS_WITHOUT_SERVICES(type) CCA_CLASS_AT(type, CCA_NO_SERVICES)
#define CCA_CLASS_AT(type, offset)                                                       \
    .abi = CCA_ABI, .size = sizeof(struct cca_class), .instance_size = sizeof(type),     \
    .services_offset = offset
#define CCA_IMPLEMENTS(...) .implements = CCA_ARRAY(cca_port_impl, __VA_ARGS__)
#define CCA_PROVIDES(...) .provides = CCA_ARRAY(cca_port_decl, __VA_ARGS__)
#define CCA_USES(...) .uses = CCA_ARRAY(cca_port_decl, __VA_ARGS__)
#define CCA_PARAMS(...) .params = CCA_ARRAY(cca_param_decl, __VA_ARGS__)
#define CCA_SIGNATURES(...) .signatures = CCA_ARRAY(cca_signature, __VA_ARGS__)
#define CCA_QUALITY(...) .quality = CCA_ARRAY(cca_quality, __VA_ARGS__)
/* Elements of CCA_USES and CCA_PROVIDES. A uses port with CCA_REQUIRED must be connected
 * before a Go port is called. */
#define CCA_PORT(port, port_type, port_struct)                                           \
    CCA_PORT_MIN(port, port_type, port_struct, 0)
#define CCA_REQUIRED(port, port_type, port_struct)                                       \
    CCA_PORT_MIN(port, port_type, port_struct, 1)
/* A provides port whose calls are independent (CCA_PORT_INDEPENDENT). */
#define CCA_INDEPENDENT(port, port_type, port_struct)                                    \
    {                                                                                    \
        .name = port, .type = port_type, .size = sizeof(port_struct),                    \
        .flags = CCA_PORT_INDEPENDENT                                                    \
    }
/* clang-format off */
#define CCA_PORT_MIN(port, port_type, port_struct, least) \
    {.name = port, .type = port_type, .size = sizeof(port_struct), .min_connections = least}
#define CCA_ARRAY(type, ...) (const struct type[]){__VA_ARGS__, {0}}
/* clang-format on */

/* --- Services: what the framework does for one instance ------------------- */
/* Only the thread that runs the framework may call services, except functions marked "any
 * thread". Any thread may also call the following functions, under a condition, so that
 * ports for any thread can be implemented with them:
 *
 *   getPort in all its forms, releasePort, connection_count    while wiring and ports
 *                                                              do not change
 *   current values of parameters, framework properties         while nothing sets them
 *
 * While the framework waits for ports in use (a disconnection with a timeout), only
 * releasePort may be called. Strings passed in are copied. On failure `err` holds a
 * message and the CCA exception number. */

/* addProvidesPort: add a port that the instance provides. `port` is borrowed until
 * removeProvidesPort or destroy; its type and size must be the declared ones.
 * `properties` may be NULL; it is copied. Errors: -EEXIST PortAlreadyDefined (uses and
 * provides ports share one name space; only ports of the same type, as in an interposer,
 * may share a name), -EINVAL BadPortName or BadPortType, -ENOENT not declared and the
 * class is not CCA_DYNAMIC_PORTS. */
CCA_API int cca_services_add_provides_port(struct cca_services *services,
                                           struct cca_port *port, const char *name,
                                           const struct cca_typemap *properties,
                                           struct cca_error *err);
/* removeProvidesPort, for users' components: remove a provides port. Returns 0; -ENOENT
 * PortNotDefined; -EBUSY while it is connected. */
CCA_API int cca_services_remove_provides_port(struct cca_services *services,
                                              const char *name, struct cca_error *err);
/* registerUsesPort: add a uses port, for classes with CCA_DYNAMIC_PORTS; ports that the
 * class declares need no call. Properties read: MIN_CONNECTIONS, MAX_CONNECTIONS (int).
 */
CCA_API int cca_services_register_uses_port(struct cca_services *services,
                                            const char *name, const char *type,
                                            size_t size,
                                            const struct cca_typemap *properties,
                                            struct cca_error *err);
/* unregisterUsesPort, for users' components: remove a uses port. Returns 0; -EBUSY
 * UsesPortNotReleased, or the port is still connected; -ENOENT PortNotDefined. */
CCA_API int cca_services_unregister_uses_port(struct cca_services *services,
                                              const char *name, struct cca_error *err);
/* getPort: return the port that is connected to uses port `name`, with the type and size
 * declared for it; count one more use. Returns NULL on failure: PortNotDefined,
 * PortNotConnected. Of several connections the first is used. The port is borrowed until
 * it is released. If no uses port has the name, it may be the name of a provides port of
 * the instance itself. `err` may be NULL: then the message is stored as by
 * cca_services_fail. */
CCA_API void *cca_services_get(struct cca_services *services, const char *name,
                               struct cca_error *err);
/* Like cca_services_get, with the type and size with which the caller was compiled:
 * BadPortType if the declared type or size differs. */
CCA_API void *cca_services_get_port(struct cca_services *services, const char *name,
                                    const char *type, size_t size, struct cca_error *err);
/* Like cca_services_get_port, for connection `index`, 0 <= index < connection_count. For
 * users' components. */
CCA_API void *cca_services_get_port_at(struct cca_services *services, const char *name,
                                       size_t index, const char *type, size_t size,
                                       struct cca_error *err);
/* getPortNonblocking: returns NULL without an error if the port is not connected. */
CCA_API void *cca_services_get_port_nonblocking(struct cca_services *services,
                                                const char *name, const char *type,
                                                size_t size, struct cca_error *err);
/* releasePort: count one use less. Returns 0; -EINVAL PortNotInUse; -ENOENT
 * PortNotDefined. */
CCA_API int cca_services_release_port(struct cca_services *services, const char *name,
                                      struct cca_error *err);

/* Return the number of connections of a port, or -ENOENT. */
CCA_API int cca_services_connection_count(struct cca_services *services,
                                          const char *name);

/* Get and release in one line, in a function of C or C++ that can only return a code:
 *
 *     CCA_USE(struct gas_port, gas, self->services, "gas");
 *
 *     if (!gas)
 *         return -ENOTCONN;
 *
 * declares `struct gas_port *gas` with the port of cca_services_get, which stores a
 * message on failure, and releases it at the end of the block. CCA_USE_OPTIONAL stores no
 * message if the port is not connected. */
#define CCA_USE(port_struct, variable, services, name)                                   \
    CCA_USE_PORT(port_struct, variable, services, name, 0)
#define CCA_USE_OPTIONAL(port_struct, variable, services, name)                          \
    CCA_USE_PORT(port_struct, variable, services, name, 1)
#define CCA_USE_PORT(port_struct, variable, services, name, optional)                    \
    __attribute__((cleanup(cca_use_end))) struct cca_use variable##_use =                \
        cca_use_begin(services, name, optional);                                         \
    port_struct *variable = (port_struct *)variable##_use.port

struct cca_use {
    struct cca_services *services;
    const char *name;
    void *port;
};

static inline struct cca_use cca_use_begin(struct cca_services *services,
                                           const char *name, int optional)
{
    struct cca_use use = {services, name, NULL};

    if (!optional || cca_services_connection_count(services, name) != 0)
        use.port = cca_services_get(services, name, NULL);
    return use;
}

static inline void cca_use_end(struct cca_use *use)
{
    if (use->port)
        cca_services_release_port(use->services, use->name, NULL);
}

/* getPortProperties, for users' components: return the properties of a port, borrowed,
 * which may be changed. They include cca.portName and cca.portType. NULL: no such port.
 */
CCA_API struct cca_typemap *
cca_services_get_port_properties(struct cca_services *services, const char *name);
/* genUniquePortName: write to `name`, of `size` bytes, `hint` with the lowest number
 * appended, from 0, that makes it a new port name of the instance. Returns 0; -EINVAL
 * BadPortName: `hint` cannot begin a port name, or the result does not fit. */
CCA_API int cca_services_unique_port_name(const struct cca_services *services,
                                          const char *hint, char *name, size_t size,
                                          struct cca_error *err);
/* getComponentID: return the instance's name, borrowed until destroy. Any thread. */
CCA_API const char *cca_services_instance_name(const struct cca_services *services);
/* registerForRelease: `release` is called once, before the instance is removed, while its
 * connections still exist; at the end of the framework, while the whole assembly still
 * exists. Returns 0; -ENOMEM; -EINVAL: `release` is NULL. */
CCA_API int cca_services_register_for_release(struct cca_services *services,
                                              void (*release)(void *context),
                                              void *context);

/* The instance and port at the other end of a connected uses port. Strings are borrowed
 * until the connection changes. For an interposer it is the port that the interposer
 * fronts. */
struct cca_peer {
    const char *instance;
    const char *port;
    const char *class_name;
    const char *build_id; /* build id of the peer's shared object, hexadecimal; "" if
                           * unknown */
    const char *file;     /* path of the peer's shared object */
};
/* Fill `*peer` for a uses port. Returns 0; -ENOENT PortNotDefined, -ENOTCONN
 * PortNotConnected. */
CCA_API int cca_services_get_peer(struct cca_services *services, const char *uses_port,
                                  struct cca_peer *peer, struct cca_error *err);

/* The port that an interposer fronts; set before set_services. Strings are borrowed until
 * the interposer is destroyed. */
struct cca_fronted {
    const char *instance;
    const char *port;
    const char *type;        /* type of the port */
    size_t size;             /* size of its struct */
    const char *description; /* path of the file that describes the type, for .proxy_for
                              * "*SUFFIX" */
};
/* Fill `*fronted`. Returns 0; -ENOENT: the instance was made by a command and may be
 * connected to any port, or the description is missing. */
CCA_API int cca_services_get_fronted(struct cca_services *services,
                                     struct cca_fronted *fronted, struct cca_error *err);
/* Return the signature of the fronted port's type in the class that provides this port,
 * borrowed; NULL: the class has none, or no port is fronted. */
CCA_API const char *cca_services_fronted_signature(const struct cca_services *services);

/* Return the current value of a parameter that the instance's class declares. A name or
 * type that is not in the descriptor fails an assert. Strings are borrowed until the
 * parameter is set again. */
CCA_API int64_t cca_services_param_long(const struct cca_services *services,
                                        const char *name);
/* Return the value of a parameter of type CCA_DOUBLE or CCA_FLOAT. */
CCA_API double cca_services_param_double(const struct cca_services *services,
                                         const char *name);
CCA_API int cca_services_param_bool(const struct cca_services *services,
                                    const char *name);
CCA_API const char *cca_services_param_string(const struct cca_services *services,
                                              const char *name);

/* Return a property of the whole framework that the main program has set ("script",
 * "experiment", "command"), or NULL. Borrowed. */
CCA_API const char *cca_services_framework_property(const struct cca_services *services,
                                                    const char *key);

/* Store a message about a failure that a port method is about to return: the framework
 * adds it to its report. The first message since the last call of a Go port is kept.
 * Returns `code`. Any thread. */
CCA_API int cca_services_fail(struct cca_services *services, int code, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

/* Set a text that the main program writes to standard error if the process ends early, by
 * a signal or an exit of a component: complete lines, such as the place of data saved so
 * far. A process has one text, which the next call replaces; NULL: no text. Borrowed
 * until it is replaced. Any thread. */
CCA_API void cca_last_words_set(const char *text);
/* Set a function that is called before the text of cca_last_words_set is written,
 * possibly in a signal handler. A process has one such function, which the next call
 * replaces; NULL: no function. Any thread. */
CCA_API void cca_last_moment_set(void (*function)(void *context), void *context);
/* Report that files which the run should have written are lost: the main program ends
 * with exit code 5 (an error of input or output) instead of 0. The component has printed
 * the reason. Any thread. */
CCA_API void cca_files_lost(void);
/* Set a function that returns the innermost call in the calling thread among calls with
 * frames above the address `stack`: "instance.port.method", borrowed, or NULL. A signal
 * handler calls it. A process has one such function, which the next call replaces; NULL:
 * no function. Any thread. */
CCA_API void cca_last_call_set(const char *(*innermost)(void *context, uintptr_t stack),
                               void *context);

#ifdef __cplusplus
}
#endif
#endif
