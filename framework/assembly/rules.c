/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c: read a file of dispatch rules. */
#include "framework/assembly/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/file.h"

enum { LARGEST = 1 << 20 }; /* bytes of a file of rules */

/* The line that is read. */
struct line {
    struct cca_rules *rules;
    const char *path;
    int number;
    char *rest; /* the words that were not read yet */
    struct cca_error *err;
};

/* Take the next word; NULL: the line has no more. A ':' at the end of a word remains. */
static char *take_word(struct line *line)
{
    char *word = line->rest + strspn(line->rest, " \t\r");
    size_t length = strcspn(word, " \t\r");

    line->rest = word + length + (word[length] != '\0');
    word[length] = '\0';
    return length ? word : NULL;
}

static int bad(const struct line *line, const char *word, const char *expected)
{
    return word ? cca_error_set(line->err, -EINVAL, "%s:%d: found '%s', expected %s",
                                line->path, line->number, word, expected)
                : cca_error_set(line->err, -EINVAL,
                                "%s:%d: found the end of the line, expected %s",
                                line->path, line->number, expected);
}

/* Find the index of a class, which is added if it is new. */
static int find_class(struct cca_rules *rules, const char *name, size_t *index)
{
    size_t i = 0;

    while (i < rules->class_count && strcmp(rules->classes[i], name) != 0)
        i++;
    *index = i;
    if (i < rules->class_count)
        return 0;
    if (cca_array_reserve(&rules->classes, i, sizeof *rules->classes))
        return -ENOMEM;
    rules->classes[rules->class_count++] = name;
    return 0;
}

static int read_relation(const char *word, enum dispatch_relation *relation)
{
    static const char *const words[] = {
        [DISPATCH_EQUAL] = "=",    [DISPATCH_UNEQUAL] = "!=", [DISPATCH_LESS] = "<",
        [DISPATCH_AT_MOST] = "<=", [DISPATCH_MORE] = ">",     [DISPATCH_AT_LEAST] = ">="};

    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *relation = (enum dispatch_relation)i;
            return 1;
        }
    return 0;
}

/* Read "VALUE RELATION BOUND". */
static int read_condition(struct line *line)
{
    struct cca_rules *rules = line->rules;
    struct dispatch_condition made = {0};
    char *word;

    made.value = take_word(line);
    if (!made.value)
        return bad(line, NULL, "a condition, such as Q <= 640");
    word = take_word(line);
    if (!read_relation(word, &made.relation))
        return bad(line, word, "=, !=, <, <=, > or >=");
    made.bound = take_word(line);
    if (!made.bound)
        return bad(line, NULL, "a number or a label");
    if (cca_array_reserve(&rules->conditions, rules->condition_count, sizeof made))
        return cca_no_memory(line->err);
    rules->conditions[rules->condition_count++] = made;
    return 0;
}

/* Read "METHOD: CLASS [when CONDITION {and CONDITION}]", from its second word on. */
static int read_rule(struct line *line, char *method)
{
    struct cca_rules *rules = line->rules;
    struct dispatch_rule made = {.line = line->number, .method = method};
    const size_t length = strlen(method), before = rules->condition_count;
    char *word;
    int status = 0;

    if (length < 2 || method[length - 1] != ':')
        return bad(line, method, "'METHOD: CLASS [when CONDITION and ...]'");
    method[length - 1] = '\0';
    word = take_word(line);
    if (!word)
        return bad(line, NULL, "a class");
    if (find_class(rules, word, &made.target))
        return cca_no_memory(line->err);
    word = take_word(line);
    if (word && strcmp(word, "when") != 0)
        return bad(line, word, "'when' or the end of the line");
    while (word && !status) {
        status = read_condition(line);
        word = status ? NULL : take_word(line);
        if (word && strcmp(word, "and") != 0)
            return bad(line, word, "'and' or the end of the line");
    }
    if (status)
        return status;
    made.condition_count = rules->condition_count - before;
    if (cca_array_reserve(&rules->items, rules->count, sizeof made))
        return cca_no_memory(line->err);
    rules->items[rules->count++] = made;
    return 0;
}

/* Read a number that is more than 0. */
static int read_number(struct line *line, const char *expected, double *number)
{
    char *word = take_word(line), *end;

    *number = word ? strtod(word, &end) : 0;
    return word && end != word && !*end && *number > 0 && isfinite(*number)
               ? 0
               : bad(line, word, expected);
}

static int read_word(struct line *line, const char *expected, const char *text)
{
    char *word = take_word(line);

    return word && strcmp(word, expected) == 0 ? 0 : bad(line, word, text);
}

/* Read "learn SHARE %", from its second word on. */
static int read_learn(struct line *line)
{
    int status =
        read_number(line, "a share of the time, such as 1 %", &line->rules->limit);

    if (!status)
        status = read_word(line, "%", "%");
    line->rules->limit /= 100;
    return status;
}

/* Read "TIME UNIT". */
static int read_time(struct line *line, double *ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int status = read_number(line, "a time, such as 2.5 us", ns);
    char *word = status ? NULL : take_word(line);

    for (size_t i = 0; !status && word && i < sizeof units / sizeof *units; i++) {
        if (strcmp(word, units[i]) == 0)
            return 0;
        *ns *= 1000;
    }
    return status ? status : bad(line, word, "ns, us, ms or s");
}

/* Read "cost CLASS TIME UNIT +- HALF % [at VALUE NUMBER power NUMBER]", from its second
 * word on. */
static int read_cost(struct line *line)
{
    struct cca_rules *rules = line->rules;
    struct dispatch_cost made = {.line = line->number, .rule = rules->count - 1};
    char *word = take_word(line), *end;
    int status;

    if (!rules->count)
        return bad(line, "cost", "a rule above it");
    if (!word)
        return bad(line, NULL, "a class");
    if (find_class(rules, word, &made.target))
        return cca_no_memory(line->err);
    status = read_time(line, &made.ns);
    if (!status)
        status = read_word(line, "+-", "+-");
    if (!status)
        status = read_number(line, "half of the interval, such as 5 %", &made.half);
    if (!status)
        status = read_word(line, "%", "%");
    made.half /= 100;
    word = status ? NULL : take_word(line);
    if (word && strcmp(word, "at") != 0)
        return bad(line, word, "'at' or the end of the line");
    if (word) {
        made.value = take_word(line);
        status = made.value ? read_number(line, "a number more than 0", &made.at)
                            : bad(line, NULL, "a parameter");
        if (!status)
            status = read_word(line, "power", "'power'");
        word = status ? NULL : take_word(line);
        made.power = word ? strtod(word, &end) : 0;
        if (!status && (!word || end == word || *end || !isfinite(made.power)))
            status = bad(line, word, "a number");
    }
    if (status)
        return status;
    if (cca_array_reserve(&rules->costs, rules->cost_count, sizeof made))
        return cca_no_memory(line->err);
    rules->costs[rules->cost_count++] = made;
    return 0;
}

static int read_line(struct line *line)
{
    char *word = take_word(line), *type;
    int status;

    if (!word)
        return 0;
    if (line->rules->port_type) {
        status = strcmp(word, "learn") == 0  ? read_learn(line)
                 : strcmp(word, "cost") == 0 ? read_cost(line)
                                             : read_rule(line, word);
        word = status ? NULL : take_word(line);
        return word ? bad(line, word, "the end of the line") : status;
    }
    type = take_word(line);
    if (strcmp(word, "dispatch") != 0 || !type)
        return bad(line, word, "'dispatch PORT_TYPE' in the first line");
    line->rules->port_type = type;
    word = take_word(line);
    return word ? bad(line, word, "the end of the line") : 0;
}

int cca_rules_read(struct cca_rules *rules, const char *path, const char *slot_class,
                   struct cca_error *err)
{
    struct line line = {.rules = rules, .path = path, .err = err};
    struct dispatch_condition *at;
    size_t size = 0;
    char *end;
    int status = cca_file_read_plain(path, LARGEST, &rules->text, &size);

    if (status)
        return cca_error_set(err, status, "%s: %s", path,
                             status == -EINVAL  ? "not a file"
                             : status == -EFBIG ? "larger than 1 MiB"
                                                : strerror(-status));
    if (strlen(rules->text) != size)
        return cca_error_set(err, -EINVAL, "%s: found a NUL byte, expected text", path);
    if (find_class(rules, slot_class, &(size_t){0}))
        return cca_no_memory(err);
    for (char *from = rules->text; from && !status; from = end) {
        end = strchr(from, '\n');
        if (end)
            *end++ = '\0';
        from[strcspn(from, "#")] = '\0';
        line.number++;
        line.rest = from;
        status = read_line(&line);
    }
    if (!status && !rules->port_type)
        status = cca_error_set(err, -EINVAL,
                               "%s: found no rules, expected 'dispatch PORT_TYPE'", path);
    at = rules->conditions; /* it has moved while the array grew */
    for (size_t i = 0; i < rules->count; at += rules->items[i++].condition_count)
        rules->items[i].conditions = at;
    return status;
}

void cca_rules_done(struct cca_rules *rules)
{
    free(rules->text);
    free(rules->items);
    free(rules->conditions);
    free(rules->costs);
    free(rules->classes);
    *rules = (struct cca_rules){0};
}
