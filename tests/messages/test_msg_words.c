/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_words.c: a request is parsed as its header states, printed so that it reads
 * back as the same, and a wrong word is refused with one line. */
#include "tests/lib/test.h"

#include <math.h>

#include "messages/words/words.h"

static struct mm_message_request parsed(const char *text)
{
    struct mm_message_request request;
    struct cca_error err = {0};

    if (mm_message_request_parse(text, &request, &err))
        fail_msg("'%s': %s", text, err.text);
    return request;
}

static const char *canonical(const struct mm_message_request *request)
{
    static char text[MM_REQUEST_TEXT];
    int length = mm_message_request_text(request, text);

    assert_int_equal(length, strlen(text));
    return text;
}

static int is_equal(const struct mm_message_request *a,
                    const struct mm_message_request *b)
{
    return a->strategy == b->strategy && a->x == b->x && a->variance == b->variance &&
           a->analysis == b->analysis && a->has_seed == b->has_seed &&
           a->seed == b->seed && a->min_bytes == b->min_bytes &&
           !strcmp(a->site, b->site) && !strcmp(a->method, b->method) &&
           a->frames == b->frames && a->collectives == b->collectives &&
           a->via == b->via && a->budget_percent == b->budget_percent;
}

TEST(good_words_have_one_canonical_form)
{
    static const struct {
        const char *word, *canonical;
    } good[] = {
        {"on", "P-0.01-FREQ"},
        {"ON", "P-0.01-FREQ"},
        {"off", "off"},
        {"P-0.01-FREQ", "P-0.01-FREQ"},
        {"p-1e-2-freq", "P-0.01-FREQ"},
        {"P-1E-2-Stat", "P-0.01-STAT"},
        {"P-.5-WRITE", "P-0.5-WRITE"},
        {"P-0.5-print", "P-0.5-WRITE"},
        {"P-0-OFF", "P-0-OFF"},
        {"P-1-OFF", "P-1-OFF"},
        {"P-1.", "P-1-OFF"},
        {"P-0.1", "P-0.1-OFF"},
        {"P-1e-09-STAT", "P-1e-09-STAT"},
        {"P-0.1000000000000000055511151231257827-STAT", "P-0.1-STAT"},
        {"C-256", "C-256-OFF"},
        {"C-2-FREQ", "C-2-FREQ"},
        {"C-256:16-STAT", "C-256:16-STAT"},
        {"C-256:0-STAT", "C-256-STAT"},
        {"C-1000000000000000-STAT", "C-1000000000000000-STAT"},
        {"T-0.3", "T-0.3-OFF"},
        {"T-0.001:0.0005-FREQ", "T-0.001:0.0005-FREQ"},
        {"T-1e-3-FREQ", "T-0.001-FREQ"},
        {"T-2:1", "T-2:1-OFF"},
        {"on,seed=7", "P-0.01-FREQ,seed=7"},
        {"on,seed=0", "P-0.01-FREQ,seed=0"},
        {"on,seed=18446744073709551615", "P-0.01-FREQ,seed=18446744073709551615"},
        {"on,min=4K", "P-0.01-FREQ,min=4096"},
        {"on,min=2G", "P-0.01-FREQ,min=2147483648"},
        {"on,min=0", "P-0.01-FREQ"},
        {"on,min=9223372036854775807", "P-0.01-FREQ,min=9223372036854775807"},
        {"on,site=relax.c:*", "P-0.01-FREQ,site=relax.c:*"},
        {"on,method=a=b", "P-0.01-FREQ,method=a=b"},
        {"on,frames=8", "P-0.01-FREQ,frames=8"},
        {"on,frames=1", "P-0.01-FREQ"},
        {"on,via=files", "P-0.01-FREQ,via=files"},
        {"on,via=batch", "P-0.01-FREQ"},
        {"on,budget=2.5", "P-0.01-FREQ,budget=2.5"},
        {"on,collectives=0.01", "P-0.01-FREQ"},
        {"on,collectives=1", "P-0.01-FREQ,collectives=1"},
        {"P-0.5-OFF,collectives=0.5", "P-0.5-OFF,collectives=0.5"},
        {"P-0.5-OFF,collectives=0", "P-0.5-OFF"},
        {"C-4-STAT,collectives=0.25", "C-4-STAT"},
        {"T-1-STAT,collectives=0", "T-1-STAT,collectives=0"},
        {"on,budget=1,via=slots,collectives=0.5,frames=2,method=m,site=s,min=1,seed=1",
         "P-0.01-FREQ,seed=1,min=1,site=s,method=m,frames=2,collectives=0.5,via=slots,"
         "budget=1"},
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct mm_message_request request = parsed(good[i].word), again;

        assert_string_equal(canonical(&request), good[i].canonical);
        again = parsed(good[i].canonical);
        assert_true(is_equal(&request, &again));
    }
}

TEST(a_request_has_what_the_word_names)
{
    struct mm_message_request r =
        parsed("C-100:10-STAT,seed=5,min=1M,site=a?b,method=x.*,frames=3,via=slots");

    assert_int_equal(r.strategy, MM_STRATEGY_C);
    assert_true(r.x == 100 && r.variance == 10);
    assert_int_equal(r.analysis, MM_ANALYSIS_STAT);
    assert_true(r.has_seed && r.seed == 5 && r.min_bytes == 1 << 20);
    assert_string_equal(r.site, "a?b");
    assert_string_equal(r.method, "x.*");
    assert_int_equal(r.frames, 3);
    assert_int_equal(r.via, MM_VIA_SLOTS);
    assert_true(r.collectives == 0.01 && r.budget_percent == 0);
    r = parsed("off");
    assert_int_equal(r.strategy, MM_STRATEGY_NONE);
    r = parsed("T-0.5-FREQ");
    assert_true(r.strategy == MM_STRATEGY_T && r.x == 0.5 && r.collectives == 0.01);
    assert_true(!r.has_seed && r.frames == 1 && r.via == MM_VIA_BATCH && !*r.site);
    r = parsed("P-0.25-WRITE,budget=3");
    assert_true(r.collectives == 0.25 && r.budget_percent == 3);
    assert_true(parsed("P-0.25").collectives == 0);
}

TEST(a_wrong_word_is_refused_with_what_was_expected)
{
    static const struct {
        const char *word, *found, *expected;
    } bad[] = {
        {"", "found ''", "expected P-X-B"},
        {" ", "found ' '", "expected P-X-B"},
        {"onn", "found 'onn'", "did you mean 'on'?"},
        {"P", "found 'P'", "expected P-X-B"},
        {"Q-0.1-FREQ", "found 'Q-0.1-FREQ'", "expected P-X-B"},
        {"P-", "found 'P-'", "a threshold from 0 to 1"},
        {"P--1-OFF", "found 'P--1-OFF'", "a threshold from 0 to 1"},
        {"P-+1-OFF", "found 'P-+1-OFF'", "a threshold from 0 to 1"},
        {"P-1.0001-OFF", "found 'P-1.0001-OFF'", "a threshold from 0 to 1"},
        {"P-nan-OFF", "found 'P-nan-OFF'", "a threshold from 0 to 1"},
        {"P-inf", "found 'P-inf'", "a threshold from 0 to 1"},
        {"P-0x1p-3-OFF", "found 'P-0x1p' in", "a threshold from 0 to 1"},
        {"P-1e-400-OFF", "found 'P-1e-400-OFF'", "a threshold from 0 to 1"},
        {"P-0,01-FREQ", "found '01-FREQ' in 'P-0,01-FREQ'", "expected seed="},
        {"P-0.1:0.05-FREQ", "found 'P-0.1:0.05' in", "a threshold from 0 to 1"},
        {"P-0.1 -FREQ", "found 'P-0.1 ' in", "a threshold from 0 to 1"},
        {"P-0.1-FREX", "found 'FREX' in 'P-0.1-FREX'", "did you mean 'FREQ'?"},
        {"P-0.1-", "found '' in", "expected OFF, STAT, FREQ or WRITE"},
        {"P-0.1-FREQ-FREQ", "found 'FREQ-FREQ'", "expected OFF, STAT, FREQ or WRITE"},
        {"C-0", "found 'C-0'", "a whole number of messages"},
        {"C-2.5-OFF", "found 'C-2.5'", "a whole number of messages"},
        {"C-1e3-OFF", "found 'C-1e3'", "a whole number of messages"},
        {"C-99999999999999999999-OFF", "found 'C-9", "a whole number of messages"},
        {"C-4:4-OFF", "found 'C-4:4-OFF'", "a smaller one behind ':'"},
        {"C-4:-OFF", "found 'C-4:-OFF'", "a smaller one behind ':'"},
        {"T-0-OFF", "found 'T-0-OFF'", "seconds, more than 0"},
        {"T-1:2-OFF", "found 'T-1:2-OFF'", "fewer behind ':'"},
        {"T-1e300", "found 'T-1e300'", "seconds, more than 0"},
        {"off,seed=1", "found ',seed=1' in", "nothing behind 'off'"},
        {"on,", "found '' in 'on,'", "expected seed="},
        {"on,,seed=1", "found '' in", "expected seed="},
        {"on,sed=1", "found 'sed=1' in", "did you mean 'seed'?"},
        {"on,SEED=1", "found 'SEED=1'", "did you mean 'seed'?"},
        {"on,seed", "found 'seed' in", "expected seed=N"},
        {"on,seed=", "found 'seed='", "expected seed=N"},
        {"on,seed=-1", "found 'seed=-1'", "expected seed=N"},
        {"on,seed=0x10", "found 'seed=0x10'", "expected seed=N"},
        {"on,seed=18446744073709551616", "found 'seed=18446744073709551616'", "below"},
        {"on,seed=1,seed=1", "found 'seed=1'", "expected 'seed=' once"},
        {"on,min=4k", "found 'min=4k'", "K, M or G"},
        {"on,min=4KB", "found 'min=4KB'", "K, M or G"},
        {"on,min=K", "found 'min=K'", "K, M or G"},
        {"on,min=8589934592G", "found 'min=8589934592G'", "K, M or G"},
        {"on,min=1.5M", "found 'min=1.5M'", "K, M or G"},
        {"on,site=", "found 'site='", "expected site=GLOB"},
        {"on,site=a\nb", "found 'site=a?b' in 'on,site=a?b'", "expected site=GLOB"},
        {"on,frames=0", "found 'frames=0'", "from 1 to 8"},
        {"on,frames=9", "found 'frames=9'", "from 1 to 8"},
        {"on,collectives=2", "found 'collectives=2'", "from 0 to 1"},
        {"on,via=slot", "found 'via=slot'", "did you mean 'slots'?"},
        {"on,via=", "found 'via='", "via=batch"},
        {"on,budget=0", "found 'budget=0'", "more than 0"},
        {"on,budget=101", "found 'budget=101'", "at most 100"},
        {"on,budget=5%", "found 'budget=5%'", "at most 100"},
        {"C-4-FREQ,budget=5", "found 'budget=5'", "strategy P alone"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mm_message_request request;
        struct cca_error err = {0};

        memset(&request, 0x5a, sizeof request);
        if (mm_message_request_parse(bad[i].word, &request, &err) != -EINVAL)
            fail_msg("'%s' was not refused", bad[i].word);
        assert_int_equal(err.code, -EINVAL);
        if (!strstr(err.text, bad[i].found) || !strstr(err.text, bad[i].expected))
            fail_msg("'%s' was refused by: %s", bad[i].word, err.text);
        assert_null(strchr(err.text, '\n'));
        for (size_t b = 0; b < sizeof request; b++)
            assert_int_equal(((unsigned char *)&request)[b], 0x5a);
        assert_int_equal(mm_message_request_parse(bad[i].word, &request, NULL), -EINVAL);
    }
}

TEST(globs_fill_their_room_and_no_more)
{
    char word[5000], *end = stpcpy(word, "on,site=");
    struct mm_message_request request;

    memset(end, 'x', MM_REQUEST_GLOB);
    end[MM_REQUEST_GLOB - 1] = '\0';
    request = parsed(word);
    assert_int_equal(strlen(request.site), MM_REQUEST_GLOB - 1);
    end[MM_REQUEST_GLOB - 1] = 'x';
    end[MM_REQUEST_GLOB] = '\0';
    assert_int_equal(mm_message_request_parse(word, &request, NULL), -EINVAL);
    memset(end, 'x', 4000);
    end[4000] = '\0';
    assert_int_equal(mm_message_request_parse(word, &request, NULL), -EINVAL);
}

TEST(a_word_too_long_for_the_head_of_a_file_is_refused)
{
    char word[600], glob[MM_REQUEST_GLOB];
    struct mm_message_request request;
    struct cca_error err = {0};

    memset(glob, 'g', sizeof glob - 1);
    glob[sizeof glob - 1] = '\0';
    snprintf(word, sizeof word,
             "P-0.12345678901234567-WRITE,seed=18446744073709551615,"
             "min=9223372036854775807,site=%s,method=%s,frames=8,"
             "collectives=0.12345678901234566,via=files,budget=12.345678901234567",
             glob, glob);
    assert_int_equal(mm_message_request_parse(word, &request, &err), -EINVAL);
    assert_non_null(strstr(err.text, "at most 255 characters"));
}

/* --- Random words --------------------------------------------------------- */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) /* xorshift64, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint64_t below(uint64_t n)
{
    return random_bits() % n;
}

static double fraction(void)
{
    return ldexp((double)(random_bits() >> 11), -53) * pow(10, -(double)below(9));
}

/* A random request as text; its doubles have all 17 digits. */
static void random_word(char *word, size_t size)
{
    static const char *const analyses[] = {"", "-OFF", "-STAT", "-FREQ", "-WRITE"};
    static const char *const vias[] = {"", ",via=batch", ",via=slots", ",via=files"};
    uint64_t period = 1 + below(UINT64_C(1) << (1 + below(49)));
    double seconds = 1000 * fraction() + 1e-9, variance = seconds * 0.99 * fraction();
    int kind = (int)below(3), n = 0;

    if (kind == 0)
        n = snprintf(word, size, "P-%.17g", fraction());
    else if (kind == 1)
        n = snprintf(word, size, "C-%llu:%llu", (unsigned long long)period,
                     (unsigned long long)below(period));
    else
        n = snprintf(word, size, "T-%.17g:%.17g", seconds, variance);
    n += snprintf(word + n, size - (size_t)n, "%s%s", analyses[below(5)], vias[below(4)]);
    if (below(2))
        n += snprintf(word + n, size - (size_t)n, ",seed=%llu",
                      (unsigned long long)random_bits());
    if (below(2))
        n += snprintf(word + n, size - (size_t)n, ",min=%lld%.*s",
                      (long long)below(1 << 30), (int)below(2), &"KMG"[below(3)]);
    if (below(2))
        n += snprintf(word + n, size - (size_t)n, ",collectives=%.17g", fraction());
    if (below(2))
        n += snprintf(word + n, size - (size_t)n, ",frames=%d,site=f%d*",
                      1 + (int)below(8), (int)below(100));
    if (kind == 0 && below(2))
        snprintf(word + n, size - (size_t)n, ",budget=%.17g", 100 * fraction() + 1e-9);
}

/* Whatever the text: refused with one line, or printed so that it reads back. */
static int check_word(const char *word)
{
    struct mm_message_request request, again;
    struct cca_error err = {0};
    char first[MM_REQUEST_TEXT];

    if (mm_message_request_parse(word, &request, &err)) {
        if (!strstr(err.text, "found '") || !strstr(err.text, ", expected ") ||
            strchr(err.text, '\n') || strlen(err.text) + 1 >= sizeof err.text)
            fail_msg("'%s' was refused by: %s", word, err.text);
        return 0;
    }
    snprintf(first, sizeof first, "%s", canonical(&request));
    again = parsed(first);
    if (!is_equal(&request, &again))
        fail_msg("'%s' reads back otherwise from '%s'", word, first);
    assert_string_equal(canonical(&again), first);
    return 1;
}

TEST(random_requests_read_back_to_the_last_bit)
{
    int count = test_count("WORDS", 4000, 2000000);
    char word[600];

    for (int i = 0; i < count; i++) {
        random_word(word, sizeof word);
        if (!check_word(word))
            fail_msg("'%s' was refused", word);
    }
}

TEST(mutated_words_are_right_or_refused)
{
    int count = test_count("WORDS", 8000, 4000000), good = 0;
    char word[600];

    for (int i = 0; i < count; i++) {
        size_t length;

        random_word(word, sizeof word);
        for (int changes = 1 + (int)below(4); changes; changes--) {
            length = strlen(word);
            if (length && below(3)) /* any byte but the end */
                word[below(length)] = (char)(below(4) ? "-,:.=eE+09KCTPx"[below(15)]
                                                      : (int)(1 + below(255)));
            else if (length > 1)
                word[below(length)] = '\0';
        }
        good += check_word(word);
    }
    assert_true(good > count / 100); /* both outcomes are there */
    assert_true(good < count * 9 / 10);
}

TEST(mpi_time_is_on_or_off)
{
    struct cca_error err = {0};

    assert_int_equal(mm_mpi_time_parse("on", NULL), 1);
    assert_int_equal(mm_mpi_time_parse("off", NULL), 0);
    assert_int_equal(mm_mpi_time_parse("of", &err), -EINVAL);
    assert_string_equal(err.text, "mpi-time: found 'of', expected on or off");
    assert_int_equal(mm_mpi_time_parse("", NULL), -EINVAL);
    assert_int_equal(mm_mpi_time_parse("offf", NULL), -EINVAL);
}

/* --- The environment ------------------------------------------------------ */

static void set_wishes(long process, const char *children, const char *word,
                       const char *mpi_time)
{
    char text[24];

    snprintf(text, sizeof text, "%ld", process);
    setenv(MM_RECORDED_VARIABLE, text, 1);
    setenv(MM_CHILDREN_VARIABLE, children, 1);
    setenv(MM_MESSAGES_VARIABLE, word, 1);
    setenv(MM_MPI_TIME_VARIABLE, mpi_time, 1);
}

TEST(the_environment_asks_the_recorded_process_alone)
{
    struct mm_message_request request;
    struct cca_error err = {0};

    set_wishes(getpid(), "0", "C-8-STAT", "off");
    assert_int_equal(mm_message_request_wanted(&request, &err), 1);
    assert_true(request.strategy == MM_STRATEGY_C && request.x == 8);
    assert_int_equal(mm_mpi_time_wanted(), 0);
    set_wishes(getppid(), "0", "C-8-STAT", "off");
    assert_int_equal(mm_message_request_wanted(&request, &err), 0);
    assert_int_equal(mm_mpi_time_wanted(), 1);
    set_wishes(getppid(), "1", "P-1-STAT", "off");
    assert_int_equal(mm_message_request_wanted(&request, &err), 1);
    assert_true(request.strategy == MM_STRATEGY_P && request.x == 1);
    assert_int_equal(mm_mpi_time_wanted(), 0);
    set_wishes(getpid(), "0", "off", "on");
    assert_int_equal(mm_message_request_wanted(&request, &err), 0);
    assert_int_equal(mm_mpi_time_wanted(), 1);
    set_wishes(getpid(), "0", "nonsense", "on");
    assert_int_equal(mm_message_request_wanted(&request, &err), -EINVAL);
    assert_non_null(strstr(err.text, "found 'nonsense'"));
    unsetenv(MM_MESSAGES_VARIABLE);
    unsetenv(MM_MPI_TIME_VARIABLE);
    assert_int_equal(mm_message_request_wanted(&request, NULL), 0);
    assert_int_equal(mm_mpi_time_wanted(), 1);
    set_wishes(getpid(), "0", "on", "off");
    unsetenv(MM_RECORDED_VARIABLE);
    assert_int_equal(mm_message_request_wanted(&request, NULL), 0);
}

TESTS(NULL, NULL)
