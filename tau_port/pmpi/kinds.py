# SPDX-License-Identifier: BSD-3-Clause
"""The class of each function of MPI for the metric MPI_SPLIT (tau_port/pmpi/split.h): by its name.

A call that completes requests is of the class of its requests; its row here is for requests that are not
known. What sends and receives in one call mostly waits for the receive.
"""
import re

RECEIVE, SEND, SYNC, COLLECTIVE, CONTROL, IO = KINDS = ("RECEIVE", "SEND", "SYNC", "COLLECTIVE", "CONTROL", "IO")

MOVES = ("bcast|reduce|allreduce|gather|gatherv|scatter|scatterv|allgather|allgatherv|alltoall|alltoallv|alltoallw|scan|exscan|"
         "reduce_scatter|reduce_scatter_block|neighbor_allgather|neighbor_allgatherv|neighbor_alltoall|neighbor_alltoallv|"
         "neighbor_alltoallw")
TABLE = [
    (IO, r"file_\w+|register_datarep(_c)?"),
    (SYNC, r"i?barrier(_init)?|win_(fence|lock|lock_all|unlock|unlock_all|flush|flush_all|flush_local|flush_local_all|start|post|complete"
           r"|wait|test|sync)"),
    (COLLECTIVE, rf"i?({MOVES})(_init)?"),
    (RECEIVE, r"i?recv|p?recv_init|i?mrecv|i?probe|im?probe|mprobe|i?sendrecv(_replace)?|parrived|r?get|r?get_accumulate|fetch_and_op"
              r"|compare_and_swap|wait|waitany|waitall|waitsome|test|testany|testall|testsome|request_get_status(_\w+)?"),
    (SEND, r"i?[bsr]?send|[bsrp]?send_init|start|startall|pready|pready_range|pready_list|r?put|r?accumulate|"
           r"buffer_(attach|detach|flush|iflush)|(comm|session)_(attach|detach|flush|iflush)_buffer"),
]


def kind(function):
    """The class of MPI_Name, with or without _c."""
    name = re.sub(r"^MPIX?_", "", function)
    name = re.sub(r"_c$", "", name).lower()
    for found, pattern in TABLE:
        if re.fullmatch(pattern, name):
            return found
    return CONTROL


# They take a request that another call has made.
TAKERS = {f"MPI_{name}" for name in ("Wait", "Test", "Start", "Cancel", "Request_free", "Request_get_status", "Grequest_complete")}


def makes(function, arguments):
    """Does the call give out a request?"""
    return function not in TAKERS and any(re.search(r"MPI_Request\s*\*\s*request$", a) for a in arguments)
