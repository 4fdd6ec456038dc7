/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_interpose.c: interposers: put in, invisible, taken out, put everywhere. */
#include "tests/lib/fw_assembly.h"

static const struct cca_framework_options plain = {0};
static const struct cca_framework_options measure = {.measure = 1};

/* What the sink has counted. */
static int counted(struct fw *fw, const char *sink)
{
    struct fw_sink_port *port = cca_framework_port(
        fw->framework, sink, "sink", FW_SINK_TYPE, sizeof *port, fw_err(fw));

    assert_string_equal(fw->err.text, "");
    assert_int_equal(cca_framework_release_port(fw->framework, sink, "sink", NULL), 0);
    return port->counted(port);
}

static int interposed(struct fw *fw, const char *instance, const char *port)
{
    struct builder_port *builder = cca_framework_builder(fw->framework);

    return builder->interposed(builder, instance, port);
}

TEST(a_present_connection_goes_through_and_back)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    assert_true(interposed(&fw, "src", "out"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    assert_int_equal(counted(&fw, "FwSink"), 1);
    fw_assert_done(&fw, fw_eject(&fw, "src", "out"));
    assert_false(interposed(&fw, "src", "out"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 8);
    assert_int_equal(counted(&fw, "FwSink"), 1);
    fw_end(&fw);
}

TEST(a_later_connection_goes_through)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src"));
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    fw_assert_done(&fw, fw_create(&fw, "FwNode", "node"));
    fw_assert_done(&fw, fw_connect(&fw, "node", "in", "src", "out"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    fw_assert_done(&fw, fw_disconnect(&fw, "node", "in", "src", "out"));
    fw_assert_done(&fw, fw_eject(&fw, "src", "out"));
    fw_assert_done(&fw, fw_connect(&fw, "node", "in", "src", "out"));
    assert_int_equal(fw_act(&fw, "node", "value", "in"), 7);
    fw_end(&fw);
}

TEST(the_wiring_looks_as_written)
{
    struct fw fw;
    struct builder_port *builder;
    struct builder_connection connection;
    struct builder_instance instance;

    fw_begin(&fw, plain);
    builder = cca_framework_builder(fw.framework);
    fw_pair(&fw);
    fw_watch(&fw, "node");
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    fw_assert_log(&fw, ""); /* the user is told nothing */
    assert_int_equal(fw_instances(&fw, 0), 2);
    assert_int_equal(fw_instances(&fw, 1), 5); /* interposer, sink, clock */
    assert_int_equal(fw_connections(&fw), 1);
    assert_int_equal(builder->connection(builder, 0, &connection), 0);
    assert_string_equal(connection.provider, "src");
    assert_int_equal(fw_act(&fw, "node", "peer", "in"), 0);
    fw_assert_log(&fw, "node src out FwSource\n");
    assert_int_equal(builder->instance(builder, 2, 1, &instance), 0);
    assert_string_equal(instance.name, "src_out_proxy");
    assert_int_equal(instance.interposer, 1);
    assert_int_equal(fw_remove(&fw, "src_out_proxy"), -EPERM);
    assert_int_equal(fw_remove(&fw, "FwSink"), -EPERM);
    fw_end(&fw);
}

/* The one connection of `single` is the user's: the interposer's does not count. */
TEST(go_is_reached_through_its_interposer)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_insert(&fw, "node", "go"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(counted(&fw, "FwSink"), 1);
    fw_act(&fw, "node", "fail", "6");
    fw_assert_fails(&fw, fw_go(&fw, "node"), 6,
                    "'go' of 'node' returned 6: 'node': told to return 6");
    fw_assert_done(&fw, fw_eject(&fw, "node", "go"));
    fw_act(&fw, "node", "fail", "0");
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(counted(&fw, "FwSink"), 2);
    fw_end(&fw);
}

TEST(a_port_in_use_is_refused_with_its_holder)
{
    struct fw fw;
    struct fw_value_port *value;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_act(&fw, "node", "get", "in");
    fw_assert_fails(&fw, fw_insert(&fw, "src", "out"), -EBUSY,
                    "'node' still holds its uses port 'in'");
    assert_int_equal(fw_instances(&fw, 1), 2);
    fw_act(&fw, "node", "release", "in");
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    fw_act(&fw, "node", "get", "in");
    fw_assert_fails(&fw, fw_eject(&fw, "src", "out"), -EBUSY,
                    "'node' still holds its uses port 'in'");
    fw_act(&fw, "node", "release", "in");
    value = cca_framework_port(fw.framework, "src", "out", FW_VALUE_TYPE, sizeof *value,
                               fw_err(&fw));
    assert_non_null(value);
    assert_int_equal(value->value(value), 1007);
    fw_assert_fails(&fw, fw_eject(&fw, "src", "out"), -EBUSY,
                    "the main program still holds 'out' of 'src'");
    assert_int_equal(cca_framework_release_port(fw.framework, "src", "out", fw_err(&fw)),
                     0);
    fw_assert_fails(&fw,
                    cca_framework_release_port(fw.framework, "src", "out", fw_err(&fw)),
                    -EINVAL, "the main program does not hold 'out' of 'src'");
    fw_assert_done(&fw, fw_eject(&fw, "src", "out"));
    fw_end(&fw);
}

TEST(what_cannot_be_fronted_is_refused)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_fails(&fw, fw_insert(&fw, "src", "single"), -ENOTSUP,
                    "no interposer may front 'single' of 'src' (fw.ValuePort/1)");
    fw_assert_fails(&fw, fw_insert(&fw, "src", "shy"), -ENOTSUP,
                    "no interposer may front 'shy' of 'src' (fw.ValuePort/1)");
    fw_assert_fails(&fw, fw_insert(&fw, "src", "config"), -ENOTSUP,
                    "no interposer may front 'config' of 'src' (cca.ParameterPort/1)");
    fw_assert_fails(&fw, fw_insert(&fw, "node", "probe"), -ENOTSUP,
                    "no class on the path is a proxy for fw.ProbePort/1; "
                    "'proxygen HEADER' makes one from the header of the port");
    fw_assert_fails(&fw, fw_insert(&fw, "src", "otu"), -ENOENT,
                    "'src' has no provides port 'otu'; did you mean 'out'?");
    fw_assert_fails(
        &fw, cca_framework_insert(fw.framework, "src", "out", "FwGoProxy", fw_err(&fw)),
        -EINVAL,
        "class 'FwGoProxy' cannot front 'out' of 'src': it does not provide a port "
        "'port' of type fw.ValuePort/1");
    assert_int_equal(
        cca_framework_insert(fw.framework, "src", "out", "FwNode", fw_err(&fw)), -EINVAL);
    fw_assert_fails(
        &fw, cca_framework_insert(fw.framework, "src", "out", "FwValuProxy", fw_err(&fw)),
        -ENOENT, "no class 'FwValuProxy' on the path; did you mean 'FwValueProxy'?");
    assert_int_equal(
        cca_framework_insert(fw.framework, "src", "out", "FwValueProxy", fw_err(&fw)), 0);
    fw_assert_fails(&fw, fw_insert(&fw, "src", "out"), -EEXIST,
                    "'out' of 'src' has the interposer 'src_out_proxy' already");
    fw_assert_fails(&fw, fw_eject(&fw, "node", "go"), -ENOENT,
                    "'go' of 'node' has no interposer");
    assert_int_equal(fw_insert(&fw, "FwSink", "sink"), -ENOTSUP);
    fw_end(&fw);
}

TEST(an_insert_that_fails_leaves_nothing_behind)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    setenv("FW_PROXY_FAILS", "src", 1);
    fw_assert_fails(
        &fw, fw_insert(&fw, "src", "out"), -EACCES,
        "'src_out_proxy' failed after the connection of its port 'port': told to "
        "fail at 'src'");
    unsetenv("FW_PROXY_FAILS");
    assert_int_equal(fw_instances(&fw, 1), 2);
    assert_int_equal(fw_act(&fw, "node", "value", "in"), 7);
    cca_framework_set_property(fw.framework, "no-sink", "1");
    fw_assert_fails(&fw, fw_insert(&fw, "src", "out"), -EIO,
                    "set_services of 'FwSink' (class 'FwSink'): the sink is stopped up");
    assert_int_equal(fw_instances(&fw, 1), 2);
    fw_end(&fw);
}

TEST(an_insert_without_what_it_needs_is_refused)
{
    struct fw fw;

    fw_begin_without(&fw, plain, "fw_clock.so", NULL);
    fw_pair(&fw);
    fw_assert_fails(
        &fw, fw_insert(&fw, "src", "out"), -ENOENT,
        "'FwSink' needs fw.ClockPort/1: no instance provides it and no class on the "
        "path serves it");
    assert_int_equal(fw_instances(&fw, 1), 2);
    fw_assert_done(&fw, fw_go(&fw, "node"));
    fw_end(&fw);
}

TEST(what_is_there_serves)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_create(&fw, "FwClock", "clock"));
    fw_assert_done(&fw, fw_create(&fw, "FwSink", "mine"));
    fw_assert_done(&fw, fw_connect(&fw, "mine", "clock", "clock", "clock"));
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    fw_assert_done(&fw, fw_insert(&fw, "node", "go"));
    assert_int_equal(fw_instances(&fw, 1), 6);
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(counted(&fw, "mine"), 2);
    fw_assert_fails(&fw, fw_remove(&fw, "mine"), -EBUSY,
                    "'mine' serves the interposer 'node_go_proxy'");
    fw_assert_done(&fw, fw_eject(&fw, "node", "go"));
    fw_assert_done(&fw, fw_eject(&fw, "src", "out"));
    fw_assert_done(&fw, fw_remove(&fw, "mine"));
    fw_end(&fw);
}

TEST(a_script_may_use_the_name_of_a_hidden_instance)
{
    struct fw fw;

    fw_begin(&fw, measure);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_go(&fw, "node"));
    fw_assert_done(&fw, fw_create(&fw, "FwClock", "FwClock"));
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src_out_proxy"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    fw_assert_done(&fw, fw_remove(&fw, "FwClock"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    fw_end(&fw);
}

TEST(removal_takes_the_interposers_along)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    fw_act(&fw, "node", "get", "in");
    fw_assert_fails(&fw, fw_remove(&fw, "src"), -EBUSY,
                    "'node' still holds its uses port 'in'");
    assert_true(interposed(&fw, "src", "out"));
    fw_act(&fw, "node", "release", "in");
    fw_assert_done(
        &fw, fw_go(&fw, "node")); /* the refused removal left the interposer whole */
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    fw_assert_done(&fw, fw_remove(&fw, "src"));
    assert_int_equal(fw_instances(&fw, 1), 3); /* node, sink, clock */
    fw_end(&fw);
}

TEST(measure_marks_every_port)
{
    struct fw fw;

    fw_begin(&fw, measure);
    fw_pair(&fw);
    assert_true(interposed(&fw, "src", "out"));
    assert_true(interposed(&fw, "node", "out"));
    assert_true(interposed(&fw, "node", "go"));
    assert_false(interposed(&fw, "src", "single"));
    assert_false(interposed(&fw, "src", "shy"));
    assert_false(interposed(&fw, "src", "config"));
    assert_false(interposed(&fw, "node", "probe"));
    assert_string_equal(cca_framework_unproxied(fw.framework, 0), FW_VALUE_TYPE);
    assert_string_equal(cca_framework_unproxied(fw.framework, 1), FW_PROBE_TYPE);
    assert_null(cca_framework_unproxied(fw.framework, 2));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    assert_int_equal(counted(&fw, "FwSink"), 2);
    assert_int_equal(fw_instances(&fw, 0), 2);
    assert_int_equal(fw_instances(&fw, 1), 7);
    fw_end(&fw);
}

TEST(measuring_classes_are_not_measured)
{
    struct fw fw;

    fw_begin(&fw, measure);
    fw_assert_done(&fw, fw_create(&fw, "FwClock", "clock"));
    fw_assert_done(&fw, fw_create(&fw, "FwSink", "sink"));
    fw_assert_done(&fw, fw_create(&fw, "FwValueProxy", "proxy"));
    assert_int_equal(fw_instances(&fw, 1), 3);
    assert_null(cca_framework_unproxied(fw.framework, 0));
    fw_end(&fw);
}

TEST(a_go_that_cannot_be_measured_makes_nothing)
{
    struct fw fw;

    fw_begin(&fw, measure);
    cca_framework_set_property(fw.framework, "no-sink", "1");
    fw_pair(&fw);
    assert_int_equal(fw_instances(&fw, 1), 5); /* and three proxies */
    fw_assert_fails(&fw, fw_go(&fw, "node"), -EIO,
                    "set_services of 'FwSink' (class 'FwSink'): the sink is stopped up");
    assert_int_equal(fw_instances(&fw, 1), 5);
    fw_assert_done(&fw, fw_create(&fw, "FwClock", "clock"));
    fw_assert_fails(&fw, fw_go(&fw, "node"), -EIO,
                    "set_services of 'FwSink' (class 'FwSink'): the sink is stopped up");
    assert_int_equal(fw_instances(&fw, 1), 6);
    fw_end(&fw);
}

TEST(a_measured_creation_that_nothing_can_serve_fails_whole)
{
    struct fw fw;

    fw_begin_without(&fw, measure, "fw_sink.so", NULL);
    fw_assert_fails(&fw, fw_create(&fw, "FwSource", "src"), -ENOENT,
                    "'src_out_proxy' needs fw.SinkPort/1: no instance provides it and no "
                    "class on the path serves it");
    assert_int_equal(fw_instances(&fw, 1), 0);
    fw_end(&fw);
}

/* The script's own instances count, wherever it has put them. */
TEST(what_serves_may_come_as_late_as_the_first_go)
{
    struct fw fw;

    fw_begin(&fw, measure);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_create(&fw, "FwSink", "mine"));
    fw_assert_done(&fw, fw_create(&fw, "FwClock", "clock"));
    fw_assert_done(&fw, fw_connect(&fw, "mine", "clock", "clock", "clock"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    assert_int_equal(counted(&fw, "mine"), 2);
    assert_int_equal(fw_instances(&fw, 1), 7); /* these, and three proxies */
    fw_end(&fw);
}

TEST(a_main_program_that_gets_a_port_settles_it_too)
{
    struct fw fw;
    struct fw_value_port *value;

    fw_begin(&fw, measure);
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src"));
    assert_int_equal(fw_instances(&fw, 1), 2);
    value = cca_framework_port(fw.framework, "src", "out", FW_VALUE_TYPE, sizeof *value,
                               NULL);
    assert_non_null(value);
    value->value(value);
    assert_int_equal(counted(&fw, "FwSink"), 1);
    cca_framework_release_port(fw.framework, "src", "out", NULL);
    fw_end(&fw);
}

TEST(an_insert_takes_over_what_measure_has_marked)
{
    struct fw fw;

    fw_begin(&fw, measure);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    fw_assert_fails(&fw, fw_insert(&fw, "src", "out"), -EEXIST,
                    "'out' of 'src' has the interposer 'src_out_proxy' already");
    fw_assert_done(&fw, cca_framework_insert(fw.framework, "node", "out", "FwValueProxy",
                                             fw_err(&fw)));
    fw_assert_fails(
        &fw,
        cca_framework_insert(fw.framework, "node", "go", "FwValueProxy", fw_err(&fw)),
        -EINVAL,
        "class 'FwValueProxy' cannot front 'go' of 'node': it does not provide a "
        "port 'port' of type gov.cca.ports.GoPort/1");
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    fw_assert_done(&fw, fw_eject(&fw, "src", "out"));
    assert_false(interposed(&fw, "src", "out"));
    fw_end(&fw);
}

/* A call through two proxies would be told twice. */
TEST(a_proxy_wired_by_hand_goes_before_the_marked_one)
{
    struct fw fw;

    fw_begin(&fw, measure);
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src"));
    fw_assert_done(&fw, fw_create(&fw, "FwNode", "node"));
    fw_assert_done(&fw, fw_create(&fw, "FwClock", "clock"));
    fw_assert_done(&fw, fw_create(&fw, "FwSink", "sink"));
    fw_assert_done(&fw, fw_create(&fw, "FwValueProxy", "proxy"));
    fw_assert_done(&fw, fw_connect(&fw, "sink", "clock", "clock", "clock"));
    fw_assert_done(&fw, fw_connect(&fw, "proxy", "sink", "sink", "sink"));
    fw_assert_done(&fw, fw_connect(&fw, "proxy", "port", "src", "out"));
    fw_assert_done(&fw, fw_connect(&fw, "node", "in", "proxy", "port"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    assert_int_equal(counted(&fw, "sink"), 2); /* the go and the value */
    fw_end(&fw);
}

TEST(a_proxy_wired_by_hand_works)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src"));
    fw_assert_done(&fw, fw_create(&fw, "FwNode", "node"));
    fw_assert_done(&fw, fw_create(&fw, "FwClock", "clock"));
    fw_assert_done(&fw, fw_create(&fw, "FwSink", "sink"));
    fw_assert_done(&fw, fw_create(&fw, "FwValueProxy", "proxy"));
    fw_assert_done(&fw, fw_connect(&fw, "sink", "clock", "clock", "clock"));
    fw_assert_done(&fw, fw_connect(&fw, "proxy", "sink", "sink", "sink"));
    fw_assert_done(&fw, fw_connect(&fw, "node", "in", "proxy", "port"));
    assert_int_equal(fw_go(&fw, "node"), -ENOTCONN);
    fw_assert_done(&fw, fw_connect(&fw, "proxy", "port", "src", "out"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    assert_int_equal(fw_act(&fw, "node", "last", ""), 1008);
    assert_int_equal(counted(&fw, "sink"), 1);
    fw_assert_done(&fw, fw_disconnect(&fw, "proxy", "port", "src", "out"));
    fw_end(&fw);
}

TEST(a_dry_run_measures_without_loading)
{
    struct fw fw;

    fw_begin(&fw, (struct cca_framework_options){.dry = 1, .measure = 1});
    cca_framework_set_property(fw.framework, "no-sink", "1");
    fw_pair(&fw);
    assert_true(interposed(&fw, "src", "out"));
    fw_assert_done(&fw, fw_go(&fw, "node"));
    fw_assert_done(&fw, fw_eject(&fw, "src", "out"));
    fw_assert_done(&fw, fw_insert(&fw, "src", "out"));
    fw_end(&fw);
}

TEST(many_interposers_come_and_go)
{
    struct fw fw;
    char name[16];

    fw_begin(&fw, measure);
    fw_assert_done(&fw, fw_create(&fw, "FwNode", "n0"));
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src"));
    fw_assert_done(&fw, fw_connect(&fw, "n0", "in", "src", "out"));
    for (int i = 1; i < 300; i++) {
        char before[16];

        snprintf(name, sizeof name, "n%d", i);
        snprintf(before, sizeof before, "n%d", i - 1);
        fw_assert_done(&fw, fw_create(&fw, "FwNode", name));
        fw_assert_done(&fw, fw_connect(&fw, name, "in", before, "out"));
    }
    fw_assert_done(&fw, fw_go(&fw, "n299"));
    assert_int_equal(fw_act(&fw, "n299", "last", ""), 7 + 300 + 300 * 1000);
    for (int i = 0; i < 300; i += 3) {
        snprintf(name, sizeof name, "n%d", i);
        fw_assert_done(&fw, fw_eject(&fw, name, "out"));
    }
    fw_assert_done(&fw, fw_go(&fw, "n299"));
    assert_int_equal(fw_act(&fw, "n299", "last", ""), 7 + 300 + 200 * 1000);
    fw_end(&fw);
}

TESTS(NULL, NULL)
