/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_interpose.c: interposers: put in, invisible, taken out, put everywhere. */
#include "tests/lib/fw_assembly.h"

/* What the sink has counted. */
static int counted(const char *sink)
{
    struct fw_sink_port *port = cca_framework_port(fw.framework, sink, "sink",
                                                   FW_SINK_TYPE, sizeof *port, fw_err());

    assert_string_equal(fw.err.text, "");
    assert_int_equal(cca_framework_release_port(fw.framework, sink, "sink", NULL), 0);
    return port->counted(port);
}

static int interposed(const char *instance, const char *port)
{
    struct builder_port *builder = cca_framework_builder(fw.framework);

    return builder->interposed(builder, instance, port);
}

FW_TEST(a_present_connection_goes_through_and_back)
{
    fw_pair();
    fw_done(fw_insert("src", "out"));
    assert_true(interposed("src", "out"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 1008);
    assert_int_equal(counted("FwSink"), 1);
    fw_done(fw_eject("src", "out"));
    assert_false(interposed("src", "out"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 8);
    assert_int_equal(counted("FwSink"), 1);
}

FW_TEST(a_later_connection_goes_through)
{
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_insert("src", "out"));
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_connect("node", "in", "src", "out"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 1008);
    fw_done(fw_disconnect("node", "in", "src", "out"));
    fw_done(fw_eject("src", "out"));
    fw_done(fw_connect("node", "in", "src", "out"));
    assert_int_equal(fw_act("node", "value", "in"), 7);
}

FW_TEST(the_wiring_looks_as_written)
{
    struct builder_port *builder;
    struct builder_connection connection;
    struct builder_instance instance;

    builder = cca_framework_builder(fw.framework);
    fw_pair();
    fw_watch("node");
    fw_done(fw_insert("src", "out"));
    fw_assert_log(""); /* the user is told nothing */
    assert_int_equal(fw_instances(0), 2);
    assert_int_equal(fw_instances(1), 5); /* interposer, sink, clock */
    assert_int_equal(fw_connections(), 1);
    assert_int_equal(builder->connection(builder, 0, &connection), 0);
    assert_string_equal(connection.provider, "src");
    assert_int_equal(fw_act("node", "peer", "in"), 0);
    fw_assert_log("node src out FwSource\n");
    assert_int_equal(builder->instance(builder, 2, 1, &instance), 0);
    assert_string_equal(instance.name, "src_out_proxy");
    assert_int_equal(instance.interposer, 1);
    assert_int_equal(fw_remove("src_out_proxy"), -EPERM);
    assert_int_equal(fw_remove("FwSink"), -EPERM);
}

/* The one connection of `single` is the user's: the interposer's does not count. */
FW_TEST(go_is_reached_through_its_interposer)
{
    fw_pair();
    fw_done(fw_insert("node", "go"));
    fw_done(fw_go("node"));
    assert_int_equal(counted("FwSink"), 1);
    fw_act("node", "fail", "6");
    fw_fails(fw_go("node"), 6, "'go' of 'node' returned 6: 'node': told to return 6");
    fw_done(fw_eject("node", "go"));
    fw_act("node", "fail", "0");
    fw_done(fw_go("node"));
    assert_int_equal(counted("FwSink"), 2);
}

FW_TEST(a_port_in_use_is_refused_with_its_holder)
{
    struct fw_value_port *value;

    fw_pair();
    fw_act("node", "get", "in");
    fw_fails(fw_insert("src", "out"), -EBUSY, "'node' still holds its uses port 'in'");
    assert_int_equal(fw_instances(1), 2);
    fw_act("node", "release", "in");
    fw_done(fw_insert("src", "out"));
    fw_act("node", "get", "in");
    fw_fails(fw_eject("src", "out"), -EBUSY, "'node' still holds its uses port 'in'");
    fw_act("node", "release", "in");
    value = cca_framework_port(fw.framework, "src", "out", FW_VALUE_TYPE, sizeof *value,
                               fw_err());
    assert_non_null(value);
    assert_int_equal(value->value(value), 1007);
    fw_fails(fw_eject("src", "out"), -EBUSY,
             "the main program still holds 'out' of 'src'");
    assert_int_equal(cca_framework_release_port(fw.framework, "src", "out", fw_err()), 0);
    fw_fails(cca_framework_release_port(fw.framework, "src", "out", fw_err()), -EINVAL,
             "the main program does not hold 'out' of 'src'");
    fw_done(fw_eject("src", "out"));
}

FW_TEST(what_cannot_be_fronted_is_refused)
{
    fw_pair();
    fw_fails(fw_insert("src", "single"), -ENOTSUP,
             "no interposer may front 'single' of 'src' (fw.ValuePort/1)");
    fw_fails(fw_insert("src", "shy"), -ENOTSUP,
             "no interposer may front 'shy' of 'src' (fw.ValuePort/1)");
    fw_fails(fw_insert("src", "config"), -ENOTSUP,
             "no interposer may front 'config' of 'src' (cca.ParameterPort/1)");
    fw_fails(fw_insert("node", "probe"), -ENOTSUP,
             "no class on the path is a proxy for fw.ProbePort/1; "
             "'proxygen HEADER' makes one from the header of the port");
    fw_fails(fw_insert("src", "otu"), -ENOENT,
             "'src' has no provides port 'otu'; did you mean 'out'?");
    fw_fails(cca_framework_insert(fw.framework, "src", "out", "FwGoProxy", fw_err()),
             -EINVAL,
             "class 'FwGoProxy' cannot front 'out' of 'src': it does not provide a port "
             "'port' of type fw.ValuePort/1");
    assert_int_equal(cca_framework_insert(fw.framework, "src", "out", "FwNode", fw_err()),
                     -EINVAL);
    fw_fails(cca_framework_insert(fw.framework, "src", "out", "FwValuProxy", fw_err()),
             -ENOENT, "no class 'FwValuProxy' on the path; did you mean 'FwValueProxy'?");
    assert_int_equal(
        cca_framework_insert(fw.framework, "src", "out", "FwValueProxy", fw_err()), 0);
    fw_fails(fw_insert("src", "out"), -EEXIST,
             "'out' of 'src' has the interposer 'src_out_proxy' already");
    fw_fails(fw_eject("node", "go"), -ENOENT, "'go' of 'node' has no interposer");
    assert_int_equal(fw_insert("FwSink", "sink"), -ENOTSUP);
}

FW_TEST(an_insert_that_fails_leaves_nothing_behind)
{
    fw_pair();
    setenv("FW_PROXY_FAILS", "src", 1);
    fw_fails(fw_insert("src", "out"), -EACCES,
             "'src_out_proxy' failed after the connection of its port 'port': told to "
             "fail at 'src'");
    unsetenv("FW_PROXY_FAILS");
    assert_int_equal(fw_instances(1), 2);
    assert_int_equal(fw_act("node", "value", "in"), 7);
    cca_framework_set_property(fw.framework, "no-sink", "1");
    fw_fails(fw_insert("src", "out"), -EIO,
             "set_services of 'FwSink' (class 'FwSink'): the sink is stopped up");
    assert_int_equal(fw_instances(1), 2);
}

TEST(an_insert_without_what_it_needs_is_refused)
{
    fw_begin_without(plain, "fw_clock.so", NULL);
    fw_pair();
    fw_fails(fw_insert("src", "out"), -ENOENT,
             "'FwSink' needs fw.ClockPort/1: no instance provides it and no class on the "
             "path serves it");
    assert_int_equal(fw_instances(1), 2);
    fw_done(fw_go("node"));
    fw_end();
}

FW_TEST(what_is_there_serves)
{
    fw_pair();
    fw_done(fw_create("FwClock", "clock"));
    fw_done(fw_create("FwSink", "mine"));
    fw_done(fw_connect("mine", "clock", "clock", "clock"));
    fw_done(fw_insert("src", "out"));
    fw_done(fw_insert("node", "go"));
    assert_int_equal(fw_instances(1), 6);
    fw_done(fw_go("node"));
    assert_int_equal(counted("mine"), 2);
    fw_fails(fw_remove("mine"), -EBUSY, "'mine' serves the interposer 'node_go_proxy'");
    fw_done(fw_eject("node", "go"));
    fw_done(fw_eject("src", "out"));
    fw_done(fw_remove("mine"));
}

FW_MEASURED(a_script_may_use_the_name_of_a_hidden_instance)
{
    fw_pair();
    fw_done(fw_go("node"));
    fw_done(fw_create("FwClock", "FwClock"));
    fw_done(fw_create("FwSource", "src_out_proxy"));
    fw_done(fw_go("node"));
    fw_done(fw_remove("FwClock"));
    fw_done(fw_go("node"));
}

FW_TEST(removal_takes_the_interposers_along)
{
    fw_pair();
    fw_done(fw_insert("src", "out"));
    fw_act("node", "get", "in");
    fw_fails(fw_remove("src"), -EBUSY, "'node' still holds its uses port 'in'");
    assert_true(interposed("src", "out"));
    fw_act("node", "release", "in");
    fw_done(fw_go("node")); /* the refused removal left the interposer whole */
    assert_int_equal(fw_act("node", "last", ""), 1008);
    fw_done(fw_remove("src"));
    assert_int_equal(fw_instances(1), 3); /* node, sink, clock */
}

FW_MEASURED(measure_marks_every_port)
{
    fw_pair();
    assert_true(interposed("src", "out"));
    assert_true(interposed("node", "out"));
    assert_true(interposed("node", "go"));
    assert_false(interposed("src", "single"));
    assert_false(interposed("src", "shy"));
    assert_false(interposed("src", "config"));
    assert_false(interposed("node", "probe"));
    assert_string_equal(cca_framework_unproxied(fw.framework, 0), FW_VALUE_TYPE);
    assert_string_equal(cca_framework_unproxied(fw.framework, 1), FW_PROBE_TYPE);
    assert_null(cca_framework_unproxied(fw.framework, 2));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 1008);
    assert_int_equal(counted("FwSink"), 2);
    assert_int_equal(fw_instances(0), 2);
    assert_int_equal(fw_instances(1), 7);
}

FW_MEASURED(measuring_classes_are_not_measured)
{
    fw_done(fw_create("FwClock", "clock"));
    fw_done(fw_create("FwSink", "sink"));
    fw_done(fw_create("FwValueProxy", "proxy"));
    assert_int_equal(fw_instances(1), 3);
    assert_null(cca_framework_unproxied(fw.framework, 0));
}

FW_MEASURED(a_go_that_cannot_be_measured_makes_nothing)
{
    cca_framework_set_property(fw.framework, "no-sink", "1");
    fw_pair();
    assert_int_equal(fw_instances(1), 5); /* and three proxies */
    fw_fails(fw_go("node"), -EIO,
             "set_services of 'FwSink' (class 'FwSink'): the sink is stopped up");
    assert_int_equal(fw_instances(1), 5);
    fw_done(fw_create("FwClock", "clock"));
    fw_fails(fw_go("node"), -EIO,
             "set_services of 'FwSink' (class 'FwSink'): the sink is stopped up");
    assert_int_equal(fw_instances(1), 6);
}

TEST(a_measured_creation_that_nothing_can_serve_fails_whole)
{
    fw_begin_without(measure, "fw_sink.so", NULL);
    fw_fails(fw_create("FwSource", "src"), -ENOENT,
             "'src_out_proxy' needs fw.SinkPort/1: no instance provides it and no "
             "class on the path serves it");
    assert_int_equal(fw_instances(1), 0);
    fw_end();
}

/* The script's own instances count, wherever it has put them. */
FW_MEASURED(what_serves_may_come_as_late_as_the_first_go)
{
    fw_pair();
    fw_done(fw_create("FwSink", "mine"));
    fw_done(fw_create("FwClock", "clock"));
    fw_done(fw_connect("mine", "clock", "clock", "clock"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 1008);
    assert_int_equal(counted("mine"), 2);
    assert_int_equal(fw_instances(1), 7); /* these, and three proxies */
}

FW_MEASURED(a_main_program_that_gets_a_port_settles_it_too)
{
    struct fw_value_port *value;

    fw_done(fw_create("FwSource", "src"));
    assert_int_equal(fw_instances(1), 2);
    value = cca_framework_port(fw.framework, "src", "out", FW_VALUE_TYPE, sizeof *value,
                               NULL);
    assert_non_null(value);
    value->value(value);
    assert_int_equal(counted("FwSink"), 1);
    cca_framework_release_port(fw.framework, "src", "out", NULL);
}

FW_MEASURED(an_insert_takes_over_what_measure_has_marked)
{
    fw_pair();
    fw_done(fw_insert("src", "out"));
    fw_fails(fw_insert("src", "out"), -EEXIST,
             "'out' of 'src' has the interposer 'src_out_proxy' already");
    fw_done(cca_framework_insert(fw.framework, "node", "out", "FwValueProxy", fw_err()));
    fw_fails(cca_framework_insert(fw.framework, "node", "go", "FwValueProxy", fw_err()),
             -EINVAL,
             "class 'FwValueProxy' cannot front 'go' of 'node': it does not provide a "
             "port 'port' of type gov.cca.ports.GoPort/1");
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 1008);
    fw_done(fw_eject("src", "out"));
    assert_false(interposed("src", "out"));
}

/* A call through two proxies would be told twice. */
FW_MEASURED(a_proxy_wired_by_hand_goes_before_the_marked_one)
{
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_create("FwClock", "clock"));
    fw_done(fw_create("FwSink", "sink"));
    fw_done(fw_create("FwValueProxy", "proxy"));
    fw_done(fw_connect("sink", "clock", "clock", "clock"));
    fw_done(fw_connect("proxy", "sink", "sink", "sink"));
    fw_done(fw_connect("proxy", "port", "src", "out"));
    fw_done(fw_connect("node", "in", "proxy", "port"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 1008);
    assert_int_equal(counted("sink"), 2); /* the go and the value */
}

FW_TEST(a_proxy_wired_by_hand_works)
{
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_create("FwClock", "clock"));
    fw_done(fw_create("FwSink", "sink"));
    fw_done(fw_create("FwValueProxy", "proxy"));
    fw_done(fw_connect("sink", "clock", "clock", "clock"));
    fw_done(fw_connect("proxy", "sink", "sink", "sink"));
    fw_done(fw_connect("node", "in", "proxy", "port"));
    assert_int_equal(fw_go("node"), -ENOTCONN);
    fw_done(fw_connect("proxy", "port", "src", "out"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 1008);
    assert_int_equal(counted("sink"), 1);
    fw_done(fw_disconnect("proxy", "port", "src", "out"));
}

TEST(a_dry_run_measures_without_loading)
{
    fw_begin((struct cca_framework_options){.dry = 1, .measure = 1});
    cca_framework_set_property(fw.framework, "no-sink", "1");
    fw_pair();
    assert_true(interposed("src", "out"));
    fw_done(fw_go("node"));
    fw_done(fw_eject("src", "out"));
    fw_done(fw_insert("src", "out"));
    fw_end();
}

FW_MEASURED(many_interposers_come_and_go)
{
    char name[16];

    fw_done(fw_create("FwNode", "n0"));
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_connect("n0", "in", "src", "out"));
    for (int i = 1; i < 300; i++) {
        char before[16];

        snprintf(name, sizeof name, "n%d", i);
        snprintf(before, sizeof before, "n%d", i - 1);
        fw_done(fw_create("FwNode", name));
        fw_done(fw_connect(name, "in", before, "out"));
    }
    fw_done(fw_go("n299"));
    assert_int_equal(fw_act("n299", "last", ""), 7 + 300 + 300 * 1000);
    for (int i = 0; i < 300; i += 3) {
        snprintf(name, sizeof name, "n%d", i);
        fw_done(fw_eject(name, "out"));
    }
    fw_done(fw_go("n299"));
    assert_int_equal(fw_act("n299", "last", ""), 7 + 300 + 200 * 1000);
}

/* --- A server that nothing requires --------------------------------------- */

TEST(a_served_type_has_a_provider_from_the_first_go_on)
{
    fw_begin((struct cca_framework_options){.served = FW_SINK_TYPE});
    fw_pair();
    assert_int_equal(fw_instances(1), 2);
    fw_done(fw_go("node"));
    assert_int_equal(fw_instances(0), 2);
    assert_int_equal(fw_instances(1), 4); /* sink, and the clock that it needs */
    fw_done(fw_go("node"));
    assert_int_equal(fw_instances(1), 4);
    fw_end();
}

TEST(a_served_type_is_the_scripts_where_it_has_one)
{
    fw_begin((struct cca_framework_options){.served = FW_SINK_TYPE});
    fw_pair();
    fw_done(fw_create("FwClock", "clock"));
    fw_done(fw_create("FwSink", "sink"));
    fw_done(fw_connect("sink", "clock", "clock", "clock"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_instances(1), 4);
    fw_end();
}

TEST(a_served_type_without_a_class_refuses_go)
{
    fw_begin((struct cca_framework_options){.served = "fw.NoSuchPort/1"});
    fw_pair();
    fw_fails(fw_go("node"), -ENOENT, "no class on the path serves fw.NoSuchPort/1");
    fw_fails(fw_go("node"), -ENOENT, "no class on the path serves fw.NoSuchPort/1");
    assert_int_equal(fw_instances(1), 2);
    fw_end();
}

TESTS(NULL, NULL)
