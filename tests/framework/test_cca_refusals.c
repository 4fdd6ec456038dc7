/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_refusals.c: what is not there, is nothing, is of another type, was given back
 * or is gone: every function says so with a code and words, and changes nothing. */
#include "tests/lib/fw_assembly.h"

#include "ports/component_repository_port.h"
#include "ports/connection_event_port.h"
#include "ports/parameter_factory_port.h"
#include "ports/service_registry_port.h"

static struct cca_services *services; /* of the program itself, "main" */

/* The call gives `value`, and where that is an error there are words and no other code.
 */
#define REFUSED(call, value)                                                             \
    do {                                                                                 \
        struct cca_error *e = fw_err();                                                  \
        (void)e;                                                                         \
        assert_int_equal(call, value);                                                   \
        assert_int_equal(fw.err.code, value);                                            \
        assert_true(fw.err.text[0] && !strchr(fw.err.text, '\n'));                       \
    } while (0)
/* The same of one that returns a pointer. */
#define NOTHING(call, value)                                                             \
    do {                                                                                 \
        struct cca_error *e = fw_err();                                                  \
        assert_null(call);                                                               \
        assert_int_equal(e->code, value);                                                \
        assert_true(e->text[0] != '\0');                                                 \
    } while (0)

static void *use(const char *name, const char *type, size_t size)
{
    void *port;

    fw_done(cca_services_register_uses_port(services, name, type, size, NULL, fw_err()));
    port = cca_services_get_port(services, name, type, size, fw_err());
    assert_non_null(port);
    return port;
}

static void begin(void)
{
    fw_begin(plain);
    fw_pair(); /* src.out feeds node.in */
    services = cca_framework_get_services(fw.framework, "main", "Main", NULL, fw_err());
    assert_non_null(services);
}

/* Nothing that a test does here may change the assembly. */
static void end(void)
{
    assert_int_equal(fw_instances(0), 3);
    assert_int_equal(fw_connections(), 1);
    fw_end();
}

TEST(services_refuse)
{
    struct fw_value_port value = {.base = {FW_VALUE_TYPE, sizeof value}};
    struct cca_port typeless = {.type = NULL, .size = sizeof value};
    struct cca_peer peer;
    struct cca_fronted fronted;
    char name[8];

    begin();
    REFUSED(cca_services_add_provides_port(services, NULL, "p", NULL, e), -EINVAL);
    REFUSED(cca_services_add_provides_port(services, &typeless, "p", NULL, e), -EINVAL);
    REFUSED(cca_services_add_provides_port(services, &value.base, NULL, NULL, e),
            -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_NAME);
    REFUSED(cca_services_add_provides_port(services, &value.base, "a.b", NULL, e),
            -EINVAL);
    REFUSED(cca_services_remove_provides_port(services, NULL, e), -ENOENT);
    REFUSED(cca_services_remove_provides_port(services, "p", e), -ENOENT);
    REFUSED(cca_services_register_uses_port(services, NULL, FW_VALUE_TYPE, 8, NULL, e),
            -EINVAL);
    REFUSED(cca_services_register_uses_port(services, "u", NULL, 8, NULL, e), -EINVAL);
    REFUSED(cca_services_unregister_uses_port(services, NULL, e), -ENOENT);
    REFUSED(cca_services_unregister_uses_port(services, "u", e), -ENOENT);
    NOTHING(cca_services_get_port(services, NULL, FW_VALUE_TYPE, 8, e), -ENOENT);
    NOTHING(cca_services_get_port(services, "u", NULL, 8, e), -ENOENT);
    NOTHING(cca_services_get(services, NULL, e), -ENOENT);
    NOTHING(cca_services_get_port_at(services, NULL, 0, FW_VALUE_TYPE, 8, e), -ENOENT);
    NOTHING(cca_services_get_port_nonblocking(services, NULL, FW_VALUE_TYPE, 8, e),
            -ENOENT);
    REFUSED(cca_services_release_port(services, NULL, e), -ENOENT);
    REFUSED(cca_services_release_port(services, "u", e), -ENOENT);
    assert_int_equal(cca_services_connection_count(services, NULL), -ENOENT);
    assert_null(cca_services_get_port_properties(services, NULL));
    REFUSED(cca_services_get_peer(services, NULL, &peer, e), -ENOENT);
    REFUSED(cca_services_get_fronted(services, &fronted, e), -ENOENT);
    assert_int_equal(cca_services_register_for_release(services, NULL, NULL), -EINVAL);
    assert_null(cca_services_framework_property(services, NULL));
    assert_null(cca_services_framework_property(services, "none"));
    REFUSED(cca_services_unique_port_name(services, NULL, name, sizeof name, e), -EINVAL);
    REFUSED(cca_services_unique_port_name(services, "a.b", name, sizeof name, e),
            -EINVAL);
    REFUSED(cca_services_unique_port_name(services, "sevenup", name, sizeof name, e),
            -EINVAL);
    end();
}

TEST(ports_in_every_state_refuse)
{
    struct fw_value_port value = {.base = {FW_VALUE_TYPE, sizeof value}};
    struct cca_peer peer;

    begin();
    /* Not connected. */
    fw_done(cca_services_register_uses_port(services, "u", FW_VALUE_TYPE, sizeof value,
                                            NULL, fw_err()));
    NOTHING(cca_services_get_port(services, "u", FW_VALUE_TYPE, sizeof value, e),
            -ENOTCONN);
    assert_null(cca_services_get_port_nonblocking(services, "u", FW_VALUE_TYPE,
                                                  sizeof value, fw_err()));
    assert_int_equal(fw.err.code, 0);
    NOTHING(cca_services_get_port_at(services, "u", 1, FW_VALUE_TYPE, sizeof value, e),
            -ENOTCONN);
    NOTHING(cca_services_get_port(services, "u", NULL, sizeof value, e), -EINVAL);
    NOTHING(cca_services_get_port(services, "u", FW_VALUE2_TYPE, sizeof value, e),
            -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    NOTHING(cca_services_get_port(services, "u", FW_VALUE_TYPE, 1, e), -EINVAL);
    REFUSED(cca_services_release_port(services, "u", e), -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_IN_USE);
    REFUSED(cca_services_get_peer(services, "u", &peer, e), -ENOTCONN);
    /* Connected, got, given back twice. */
    fw_done(fw_connect("main", "u", "src", "out"));
    REFUSED(cca_services_unregister_uses_port(services, "u", e), -EBUSY);
    assert_non_null(
        cca_services_get_port(services, "u", FW_VALUE_TYPE, sizeof value, NULL));
    REFUSED(cca_services_unregister_uses_port(services, "u", e), -EBUSY);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_USES_PORT_NOT_RELEASED);
    REFUSED(fw_disconnect("main", "u", "src", "out"), -EBUSY);
    REFUSED(fw_remove("src"), -EBUSY);
    fw_done(cca_services_release_port(services, "u", fw_err()));
    REFUSED(cca_services_release_port(services, "u", e), -EINVAL);
    fw_done(fw_disconnect("main", "u", "src", "out"));
    NOTHING(cca_services_get_port(services, "u", FW_VALUE_TYPE, sizeof value, e),
            -ENOTCONN);
    /* Gone. */
    fw_done(cca_services_unregister_uses_port(services, "u", fw_err()));
    NOTHING(cca_services_get_port(services, "u", FW_VALUE_TYPE, sizeof value, e),
            -ENOENT);
    REFUSED(cca_services_release_port(services, "u", e), -ENOENT);
    REFUSED(cca_services_unregister_uses_port(services, "u", e), -ENOENT);
    /* A provides port: used, and gone. */
    fw_done(cca_services_add_provides_port(services, &value.base, "p", NULL, fw_err()));
    REFUSED(cca_services_add_provides_port(services, &value.base, "p", NULL, e), -EEXIST);
    fw_done(fw_connect("node", "many", "main", "p"));
    REFUSED(cca_services_remove_provides_port(services, "p", e), -EBUSY);
    fw_done(fw_disconnect("node", "many", "main", "p"));
    fw_done(cca_services_remove_provides_port(services, "p", fw_err()));
    REFUSED(cca_services_remove_provides_port(services, "p", e), -ENOENT);
    REFUSED(fw_connect("node", "many", "main", "p"), -ENOENT);
    end();
}

TEST(the_framework_refuses)
{
    struct cca_framework *f;
    struct builder_connection item;

    begin();
    f = fw.framework;
    REFUSED(cca_framework_create(f, NULL, "x", e), -ENOENT);
    REFUSED(cca_framework_create(f, "FwSorce", "x", e), -ENOENT);
    REFUSED(cca_framework_create(f, "FwSource", "a.b", e), -EINVAL);
    REFUSED(cca_framework_remove(f, NULL, e), -ENOENT);
    REFUSED(cca_framework_remove_within(f, "src", -1, e), -EINVAL);
    REFUSED(cca_framework_connect(f, NULL, NULL, NULL, NULL, e), -ENOENT);
    REFUSED(cca_framework_connect(f, "node", NULL, "src", "out", e), -ENOENT);
    REFUSED(cca_framework_connect(f, "node", "many", NULL, "out", e), -ENOENT);
    REFUSED(cca_framework_connect(f, "node", "many", "src", NULL, e), -ENOENT);
    REFUSED(cca_framework_disconnect(f, "node", NULL, "src", "out", e), -ENOENT);
    REFUSED(cca_framework_disconnect_within(f, "node", "in", "src", "out", -1, e),
            -EINVAL);
    REFUSED(cca_framework_disconnect_all(f, NULL, "src", 0, e), -ENOENT);
    REFUSED(cca_framework_disconnect_all(f, "src", NULL, 0, e), -ENOENT);
    REFUSED(cca_framework_insert(f, NULL, "out", NULL, e), -ENOENT);
    REFUSED(cca_framework_insert(f, "src", NULL, NULL, e), -ENOENT);
    REFUSED(cca_framework_insert(f, "src", "out", "None", e), -ENOENT);
    REFUSED(cca_framework_eject(f, NULL, "out", e), -ENOENT);
    REFUSED(cca_framework_eject(f, "src", NULL, e), -ENOENT);
    REFUSED(cca_framework_eject(f, "src", "out", e), -ENOENT);
    REFUSED(cca_framework_set_parameter(f, NULL, "config", "n", "1", e), -ENOENT);
    REFUSED(cca_framework_set_parameter(f, "src", NULL, "n", "1", e), -ENOENT);
    REFUSED(cca_framework_set_parameter(f, "src", "config", NULL, "1", e), -ENOENT);
    REFUSED(cca_framework_set_parameter(f, "src", "config", "n", NULL, e), -EINVAL);
    NOTHING(cca_framework_parameter(f, NULL, "config", "n", e), -ENOENT);
    NOTHING(cca_framework_parameter(f, "src", "config", NULL, e), -ENOENT);
    NOTHING(cca_framework_parameters(f, "src", NULL, e), -ENOENT);
    NOTHING(cca_framework_properties(f, NULL, e), -ENOENT);
    NOTHING(cca_framework_port_properties(f, NULL, "out", e), -ENOENT);
    NOTHING(cca_framework_port_properties(f, "src", NULL, e), -ENOENT);
    NOTHING(cca_framework_connection_properties(f, "node", "in", "src", NULL, e),
            -ENOENT);
    NOTHING(cca_framework_connection_properties(f, "node", "many", "src", "out", e),
            -ENOTCONN);
    REFUSED(cca_framework_go(f, NULL, "go", e), -ENOENT);
    REFUSED(cca_framework_go(f, "node", NULL, e), -ENOENT);
    REFUSED(cca_framework_go(f, "node", "out", e), -EINVAL);
    NOTHING(cca_framework_port(f, NULL, "out", FW_VALUE_TYPE, 8, e), -ENOENT);
    NOTHING(cca_framework_port(f, "src", NULL, FW_VALUE_TYPE, 8, e), -ENOENT);
    NOTHING(cca_framework_port(f, "src", "out", NULL, 8, e), -EINVAL);
    REFUSED(cca_framework_release_port(f, NULL, "out", e), -ENOENT);
    REFUSED(cca_framework_release_port(f, "src", NULL, e), -ENOENT);
    REFUSED(cca_framework_release_port(f, "src", "out", e), -EINVAL);
    assert_int_equal(cca_framework_unconnected(f, 7, &item), -ENOENT);
    assert_int_equal(cca_framework_set_property(f, NULL, "x"), -EINVAL);
    assert_int_equal(cca_framework_set_property(f, "x", NULL), -EINVAL);
    NOTHING(cca_framework_get_services(f, NULL, "Main", NULL, e), -EINVAL);
    NOTHING(cca_framework_get_services(f, "more", NULL, NULL, e), -EINVAL);
    NOTHING(cca_framework_get_services(f, "main", "Main", NULL, e), -EEXIST);
    /* Gone. */
    fw_done(fw_create("FwSource", "other"));
    fw_done(fw_remove("other"));
    REFUSED(fw_remove("other"), -ENOENT);
    REFUSED(fw_connect("node", "many", "other", "out"), -ENOENT);
    REFUSED(cca_framework_release_port(f, "other", "out", e), -ENOENT);
    REFUSED(fw_remove("main"), -EPERM);
    end();
}

TEST(builders_refuse)
{
    struct builder_port *b;
    struct builder_instance instance;
    struct builder_connection connection;
    const char *name, *type;

    begin();
    b = use("b", BUILDER_PORT_TYPE, sizeof *b);
    REFUSED(b->create_instance(b, "x", NULL, NULL, e), -ENOENT);
    REFUSED(b->destroy_instance(b, NULL, 0, e), -ENOENT);
    REFUSED(b->destroy_instance(b, "src", -1, e), -EINVAL);
    REFUSED(b->connect(b, NULL, "in", "src", "out", e), -ENOENT);
    REFUSED(b->disconnect(b, "node", "in", NULL, "out", 0, e), -ENOENT);
    REFUSED(b->disconnect_all(b, NULL, NULL, 0, e), -ENOENT);
    assert_int_equal(b->instance(b, 99, 1, &instance), -ENOENT);
    assert_int_equal(b->connection(b, 99, &connection), -ENOENT);
    assert_int_equal(b->find(b, NULL, &instance), -ENOENT);
    assert_int_equal(b->find(b, "none", &instance), -ENOENT);
    assert_int_equal(b->provided_port(b, NULL, 0, &name, &type), -ENOENT);
    assert_int_equal(b->provided_port(b, "src", 99, &name, &type), -ENOENT);
    assert_int_equal(b->used_port(b, NULL, 0, &name, &type), -ENOENT);
    assert_int_equal(b->providing_type(b, NULL, 0, &name, &type), -ENOENT);
    assert_int_equal(b->using_type(b, NULL, 0, &name, &type), -ENOENT);
    NOTHING(b->properties(b, NULL, e), -ENOENT);
    NOTHING(b->port_properties(b, "src", NULL, e), -ENOENT);
    NOTHING(b->connection_properties(b, NULL, NULL, NULL, NULL, e), -ENOENT);
    assert_null(b->parameter(b, NULL, "n"));
    assert_null(b->parameter(b, "src", NULL));
    REFUSED(b->set_parameter(b, "src", NULL, "1", e), -ENOENT);
    REFUSED(b->set_parameter(b, "src", "n", NULL, e), -EINVAL);
    REFUSED(b->insert(b, NULL, NULL, NULL, e), -ENOENT);
    REFUSED(b->eject(b, NULL, NULL, e), -ENOENT);
    assert_int_equal(b->interposed(b, NULL, NULL), 0);
    assert_int_equal(b->add_listener(b, NULL, NULL), -EINVAL);
    assert_int_equal(b->remove_listener(b, NULL, NULL), -ENOENT);
    fw_done(cca_services_release_port(services, "b", fw_err()));
    end();
}

static int set(void *context, const char *port, const char *name, const char *value,
               struct cca_error *err)
{
    (void)context;
    (void)port;
    (void)name;
    (void)value;
    return cca_error_set(err, -EACCES, "never");
}

TEST(parameter_factories_refuse)
{
    struct parameter_factory_port *p;
    struct parameter_port *port;
    struct cca_param_decl decl = {.name = "n", .type = CCA_INT, .value = "1"};
    struct cca_typemap *map = cca_typemap_new();

    begin();
    p = use("p", PARAMETER_FACTORY_PORT_TYPE, sizeof *p);
    REFUSED(p->create(p, NULL, e), -EINVAL);
    REFUSED(p->create(p, "a b", e), -EINVAL);
    REFUSED(p->set_title(p, NULL, "title", e), -ENOENT);
    REFUSED(p->set_group(p, NULL, "group", e), -ENOENT);
    REFUSED(p->add_request(p, NULL, &decl, e), -ENOENT);
    REFUSED(p->clear_requests(p, NULL, e), -ENOENT);
    REFUSED(p->read(p, NULL, map, e), -ENOENT);
    assert_int_equal(p->add_set_listener(p, NULL, set, NULL), -ENOENT);
    assert_int_equal(p->remove_set_listener(p, "none", set, NULL), -ENOENT);
    fw_done(p->create(p, "setup", fw_err()));
    REFUSED(p->set_title(p, "setup", NULL, e), -EINVAL);
    fw_done(p->set_group(p, "setup", NULL, fw_err()));
    REFUSED(p->add_request(p, "setup", NULL, e), -EINVAL);
    REFUSED(p->read(p, "setup", NULL, e), -EINVAL);
    assert_int_equal(p->add_set_listener(p, "setup", NULL, NULL), -EINVAL);
    assert_int_equal(p->add_get_listener(p, "setup", NULL, NULL), -EINVAL);
    assert_int_equal(p->remove_set_listener(p, "setup", set, NULL), -ENOENT);
    fw_done(p->add_request(p, "setup", &decl, fw_err()));
    port = cca_framework_parameters(fw.framework, "main", "setup", fw_err());
    assert_non_null(port);
    assert_null(port->get(port, NULL));
    assert_null(port->decl(port, 1));
    REFUSED(port->set(port, NULL, "1", e), -ENOENT);
    REFUSED(port->set(port, "n", NULL, e), -EINVAL);
    assert_string_equal(port->get(port, "n"), "1");
    /* Gone. */
    fw_done(cca_services_remove_provides_port(services, "setup", fw_err()));
    REFUSED(p->add_request(p, "setup", &decl, e), -ENOENT);
    cca_typemap_free(map);
    end();
}

TEST(registries_refuse)
{
    struct service_registry_port *r;
    struct fw_value_port value = {.base = {"test.Service/1", sizeof value}};
    struct cca_port typeless = {.type = NULL, .size = sizeof value};
    const struct service_provider nobody = {.make = NULL};

    begin();
    r = use("r", SERVICE_REGISTRY_PORT_TYPE, sizeof *r);
    REFUSED(r->add_service(r, "test.Service/1", 64, NULL, e), -EINVAL);
    REFUSED(r->add_service(r, "test.Service/1", 64, &nobody, e), -EINVAL);
    REFUSED(r->add_singleton(r, NULL, e), -EINVAL);
    REFUSED(r->add_singleton(r, &typeless, e), -EINVAL);
    REFUSED(r->remove_service(r, NULL, e), -ENOENT);
    REFUSED(r->remove_service(r, "test.Service/1", e), -ENOENT);
    fw_done(r->add_singleton(r, &value.base, fw_err()));
    REFUSED(r->add_singleton(r, &value.base, e), -EEXIST);
    fw_done(r->remove_service(r, "test.Service/1", fw_err()));
    REFUSED(r->remove_service(r, "test.Service/1", e), -ENOENT);
    end();
}

TEST(listeners_are_refused)
{
    struct connection_event_port *c;

    begin();
    c = use("c", CONNECTION_EVENT_PORT_TYPE, sizeof *c);
    assert_int_equal(c->add_listener(c, CONNECTION_EVENT_ALL, NULL, NULL), -EINVAL);
    assert_int_equal(c->remove_listener(c, CONNECTION_EVENT_ALL, NULL, NULL), -ENOENT);
    end();
}

TEST(typemaps_refuse)
{
    struct cca_typemap *map = cca_typemap_new();
    int one = 1;
    size_t count;

    assert_int_equal(cca_typemap_put_int(map, NULL, 1), -EINVAL);
    assert_int_equal(cca_typemap_put_int(map, "", 1), -EINVAL);
    assert_int_equal(cca_typemap_put_string(map, NULL, "x"), -EINVAL);
    assert_int_equal(cca_typemap_put_string(map, "k", NULL), -EINVAL);
    assert_int_equal(cca_typemap_put_fcomplex(map, "k", NULL), -EINVAL);
    assert_int_equal(cca_typemap_put_dcomplex(map, "k", NULL), -EINVAL);
    assert_int_equal(cca_typemap_put_array(map, "k", CCA_INT, &one, 1), -EINVAL);
    assert_int_equal(cca_typemap_put_array(map, "k", CCA_INT_ARRAY, NULL, 1), -EINVAL);
    assert_int_equal(cca_typemap_put_array(map, NULL, CCA_INT_ARRAY, &one, 1), -EINVAL);
    assert_null(cca_typemap_key(map, 0));
    assert_int_equal(cca_typemap_get_int(map, NULL, 7), 7);
    assert_int_equal(cca_typemap_get_int(NULL, "k", 7), 7);
    assert_null(cca_typemap_get_array(map, NULL, CCA_INT_ARRAY, &count));
    assert_int_equal(cca_typemap_type_of(map, NULL), CCA_NONE);
    assert_int_equal(cca_typemap_remove(map, NULL), -ENOENT);
    assert_int_equal(cca_typemap_remove(map, "k"), -ENOENT);
    cca_typemap_free(map);
    cca_typemap_free(NULL);
}

TEST(repositories_refuse)
{
    struct cca_repository *repository;
    struct component_repository_port *c;
    struct component_class item;

    begin();
    repository = cca_framework_repository(fw.framework);
    REFUSED(cca_repository_path_append(repository, NULL, e), -ENOENT);
    REFUSED(cca_repository_path_prepend(repository, "", e), -ENOENT);
    REFUSED(cca_repository_path_append(repository, "/dev/null", e), -ENOTDIR);
    assert_null(cca_repository_path(repository, 99));
    assert_null(cca_repository_class(repository, 9999));
    assert_null(cca_repository_find(repository, NULL));
    assert_null(cca_repository_proxy_for(repository, NULL));
    assert_null(cca_repository_serves(repository, NULL));
    assert_null(cca_repository_refused(repository, 9999, NULL));
    REFUSED(cca_repository_unknown(repository, NULL, e), -ENOENT);
    REFUSED(cca_repository_load_ports(repository, NULL, 0, e), -ENOENT);
    NOTHING(cca_class_info_read(NULL, e), -EINVAL);
    cca_class_info_free(NULL);
    c = use("c", COMPONENT_REPOSITORY_PORT_TYPE, sizeof *c);
    assert_int_equal(c->available(c, 9999, &item), -ENOENT);
    REFUSED(c->find(c, NULL, &item, e), -ENOENT);
    REFUSED(c->find(c, "FwNod", &item, e), -ENOENT);
    assert_non_null(strstr(fw.err.text, "did you mean 'FwNode'?"));
    REFUSED(c->append_path(c, NULL, e), -ENOENT);
    REFUSED(c->load(c, NULL, 0, e), -ENOENT);
    end();
}

/* What components see of the repository is what the main program sees. */
TEST(the_component_repository_lists_classes)
{
    struct cca_repository *repository;
    struct component_repository_port *c;
    struct component_class item;
    const struct cca_class_info *info;
    size_t count = 0;

    begin();
    repository = cca_framework_repository(fw.framework);
    c = use("c", COMPONENT_REPOSITORY_PORT_TYPE, sizeof *c);
    for (; (info = cca_repository_class(repository, count)); count++) {
        assert_int_equal(c->available(c, count, &item), 0);
        assert_ptr_equal(item.cls, &info->cls);
        assert_string_equal(item.file, info->file);
        assert_string_equal(item.build_id, info->build_id);
        assert_int_equal(item.loaded, cca_repository_loaded(repository, info));
    }
    assert_true(count > 3);
    assert_int_equal(c->find(c, "FwSink", &item, fw_err()), 0);
    assert_string_equal(item.cls->name, "FwSink");
    fw_done(c->load(c, "FwSink", 0, fw_err()));
    assert_int_equal(c->find(c, "FwSink", &item, NULL), 0);
    assert_int_equal(item.loaded, 1);
    fw_done(c->append_path(c, fw.dir, fw_err()));
    assert_int_equal(c->available(c, count, &item), -ENOENT);
    end();
}

TEST(unique_names_are_free)
{
    static const char *const expected[] = {"port0", "port1", "port3"};
    char name[16];

    begin();
    fw_done(cca_services_register_uses_port(services, "port2", FW_VALUE_TYPE, 64, NULL,
                                            fw_err()));
    for (size_t i = 0; i < 3; i++) {
        fw_done(
            cca_services_unique_port_name(services, "port", name, sizeof name, fw_err()));
        assert_string_equal(name, expected[i]);
        fw_done(cca_services_register_uses_port(services, name, FW_VALUE_TYPE, 64, NULL,
                                                fw_err()));
    }
    end();
}

TESTS(NULL, NULL)
