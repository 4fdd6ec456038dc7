/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_import.c: activity import. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "activity/cmd/cmd.h"
#include "activity/xmi/graph.h"

enum { OUTPUT, FORCE };
static const struct cca_option option_table[] = {
    [OUTPUT] = {"--output", "DIR", "the directory, made where it is absent", "-o"},
    [FORCE] = {"-f", NULL, "replace files that are there"},
};

static char *path_of(const char *directory, const char *name, const char *end)
{
    char *path;

    return asprintf(&path, "%s/%s%s", directory, name, end) < 0 ? NULL : path;
}

/* Write a file under a temporary name. */
static int write_fresh(const char *path, const char *text, struct cca_error *err)
{
    char *fresh = NULL;
    FILE *out;
    int bad;

    if (!text)
        return 0;
    if (asprintf(&fresh, "%s.new", path) < 0)
        return cca_no_memory(err);
    out = fopen(fresh, "we");
    bad = !out || fputs(text, out) < 0;
    bad |= out && fclose(out) != 0;
    if (bad)
        cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    free(fresh);
    return bad ? -EIO : 0;
}

/* Rename the temporary file if `keep` is true, else remove it. If `keep` is true and
 * `text` NULL, remove an old file (a layout of an earlier import). */
static int settle(const char *path, const char *text, int keep, struct cca_error *err)
{
    char *fresh = NULL;
    int bad = 0;

    if (!text && keep)
        unlink(path);
    if (!text)
        return 0;
    if (asprintf(&fresh, "%s.new", path) < 0)
        return cca_no_memory(err);
    if (!keep)
        unlink(fresh);
    else if (rename(fresh, path) != 0)
        bad = cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    free(fresh);
    return bad;
}

/* Refuse to import if any of the files to write exists already. */
static int check_absent(const char *directory, const struct xmi_text *texts, size_t count,
                        struct cca_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < count && !rc; i++) {
        char *path = path_of(directory, texts[i].name, ".act");

        if (!path)
            rc = cca_no_memory(err);
        else if (access(path, F_OK) == 0)
            rc = cca_error_set(err, -EINVAL,
                               "%s: found a file, expected none: -f "
                               "replaces it",
                               path);
        for (size_t k = 0; k < i && !rc; k++)
            if (strcmp(texts[k].name, texts[i].name) == 0)
                rc = cca_error_set(err, -EINVAL,
                                   "%s: found two activities of this name, expected one",
                                   path);
        free(path);
    }
    return rc;
}

/* Make a directory and its parents. */
static int make_directory(const char *directory, struct cca_error *err)
{
    char *path = strdup(directory);

    if (!path)
        return cca_no_memory(err);
    for (char *slash = strchr(path + 1, '/'); *path && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* errors are ignored here: if this fails, so does the last
                            * mkdir, which is checked */
        *slash = '/';
    }
    free(path);
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return cca_error_set(err, -EIO, "%s: %s", directory, strerror(errno));
    return 0;
}

/* Do one step for each file of each model: write all, then rename all; or remove all. */
static int each_file(const char *directory, const struct xmi_text *texts, size_t count,
                     int (*step)(const char *path, const char *text, int keep,
                                 struct cca_error *err),
                     int keep, struct cca_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < count; i++) {
        char *path = path_of(directory, texts[i].name, ".act");
        char *layout = path_of(directory, texts[i].name, ".layout");
        int bad = path && layout ? 0 : cca_no_memory(err);

        if (!bad)
            bad = step(path, texts[i].text, keep, err);
        if (!bad)
            bad = step(layout, texts[i].layout, keep, err);
        rc = rc ? rc : bad;
        free(path);
        free(layout);
    }
    return rc;
}

static int write_step(const char *path, const char *text, int keep, struct cca_error *err)
{
    (void)keep;
    return err->code ? err->code : write_fresh(path, text, err);
}

static int write_all(const char *directory, const struct xmi_text *texts, size_t count,
                     int replace, struct cca_error *err)
{
    int rc = replace ? 0 : check_absent(directory, texts, count, err), bad;

    rc = rc ? rc : make_directory(directory, err);
    if (rc)
        return rc;
    rc = each_file(directory, texts, count, write_step, 1, err);
    bad = each_file(directory, texts, count, settle, !rc, err);
    rc = rc ? rc : bad;
    for (size_t i = 0; i < count && !rc; i++)
        printf("%s/%s.act\n", directory, texts[i].name);
    return rc;
}

static int import_verb(const struct cca_args *args)
{
    const char *directory = cca_given_value(&args->options[OUTPUT]);
    struct cca_error err = {0};
    struct xmi_document *document;
    struct xmi_text *texts = NULL;
    size_t count = 0;
    int rc;

    if (args->count != 1 || !directory)
        return act_refuse(ACT_EXIT_MISUSE,
                          "expected a file and -o DIR; activity import -h");
    document = xmi_read(args->words[0], &err);
    rc = document ? xmi_texts(document, &texts, &count, &err) : err.code;
    rc = rc ? rc : write_all(directory, texts, count, args->options[FORCE].given, &err);
    xmi_texts_free(texts, count);
    xmi_document_free(document);
    return rc ? act_complain(&err) : act_finish_output(ACT_EXIT_DONE);
}

const struct cca_verb act_verb_import = {
    .name = "import",
    .summary = "UML activities (XMI) as models",
    .usage = "activity import FILE -o DIR\n",
    .examples = "activity import model.uml -o models\n",
    .about = "Read UML activities (XMI) and write DIR/NAME.act for each that no other "
             "calls, and DIR/NAME.layout where the file has a diagram. Files that are "
             "there stay: see -f.\n",
    CCA_OPTIONS(option_table),
    .notes = "Exit status: 0 done, 2 misuse, 3 bad input, 5 I/O or memory.\n",
    .run = import_verb,
};
