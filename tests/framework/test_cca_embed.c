/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_embed.c: a main program that is a component, a component that builds an
 * assembly, frameworks inside of frameworks, and services that instances serve. */
#include "tests/lib/fw_assembly.h"

#include "ports/abstract_framework_port.h"
#include "ports/service_registry_port.h"

static int forty(struct fw_value_port *self)
{
    (void)self;
    return 40;
}

static struct fw_value_port value_port = {.base = {FW_VALUE_TYPE, sizeof value_port},
                                          .value = forty};

static struct cca_services *begin(void)
{
    struct cca_services *services;

    fw_begin(plain);
    services =
        cca_framework_get_services(fw.framework, "main", "test.Main", NULL, fw_err());
    assert_non_null(services);
    return services;
}

static void *use(struct cca_services *services, const char *port, const char *type,
                 size_t size)
{
    void *found;

    fw_done(cca_services_register_uses_port(services, port, type, size, NULL, fw_err()));
    found = cca_services_get_port(services, port, type, size, fw_err());
    assert_non_null(found);
    fw_done(cca_services_release_port(services, port, fw_err()));
    return found;
}

static void note_release(void *context)
{
    ++*(int *)context;
}

TEST(a_main_program_provides_and_uses)
{
    struct cca_services *services = begin();
    struct fw_value_port *value;
    struct builder_instance item;
    struct builder_port *builder = cca_framework_builder(fw.framework);
    int released = 0;

    assert_string_equal(cca_services_instance_name(services), "main");
    fw_done(cca_services_add_provides_port(services, &value_port.base, "out", NULL,
                                           fw_err()));
    fw_done(cca_services_register_uses_port(services, "in", FW_VALUE_TYPE, sizeof *value,
                                            NULL, fw_err()));
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_connect("node", "in", "main", "out"));
    fw_done(fw_connect("main", "in", "node", "out"));
    value = cca_services_get_port(services, "in", FW_VALUE_TYPE, sizeof *value, fw_err());
    assert_non_null(value);
    assert_int_equal(value->value(value), 41);
    fw_done(fw_go("node"));
    assert_int_equal(builder->find(builder, "main", &item), 0);
    assert_string_equal(item.cls->name, "test.Main");
    assert_int_equal(item.file[0], '/');
    assert_int_not_equal(item.build_id[0], '\0');

    fw_fails(fw_remove("main"), -EPERM,
             "'main' is the program's own, which alone can release it");
    assert_int_equal(fw_disconnect("main", "in", "node", "out"), -EBUSY);
    assert_null(cca_framework_get_services(fw.framework, "main", "x", NULL, fw_err()));
    assert_int_equal(fw.err.code, -EEXIST);
    assert_null(cca_framework_get_services(fw.framework, "a.b", "x", NULL, fw_err()));
    assert_int_equal(fw.err.code, -EINVAL);
    assert_int_equal(cca_services_register_for_release(services, note_release, &released),
                     0);
    fw_done(cca_framework_release_services(fw.framework, services, fw_err()));
    assert_int_equal(released, 1);
    assert_int_equal(fw_connections(), 0);
    assert_int_equal(fw_instances(0), 1);
    fw_end();
}

TEST(a_main_program_may_leave_its_services_to_the_end)
{
    struct cca_typemap *map = cca_typemap_new();
    struct cca_services *services;
    int released = 0;

    fw_begin(plain);
    cca_typemap_put_int(map, "rank", 3);
    services = cca_framework_get_services(fw.framework, "main", "Main", map, fw_err());
    cca_typemap_free(map);
    assert_non_null(services);
    map = cca_framework_properties(fw.framework, "main", NULL);
    assert_int_equal(cca_typemap_get_int(map, "rank", 0), 3);
    cca_services_register_for_release(services, note_release, &released);
    cca_services_add_provides_port(services, &value_port.base, "out", NULL, NULL);
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_connect("node", "in", "main", "out"));
    assert_int_equal(cca_framework_release_services(fw.framework, services, NULL), 0);
    services = cca_framework_get_services(fw.framework, "main", "Main", NULL, fw_err());
    cca_services_register_for_release(services, note_release, &released);
    fw_end();
    assert_int_equal(released, 2);
}

FW_TEST(a_component_builds_an_assembly_and_runs_it)
{
    fw_pair();
    fw_act("node", "assemble", "");
    fw_done(fw_go("node"));
    assert_int_equal(fw_instances(0), 4);
    assert_int_equal(fw_act("worker", "last", ""), 42);
    /* A second time the names are in use, which is what go then says. */
    fw_fails(fw_go("node"), -EEXIST,
             "'go' of 'node' returned -17: 'node': there is an instance 'data' already");
}

TEST(a_framework_inside_is_apart)
{
    struct cca_services *services = begin(), *inside;
    struct cca_framework *outer = fw.framework, *inner;
    struct abstract_framework_port *abstract =
        use(services, "frameworks", ABSTRACT_FRAMEWORK_PORT_TYPE, sizeof *abstract);

    fw_done(fw_create("FwSource", "src"));
    fw.framework = inner = abstract->create_empty(abstract, fw_err());
    assert_non_null(inner);
    assert_int_equal(fw_instances(1), 0);
    fw_pair(); /* the same names, the same path */
    fw_done(fw_go("node"));
    inside = abstract->get_services(abstract, inner, "me", "Me", NULL, fw_err());
    assert_non_null(inside);
    assert_int_equal(fw_instances(0), 3);
    fw.framework = outer;
    assert_int_equal(fw_instances(0), 2);
    assert_int_equal(cca_framework_release_services(fw.framework, inside, fw_err()),
                     -EINVAL);
    fw_done(abstract->release_services(abstract, inside, fw_err()));
    inside = abstract->get_services(abstract, NULL, "me", "Me", NULL, fw_err());
    assert_non_null(inside);
    assert_int_equal(fw_instances(0), 3);
    abstract->shutdown(abstract, inner);
    assert_int_equal(fw_instances(0), 3);
    fw_end();
}

/* A provider with a port for each user. */
struct serving {
    struct fw_value_port ports[4];
    int made, ended;
    int refuse;
};

static struct cca_port *make(void *context, const char *user, struct cca_error *err)
{
    struct serving *serving = context;
    struct fw_value_port *port = &serving->ports[serving->made];

    if (serving->refuse) {
        cca_error_set(err, -EACCES, "not for %s", user);
        return NULL;
    }
    serving->made++;
    *port = value_port;
    return &port->base;
}

static void end(void *context, struct cca_port *port)
{
    struct serving *serving = context;

    assert_true((void *)port >= (void *)serving->ports);
    serving->ended++;
}

TEST(a_singleton_serves_all_that_ask_later)
{
    struct cca_services *services = begin();
    struct service_registry_port *registry =
        use(services, "registry", SERVICE_REGISTRY_PORT_TYPE, sizeof *registry);

    fw_done(fw_create("FwNode", "before"));
    fw_done(registry->add_singleton(registry, &value_port.base, fw_err()));
    fw_fails(registry->add_singleton(registry, &value_port.base, fw_err()), -EEXIST,
             "'main' serves fw.ValuePort/1 already");
    assert_int_equal(fw_act("before", "count", "in"), 0);
    fw_done(fw_act("before", "register", "late"));
    assert_int_equal(fw_act("before", "value", "late"), 40);
    fw_fails(registry->remove_service(registry, FW_VALUE_TYPE, fw_err()), -EBUSY,
             "'main' serves fw.ValuePort/1 to 'late' of 'before'");
    assert_int_equal(cca_framework_release_services(fw.framework, services, fw_err()),
                     -EBUSY);
    fw_done(fw_act("before", "unregister", "late"));
    fw_done(registry->remove_service(registry, FW_VALUE_TYPE, fw_err()));
    assert_int_equal(registry->remove_service(registry, FW_VALUE_TYPE, fw_err()),
                     -ENOENT);
    fw_done(fw_act("before", "register", "late"));
    assert_int_equal(fw_act("before", "count", "late"), 0);
    fw_end();
}

TEST(each_user_gets_a_port_of_its_own)
{
    struct serving serving = {.made = 0};
    struct service_provider provider = {.make = make, .end = end, .context = &serving};
    struct cca_services *services = begin();
    struct service_registry_port *registry =
        use(services, "registry", SERVICE_REGISTRY_PORT_TYPE, sizeof *registry);

    fw_done(fw_create("FwNode", "one"));
    fw_done(fw_create("FwNode", "two"));
    fw_done(registry->add_service(registry, FW_VALUE_TYPE, sizeof value_port, &provider,
                                  fw_err()));
    fw_done(fw_act("one", "register", "a"));
    fw_done(fw_act("two", "register", "a"));
    assert_int_equal(serving.made, 2);
    serving.refuse = 1;
    fw_fails(fw_act("two", "register", "b"), -EACCES,
             "'main' serves no fw.ValuePort/1 to 'two': not for two");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_UNEXPECTED);
    serving.refuse = 0;
    fw_fails(fw_connect("one", "a", "two", "out"), -EINVAL,
             "uses port 'a' of 'one' (fw.ValuePort/1) is connected by the framework");
    fw_done(fw_remove("two"));
    assert_int_equal(serving.ended, 1);
    /* A whole class of users comes with it; what the end finds, it gives back. */
    fw_end();
    assert_int_equal(serving.made, 2);
    assert_int_equal(serving.ended, 2);
}

TEST(what_cannot_be_served_is_refused)
{
    struct service_provider nothing = {.make = NULL};
    struct serving serving = {.made = 0};
    struct service_provider provider = {.make = make, .end = end, .context = &serving};
    struct cca_port builder = {BUILDER_PORT_TYPE, sizeof(struct builder_port)};
    struct cca_services *services = begin();
    struct service_registry_port *registry =
        use(services, "registry", SERVICE_REGISTRY_PORT_TYPE, sizeof *registry);

    assert_int_equal(registry->add_singleton(registry, &builder, fw_err()), -EEXIST);
    assert_int_equal(registry->add_singleton(registry, NULL, fw_err()), -EINVAL);
    assert_int_equal(
        registry->add_service(registry, FW_VALUE_TYPE, 16, &nothing, fw_err()), -EINVAL);
    assert_int_equal(registry->add_service(registry, "", 16, &provider, fw_err()),
                     -EINVAL);
    /* A provider that does not keep its word about size. */
    fw_done(registry->add_service(registry, FW_VALUE_TYPE, 32, &provider, fw_err()));
    fw_fails(fw_create("FwNode", "node"), -EINVAL,
             "'node' wants fw.ValuePort/1 of 24 bytes at 'in', 'main' serves one of 32");
    assert_int_equal(
        cca_services_register_uses_port(services, "w", FW_VALUE_TYPE, 32, NULL, fw_err()),
        -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_int_equal(serving.made, serving.ended);
    fw_end();
}

TEST(a_port_is_got_and_released_in_one_line)
{
    struct cca_services *services = begin();

    fw_done(cca_services_register_uses_port(
        services, "in", FW_VALUE_TYPE, sizeof(struct fw_value_port), NULL, fw_err()));
    assert_null(cca_services_get(services, "out", fw_err()));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_DEFINED);
    assert_null(cca_services_get(services, "in", fw_err()));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);
    {
        CCA_USE_OPTIONAL(struct fw_value_port, in, services, "in");

        assert_null(in);
    }
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_connect("main", "in", "src", "out"));
    {
        CCA_USE(struct fw_value_port, in, services, "in");
        CCA_USE_OPTIONAL(struct fw_value_port, again, services, "in");

        assert_int_equal(in->value(in), 7);
        assert_ptr_equal(again, in);
        assert_int_equal(fw_disconnect("main", "in", "src", "out"), -EBUSY);
    }
    fw_done(fw_disconnect("main", "in", "src", "out"));
    fw_end();
}

TESTS(NULL, NULL)
