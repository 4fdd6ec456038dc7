/* SPDX-License-Identifier: BSD-3-Clause */
/* script_reader.c: read lines, comments, words, quotes and variables of a script. */
#include "framework/script/script_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* True for white space, independent of the locale. */
static int is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_name_part(char c)
{
    return is_name_start(c) || (c >= '0' && c <= '9');
}

int cca_script_is_variable(const char *name)
{
    if (!is_name_start(*name))
        return 0;
    while (is_name_part(*name))
        name++;
    return *name == '\0';
}

static int buffer_add(struct cca_script_buffer *buffer, char c)
{
    if (cca_array_extend(&buffer->bytes, &buffer->room, sizeof *buffer->bytes,
                         buffer->size + 1))
        return -ENOMEM;
    buffer->bytes[buffer->size++] = c;
    return 0;
}

/* --- Lines ---------------------------------------------------------------- */

/* Drop the byte order mark that some editors write. */
static void drop_byte_order_mark(struct cca_script_buffer *line)
{
    if (line->size >= 3 && memcmp(line->bytes, "\xef\xbb\xbf", 3) == 0)
        memmove(line->bytes, line->bytes + 3, line->size -= 3);
}

/* Append one line of the file without its newline, without blanks at its end and, in a
 * continuation, at its start. An error in the line is stored until the end of the line is
 * found. */
static int read_line(struct cca_script_reader *reader, int continues,
                     struct cca_error *err)
{
    size_t start = reader->raw.size, length = 0;
    int first = reader->next_line == 1, wrong = 0, c;

    while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
        if (continues && reader->raw.size == start && is_blank(c))
            continue;
        length++;
        if (c == '\0' && !wrong)
            wrong = cca_error_set(err, -EINVAL, "a NUL byte; a script is text");
        if (reader->raw.size >= CCA_SCRIPT_LONGEST_LINE && !wrong && !is_blank(c))
            wrong = cca_error_set(err, -EINVAL, "the line is longer than %d bytes",
                                  CCA_SCRIPT_LONGEST_LINE);
        if (!wrong && reader->raw.size <= CCA_SCRIPT_LONGEST_LINE &&
            buffer_add(&reader->raw, (char)c) < 0)
            return cca_no_memory(err);
    }
    if (c == EOF && ferror(reader->file))
        return cca_error_set(err, -EIO, "cannot be read: %s", strerror(errno));
    if (c == EOF)
        reader->ended = 1;
    if (c != EOF || length > 0)
        reader->next_line++;
    if (first)
        drop_byte_order_mark(&reader->raw);
    while (reader->raw.size > start && is_blank(reader->raw.bytes[reader->raw.size - 1]))
        reader->raw.size--;
    return wrong;
}

/* Read a line and its continuations into `raw`, NUL at its end. */
static int read_joined(struct cca_script_reader *reader, struct cca_error *err)
{
    int status, wrong = 0, continues = 0;

    reader->raw.size = 0;
    do {
        status = read_line(reader, continues, err);
        if (status == -EIO || status == -ENOMEM)
            return status;
        if (status < 0)
            wrong = status;
        continues =
            reader->raw.size > 0 && reader->raw.bytes[reader->raw.size - 1] == '\\';
        if (continues)
            reader->raw.size--;
    } while (continues && !reader->ended);
    if (buffer_add(&reader->raw, '\0') < 0)
        return cca_no_memory(err);
    return wrong;
}

/* --- Words ---------------------------------------------------------------- */

static int put_char(struct cca_script_reader *reader, char c, struct cca_error *err)
{
    if (reader->text.size >= CCA_SCRIPT_LONGEST_STATEMENT)
        return cca_error_set(err, -EINVAL,
                             "with its variables the line is longer than %d bytes",
                             CCA_SCRIPT_LONGEST_STATEMENT);
    if (buffer_add(&reader->text, c) < 0)
        return cca_no_memory(err);
    return 0;
}

int cca_script_undefined(const char *name, struct cca_error *err)
{
    return cca_error_set(
        err, -EINVAL,
        "variable '%s' is not defined (set it with -D %s=VALUE or in the "
        "environment)",
        name, name);
}

/* Expand the variable whose name begins at `*at`, after the '$'. */
static int put_variable(struct cca_script_reader *reader, const char **at,
                        struct cca_error *err)
{
    int braces = **at == '{';
    const char *start = *at + braces, *end = start, *value;
    char name[256];
    int status = 0;

    if (is_name_start(*start))
        while (is_name_part(*end))
            end++;
    if (end == start || (braces && *end != '}'))
        return cca_error_set(
            err, -EINVAL,
            "'$' is followed by no variable name (to mean the character, "
            "write '$' in single quotes)");
    if ((size_t)(end - start) >= sizeof name)
        return cca_error_set(err, -EINVAL,
                             "the name of a variable is longer than %zu bytes",
                             sizeof name - 1);
    memcpy(name, start, (size_t)(end - start));
    name[end - start] = '\0';
    value = reader->lookup ? reader->lookup(reader->context, name) : NULL;
    if (!value)
        return cca_script_undefined(name, err);
    for (; *value && status == 0; value++)
        status = put_char(reader, *value, err);
    *at = end + braces;
    return status;
}

static int put_single_quoted(struct cca_script_reader *reader, const char **at,
                             struct cca_error *err)
{
    int status = 0;

    while (**at && **at != '\'' && status == 0)
        status = put_char(reader, *(*at)++, err);
    if (status == 0 && !**at)
        status = cca_error_set(err, -EINVAL, "a single quote (') is not closed");
    if (status == 0)
        (*at)++;
    return status;
}

static int put_escape(struct cca_script_reader *reader, const char **at,
                      struct cca_error *err)
{
    char c = *(*at)++;

    switch (c) {
    case 'n':
        return put_char(reader, '\n', err);
    case 't':
        return put_char(reader, '\t', err);
    case '"':
    case '\\':
    case '$':
        return put_char(reader, c, err);
    case '\0':
        (*at)--;
        return 0; /* the missing quote is reported later */
    default:
        return cca_error_set(
            err, -EINVAL, "'\\%c' in double quotes; known are \\n \\t \\\" \\\\ \\$", c);
    }
}

static int put_double_quoted(struct cca_script_reader *reader, const char **at,
                             struct cca_error *err)
{
    int status = 0;

    while (**at && **at != '"' && status == 0) {
        char c = *(*at)++;

        if (c == '\\')
            status = put_escape(reader, at, err);
        else if (c == '$')
            status = put_variable(reader, at, err);
        else
            status = put_char(reader, c, err);
    }
    if (status == 0 && !**at)
        status = cca_error_set(err, -EINVAL, "a double quote (\") is not closed");
    if (status == 0)
        (*at)++;
    return status;
}

/* Append one word from `*at` on, and a NUL. */
static int put_word(struct cca_script_reader *reader, const char **at,
                    struct cca_error *err)
{
    int status = 0;

    while (**at && !is_blank(**at) && status == 0) {
        char c = *(*at)++;

        if (reader->plain)
            status = put_char(reader, c, err);
        else if (c == '\'')
            status = put_single_quoted(reader, at, err);
        else if (c == '"')
            status = put_double_quoted(reader, at, err);
        else if (c == '$')
            status = put_variable(reader, at, err);
        else
            status = put_char(reader, c, err);
    }
    return status == 0 ? put_char(reader, '\0', err) : status;
}

static int is_comment_line(const char *line)
{
    return *line == '#' || *line == '!' || (line[0] == '/' && line[1] == '/');
}

/* True if a comment begins at this word. Scripts generated by Ccaffeine may have a
 * comment after a semicolon, or the semicolon alone. */
static int is_comment(const struct cca_script_reader *reader, const char *at)
{
    if (!reader->plain)
        return *at == '#';
    if (*at++ != ';' || (*at && !is_blank(*at)))
        return 0;
    while (is_blank(*at))
        at++;
    return *at == '#' || !*at;
}

/* Split `raw` into words in `text`, a NUL after each. Returns their number or a negative
 * errno. */
static int split(struct cca_script_reader *reader, struct cca_error *err)
{
    const char *at = reader->raw.bytes;
    int count = 0;

    reader->text.size = 0;
    while (is_blank(*at))
        at++;
    if (strncmp(at, "#!eof", 5) == 0)
        reader->ended = 1;
    if (is_comment_line(at))
        return 0;
    while (*at && !is_comment(reader, at)) {
        int status;

        reader->word = (size_t)count;
        status = put_word(reader, &at, err);
        if (status < 0)
            return status;
        count++;
        while (is_blank(*at))
            at++;
    }
    return count;
}

/* Set the pointers to the words, after the text has got its final address. */
static int point_at_words(struct cca_script_reader *reader, size_t count,
                          struct cca_script_statement *statement, struct cca_error *err)
{
    char *word = reader->text.bytes;

    if (cca_array_extend(&reader->words, &reader->word_room, sizeof *reader->words,
                         count))
        return cca_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        reader->words[i] = word;
        word += strlen(word) + 1;
    }
    statement->count = count;
    statement->words = reader->words;
    return 1;
}

int cca_script_reader_next(struct cca_script_reader *reader,
                           struct cca_script_statement *statement, struct cca_error *err)
{
    while (!reader->ended) {
        int status;

        statement->line = reader->next_line;
        statement->count = 0;
        statement->words = NULL;
        status = read_joined(reader, err);
        if (status == 0)
            status = split(reader, err);
        if (status > 0)
            return point_at_words(reader, (size_t)status, statement, err);
        if (status < 0)
            return status;
    }
    return 0;
}

void cca_script_reader_init(struct cca_script_reader *reader, FILE *file,
                            cca_script_lookup lookup, void *context)
{
    *reader = (struct cca_script_reader){
        .file = file, .lookup = lookup, .context = context, .next_line = 1};
}

void cca_script_reader_done(struct cca_script_reader *reader)
{
    free(reader->raw.bytes);
    free(reader->text.bytes);
    free(reader->words);
    *reader = (struct cca_script_reader){.ended = 1};
}
