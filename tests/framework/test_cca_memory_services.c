/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_memory_services.c: every allocation fails once in what a component asks of the
 * framework: embedding, dynamic ports, the registry, the parameter factory, properties,
 * typed maps and their arrays, frameworks inside. Each failure is reported, changes
 * nothing, and what failed works when it is tried again (the leak checker of an asan
 * build looks). */
#include "tests/lib/fail_malloc.h"
#include "tests/lib/fw_assembly.h"

#include "ports/abstract_framework_port.h"
#include "ports/component_repository_port.h"
#include "ports/connection_event_port.h"
#include "ports/parameter_factory_port.h"
#include "ports/service_registry_port.h"

/* All that the steps make. */
struct all {
    struct cca_services *main, *other;
    struct fw_value_port value, served;
    struct builder_port *builder;
    struct parameter_factory_port *factory;
    struct service_registry_port *registry;
    struct connection_event_port *events;
    struct abstract_framework_port *frameworks;
    struct component_repository_port *classes;
    struct cca_typemap *map, *clone;
    struct cca_framework *inner;
    int made; /* ports that the registry's provider has made and not ended */
};

static struct cca_port *make(void *context, const char *user, struct cca_error *err)
{
    struct all *all = context;
    char *memory = malloc(16); /* a provider may run out of it, too */

    (void)user;
    if (!memory) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    free(memory);
    all->made++;
    return &all->served.base;
}

static void end(void *context, struct cca_port *port)
{
    struct all *all = context;

    assert_ptr_equal(port, &all->served.base);
    all->made--;
}

static const struct service_provider *provider(struct all *all)
{
    static struct service_provider made;

    made = (struct service_provider){make, end, all};
    return &made;
}

static int event(void *context, const struct connection_event *what,
                 struct cca_error *err)
{
    (void)context;
    (void)what;
    (void)err;
    return 0;
}

static int heard(void *context, const char *port, const char *name, const char *value,
                 struct cca_error *err)
{
    (void)context;
    (void)port;
    (void)name;
    (void)err;
    return !*value;
}

static void change(void *context, const struct builder_event *what)
{
    (void)context;
    (void)what;
}

static void release(void *context)
{
    (void)context;
}

static int registered(struct all *all, const char *name, const char *type, size_t size)
{
    return cca_services_register_uses_port(all->main, name, type, size, NULL, fw_err());
}

static void *got(struct all *all, const char *name, const char *type, size_t size)
{
    return cca_services_get_port(all->main, name, type, size, fw_err());
}

#define USE(port, name, TYPE)                                                            \
    (all->port = got(all, name, TYPE, sizeof *all->port)) ? 0 : -ENOMEM

static const struct cca_param_decl decl = {
    .name = "n", .type = CCA_FLOAT, .value = "0.5", .low = "0", .help = "words"};

/* Embedding, and ports. */
static int embedding_step(struct all *all, int number)
{
    struct cca_framework *f = fw.framework;

    switch (number) {
    case 0:
        all->main = cca_framework_get_services(f, "main", "Main", NULL, fw_err());
        return all->main ? 0 : fw.err.code;
    case 1:
        return registered(all, "b", BUILDER_PORT_TYPE, sizeof *all->builder);
    case 2:
        return registered(all, "p", PARAMETER_FACTORY_PORT_TYPE, sizeof *all->factory);
    case 3:
        return registered(all, "r", SERVICE_REGISTRY_PORT_TYPE, sizeof *all->registry);
    case 4:
        return registered(all, "e", CONNECTION_EVENT_PORT_TYPE, sizeof *all->events);
    case 5:
        return registered(all, "f", ABSTRACT_FRAMEWORK_PORT_TYPE,
                          sizeof *all->frameworks);
    case 6:
        return registered(all, "c", COMPONENT_REPOSITORY_PORT_TYPE, sizeof *all->classes);
    case 7:
        return USE(builder, "b", BUILDER_PORT_TYPE);
    case 8:
        return USE(factory, "p", PARAMETER_FACTORY_PORT_TYPE);
    case 9:
        return USE(registry, "r", SERVICE_REGISTRY_PORT_TYPE);
    case 10:
        return USE(events, "e", CONNECTION_EVENT_PORT_TYPE);
    case 11:
        return USE(frameworks, "f", ABSTRACT_FRAMEWORK_PORT_TYPE);
    case 12:
        return USE(classes, "c", COMPONENT_REPOSITORY_PORT_TYPE);
    case 13:
        return cca_services_add_provides_port(all->main, &all->value.base, "out", NULL,
                                              fw_err());
    case 14:
        return cca_services_register_for_release(all->main, release, all);
    case 15:
        return all->events->add_listener(all->events, CONNECTION_EVENT_ALL, event, all);
    case 16:
        return all->builder->add_listener(all->builder, change, all);
    default:
        return 1;
    }
}

/* What the services make. */
static int service_step(struct all *all, int number)
{
    struct cca_error *err = fw_err();
    struct component_class item;
    struct cca_typemap *properties;

    switch (number) {
    case 0:
        return all->factory->create(all->factory, "setup", err);
    case 1:
        return all->factory->set_title(all->factory, "setup", "Title", err);
    case 2:
        return all->factory->set_group(all->factory, "setup", "Group", err);
    case 3:
        return all->factory->add_request(all->factory, "setup", &decl, err);
    case 4:
        return all->factory->add_set_listener(all->factory, "setup", heard, all);
    case 5:
        return cca_framework_set_parameter(fw.framework, "main", "setup", "n", "0.25",
                                           err);
    case 6:
        return all->factory->read(all->factory, "setup", all->map, err);
    case 7:
        return all->registry->add_service(all->registry, "test.Service/1",
                                          sizeof all->served, provider(all), err);
    case 8:
        all->other = all->frameworks->get_services(all->frameworks, NULL, "other",
                                                   "Other", all->map, err);
        return all->other ? 0 : err->code;
    case 9:
        return cca_services_register_uses_port(all->other, "u", "test.Service/1",
                                               sizeof all->served, all->map, err);
    case 10:
        return all->builder->create_instance(all->builder, "node", "FwNode", all->map,
                                             err);
    case 11:
        return all->builder->connect(all->builder, "node", "in", "main", "out", err);
    case 12:
        properties = all->builder->connection_properties(all->builder, "node", "in",
                                                         "main", "out", err);
        return properties ? 0 : err->code;
    case 13:
        properties = all->builder->properties(all->builder, "main", err);
        return properties ? 0 : err->code;
    case 14:
        return all->builder->disconnect_all(all->builder, "main", "node", 0, err);
    case 15:
        return all->builder->destroy_instance(all->builder, "node", 0, err);
    case 16:
        return cca_services_unregister_uses_port(all->other, "u", err);
    case 17:
        return all->frameworks->release_services(all->frameworks, all->other, err);
    case 18:
        return all->registry->remove_service(all->registry, "test.Service/1", err);
    case 19:
        all->inner = all->frameworks->create_empty(all->frameworks, err);
        return all->inner ? 0 : err->code;
    case 20:
        return all->classes->find(all->classes, "FwSinc", &item, err) == -ENOMEM ? -ENOMEM
                                                                                 : 0;
    case 21:
        return all->classes->append_path(all->classes, fw.dir, err);
    default:
        return 1;
    }
}

/* Typed maps: a failure is a number alone. */
static int map_step(struct all *all, int number)
{
    static const double doubles[] = {1, 2, 3, 4};
    static const char *const strings[] = {"one", "", "three"};
    struct cca_typemap *map = all->map;

    switch (number) {
    case 0:
        return (all->map = cca_typemap_new()) ? 0 : -ENOMEM;
    case 1:
        return cca_typemap_put_string(map, "s", "text");
    case 2:
        return cca_typemap_put_string(map, "s", "another, longer text");
    case 3:
        return cca_typemap_put_dcomplex(map, "dc", doubles);
    case 4:
        return cca_typemap_put_array(map, "da", CCA_DOUBLE_ARRAY, doubles, 4);
    case 5:
        return cca_typemap_put_array(map, "da", CCA_DOUBLE_ARRAY, doubles, 2);
    case 6:
        return cca_typemap_put_array(map, "sa", CCA_STRING_ARRAY, strings, 3);
    case 7:
        return cca_typemap_put_array(map, "ca", CCA_DCOMPLEX_ARRAY, doubles, 2);
    case 8:
        return cca_typemap_put_float(map, "f", 1);
    case 9:
        return (all->clone = cca_typemap_clone(map)) ? 0 : -ENOMEM;
    default:
        return 1;
    }
}

/* What can be seen of it all. */
struct look {
    size_t instances, connections, provided, used, keys, parameters;
    int made, held, listed;
};

static struct look look_at(struct all *all)
{
    struct builder_port *builder = cca_framework_builder(fw.framework);
    struct parameter_port *setup =
        cca_framework_parameters(fw.framework, "main", "setup", NULL);
    struct look look = {.instances = fw_instances(1),
                        .connections = fw_connections(),
                        .parameters = setup ? setup->count(setup) : 0,
                        .made = all->made};
    const char *name, *type;
    size_t length;

    while (builder->provided_port(builder, "main", look.provided, &name, &type) == 0)
        look.provided++;
    while (builder->used_port(builder, "main", look.used, &name, &type) == 0)
        look.used++;
    while (cca_typemap_key(all->map, look.keys))
        look.keys++;
    cca_typemap_get_array(all->map, "da", CCA_DOUBLE_ARRAY, &length);
    look.held = (int)length;
    look.listed = (int)strlen(cca_typemap_get_string(all->map, "s", ""));
    return look;
}

/* Run all steps of a kind with the allocations that are left of the countdown; 1: one
 * failed. */
static int run_steps(struct all *all, int (*step)(struct all *, int), int words)
{
    int hit = 0;

    for (int i = 0;; i++) {
        long left = countdown;
        struct look before, after;
        int status;

        countdown = -1;
        before = look_at(all);
        fw.err = (struct cca_error){0};
        countdown = left;
        status = step(all, i);
        left = countdown;
        countdown = -1;
        if (status == 1) {
            countdown = left;
            break;
        }
        if (failed && status) {
            assert_int_equal(status, -ENOMEM);
            if (words && fw.err.code)
                assert_int_equal(fw.err.code, -ENOMEM);
            after = look_at(all);
            assert_memory_equal(&before, &after, sizeof before);
            status = step(all, i);
        }
        hit |= failed;
        failed = 0;
        assert_int_equal(status, 0);
        countdown = left;
    }
    return hit;
}

/* Run everything with allocation `number` failing. 0: there are not so many. */
static int run(long number)
{
    static struct all all;
    struct cca_repository *repository;
    const struct cca_class_info *info;
    int hit;

    memset(&all, 0, sizeof all);
    all.value.base = (struct cca_port){FW_VALUE_TYPE, sizeof all.value};
    all.served.base = (struct cca_port){"test.Service/1", sizeof all.served};
    fw_begin((struct cca_framework_options){0});
    repository = cca_framework_repository(fw.framework);
    for (size_t i = 0; (info = cca_repository_class(repository, i)); i++)
        assert_non_null(cca_repository_load(repository, info, 0, fw_err()));
    countdown = number;
    failed = 0;
    hit = run_steps(&all, map_step, 0);
    hit |= run_steps(&all, embedding_step, 1);
    hit |= run_steps(&all, service_step, 1);
    countdown = -1;
    cca_framework_free(all.inner);
    fw_end();
    assert_int_equal(all.made, 0);
    cca_typemap_free(all.map);
    cca_typemap_free(all.clone);
    return hit;
}

TEST(every_failure_is_clean)
{
    long number = 0;

    while (run(number))
        number++;
    assert_true(number > 200);
}

MEMORY_TESTS(NULL, NULL)
