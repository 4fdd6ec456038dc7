/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_assembly.c: instances, connections and their limits, counted ports, go. */
#include "tests/lib/fw_assembly.h"

FW_TEST(a_pair_goes)
{
    fw_pair();
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 8);
    fw_done(fw_set("src", "n", "41"));
    fw_done(fw_go("node"));
    assert_int_equal(fw_act("node", "last", ""), 42);
    assert_int_equal(fw_instances(0), 2);
    assert_int_equal(fw_connections(), 1);
}

FW_TEST(names_are_checked_and_numbered)
{
    fw_done(fw_create("FwSource", NULL));
    assert_string_equal(cca_framework_last_created(fw.framework), "FwSource0");
    fw_done(fw_create("FwSource", "FwSource2"));
    fw_done(fw_create("FwSource", NULL));
    fw_done(fw_create("FwSource", NULL));
    assert_string_equal(cca_framework_last_created(fw.framework), "FwSource3");
    fw_done(fw_remove("FwSource1"));
    fw_done(fw_create("FwSource", NULL));
    assert_string_equal(cca_framework_last_created(fw.framework), "FwSource1");
    fw_fails(fw_create("FwSource", "FwSource1"), -EEXIST,
             "there is an instance 'FwSource1' already");
    assert_int_equal(fw_create("FwSource", "a.b"), -EINVAL);
    assert_int_equal(fw_create("FwSource", ""), -EINVAL);
    fw_fails(fw_create("FwSuorce", "x"), -ENOENT,
             "no class 'FwSuorce' on the path; did you mean 'FwSource'?");
    fw_fails(fw_remove("FwSource9"), -ENOENT,
             "no instance 'FwSource9'; did you mean 'FwSource0'?");
}

FW_TEST(names_that_are_unknown_get_a_hint)
{
    fw_pair();
    fw_fails(fw_connect("node", "mayn", "src", "out"), -ENOENT,
             "'node' has no uses port 'mayn'; did you mean 'many'?");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_DEFINED);
    fw_fails(fw_connect("node", "many", "src", "uot"), -ENOENT,
             "'src' has no provides port 'uot'; did you mean 'out'?");
    fw_fails(fw_connect("nod", "many", "src", "out"), -ENOENT,
             "no instance 'nod'; did you mean 'node'?");
    fw_fails(fw_connect("node", "out", "src", "out"), -ENOENT,
             "'out' is a provides port of 'node', a uses port is wanted here");
    fw_fails(fw_disconnect("node", "many", "src", "out"), -ENOTCONN,
             "uses port 'many' of 'node' is not connected to 'out' of 'src'");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);
}

/* The first hole: types were never compared. */
FW_TEST(types_and_sizes_are_compared)
{
    char words[512];

    fw_pair();
    fw_fails(fw_connect("node", "old", "src", "out"), -EINVAL,
             "'out' of 'src' is fw.ValuePort/1, 'old' of 'node' wants fw.ValuePort/2");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    snprintf(words, sizeof words,
             "'out' of 'src' is fw.ValuePort/1 of %zu bytes, 'wide' of 'node' wants one "
             "of %zu: "
             "one of them was compiled with another port header",
             sizeof(struct fw_value_port), sizeof(struct fw_value_port) + 8);
    fw_fails(fw_connect("node", "wide", "src", "out"), -EINVAL, words);
    assert_int_equal(fw_connections(), 1);
}

/* The second hole: MAX_CONNECTIONS was stored, not enforced. */
FW_TEST(limits_of_connections_hold)
{
    char name[16];

    fw_pair();
    fw_done(fw_create("FwSource", "other"));
    fw_fails(fw_connect("node", "in", "other", "out"), -EBUSY,
             "uses port 'in' of 'node' is connected already, to 'out' of 'src'");
    fw_fails(fw_connect("node", "in", "src", "out"), -EEXIST,
             "uses port 'in' of 'node' is connected to 'out' of 'src' already");
    fw_done(fw_connect("node", "many", "src", "single"));
    fw_done(fw_create("FwNode", "next"));
    fw_fails(fw_connect("next", "in", "src", "single"), -EBUSY,
             "provides port 'single' of 'src' has 1 connections, MAX_CONNECTIONS is 1");
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "s%d", i);
        fw_done(fw_create("FwSource", name));
        fw_done(fw_connect("node", "many", name, "out"));
    }
    fw_fails(fw_connect("node", "many", "other", "out"), -EBUSY,
             "uses port 'many' of 'node' has 10 connections, MAX_CONNECTIONS is 10");
    assert_int_equal(fw_act("node", "count", "many"), 10);
    assert_int_equal(fw_act("node", "value", "many"), 9 * 7);
}

/* The third hole: the refusal to break a connection in use was ignored. */
FW_TEST(a_held_port_is_not_disconnected)
{
    fw_pair();
    assert_int_equal(fw_act("node", "get", "in"), 0);
    fw_fails(fw_disconnect("node", "in", "src", "out"), -EBUSY,
             "'node' still holds its uses port 'in'");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_USES_PORT_NOT_RELEASED);
    assert_int_equal(fw_connections(), 1);
    assert_int_equal(fw_act("node", "value", "in"), 7);
    assert_int_equal(fw_act("node", "release", "in"), 0);
    fw_done(fw_disconnect("node", "in", "src", "out"));
    assert_int_equal(fw_connections(), 0);
}

/* The fourth hole: a removed provider stayed connected. */
FW_TEST(removal_disconnects_or_refuses)
{
    fw_pair();
    assert_int_equal(fw_act("node", "get", "in"), 0);
    fw_fails(fw_remove("src"), -EBUSY, "'node' still holds its uses port 'in'");
    assert_int_equal(fw_instances(0), 2);
    assert_int_equal(fw_act("node", "release", "in"), 0);
    fw_done(fw_remove("src"));
    assert_int_equal(fw_instances(0), 1);
    assert_int_equal(fw_connections(), 0);
    assert_int_equal(fw_act("node", "get", "in"), -1);
    assert_string_equal(fw.err.text, "uses port 'in' of 'node' is not connected");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);

    /* What the removed instance itself holds stops nobody. */
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_connect("node", "in", "src", "out"));
    assert_int_equal(fw_act("node", "get", "in"), 0);
    fw_done(fw_remove("node"));
    fw_done(fw_remove("src"));
    assert_int_equal(fw_instances(1), 0);
}

/* The sixth hole: a flag stood for a count. */
FW_TEST(gets_are_counted)
{
    fw_pair();
    assert_int_equal(fw_act("node", "get", "in"), 0);
    assert_int_equal(fw_act("node", "get-maybe", "in"), 0);
    assert_int_equal(fw_act("node", "release", "in"), 0);
    assert_int_equal(fw_disconnect("node", "in", "src", "out"), -EBUSY);
    assert_int_equal(fw_act("node", "release", "in"), 0);
    fw_fails(fw_act("node", "release", "in"), -EINVAL,
             "'node' releases port 'in' more often than it got it");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_IN_USE);
    assert_int_equal(fw_act("node", "release", "im"), -ENOENT);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_DEFINED);
    assert_int_equal(fw_act("node", "get-wrong", "in"), -1);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    fw_done(fw_disconnect("node", "in", "src", "out"));
    assert_int_equal(fw_act("node", "get-maybe", "in"), -1);
    assert_int_equal(fw.err.code, 0);
}

/* The fifth and seventh hole: a failing component ended the session, or stayed
 * half-built. */
FW_TEST(a_component_that_fails_leaves_nothing_behind)
{
    static const struct {
        const char *how;
        int code;
        enum cca_exception exception;
        const char *words;
    } cases[] = {
        {"create", -ECANCELED, CCA_EXCEPTION_UNEXPECTED,
         "class 'FwBroken' makes no instance 'b'"},
        {"create-words", -EIO, CCA_EXCEPTION_UNEXPECTED,
         "class 'FwBroken' makes no instance 'b': no more of these"},
        {"early", -ENODEV, CCA_EXCEPTION_UNEXPECTED,
         "set_services of 'b' (class 'FwBroken'): no such thing"},
        {"late", -ECANCELED, CCA_EXCEPTION_UNEXPECTED,
         "set_services of 'b' (class 'FwBroken'): returned 17"},
        {"missing", -EPROTO, CCA_EXCEPTION_PORT_NOT_DEFINED,
         "class 'FwBroken' declares provides port 'out' and set_services did not add it"},
        {"undeclared", -ENOENT, CCA_EXCEPTION_UNEXPECTED,
         "set_services of 'b' (class 'FwBroken'): class 'FwBroken' does not declare the "
         "provides "
         "port 'more' that it adds, and has no flag CCA_DYNAMIC_PORTS"},
        {"register", -ENOENT, CCA_EXCEPTION_UNEXPECTED,
         "set_services of 'b' (class 'FwBroken'): class 'FwBroken' registers uses port "
         "'more' and "
         "has no flag CCA_DYNAMIC_PORTS"},
        {"again", -EEXIST, CCA_EXCEPTION_UNEXPECTED,
         "set_services of 'b' (class 'FwBroken'): 'b' has a port 'old' already"},
        {"twice", -EEXIST, CCA_EXCEPTION_UNEXPECTED,
         "set_services of 'b' (class 'FwBroken'): 'b' has a port 'out' already"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("FW_BROKEN", cases[i].how, 1);
        fw_fails(fw_create("FwBroken", "b"), cases[i].code, cases[i].words);
        assert_int_equal(fw.err.exception, cases[i].exception);
        assert_int_equal(fw_instances(1), 0);
    }
    setenv("FW_BROKEN", "type", 1);
    assert_int_equal(fw_create("FwBroken", "b"), -1);
    assert_non_null(strstr(fw.err.text, "declares 'out' as fw.ValuePort/1 of"));
    setenv("FW_BROKEN", "size", 1);
    assert_int_equal(fw_create("FwBroken", "b"), -1);
    unsetenv("FW_BROKEN");
    fw_done(fw_create("FwBroken", "b"));
}

FW_TEST(dynamic_ports_come_and_go)
{
    fw_pair();
    assert_int_equal(fw_act("node", "register", "late"), 0);
    assert_int_equal(fw_act("node", "register", "late"), -EEXIST);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_ALREADY_DEFINED);
    assert_int_equal(fw_act("node", "register", "l.ate"), -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_NAME);
    assert_int_equal(fw_act("node", "add", "go"), -EINVAL);
    assert_int_equal(fw_act("node", "add", "more"), 0);
    assert_int_equal(fw_act("node", "add", "more"), -EEXIST);
    fw_done(fw_connect("node", "late", "src", "out"));
    assert_int_equal(fw_act("node", "value", "late"), 7);
    assert_int_equal(fw_act("node", "unregister", "late"), -EBUSY);
    fw_done(fw_disconnect("node", "late", "src", "out"));
    assert_int_equal(fw_act("node", "unregister", "late"), 0);
    assert_int_equal(fw_act("node", "unregister", "late"), -ENOENT);
    fw_done(fw_create("FwNode", "user"));
    fw_done(fw_connect("user", "in", "node", "more"));
    assert_int_equal(fw_act("node", "drop", "more"), -EBUSY);
    fw_done(fw_disconnect("user", "in", "node", "more"));
    assert_int_equal(fw_act("node", "drop", "more"), 0);
}

FW_TEST(go_is_refused_while_something_reachable_is_missing)
{
    struct builder_connection item;

    fw_pair();
    fw_done(fw_create("FwNode", "top"));
    fw_done(fw_create("FwNode", "apart"));
    fw_done(fw_connect("top", "in", "node", "out"));
    fw_done(fw_go("top")); /* 'apart' misses a port, and nobody comes to it */
    fw_done(fw_disconnect("node", "in", "src", "out"));
    fw_fails(
        fw_go("top"), -ENOTCONN,
        "'top' cannot go: uses port 'in' of 'node' (fw.ValuePort/1) is not connected");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);
    assert_int_equal(cca_framework_unconnected(fw.framework, 0, &item), 0);
    assert_string_equal(item.user, "node");
    assert_string_equal(item.uses_port, "in");
    assert_int_equal(cca_framework_unconnected(fw.framework, 1, &item), 0);
    assert_string_equal(item.user, "apart");
    assert_int_equal(cca_framework_unconnected(fw.framework, 2, &item), -ENOENT);
    fw_fails(cca_framework_go(fw.framework, "top", "og", fw_err()), -ENOENT,
             "'top' has no provides port 'og'; did you mean 'go'?");
    assert_int_equal(cca_framework_go(fw.framework, "top", "out", fw_err()), -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
}

FW_TEST(go_reports_what_the_component_returned)
{
    fw_pair();
    fw_act("node", "fail", "3");
    fw_fails(fw_go("node"), 3, "'go' of 'node' returned 3: 'node': told to return 3");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_UNEXPECTED);
    assert_int_equal(fw.err.code, -ECANCELED);
    fw_act("node", "fail", "-5");
    fw_fails(fw_go("node"), -5, "'go' of 'node' returned -5: 'node': told to return -5");
    assert_int_equal(fw.err.code, -5);
    fw_act("node", "fail", "0");
    fw_done(fw_go("node"));
}

FW_TEST(a_running_instance_stays)
{
    fw_pair();
    fw_act("node", "meddle", "");
    assert_int_equal(fw_go("node"), -EBUSY);
    assert_int_equal(fw_instances(0), 2);
}

TEST(the_end_releases_then_disconnects_then_destroys)
{
    fw_begin(plain);
    fw_pair();
    fw_done(fw_create("FwNode", "top"));
    fw_done(fw_connect("top", "in", "node", "out"));
    fw_act("top", "get", "in"); /* held to the end */
    fw_act("top", "refuse", "3");
    fw_watch("node");
    fw_watch("top");
    fw_end();
    fw_assert_log("top released - -\n"
                  "node released - -\n"
                  "top disconnecting in node\n"
                  "top disconnected in node\n"
                  "node disconnected out top\n"
                  "node disconnecting in src\n"
                  "node disconnected in src\n"
                  "top destroyed - -\n"
                  "node destroyed - -\n");
}

FW_TEST(peers_are_known)
{
    fw_pair();
    fw_watch("node");
    assert_int_equal(fw_act("node", "peer", "in"), 0);
    fw_assert_log("node src out FwSource\n");
    assert_int_equal(fw_act("node", "peer", "many"), -ENOTCONN);
    assert_int_equal(fw_act("node", "peer", "events"), -ENOTCONN);
    assert_int_equal(fw_act("node", "peer", "none"), -ENOENT);
}

FW_TEST(service_ports_are_the_frameworks_to_connect)
{
    fw_pair();
    assert_int_equal(fw_act("node", "count", "events"), 1);
    assert_int_equal(fw_connect("node", "builder", "src", "out"), -EINVAL);
}

/* No component code: what was made has nothing behind it, and is checked all the same. */
TEST(a_dry_run_checks_without_running)
{
    struct fw_value_port *value;

    setenv("FW_BROKEN", "create", 1);
    fw_begin((struct cca_framework_options){.dry = 1});
    fw_pair();
    fw_done(fw_create("FwBroken", "broken"));
    unsetenv("FW_BROKEN");
    for (size_t i = 0;; i++) {
        const struct cca_class_info *info =
            cca_repository_class(cca_framework_repository(fw.framework), i);

        if (!info)
            break;
        assert_false(cca_repository_loaded(cca_framework_repository(fw.framework), info));
    }
    assert_int_equal(fw_connect("node", "old", "src", "out"), -EINVAL);
    assert_int_equal(fw_connect("node", "in", "broken", "out"), -EBUSY);
    assert_int_equal(fw_connect("node", "in", "broken", "uot"), -ENOENT);
    assert_int_equal(fw_set("src", "n", "-1"), -ERANGE);
    fw_done(fw_set("src", "n", "12"));
    assert_string_equal(cca_framework_parameter(fw.framework, "src", "config", "n", NULL),
                        "12");
    assert_null(cca_framework_port(fw.framework, "src", "out", FW_VALUE_TYPE,
                                   sizeof *value, fw_err()));
    assert_int_equal(fw.err.code, -ENOTSUP);
    /* The class is dynamic: a port that it does not declare may come to be. */
    fw_done(fw_connect("node", "perhaps", "src", "out"));
    fw_done(fw_go("node"));
    fw_done(fw_disconnect("node", "in", "src", "out"));
    assert_int_equal(fw_go("node"), -ENOTCONN);
    fw_done(fw_remove("node"));
    fw_end();
}

FW_TEST(large_assemblies_are_built_and_taken_down)
{
    enum { NODES = 1000, DEGREE = 10 };
    char user[16], provider[16];

    for (int i = 0; i < NODES; i++) {
        snprintf(user, sizeof user, "n%d", i);
        fw_done(fw_create("FwNode", user));
    }
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < DEGREE; j++) {
            snprintf(user, sizeof user, "n%d", i);
            snprintf(provider, sizeof provider, "n%d", (i * 7 + j * 31) % NODES);
            fw_done(fw_connect(user, "many", provider, "out"));
        }
    assert_int_equal(fw_connections(), NODES * DEGREE);
    assert_int_equal(fw_instances(0), NODES);
    for (int i = 0; i < NODES; i += 2) {
        snprintf(user, sizeof user, "n%d", i);
        fw_done(fw_remove(user));
    }
    assert_int_equal(fw_instances(1), NODES / 2);
}

TESTS(NULL, NULL)
