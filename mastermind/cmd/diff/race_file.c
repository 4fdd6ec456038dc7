/* SPDX-License-Identifier: BSD-3-Clause */
/* race_file.c: the verdict of a race as a file, and the same race on another machine. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/diff/race.h"
#include "mastermind/writer/machine.h"

static const char *const verdict_names[] = {"open", "same", "worse", "better"};

json_t *race_machine_json(void)
{
    json_t *machine = mm_machine_json();
    const char *host = json_string_value(json_object_get(machine, "host"));
    const char *cpu = json_string_value(json_object_get(machine, "cpu"));
    json_t *object = mm_json_object("host cpu", host ? host : "", cpu ? cpu : "");

    json_decref(machine);
    return object;
}

int race_save(const struct race *race, const char *path)
{
    json_t *document = race_json(race);
    int failed = !document || json_dump_file(document, path, JSON_INDENT(1));

    json_decref(document);
    return failed ? mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(path),
                              strerror(errno))
                  : -1;
}

/* --- The file of the other machine -------------------------------------------------- */

static int refuse_file(const char *path, const char *member)
{
    return mm_refuse(MM_EXIT_INPUT,
                     "%s: found no good '%s', expected a file of race --save",
                     mm_safe(path), member);
}

/* The words of a side, for race_words_read. Returns their number; -1: they are bad. */
static int take_words(const json_t *list, const char **words)
{
    size_t count = json_array_size(list);

    for (size_t i = 0; i < count; i++)
        if (!(words[i] = json_string_value(json_array_get(list, i))))
            return -1;
    return count ? (int)count : -1;
}

/* Take the commands of the file. -1 to go on. */
static int take_commands(struct race *race, const char *path)
{
    const json_t *sides[RACE_SIDES] = {json_object_get(race->confirmed, "command_a"),
                                       json_object_get(race->confirmed, "command_b")};
    const char *build = json_string_value(json_object_get(race->confirmed, "build"));
    size_t room = json_array_size(sides[0]) + json_array_size(sides[1]) + 8, at = 0;
    const char **words = calloc(room, sizeof *words);
    int result = words ? -1 : mm_no_memory();

    race->build.command = build;
    for (int side = 0; side < RACE_SIDES && result < 0; side++) {
        const char *commit = json_string_value(
            json_object_get(race->confirmed, side ? "commit_b" : "commit_a"));
        int count = 1;

        if (at)
            words[at++] = "--";
        if (build)
            words[at] = commit;
        else
            count = take_words(sides[side], words + at);
        if (count < 0 || !words[at])
            result = refuse_file(path, side ? "command_b" : "command_a");
        else
            at += (size_t)count;
    }
    if (result < 0 && build) {
        words[at++] = "--";
        if (take_words(sides[0], words + at) < 0)
            result = refuse_file(path, "command_a");
    }
    if (result < 0)
        result = race_words_read(race, (char **)(uintptr_t)words);
    free(words);
    return result;
}

int race_confirm_read(struct race *race, const char *path, char **words)
{
    json_error_t error;
    const char *verdict, *schema;

    race->confirmed = json_load_file(path, 0, &error);
    if (!race->confirmed)
        return mm_refuse(MM_EXIT_INPUT, "%s: %s", mm_safe(path), mm_safe(error.text));
    schema = json_string_value(json_object_get(race->confirmed, "schema"));
    if (!schema || strcmp(schema, "mastermind/race/1") != 0)
        return refuse_file(path, "schema");
    verdict = json_string_value(json_object_get(race->confirmed, "verdict"));
    race->there = RACE_VERDICTS;
    for (int i = 0; i < RACE_VERDICTS; i++)
        if (verdict && strcmp(verdict, verdict_names[i]) == 0)
            race->there = (enum race_verdict)i;
    if (race->there == RACE_VERDICTS)
        return refuse_file(path, "verdict");
    return *words ? race_words_read(race, words) : take_commands(race, path);
}

/* --- Agreement ---------------------------------------------------------------------- */

int race_agrees(const struct race *race)
{
    return race->there == race_verdict(race) && race->there != RACE_OPEN;
}

/* "worse, CPU time +5.2 %" */
static void describe(enum race_verdict verdict, const json_t *cpu, char text[80])
{
    char change[32];

    snprintf(
        text, 80, "%s, CPU time %s",
        verdict == RACE_OPEN ? "undecided" : verdict_names[verdict],
        race_change_text(json_number_value(json_object_get(cpu, "relative")), change));
}

void race_agreement_text(const struct race *race, char text[400])
{
    const json_t *machine = json_object_get(race->confirmed, "machine");
    const char *host = json_string_value(json_object_get(machine, "host"));
    const char *cpu = json_string_value(json_object_get(machine, "cpu"));
    char there[80], here[32];
    enum race_verdict verdict = race_verdict(race);

    describe(race->there, json_object_get(race->confirmed, "cpu_s"), there);
    snprintf(text, 400, "%s: %s on '%.60s' (%.60s); here %s, CPU time %s",
             race_agrees(race) ? "confirmed, both machines agree"
                               : "not confirmed, the machines do not agree",
             there, host ? mm_safe(host) : "?", cpu ? cpu : "unknown processor",
             verdict == RACE_OPEN ? "undecided" : verdict_names[verdict],
             race_change_text(race->change[RACE_CPU].relative, here));
}
