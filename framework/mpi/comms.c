/* SPDX-License-Identifier: BSD-3-Clause */
/* comms.c: create and free communicators for instances.
 *
 * Freeing a communicator is collective, but one rank may remove an instance earlier than
 * another. So returned communicators are kept until a point that all ranks pass together:
 * the creation of the next communicator, or the end of the run. There the ranks compare
 * the serial numbers of returned communicators, and free a communicator if all ranks have
 * returned it. */
#include "framework/mpi/ranks.h"

#include <errno.h>
#include <string.h>

#include "common/array.h"

enum { COUNT, MINUS_COUNT, DIGEST, MINUS_DIGEST };

/* --- Freeing -------------------------------------------------------------- */

void ranks_comm_give_back(struct ranks *r, MPI_Comm comm, uint64_t number)
{
    if (cca_array_extend(&r->back, &r->back_room, sizeof *r->back,
                         (size_t)r->back_count + 1))
        return; /* leave the communicator to MPI_Finalize, which frees it */
    r->back[r->back_count++] = (struct ranks_lent_comm){comm, number};
}

int ranks_comms_compare(struct ranks *r, MPI_Request *request)
{
    uint64_t digest = 1;

    if (r->parent == MPI_COMM_NULL)
        return -EIO;
    for (int i = 0; i < r->back_count; i++)
        digest = (digest ^ (r->back[i].number + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    r->back_least[COUNT] = r->back_count;
    r->back_least[MINUS_COUNT] = -r->back_count;
    r->back_least[DIGEST] = (int64_t)(digest >> 1);
    r->back_least[MINUS_DIGEST] = -(int64_t)(digest >> 1);
    return PMPI_Iallreduce(MPI_IN_PLACE, r->back_least, 4, MPI_INT64_T, MPI_MIN,
                           r->parent, request)
               ? -EIO
               : 0;
}

void ranks_comms_free(struct ranks *r)
{
    const int64_t *least = r->back_least;

    if (least[COUNT] != -least[MINUS_COUNT] || least[DIGEST] != -least[MINUS_DIGEST])
        return;
    for (int i = 0; i < r->back_count; i++)
        PMPI_Comm_free(&r->back[i].comm);
    r->back_count = 0;
}

/* --- Making --------------------------------------------------------------- */

/* Set `err` to MPI's message for a failure. */
static int mpi_failed(int code, struct cca_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;

    PMPI_Error_string(code, text, &length);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return cca_error_set(err, -EIO, "MPI makes no communicator: %.400s", text);
}

static int wait_failed(const struct ranks *r, int code, struct cca_error *err)
{
    return code == -ECANCELED ? cca_error_set(err, code, "another rank has failed")
           : r->error         ? mpi_failed(r->error, err)
                      : cca_error_set(err, code, "no communicator: %s", strerror(-code));
}

static int make_comm(struct ranks *r, MPI_Comm *comm, uint64_t *number,
                     struct cca_error *err)
{
    MPI_Request requests[2];
    int code = ranks_comms_compare(r, &requests[0]);

    if (code)
        return cca_error_set(err, code, "the ranks have no common communicator any more");
    code = ranks_wait(r, requests, 1, NULL);
    if (code)
        return wait_failed(r, code, err);
    ranks_comms_free(r);
    *number = r->made++;
    code = MPI_Comm_idup(r->parent, comm, &requests[0]);
    if (code)
        return mpi_failed(code, err);
    code = ranks_wait(r, requests, 1, NULL);
    return code ? wait_failed(r, code, err) : 0;
}

/* The number of communicators is limited, to some thousands with MPICH. MPI
 * reports exhaustion as an error of MPI_COMM_WORLD, which would end the run without a
 * message of the framework. */
int ranks_comm_make(struct ranks *r, MPI_Comm *comm, uint64_t *number,
                    struct cca_error *err)
{
    MPI_Errhandler before;
    int code;

    if (PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before))
        return cca_error_set(err, -EIO, "MPI has no error handler");
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = make_comm(r, comm, number, err);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    PMPI_Errhandler_free(&before);
    return code;
}

int ranks_comms_renew(struct ranks *r)
{
    /* messages in flight in duplicates of the old communicator may have reached only some
     * ranks */
    r->made = 0;
    r->back_count = 0;
    if (!MPI_Comm_dup(r->comm, &r->parent))
        return 0;
    r->parent = MPI_COMM_NULL;
    return -EIO;
}
