/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_events.c: what listeners are told, in which order, and what they can refuse.
 */
#include "tests/lib/fw_assembly.h"

FW_TEST(user_hears_before_provider)
{
    fw_done(fw_create("FwNode", "a"));
    fw_done(fw_create("FwNode", "b"));
    fw_watch("a");
    fw_watch("b");
    fw_done(fw_connect("a", "in", "b", "out"));
    fw_assert_log("a connecting in b\nb connecting out a\n"
                  "a connected in b\nb connected out a\n");
    fw_done(fw_disconnect("a", "in", "b", "out"));
    fw_assert_log("a disconnecting in b\nb disconnecting out a\n"
                  "a disconnected in b\nb disconnected out a\n");
}

FW_TEST(either_end_may_refuse_a_connection)
{
    fw_done(fw_create("FwNode", "a"));
    fw_done(fw_create("FwNode", "b"));
    fw_watch("b");
    fw_act("a", "refuse", "1");
    fw_fails(fw_connect("a", "in", "b", "out"), -EACCES,
             "'a' refuses the connection of its port 'in': told to refuse connecting");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_UNEXPECTED);
    fw_assert_log("");
    assert_int_equal(fw_connections(), 0);
    fw_act("a", "accept", "1");
    fw_act("b", "refuse", "1");
    fw_fails(fw_connect("a", "in", "b", "out"), -EACCES,
             "'b' refuses the connection of its port 'out': told to refuse connecting");
    assert_int_equal(fw_connections(), 0);
    assert_int_equal(fw_act("a", "count", "in"), 0);
    fw_act("b", "accept", "1");
    fw_done(fw_connect("a", "in", "b", "out"));
}

/* The eighth hole: a failing callback was passed over. */
FW_TEST(a_failure_after_the_fact_is_reported)
{
    fw_pair();
    fw_act("node", "refuse", "2");
    fw_fails(fw_connect("node", "many", "src", "out"), -EACCES,
             "'node' failed after the connection of its port 'many': told to refuse "
             "connected");
    assert_int_equal(fw_connections(), 2);
    fw_act("node", "refuse", "4");
    fw_fails(fw_disconnect("node", "many", "src", "out"), -EACCES,
             "'node' failed after the disconnection of its port 'many': told to refuse "
             "disconnected");
    assert_int_equal(fw_connections(), 1);
    fw_fails(fw_remove("src"), -EACCES,
             "'node' failed after the disconnection of its port 'in': told to refuse "
             "disconnected");
    assert_int_equal(fw_instances(0), 1);
}

FW_TEST(a_refused_removal_changes_nothing_and_is_taken_back)
{
    fw_done(fw_create("FwNode", "a"));
    fw_done(fw_create("FwNode", "b"));
    fw_done(fw_create("FwNode", "c"));
    fw_done(fw_connect("b", "in", "c", "out"));
    fw_done(fw_connect("a", "in", "b", "out"));
    fw_act("a", "refuse", "3");
    fw_watch("b");
    fw_watch("c");
    fw_fails(fw_remove("b"), -EACCES,
             "'a' refuses the disconnection of its port 'in': told to refuse "
             "disconnecting");
    assert_int_equal(fw_connections(), 2);
    /* 'a' refused before 'b' was asked; what 'c' and 'b' heard in between is taken back.
     */
    if (strstr(fw.log, "disconnecting in c"))
        assert_non_null(strstr(fw.log, "b connected in c"));
    else
        assert_null(strstr(fw.log, "released"));
    fw_act("a", "accept", "3");
    fw.log[0] = '\0';
    fw_done(fw_remove("b"));
    assert_non_null(strstr(fw.log, "b released"));
    assert_non_null(strstr(fw.log, "b destroyed"));
    assert_int_equal(fw_connections(), 0);
}

FW_TEST(a_holder_that_listens_lets_go_in_time)
{
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_create("FwSource", "src"));
    fw_act("node", "hold", "");
    fw_done(fw_connect("node", "in", "src", "out"));
    fw_fails(fw_insert("src", "out"), -EBUSY, "'node' still holds its uses port 'in'");
    fw_done(fw_disconnect("node", "in", "src", "out"));
    fw_done(fw_connect("node", "in", "src", "out"));
    /* Held once more than it lets go: refused, and it is told to take it up again. */
    fw_act("node", "get", "in");
    assert_int_equal(fw_disconnect("node", "in", "src", "out"), -EBUSY);
    fw_act("node", "release", "in");
    fw_done(fw_disconnect("node", "in", "src", "out"));
}

FW_TEST(listeners_may_not_change_the_assembly)
{
    fw_done(fw_create("FwNode", "node"));
    fw_done(fw_create("FwSource", "src"));
    fw_act("node", "meddle", "");
    fw_fails(
        fw_connect("node", "in", "src", "out"), -EBUSY,
        "'node' refuses the connection of its port 'in': 'remove' inside 'connect': a "
        "listener or a component that is being made may not change the assembly");
    assert_int_equal(fw_instances(0), 2);
}

/* A builder's listener that writes down what it is told. */
static void note_builder(void *context, const struct builder_event *event)
{
    static const char *const names[] = {
        "", "created", "removed", "connected", "disconnected", "go-pending", "go-done"};
    char line[256];

    if (event->connection)
        snprintf(line, sizeof line, "%s %s.%s %s.%s", names[event->type],
                 event->connection->user, event->connection->uses_port,
                 event->connection->provider, event->connection->provides_port);
    else
        snprintf(line, sizeof line, "%s %s %s %d", names[event->type], event->instance,
                 event->port ? event->port : "-", event->result);
    fw_note(context, line);
}

TEST(builders_are_told_of_the_wiring_as_written)
{
    struct builder_port *builder;

    fw_begin((struct cca_framework_options){.measure = 1});
    builder = cca_framework_builder(fw.framework);
    assert_int_equal(builder->add_listener(builder, note_builder, &fw), 0);
    fw_pair();
    fw_assert_log("created src - 0\ncreated node - 0\nconnected node.in src.out\n");
    fw_act("node", "fail", "9");
    assert_int_equal(fw_go("node"), 9);
    fw_assert_log("go-pending node go 0\ngo-done node go 9\n");
    fw_done(fw_remove("node"));
    fw_assert_log("disconnected node.in src.out\nremoved node - 0\n");
    assert_int_equal(builder->remove_listener(builder, note_builder, &fw), 0);
    assert_int_equal(builder->remove_listener(builder, note_builder, &fw), -ENOENT);
    fw_done(fw_remove("src"));
    fw_assert_log("");
    assert_int_equal(builder->add_listener(builder, note_builder, &fw), 0);
    fw_done(fw_create("FwSource", "src"));
    fw_assert_log("created src - 0\n");
    fw_end();
    fw_assert_log("");
}

/* Listens once: takes itself off the list while the list is walked. */
static struct builder_port *once_builder;

static void note_once(void *context, const struct builder_event *event)
{
    note_builder(context, event);
    once_builder->remove_listener(once_builder, note_once, context);
}

FW_TEST(a_listener_may_take_itself_off)
{
    once_builder = cca_framework_builder(fw.framework);
    assert_int_equal(once_builder->add_listener(once_builder, note_once, &fw), 0);
    assert_int_equal(once_builder->add_listener(once_builder, note_builder, &fw), 0);
    fw_done(fw_create("FwSource", "a"));
    fw_assert_log("created a - 0\ncreated a - 0\n");
    fw_done(fw_create("FwSource", "b"));
    fw_assert_log("created b - 0\n");
}

FW_TEST(a_failed_creation_is_nobodys_news)
{
    struct builder_port *builder;

    builder = cca_framework_builder(fw.framework);
    builder->add_listener(builder, note_builder, &fw);
    setenv("FW_BROKEN", "late", 1);
    assert_int_equal(fw_create("FwBroken", "b"), -ECANCELED);
    unsetenv("FW_BROKEN");
    assert_int_equal(fw_create("FwNode", "a.b"), -EINVAL);
    fw_assert_log("");
}

FW_TEST(builders_see_and_change_the_assembly)
{
    struct builder_port *builder;
    struct builder_instance instance;
    struct builder_connection connection;
    const char *name, *type;

    builder = cca_framework_builder(fw.framework);
    assert_int_equal(builder->create_instance(builder, "src", "FwSource", NULL, fw_err()),
                     0);
    assert_int_equal(builder->create_instance(builder, "node", "FwNode", NULL, fw_err()),
                     0);
    assert_int_equal(builder->connect(builder, "node", "in", "src", "out", fw_err()), 0);
    assert_int_equal(builder->instance(builder, 1, 0, &instance), 0);
    assert_string_equal(instance.name, "node");
    assert_string_equal(instance.cls->name, "FwNode");
    assert_non_null(strstr(instance.file, "fw_node.so"));
    assert_true(strlen(instance.build_id) >= 16);
    assert_int_equal(instance.interposer, 0);
    assert_int_equal(builder->instance(builder, 0, 0, &instance), 0);
    assert_string_equal(instance.name, "src");
    assert_int_equal(builder->connection(builder, 0, &connection), 0);
    assert_string_equal(connection.uses_port, "in");
    assert_int_equal(builder->connection(builder, 1, &connection), -ENOENT);
    assert_int_equal(builder->provided_port(builder, "node", 1, &name, &type), 0);
    assert_string_equal(name, "out");
    assert_string_equal(type, FW_VALUE_TYPE);
    assert_int_equal(builder->used_port(builder, "node", 0, &name, &type), 0);
    assert_string_equal(name, "in");
    assert_int_equal(builder->used_port(builder, "src", 0, &name, &type), -ENOENT);
    assert_int_equal(builder->used_port(builder, "nobody", 0, &name, &type), -ENOENT);
    assert_string_equal(builder->parameter(builder, "src", "n"), "7");
    assert_null(builder->parameter(builder, "src", "m"));
    assert_null(builder->parameter(builder, "nobody", "n"));
    assert_int_equal(builder->set_parameter(builder, "src", "n", "8", fw_err()), 0);
    assert_string_equal(builder->parameter(builder, "src", "n"), "8");
    assert_int_equal(
        builder->disconnect(builder, "node", "in", "src", "out", 0, fw_err()), 0);
    assert_int_equal(builder->destroy_instance(builder, "src", 0, fw_err()), 0);
    assert_int_equal(builder->destroy_instance(builder, "src", 0, fw_err()), -ENOENT);
}

TESTS(NULL, NULL)
