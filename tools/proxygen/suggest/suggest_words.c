/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest_words.c: the words that authors of headers use for sizes and choices. */
#include "tools/proxygen/suggest/suggest.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The part of an argument's name that a known word must be. */
enum place {
    WHOLE, /* the word is the whole name */
    PART,  /* the word is the last part of the name, as in "source_len", "sourceLen" */
    GLUED, /* the word is the end of the name, as in "buflen" */
};

static const struct word {
    enum place place;
    enum pg_meaning meaning;
    const char *why;
    const char *texts; /* known words, with a blank before and after each */
} words[] = {
    {WHOLE, PG_SAYS_DIMENSION, "a dimension", " m n k nx ny nz n0 n1 n2 n3 "},
    {GLUED, PG_SAYS_LENGTH, "a length", " len length "},
    {GLUED, PG_SAYS_LENGTH, "a size", " size bytes capacity "},
    {PART, PG_SAYS_LENGTH, "a size", " sz mem byte "},
    {PART, PG_SAYS_LENGTH, "a limit", " limit "},
    {WHOLE, PG_SAYS_LENGTH, "a size in bits", " bits nbits "},
    {GLUED, PG_SAYS_COUNT, "a count", " count nmemb nitems nelem nelems nelmts npoints "},
    {PART, PG_SAYS_COUNT, "a count",
     " cnt num nel nnz n iter iters iterations niter howmany many avail points elements "
     "entries "
     "frames samples channels "},
    {WHOLE, PG_SAYS_COUNT, "a count", " nargs argc nrhs inl maxevents maxnum "},
    {PART, PG_SAYS_DIMENSION, "a dimension",
     " rows cols columns width height nrow ncol nrows ncols "},
    {PART, PG_SAYS_COUNT, "a number of dimensions", " dim ndim ndims "},
    {WHOLE, PG_SAYS_COUNT, "a rank", " rank "},
    {PART, PG_SAYS_COUNT, "dimensions", " dims shape extents "},
    {WHOLE, PG_SAYS_COUNT, "a bandwidth", " kl ku kd "},
    {PART, PG_SAYS_STRIDE, "a stride", " stride inc dist "},
    {WHOLE, PG_SAYS_STRIDE, "a stride",
     " ld lda ldb ldc ldx ldu ldv ldvt ldz ldq ldt ldab ldbb ldaf ldafb ldvl ldvr incx "
     "incy "},
    {PART, PG_SAYS_MODE, "a flag", " flag final verify onoff reset reuse "},
    {WHOLE, PG_SAYS_MODE, "a flag", " enc small "},
    {PART, PG_SAYS_MODE, "flags", " flags "},
    {PART, PG_SAYS_MODE, "a level", " level preset acceleration strength depth bits "},
    {PART, PG_SAYS_MODE, "a choice",
     " mode axis op operation type kind strategy method whence policy format option "
     "options filter "
     "encoding algorithm scheme flush which job compression selection "},
    {PART, PG_SAYS_MODE, "a choice", " trans side "},
    {WHOLE, PG_SAYS_MODE, "a choice",
     " transa transb transr trana tranb uplo diag jobz jobu jobv jobvt jobvl jobvr jobvs "
     "jobq compz "
     "compq vect itype norm fact equed sense howmny storev direct balanc "},
    {PART, PG_SAYS_MODE, "an order", " order layout "},
    {PART, PG_SAYS_MODE, "a direction", " direction "},
    {WHOLE, PG_SAYS_MODE, "a direction", " sign "},
    {WHOLE, PG_SAYS_MODE, "a command", " cmd command request "},
    {WHOLE, PG_SAYS_MODE, "a base", " base radix "},
};

static const struct word counted = {PART, PG_SAYS_COUNT, "a count", ""};
static const struct word sized = {PART, PG_SAYS_LENGTH, "a size", ""};
static const struct word one_of_several = {WHOLE, PG_SAYS_DIMENSION, "a dimension",
                                           " size "};
static const struct word is_flag = {PART, PG_SAYS_MODE, "a flag", ""};

/* True if a part of the name begins at `at`, as "len" does in "_len" and "sourceLen". */
static int part_begins(const char *name, size_t at)
{
    return at == 0 || name[at - 1] == '_' ||
           (isupper((unsigned char)name[at]) && islower((unsigned char)name[at - 1])) ||
           isdigit((unsigned char)name[at - 1]);
}

/* True if one of the words is at the end of the name, as word->place demands. */
static int ends_with(const char *name, size_t length, const struct word *word)
{
    for (const char *text = word->texts + 1; *text; text += strcspn(text, " ") + 1) {
        size_t own = strcspn(text, " ");

        if (own > length || strncasecmp(name + length - own, text, own) != 0)
            continue;
        if (own == length || (word->place == GLUED && own > 2) ||
            (word->place != WHOLE && part_begins(name, length - own)))
            return 1;
    }
    return 0;
}

static int name_begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Find a known word at the beginning of a name, as in nByte, n_points, num_rows, szBuf,
 * isFinal. */
static const struct word *word_before(const char *name)
{
    if (name_begins(name, "n_") || name_begins(name, "num_") ||
        (*name == 'n' && isupper((unsigned char)name[1]) &&
         islower((unsigned char)name[2])) ||
        (name_begins(name, "num") && isupper((unsigned char)name[3])))
        return &counted;
    if (name_begins(name, "size_of_") || name_begins(name, "avail_") ||
        (name_begins(name, "sz") && isupper((unsigned char)name[2])))
        return &sized;
    if (name_begins(name, "is_") ||
        (name_begins(name, "is") && isupper((unsigned char)name[2])) ||
        name_begins(name, "use_") || name_begins(name, "enable_"))
        return &is_flag;
    return NULL;
}

/* True for names like "nparams" and "nfds": an n and a plural. A vowel after the n would
 * make another word. */
static int is_count_of_many(const char *name, size_t length)
{
    return length > 3 && *name == 'n' && islower((unsigned char)name[1]) &&
           !strchr("aeiou", name[1]) && name[length - 1] == 's' &&
           name[length - 2] != 's' && strncmp(name, "nsec", 4) != 0;
}

static const struct word *word_at_end(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ends_with(name, length, &words[i]))
            return &words[i];
    return is_count_of_many(name, length) ? &counted : NULL;
}

/* True for the names of reference counts, which do not measure computing work. */
static int counts_holders(const char *name)
{
    size_t length = strlen(name);

    return (length > 7 && strcasecmp(name + length - 8, "refcount") == 0) ||
           (length > 8 && strcasecmp(name + length - 9, "ref_count") == 0) ||
           strcmp(name, "nRef") == 0 || strcmp(name, "n_ref") == 0;
}

enum pg_meaning pg_suggest_meaning(const char *name, const char **why)
{
    const struct word *word;
    size_t length;

    *why = "";
    name += strspn(name, "_");
    length = strlen(name);
    while (length > 1 && name[length - 1] == '_')
        length--;
    if (counts_holders(name))
        return PG_SAYS_NOTHING;
    word = word_before(name);
    if (!word)
        word = word_at_end(name, length);
    if (word) {
        *why = word->why;
        return word->meaning;
    }
    while (length > 1 && isdigit((unsigned char)name[length - 1]))
        length--;
    word = word_at_end(name, length);
    if (!word)
        return PG_SAYS_NOTHING;
    if (word->meaning == PG_SAYS_LENGTH && ends_with(name, length, &one_of_several)) {
        *why = "a dimension"; /* as in size1, size2 */
        return PG_SAYS_DIMENSION;
    }
    *why = word->why;
    return word->meaning;
}

/* True if the word follows a prefix in capital letters: "close" in "H5Dclose", but not
 * "end" in "Send". */
static int is_prefixed(const char *name, const char *at, const char *word)
{
    return strlen(word) > 4 && at - name > 1 && at[-1] < 'a' && at[-2] < 'a' &&
           at[-2] != '_';
}

/* True if one of the words (ending with NULL) is a part of the name. */
static int has_part(const char *name, const char *const *parts)
{
    for (; *parts; parts++)
        for (const char *at = name; *at; at++)
            if (strncasecmp(at, *parts, strlen(*parts)) == 0 &&
                (at == name || at[-1] == '_' || *at < 'a' ||
                 is_prefixed(name, at, *parts)) &&
                (at[strlen(*parts)] < 'a' || at[strlen(*parts)] > 'z'))
                return 1;
    return 0;
}

int pg_suggest_ends(const char *name)
{
    static const char *const parts[] = {"destroy", "free",    "close",   "delete",
                                        "end",     "cleanup", "release", "finalize",
                                        "fini",    "dispose", NULL};

    return has_part(name, parts);
}

int pg_suggest_begins(const char *name)
{
    static const char *const parts[] = {"init",  "initialize", "initialise", "create",
                                        "new",   "open",       "alloc",      "setup",
                                        "reset", "construct",  NULL};

    return has_part(name, parts);
}
