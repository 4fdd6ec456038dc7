/* SPDX-License-Identifier: BSD-3-Clause */
/* patterns.c: the pattern of each symbol's words.
 *
 * A symbol that has different roles at different places (boundary conditions before a
 * flux, and before an error estimate) makes a pattern with choices. So its occurrences
 * get different letters by the symbol before or after them, for one symbol after the
 * other, as long as that makes the description shorter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trip/core.h"
#include "common/array.h"

enum { MOST_ROUNDS = 12, MOST_LETTERS = 400, MOST_POSITIONS = 400000 };
enum split { WHOLE, BY_BEFORE, BY_BEHIND };

/* The words of a symbol; the symbols that occur in them are numbered, and the words are
 * stored as these numbers. */
struct words {
    struct trip *trip;
    /* [symbols] 1 + the number of each symbol; 0: the symbol does not occur in the
     * words */
    uint32_t *local;
    uint32_t *symbols; /* [count] the symbol that has each number */
    uint32_t count;
    struct trip_word *items; /* distinct words, with numbers in place of symbols */
    size_t item_count, positions;
    uint32_t *table; /* hash table of items + 1, open addressing */
    size_t table_size;
};

/* Mapping of the symbols of a word, as indexes, to letters. */
struct letters {
    enum split *splits; /* [words.count] how the occurrences of each symbol are split into
                         * letters */
    /* [count][count + 1] 1 + the letter of each symbol beside each neighbour; 0: no
     * letter yet */
    uint32_t *number;
    uint32_t *symbols; /* symbol of each letter */
    uint32_t count;
};

struct pattern_search {
    struct words words;
    struct letters letters;
    uint32_t *line; /* buffer for the longest word */
    size_t room;
};

/* --- Distinct words. --- */

static uint64_t hash_word(const uint32_t *word, size_t count)
{
    uint64_t hash = UINT64_C(1469598103934665603);

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ word[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 29;
}

static uint32_t *find_word(const struct words *w, const uint32_t *word, size_t count)
{
    size_t at = (size_t)hash_word(word, count) & (w->table_size - 1);

    for (;; at = (at + 1) & (w->table_size - 1)) {
        uint32_t *entry = &w->table[at];
        const struct trip_word *item = *entry ? &w->items[*entry - 1] : NULL;

        if (!item || (item->count == count &&
                      memcmp(item->letters, word, count * sizeof *word) == 0))
            return entry;
    }
}

static int grow_words(struct words *w)
{
    size_t size = w->table_size ? 2 * w->table_size : 64;

    free(w->table);
    w->table = calloc(size, sizeof *w->table);
    if (!w->table)
        return cca_no_memory(w->trip->err);
    w->table_size = size;
    for (size_t i = 0; i < w->item_count; i++)
        *find_word(w, w->items[i].letters, w->items[i].count) = (uint32_t)i + 1;
    return 0;
}

static int add_word(struct words *w, const uint32_t *word, size_t count)
{
    uint32_t *entry, *copy;
    struct trip_word *item;

    if (2 * w->item_count >= w->table_size && grow_words(w))
        return -ENOMEM;
    entry = find_word(w, word, count);
    if (*entry)
        return 0;
    copy = trip_take(w->trip, count * sizeof *copy);
    item = copy ? cca_array_add(&w->items, &w->item_count, sizeof *item) : NULL;
    if (!item)
        return cca_no_memory(w->trip->err);
    memcpy(copy, word, count * sizeof *copy);
    item->letters = copy;
    item->count = count;
    *entry = (uint32_t)w->item_count;
    w->positions += count;
    return 0;
}

static uint32_t local_of(struct words *w, uint32_t symbol)
{
    if (!w->local[symbol]) {
        w->symbols[w->count] = symbol;
        w->local[symbol] = ++w->count;
    }
    return w->local[symbol] - 1;
}

/* Write the word of a call as indexes into search->line. */
static int index_word(struct pattern_search *search, const struct trip_thread *t,
                      uint32_t call, size_t *count)
{
    const uint32_t *callees = trip_callees(t, call, count);

    if (cca_array_extend(&search->line, &search->room, sizeof *search->line, *count))
        return cca_no_memory(search->words.trip->err);
    for (size_t i = 0; i < *count; i++)
        search->line[i] = local_of(&search->words, t->calls[callees[i]].symbol);
    return 0;
}

/* Call `function` for each invocation of a symbol; TRIP_NONE: for the outermost calls of
 * threads with the number `thread`. */
static int symbol_each_call(struct trip *trip, uint32_t symbol, int thread,
                            int (*function)(void *context, size_t unit, uint32_t call),
                            void *context)
{
    int rc = 0;

    for (size_t k = 0; k < trip->thread_count && !rc; k++) {
        const struct trip_thread *t = &trip->threads[k];

        if (symbol == TRIP_NONE) {
            rc = t->thread == thread ? function(context, k, TRIP_NONE) : 0;
            continue;
        }
        for (size_t i = 0; i < t->count && !rc; i++)
            if (t->calls[i].symbol == symbol)
                rc = function(context, k, (uint32_t)i);
    }
    return rc;
}

static int call_collect(void *context, size_t unit, uint32_t call)
{
    struct pattern_search *search = context;
    size_t count;
    int rc = index_word(search, &search->words.trip->threads[unit], call, &count);

    return rc ? rc : add_word(&search->words, search->line, count);
}

/* --- Letters. --- */

/* The entry of the table `number` for the letter at position i of a word. */
static uint32_t *letter_at(const struct letters *l, const struct words *w,
                           const uint32_t *word, size_t count, size_t i)
{
    uint32_t beside = 0;

    if (l->splits[word[i]] == BY_BEFORE)
        beside = i > 0 ? word[i - 1] + 1 : 0;
    else if (l->splits[word[i]] == BY_BEHIND)
        beside = i + 1 < count ? word[i + 1] + 1 : 0;
    return &l->number[(size_t)word[i] * (w->count + 1) + beside];
}

/* Number the letters of all words. Returns 0, or -E2BIG. */
static int number_letters(struct pattern_search *search)
{
    struct letters *l = &search->letters;
    const struct words *w = &search->words;

    memset(l->number, 0, (size_t)w->count * (w->count + 1) * sizeof *l->number);
    l->count = 0;
    for (size_t k = 0; k < w->item_count; k++) {
        for (size_t i = 0; i < w->items[k].count; i++) {
            uint32_t *number = letter_at(l, w, w->items[k].letters, w->items[k].count, i);

            if (*number)
                continue;
            if (l->count == w->count + MOST_LETTERS)
                return -E2BIG;
            l->symbols[l->count] = w->symbols[w->items[k].letters[i]];
            *number = ++l->count;
        }
    }
    return 0;
}

static int read_words(const struct pattern_search *search, struct trip_node *root,
                      const struct trip_word *words)
{
    int rc = root ? trip_node_reset(search->words.trip, root, 1) : -ENOMEM;

    for (size_t k = 0; k < search->words.item_count && !rc; k++)
        rc = trip_node_read(root, &words[k], 0);
    return rc;
}

/* Infer a pattern with the current splits; its price is that of all distinct words. NULL
 * without an error: there are too many letters. */
static struct trip_pattern *try_splits(struct pattern_search *search)
{
    const struct words *w = &search->words;
    struct trip *trip = w->trip;
    struct trip_word *words = NULL;
    uint32_t *line = NULL, *zeros = NULL, *symbols;
    struct trip_pattern *pattern = NULL;
    size_t at = 0;
    int rc = number_letters(search);

    if (rc)
        return NULL;
    words = calloc(w->item_count + 1, sizeof *words);
    line = calloc(w->positions + 1, sizeof *line);
    zeros = calloc(w->positions + 1, sizeof *zeros);
    pattern = trip_take(trip, sizeof *pattern);
    symbols = trip_take(trip, search->letters.count * sizeof *symbols);
    if (!words || !line || !zeros || !pattern || !symbols) {
        rc = cca_no_memory(trip->err);
        goto done;
    }
    memcpy(symbols, search->letters.symbols, search->letters.count * sizeof *symbols);
    for (size_t k = 0; k < w->item_count; k++) {
        const struct trip_word *item = &w->items[k];

        words[k] = (struct trip_word){line + at, zeros, item->count};
        for (size_t i = 0; i < item->count; i++)
            line[at++] =
                *letter_at(&search->letters, w, item->letters, item->count, i) - 1;
    }
    pattern->symbols = symbols;
    pattern->letters = search->letters.count;
    pattern->root = trip_infer(trip, words, w->item_count, search->letters.count);
    rc = read_words(search, pattern->root, words);
    if (rc == -EINVAL) { /* some word does not match the pattern that was found */
        trip_node_done(pattern->root, 1);
        pattern->root = trip_flat(trip, search->letters.count);
        rc = read_words(search, pattern->root, words);
    }
    if (!rc)
        pattern->price = trip_node_price(pattern->root);
    if (pattern->root)
        trip_node_done(pattern->root, 1);
    if (rc == -EINVAL)
        cca_error_set(trip->err, -EINVAL, "a pattern does not have its own words");
done:
    free(words);
    free(line);
    free(zeros);
    return rc ? NULL : pattern;
}

/* Try to split one more symbol and keep the best result. Returns 1 if it is better than
 * before. */
static int search_improve(struct pattern_search *search, struct trip_pattern **best)
{
    enum split *splits = search->letters.splits, best_split = WHOLE;
    uint32_t best_symbol = TRIP_NONE;

    for (uint32_t i = 0; i < search->words.count; i++) {
        enum split was = splits[i];

        for (int split = WHOLE; split <= BY_BEHIND; split++) {
            struct trip_pattern *pattern;

            if ((enum split)split == was)
                continue;
            splits[i] = (enum split)split;
            pattern = try_splits(search);
            if (!pattern && search->words.trip->err->code)
                return search->words.trip->err->code;
            if (pattern && pattern->price < (*best)->price - 1e-6) {
                *best = pattern;
                best_symbol = i;
                best_split = splits[i];
            }
        }
        splits[i] = was;
    }
    if (best_symbol == TRIP_NONE)
        return 0;
    splits[best_symbol] = best_split;
    return 1;
}

/* --- One symbol. --- */

struct recording {
    struct pattern_search *search;
    struct trip_pattern *pattern;
    uint32_t *letters, *sizes;
    size_t room;
};

static int call_record(void *context, size_t unit, uint32_t call)
{
    struct recording *r = context;
    struct trip *trip = r->search->words.trip;
    const struct trip_thread *t = &trip->threads[unit];
    struct trip_word word;
    size_t count;
    const uint32_t *callees;
    int rc = index_word(r->search, t, call, &count);

    if (rc)
        return rc;
    if (count > r->room || !r->letters) {
        free(r->letters);
        free(r->sizes);
        r->room = 2 * count + 1;
        r->letters = malloc(r->room * sizeof *r->letters);
        r->sizes = malloc(r->room * sizeof *r->sizes);
        if (!r->letters || !r->sizes)
            return cca_no_memory(trip->err);
    }
    callees = trip_callees(t, call, &count);
    for (size_t i = 0; i < count; i++) {
        r->letters[i] = *letter_at(&r->search->letters, &r->search->words,
                                   r->search->line, count, i) -
                        1;
        r->sizes[i] = t->calls[callees[i]].size;
    }
    word = (struct trip_word){r->letters, r->sizes, count};
    rc = trip_node_read(r->pattern->root, &word, unit);
    if (rc == -EINVAL)
        cca_error_set(trip->err, -EINVAL, "a pattern does not have its own words");
    return rc;
}

static int search_init(struct pattern_search *search, struct trip *trip)
{
    struct words *w = &search->words;

    w->trip = trip;
    w->local = calloc(trip->symbol_count + 1, sizeof *w->local);
    w->symbols = calloc(trip->symbol_count + 1, sizeof *w->symbols);
    search->room = 64;
    search->line = malloc(search->room * sizeof *search->line);
    return w->local && w->symbols && search->line ? 0 : cca_no_memory(trip->err);
}

static int letters_init(struct pattern_search *search)
{
    size_t n = search->words.count;
    struct letters *l = &search->letters;

    l->splits = calloc(n + 1, sizeof *l->splits);
    l->number = calloc((n + 1) * (n + 1), sizeof *l->number);
    l->symbols = calloc(n + MOST_LETTERS + 1, sizeof *l->symbols);
    return l->splits && l->number && l->symbols ? 0
                                                : cca_no_memory(search->words.trip->err);
}

static void search_done(struct pattern_search *search)
{
    free(search->words.local);
    free(search->words.symbols);
    free(search->words.items);
    free(search->words.table);
    free(search->letters.splits);
    free(search->letters.number);
    free(search->letters.symbols);
    free(search->line);
}

/* Make the pattern of a symbol's invocations, or of a thread's outermost calls; NULL
 * without an error: there are no calls. */
static struct trip_pattern *make_pattern(struct trip *trip, uint32_t symbol, int thread)
{
    struct pattern_search search = {0};
    struct recording recording = {.search = &search};
    struct trip_pattern *best = NULL;
    int rc = search_init(&search, trip);

    rc = rc ? rc : symbol_each_call(trip, symbol, thread, call_collect, &search);
    if (rc || search.words.count == 0 || letters_init(&search))
        goto done;
    best = try_splits(&search);
    if (best && search.words.positions <= MOST_POSITIONS)
        for (int round = 0; round < MOST_ROUNDS && search_improve(&search, &best) > 0;
             round++) {
        }
    if (!best || trip->err->code)
        goto done;
    recording.pattern = best;
    rc = number_letters(&search);
    rc = rc ? rc : trip_node_reset(trip, best->root, trip->thread_count);
    rc = rc ? rc : symbol_each_call(trip, symbol, thread, call_record, &recording);
done:
    free(recording.letters);
    free(recording.sizes);
    search_done(&search);
    return rc || trip->err->code ? NULL : best;
}

/* Record the sizes of the symbol's invocations as the values of its node `own`. */
static int record_own(struct trip *trip, uint32_t symbol)
{
    struct trip_symbol *s = &trip->symbols[symbol];

    s->own = trip_call_node(trip, 0, 1);
    if (!s->own || trip_node_reset(trip, s->own, trip->thread_count))
        return -ENOMEM;
    for (size_t k = 0; k < trip->thread_count; k++)
        for (size_t i = 0; i < trip->threads[k].count; i++)
            if (trip->threads[k].calls[i].symbol == symbol &&
                trip_values_add(&s->own->values[k], trip->threads[k].calls[i].size, 0))
                return cca_no_memory(trip->err);
    return 0;
}

int trip_patterns(struct trip *trip)
{
    int rc = 0;

    trip->roots = trip_take(trip, (size_t)(trip->most_threads + 1) * sizeof *trip->roots);
    if (!trip->roots)
        return -ENOMEM;
    for (int i = 0; i < trip->most_threads && !rc; i++) {
        struct trip_pattern *pattern = make_pattern(trip, TRIP_NONE, i);

        rc = trip->err->code;
        if (pattern)
            trip->roots[i] = *pattern;
    }
    for (uint32_t i = 0; i < trip->symbol_count && !rc; i++) {
        if (!trip->symbols[i].has_callees)
            continue;
        trip->symbols[i].pattern = make_pattern(trip, i, 0);
        rc = trip->err->code;
        rc = rc ? rc : record_own(trip, i);
    }
    return rc;
}
