/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.c: this process as one of several that run the same script.
 *
 * The launcher's environment variables show the implementation of MPI. The module for it,
 * ../lib/libcca_FLAVOUR.so, is loaded with global symbols, so that components find the
 * same MPI. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/cmd/cmd.h"

/* The first message of this rank, which is kept until the ranks agree. */
static struct {
    int kept; /* true if the cohort exists, and will report the message */
    char text[512];
} complaint;

static const struct {
    const char *variable, *rank, *flavour;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "openmpi"},
                 {"PMI_SIZE", "PMI_RANK", "mpich"}};

int ccafe_ranks_launched(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *rank = getenv(launchers[i].rank);

        if (rank && getenv(launchers[i].variable))
            return atoi(rank);
    }
    return -1;
}

/* Return the implementation of MPI that --mpi requests, else the MPI launcher's
 * implementation; NULL: none. */
static const char *wanted_flavour(const struct ccafe_options *options)
{
    if (options->mpi)
        return strcmp(options->mpi, "none") ? options->mpi : NULL;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i].variable))
            return launchers[i].flavour;
    return NULL;
}

/* Load the module for an implementation of MPI. Returns its function, or NULL after a
 * message. */
static cca_cohort_open_function load_module(const char *flavour, int *status)
{
    char *dir = ccafe_own_dir(), *path = NULL;
    cca_cohort_open_function function = NULL;
    void *module;

    if (!dir || asprintf(&path, "%s/../lib/libcca_%s.so", dir, flavour) < 0) {
        free(dir);
        *status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "out of memory");
        return NULL;
    }
    if (access(path, F_OK) < 0) {
        *status = ccafe_complain(CCA_EXIT_MISUSE,
                                 "started by the launcher of %s, for which this build "
                                 "has no library; --mpi=none runs each process alone",
                                 flavour);
    } else {
        module = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
        *(void **)&function = module ? dlsym(module, CCA_COHORT_OPEN) : NULL;
        if (!function)
            *status =
                ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "cannot load MPI: %s", dlerror());
    }
    free(path);
    free(dir);
    return function;
}

/* --- Output ------------------------------------------------------ */

static int redirect(const char *path, int flags, int fd)
{
    int file = open(path, flags | O_CLOEXEC, 0666), status;

    if (file < 0)
        return -errno;
    status = dup2(file, fd) < 0 ? -errno : 0;
    close(file);
    return status;
}

/* Redirect output to "DIR/rank-0002.out" and ".err". */
static int redirect_to_files(const char *dir, int rank)
{
    static const char *const names[] = {"out", "err"};
    int status = mkdir(dir, 0777) < 0 && errno != EEXIST ? -errno : 0;

    for (int i = 0; i < 2 && status == 0; i++) {
        char *path;

        if (asprintf(&path, "%s/rank-%04d.%s", dir, rank, names[i]) < 0)
            return -ENOMEM;
        status = redirect(path, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO + i);
        free(path);
    }
    return status;
}

/* Without --rank-output all ranks share standard error, because a failing library may
 * report it only there. */
static int choose_output(const struct ccafe_options *options)
{
    const struct cca_cohort *cohort = options->cohort;
    int status = 0;

    fflush(stdout);
    if (options->rank_output)
        status = redirect_to_files(options->rank_output, cohort->rank);
    else if (cohort->rank != 0)
        status = redirect("/dev/null", O_WRONLY, STDOUT_FILENO);
    return status == 0 ? 0
                       : ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "--rank-output '%s': %s",
                                        options->rank_output ? options->rank_output : "",
                                        strerror(-status));
}

int ccafe_ranks_complain(const char *format, va_list args)
{
    if (!complaint.kept)
        return 0;
    if (!*complaint.text)
        vsnprintf(complaint.text, sizeof complaint.text, format, args);
    return 1;
}

/* --- The steps of a rank -------------------------------------------------- */

/* Return the stream for messages: rank 0's original standard error, not its file of
 * --rank-output. */
FILE *ccafe_ranks_words(const struct ccafe_options *options)
{
    static FILE *original;

    if (!original && options->rank_output) {
        int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

        original = fd < 0 ? NULL : fdopen(fd, "w");
    }
    return original ? original : stderr;
}

int ccafe_ranks_agree(const struct ccafe_options *options, int status)
{
    struct cca_step step = {.digest = 1, .status = status, .text = complaint.text};

    if (!options->cohort)
        return status;
    status = cca_cohort_agree(options->cohort, &step, ccafe_ranks_words(options), NULL);
    complaint.text[0] = '\0';
    return status;
}

static uint64_t digest_file(uint64_t digest, const char *path)
{
    FILE *file = fopen(path, "re");
    char piece[16384];
    size_t n;

    while (file && (n = fread(piece, 1, sizeof piece, file)) > 0)
        digest = cca_digest(digest, piece, n);
    if (file)
        fclose(file);
    return digest;
}

/* Compute a digest of this program and its library: another machine may have different
 * files under the same names. */
static uint64_t digest_program(void)
{
    uint64_t digest = digest_file(0, "/proc/self/exe");
    Dl_info library;

    return dladdr((const void *)(uintptr_t)&cca_framework_new, &library)
               ? digest_file(digest, library.dli_fname)
               : digest;
}

static void print_option(FILE *out, const char *name, const char *value)
{
    if (value)
        fprintf(out, " --%s %s", name, value);
}

/* Format the options that must be equal on all ranks. Variables and paths are not among
 * them: they are compared as parts of the commands that contain them. Returns a new
 * string, or NULL. */
static char *describe_options(const struct ccafe_options *options)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "version %s, build %016" PRIx64 "%s%s%s", CCAFE_VERSION,
            digest_program(), options->measure ? " --measure" : "",
            options->compat ? " --compat=ccaffeine" : "",
            options->allow_shell ? " --allow-shell" : "");
    for (int i = 0; i < RECORDING_OPTIONS; i++)
        print_option(out, recording_options[i].name + 2, options->recording[i]);
    print_option(out, "tau-profiles", options->tau_profiles);
    print_option(out, "rank-output", options->rank_output);
    for (int i = 0; i < options->settings->given; i++)
        print_option(out, "set", options->settings->values[i]);
    for (int i = 0; i < options->classes->given; i++)
        print_option(out, "class", options->classes->values[i]);
    for (int i = 0; i < options->shadows->given; i++)
        print_option(out, "shadow", options->shadows->values[i]);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Check that all ranks run the same program with the same options. Returns 0 or an exit
 * status. */
static int agree_on_options(const struct ccafe_options *options)
{
    char *text = describe_options(options);
    const struct cca_step step = {.digest = text ? cca_digest_text(0, text) : 0,
                                  .status = text ? 0 : CCA_EXIT_IO_OR_MEMORY,
                                  .place = "ccafe",
                                  .text = text ? text : "out of memory"};
    int status =
        cca_cohort_agree(options->cohort, &step, ccafe_ranks_words(options), NULL);

    free(text);
    return status;
}

int ccafe_ranks_begin(struct ccafe_options *options)
{
    const char *flavour = wanted_flavour(options);
    cca_cohort_open_function begin;
    struct cca_error err = {0};
    int status = 0;

    status = ccafe_messages_pass(options, flavour);
    if (status || !flavour)
        return status;
    begin = load_module(flavour, &status);
    if (!begin)
        return status;
    options->cohort = begin(&err);
    if (!options->cohort)
        return ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s", err.text);
    complaint.kept = 1;
    ccafe_signals_rank(options->cohort->rank);
    ccafe_ranks_words(options);
    status = agree_on_options(options);
    return status ? status : ccafe_ranks_agree(options, choose_output(options));
}

int ccafe_ranks_end(struct ccafe_options *options, int status)
{
    if (!options->cohort)
        return status;
    if (status == 0) {
        if (fflush(stdout) != 0 || ferror(stdout))
            status = ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "standard output: %s",
                                    strerror(errno));
        status = ccafe_ranks_agree(options, status);
    }
    options->cohort->close(options->cohort, status);
    options->cohort = NULL;
    complaint.kept = 0;
    return status;
}
