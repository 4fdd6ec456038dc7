/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_parameters.c: parameter ports that an instance makes: groups, bounds, choices,
 * listeners. */
#include "tests/lib/fw_assembly.h"

#include "ports/parameter_factory_port.h"

/* A main program with a parameter port `setup` of five parameters. */
static struct parameter_factory_port *begin(void)
{
    struct parameter_factory_port *factory;
    /* clang-format off */
    struct cca_param_decl decls[] = {
        {.name = "nx", .type = CCA_INT, .value = "8", .low = "1", .high = "64", .help = "cells"},
        {.name = "cfl", .type = CCA_DOUBLE, .value = "0.4", .low = "0", .group = "Time"},
        {.name = "limiter", .type = CCA_STRING, .value = "minmod", .choices = "none|minmod"},
        {.name = "loud", .type = CCA_BOOL, .value = "no"},
        {.name = "tol", .type = CCA_FLOAT, .value = "0.1", .low = "1e-6", .high = "0.5"},
    };
    /* clang-format on */
    char name[] = "nx";
    struct cca_services *services;

    fw_begin(plain);
    services = cca_framework_get_services(fw.framework, "main", "Main", NULL, fw_err());
    assert_non_null(services);
    fw_done(cca_services_register_uses_port(services, "factory",
                                            PARAMETER_FACTORY_PORT_TYPE, sizeof *factory,
                                            NULL, fw_err()));
    factory = cca_services_get_port(services, "factory", PARAMETER_FACTORY_PORT_TYPE,
                                    sizeof *factory, fw_err());
    assert_non_null(factory);
    fw_done(factory->create(factory, "setup", fw_err()));
    fw_done(factory->set_title(factory, "setup", "Problem", fw_err()));
    fw_done(factory->set_group(factory, "setup", "Mesh", fw_err()));
    decls[0].name = name;
    for (size_t i = 0; i < sizeof decls / sizeof *decls; i++)
        fw_done(factory->add_request(factory, "setup", &decls[i], fw_err()));
    memset(name, '?', 2); /* what went in was copied */
    return factory;
}

static int set(const char *name, const char *value)
{
    return cca_framework_set_parameter(fw.framework, "main", "setup", name, value,
                                       fw_err());
}

static const char *get(const char *name)
{
    return cca_framework_parameter(fw.framework, "main", "setup", name, fw_err());
}

TEST(requests_have_groups_bounds_and_choices)
{
    struct parameter_factory_port *factory = begin();
    struct parameter_port *port;
    struct cca_typemap *map = cca_typemap_new();

    port = cca_framework_parameters(fw.framework, "main", "setup", fw_err());
    assert_non_null(port);
    assert_int_equal(port->count(port), 5);
    assert_string_equal(port->decl(port, 0)->name, "nx");
    assert_string_equal(port->decl(port, 0)->group, "Mesh");
    assert_string_equal(port->decl(port, 0)->help, "cells");
    assert_string_equal(port->decl(port, 1)->group, "Time");
    assert_null(port->decl(port, 0)->unit);
    assert_string_equal(cca_typemap_get_string(cca_framework_port_properties(
                                                   fw.framework, "main", "setup", NULL),
                                               "title", ""),
                        "Problem");
    fw_done(set("nx", "16"));
    fw_fails(set("nx", "65"), -ERANGE,
             "parameter 'nx' of 'main' lies between 1 and 64, found '65'");
    fw_fails(set("limiter", "vanleer"), -EINVAL,
             "parameter 'limiter' of 'main' is one of none|minmod, found 'vanleer'");
    fw_done(set("loud", "yes"));
    fw_fails(set("tol", "0.6"), -ERANGE,
             "parameter 'tol' of 'main' lies between 1e-6 and 0.5, found '0.6'");
    fw_done(set("tol", "0.10000000149"));
    assert_string_equal(get("tol"), "0.1");
    fw_done(factory->read(factory, "setup", map, fw_err()));
    assert_int_equal(cca_typemap_get_int(map, "nx", 0), 16);
    assert_true(cca_typemap_get_double(map, "cfl", 0) == 0.4);
    assert_string_equal(cca_typemap_get_string(map, "limiter", ""), "minmod");
    assert_int_equal(cca_typemap_get_bool(map, "loud", 0), 1);
    assert_true(cca_typemap_get_float(map, "tol", 0) == 0.1f);
    cca_typemap_free(map);
    map = cca_typemap_new();
    cca_typemap_put_string(map, "nx", "sixteen");
    fw_fails(factory->read(factory, "setup", map, fw_err()), -EEXIST,
             "the map has 'nx' with another type");
    cca_typemap_free(map);
    fw_end();
}

TEST(wrong_requests_add_nothing)
{
    struct parameter_factory_port *factory = begin();
    struct parameter_port *port =
        cca_framework_parameters(fw.framework, "main", "setup", fw_err());
    struct cca_param_decl twice = {.name = "nx", .type = CCA_INT, .value = "1"};
    struct cca_param_decl beyond = {
        .name = "b", .type = CCA_INT, .value = "9", .high = "8"};
    struct cca_param_decl nameless = {.type = CCA_INT, .value = "9"};
    struct cca_param_decl odd = {.name = "f", .type = CCA_FCOMPLEX, .value = "9"};
    struct cca_param_decl fine = {.name = "nx", .type = CCA_LONG, .value = "9"};

    fw_fails(factory->add_request(factory, "setup", &twice, fw_err()), -EINVAL,
             "instance 'main' declares parameter 'nx': it is declared twice");
    assert_int_equal(factory->add_request(factory, "setup", &beyond, fw_err()), -ERANGE);
    assert_int_equal(factory->add_request(factory, "setup", &nameless, fw_err()),
                     -EINVAL);
    assert_int_equal(factory->add_request(factory, "setup", &odd, fw_err()), -EINVAL);
    assert_int_equal(factory->add_request(factory, "factory", &fine, fw_err()), -ENOENT);
    assert_int_equal(port->count(port), 5);
    assert_int_equal(factory->create(factory, "setup", fw_err()), -EEXIST);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_ALREADY_DEFINED);
    fw_done(factory->clear_requests(factory, "setup", fw_err()));
    assert_int_equal(port->count(port), 0);
    fw_done(factory->add_request(factory, "setup", &fine, fw_err()));
    assert_string_equal(port->get(port, "nx"), "9");
    fw_end();
}

/* A listener that writes down what it hears, and may refuse. */
struct ear {
    struct fw *fw;
    const char *name, *refuse;
};

static int hear(void *context, const char *port, const char *name, const char *value,
                struct cca_error *err)
{
    struct ear *ear = context;
    char line[128];

    snprintf(line, sizeof line, "%s %s.%s=%s", ear->name, port, name, value);
    fw_note(ear->fw, line);
    return ear->refuse && !strcmp(ear->refuse, value)
               ? cca_error_set(err, -EACCES, "no %s here", value)
               : 0;
}

TEST(listeners_hear_and_refuse)
{
    struct parameter_factory_port *factory = begin();
    struct ear one = {&fw, "one", NULL}, two = {&fw, "two", "32"};

    assert_int_equal(factory->add_set_listener(factory, "setup", hear, &one), 0);
    assert_int_equal(factory->add_set_listener(factory, "setup", hear, &two), 0);
    assert_int_equal(factory->add_set_listener(factory, "none", hear, &two), -ENOENT);
    fw_done(set("nx", "0x10"));
    fw_assert_log("one setup.nx=16\ntwo setup.nx=16\n");
    assert_int_equal(set("nx", "65"), -ERANGE);
    fw_assert_log("");
    fw_fails(set("nx", "32"), -EACCES,
             "'main' refuses '32' as its parameter 'nx': no 32 here");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_UNEXPECTED);
    fw_assert_log("one setup.nx=32\ntwo setup.nx=32\none setup.nx=16\n");
    assert_string_equal(get("nx"), "16");
    assert_int_equal(factory->remove_set_listener(factory, "setup", hear, &two), 0);
    assert_int_equal(factory->remove_set_listener(factory, "setup", hear, &two), -ENOENT);
    fw_done(set("nx", "32"));
    fw_assert_log("one setup.nx=32\n");
    fw_end();
}

/* Brings `nx` up to date before it is read. */
struct updater {
    struct parameter_port *port;
    int times;
};

static void bring_up_to_date(void *context, const char *port)
{
    struct updater *updater = context;
    char text[16];

    assert_string_equal(port, "setup");
    assert_non_null(updater->port->get(updater->port, "nx")); /* itself, it is not told */
    snprintf(text, sizeof text, "%d", ++updater->times);
    assert_int_equal(updater->port->set(updater->port, "nx", text, NULL), 0);
}

TEST(values_are_brought_up_to_date_before_reading)
{
    struct parameter_factory_port *factory = begin();
    struct updater updater = {
        .port = cca_framework_parameters(fw.framework, "main", "setup", fw_err())};

    assert_int_equal(
        factory->add_get_listener(factory, "setup", bring_up_to_date, &updater), 0);
    assert_string_equal(get("nx"), "1");
    assert_string_equal(get("nx"), "2");
    assert_int_equal(
        factory->remove_get_listener(factory, "setup", bring_up_to_date, &updater), 0);
    assert_string_equal(get("nx"), "2");
    fw_end();
}

TESTS(NULL, NULL)
