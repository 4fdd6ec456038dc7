/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: read the options of the verb balance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/balance/balance_verb.h"

/* Read one policy: a built-in name, or the path of a shared object, which is loaded
 * later, when the number of parts is known. */
static int read_policy(struct balance_verb *verb, const char *word)
{
    size_t i = verb->policy_count++;
    struct mesh_decider none = {0};
    struct cca_error err = {0};

    if (mesh_plugin_is(word)) {
        verb->policy_words[i] = strdup(word);
        if (!verb->policy_words[i])
            return mm_no_memory();
        mesh_policy_plug(&verb->policies[i], word, &none);
        return -1;
    }
    return mesh_policy_read(&verb->policies[i], word, &err)
               ? mm_refuse(MM_EXIT_MISUSE, "%s", err.text)
               : -1;
}

static int read_policies(struct balance_verb *verb, const char *text)
{
    char word[1024];

    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        int result;

        if (verb->policy_count == BALANCE_POLICIES || length >= sizeof word)
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%s' for --policy, expected at most %d policies of at most "
                             "%zu letters",
                             mm_safe(text), BALANCE_POLICIES, sizeof word - 1);
        memcpy(word, at, length);
        word[length] = '\0';
        result = read_policy(verb, word);
        at += length;
        if (result >= 0 || !*at)
            return result;
    }
}

static int read_price(struct mesh_price_word *price, const char *option, const char *text)
{
    struct cca_error err = {0};

    return mesh_price_read(price, text, &err)
               ? mm_refuse(MM_EXIT_MISUSE, "%s for %s", err.text, option)
               : -1;
}

/* Read the range "A:B" that follows `at`, 0 < A <= B. */
static int read_range(const char *text, const char *at, double *first, double *last)
{
    char *end;

    *first = strtod(at, &end);
    if (end == at || *end != ':')
        goto refuse;
    at = end + 1;
    *last = strtod(at, &end);
    if (end != at && !*end && *first > 0 && *last >= *first && *last <= 1e6)
        return -1;
refuse:
    return mm_refuse(MM_EXIT_MISUSE, "'%s' for --vary, expected parts=A:B or price=A:B",
                     mm_safe(text));
}

static int read_sweep(struct balance_asked *asked, const char *text)
{
    double first = .1, last = 10, factor = sqrt(10);
    int result = -1;

    asked->swept = strncmp(text, "parts", 5) == 0 ? "parts" : "price";
    if (strncmp(text, "parts=", 6) == 0 || strncmp(text, "price=", 6) == 0)
        result = read_range(text, text + 6, &first, &last);
    else if (strcmp(text, "price") != 0)
        result =
            mm_refuse(MM_EXIT_MISUSE, "'%s' for --vary, expected parts=A:B or price=A:B",
                      mm_safe(text));
    if (result >= 0)
        return result;
    if (strcmp(asked->swept, "parts") == 0) {
        factor = 2;
        if (first != floor(first) || last > MESH_PARTS)
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%s' for --vary, expected whole parts up to %d",
                             mm_safe(text), MESH_PARTS);
    }
    for (double v = first; v <= last * 1.0001; v *= factor) {
        if (asked->value_count == BALANCE_SWEPT)
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%s' for --vary, expected at most %d values", mm_safe(text),
                             BALANCE_SWEPT);
        asked->values[asked->value_count++] = v;
    }
    return -1;
}

static const char *text_of(const struct cca_given *option, const char *otherwise)
{
    const char *text = cca_given_value(option);

    return text ? text : otherwise;
}

int balance_read_options(struct balance_asked *asked, const struct cca_given *options)
{
    struct balance_verb *verb = &asked->verb;
    double parts = 0, lag = 0, every = 1;
    int result;

    verb->partitioner = text_of(&options[BALANCE_PARTITIONER], "rcb");
    verb->repartition_text = text_of(&options[BALANCE_PRICE], "1x");
    verb->move_text = text_of(&options[BALANCE_MOVE], "1x");
    if (mesh_plugin_is(verb->repartition_text) ||
        balance_price_is_model(verb->repartition_text))
        result = options[BALANCE_MOVE].given
                     ? mm_refuse(MM_EXIT_MISUSE,
                                 "found --move with --price %s, which has "
                                 "the cost of cells, too",
                                 mm_safe(verb->repartition_text))
                     : -1;
    else
        result = read_price(&verb->repartition, "--price", verb->repartition_text);
    if (result < 0)
        result = read_price(&verb->move, "--move", verb->move_text);
    if (result < 0)
        result = read_policies(
            verb, text_of(&options[BALANCE_POLICY],
                          "never,fixed:20,paper:.15:5:20,loss,expect,oracle"));
    if (result < 0)
        result = mm_option_count(&options[BALANCE_PARTS], 1, &parts);
    if (result < 0)
        result = mm_option_count(&options[BALANCE_LAG], 0, &lag);
    if (result < 0)
        result = mm_option_count(&options[BALANCE_EVERY], 1, &every);
    if (result < 0 && (parts > MESH_PARTS || lag > 1))
        result =
            mm_refuse(MM_EXIT_MISUSE, "found %g parts, lag %g, expected at most %d and 1",
                      parts, lag, MESH_PARTS);
    if (result < 0 && options[BALANCE_SWEEP].given)
        result = read_sweep(asked, cca_given_value(&options[BALANCE_SWEEP]));
    if (result < 0 && asked->swept && strcmp(asked->swept, "price") == 0 &&
        mesh_plugin_is(verb->repartition_text))
        result = mm_refuse(MM_EXIT_MISUSE,
                           "found --vary price with --price %s, "
                           "expected a price in numbers",
                           mm_safe(verb->repartition_text));
    if (result < 0 && options[BALANCE_CSV].given &&
        (asked->swept || options[BALANCE_JSON].given))
        result = mm_refuse(MM_EXIT_MISUSE, "found --csv with --vary or --json, expected "
                                           "it alone");
    verb->every = every < 1e15 ? (int64_t)every : (int64_t)1e15;
    for (size_t i = 0; i < verb->policy_count; i++)
        verb->policies[i].every = verb->every;
    verb->parts = (int)parts;
    verb->lag = (int)lag;
    if (result < 0 && options[BALANCE_SCHEDULE].given &&
        (asked->swept || options[BALANCE_BACK].given))
        result = mm_refuse(MM_EXIT_MISUSE, "found --schedule with --vary or --back, "
                                           "expected it alone");
    return result;
}
