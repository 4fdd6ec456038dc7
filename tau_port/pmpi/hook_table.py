# SPDX-License-Identifier: BSD-3-Clause
"""What the wrappers of messages do around their call: one row a function (tau_port/pmpi/hooks.h).

A hook is a pair of texts: what stands before PMPI and behind it, where its result is `result`. {name} is the argument of that name
in mpi.h, {site} the callsite, {index_number} the function's
number. Variants with large counts (*_c) have
the hook of the function without.
"""
import re

import kinds

BEFORE, AFTER = 0, 1


def send(peer="dest", tag="tag", count="count", type_="datatype", nonblocking=0):
    """A send that blocks; `nonblocking`: the end of the call is not the end of the send."""
    return (f"""struct pmpi_sent sent;
    int sends = pmpi_asked() ? pmpi_send_begin(&sent, {{comm}}, {{{peer}}}, {{{tag}}}, (long long){{{count}}}, {{{type_}}}, {{site}}) : 0;""",
            f"""if (sends & PMPI_OPEN)
        pmpi_send_end(&sent, result, {nonblocking});
    else if (__builtin_expect(result != MPI_SUCCESS, 0))
        pmpi_send_failed({{comm}}, {{{peer}}}, {{{tag}}});""")


def isend(peer="dest", tag="tag", count="count", type_="datatype"):
    before, _ = send(peer, tag, count, type_)
    return before, """if (pmpi_asked())
        pmpi_isend_end(&sent, sends, result, *{request});"""


def recv(peer="source", tag="tag"):
    return (f"""struct pmpi_got got;
    int receives = pmpi_asked() ? pmpi_recv_begin(&got, {{comm}}, {{{peer}}}, {{{tag}}}) : 0;
    if ((receives & PMPI_OPEN) && {{status}} == MPI_STATUS_IGNORE)
        {{status}} = &got.status;""",
            """if (receives & PMPI_OPEN)
        pmpi_recv_end(&got, result, {status}, {site});""")


def irecv(peer="source", tag="tag", unknown=0):
    return (f"""struct pmpi_got got;
    int receives = pmpi_asked() ? pmpi_recv_begin(&got, {{comm}}, {{{peer}}}, {{{tag}}}) : 0;""",
            f"""if (pmpi_asked())
        pmpi_irecv_end(&got, receives, result, *{{request}}, {unknown});""")


def both(first, second):
    return first[BEFORE] + "\n    " + second[BEFORE], first[AFTER] + "\n    " + second[AFTER]


def wait(count, requests, statuses, ignore, after, nothing="0"):
    """Completions of `count` requests; `nothing`: when none has completed."""
    return (f"""struct pmpi_splits splits;
    int split = pmpi_splitting() ? pmpi_split_requests(&splits, {count}, {{{requests}}}) : 0;
    struct pmpi_wait wait;
    int waits = pmpi_asked() && pmpi_following() ? pmpi_wait_begin(&wait, {count}, {{{requests}}}) : 0;
    if (waits && {{{statuses}}} == {ignore})
        {{{statuses}}} = wait.statuses;
    struct pmpi_joining joining;
    int joins = pmpi_asked() && pmpi_together_pending ? pmpi_joining_begin(&joining, {count}, {{{requests}}}) : 0;""",
            f"""if (split)
        pmpi_split_done(&splits, {{{requests}}});
    if (joins)
        pmpi_joining_end(&joining, {{{requests}}});
    if (waits && ({nothing}))
        pmpi_wait_none(&wait);
    else if (waits)
        {after};""")


def persistent(sends, peer):
    return ("", f"""if (pmpi_asked() && result == MPI_SUCCESS)
        pmpi_persistent(*{{request}}, {sends}, {{comm}}, {{{peer}}}, {{tag}}, (long long){{count}}, {{datatype}});""")


def together(comm="comm", count="0", type_="MPI_DATATYPE_NULL", root="-1"):
    """A collective that blocks."""
    return (f"""struct pmpi_together together;
    int sampled = pmpi_asked() ? pmpi_together_begin(&together, {{index_number}}, {{{comm}}}, (long long)({count}), {type_}, {root}, {{site}}) : 0;""",
            """if (sampled)
        pmpi_together_end(&together);""")


def itogether(comm="comm", count="0", type_="MPI_DATATYPE_NULL", root="-1"):
    """A collective that does not block."""
    return (together(comm, count, type_, root)[BEFORE],
            """if (pmpi_asked())
        pmpi_together_started(sampled ? &together : NULL, result, *{request});""")


def makes(how, parent, new="newcomm", request="NULL", tag="NULL"):
    """A communicator is made."""
    parent = f"{{{parent}}}" if parent else "MPI_COMM_NULL"
    return (f"uint64_t before = pmpi_comm_before({how}, {parent});",
            f"""if (result == MPI_SUCCESS)
        pmpi_comm_after({how}, before, {parent}, {{{new}}}, {request}, {tag});""")


ONE = ("pmpi_wait_one(&wait, 0, result, {status}, {site})", "result == MPI_SUCCESS && !*{flag}")
PROBE = """struct pmpi_probe probe;
    int probes = pmpi_asked() ? pmpi_probe_begin(&probe, {comm}, {source}, {tag}) : 0;
    if (probes && {status} == MPI_STATUS_IGNORE)
        {status} = &probe.status;"""
MATCHED = """struct pmpi_matched matched;
    int matches = pmpi_asked() ? pmpi_matched_begin(&matched, *{message}) : 0;"""
START = """struct pmpi_splits splits;
    if (pmpi_splitting())
        pmpi_split_requests(&splits, %s, %s);
    struct pmpi_start *start = pmpi_asked() ? pmpi_start_begin(%s, %s, {site}) : NULL;"""
START_END = """if (start)
        pmpi_start_end(start, %s, result);"""
CHILD, SENT, GIVEN = "PMPI_COMM_CHILD", ("{sendcount}", "{sendtype}"), ("{count}", "{datatype}")

HOOKS = {
    **{f"MPI_{kind}send": send() for kind in ("B", "R", "S")},
    "MPI_Send": send(),
    **{f"MPI_I{kind}send": isend() for kind in ("b", "r", "s")},
    "MPI_Isend": isend(),
    "MPI_Recv": recv(),
    "MPI_Irecv": irecv(),
    "MPI_Sendrecv": both(send("dest", "sendtag", "sendcount", "sendtype", 1), recv("source", "recvtag")),
    "MPI_Sendrecv_replace": both(send("dest", "sendtag", nonblocking=1), recv("source", "recvtag")),
    # MPICH 4.0 leaves their statuses without source and tag.
    "MPI_Isendrecv": both(isend("dest", "sendtag", "sendcount", "sendtype"), irecv("source", "recvtag", 1)),
    "MPI_Isendrecv_replace": both(isend("dest", "sendtag"), irecv("source", "recvtag", 1)),
    **{f"MPI_{kind}_init": persistent(1, "dest") for kind in ("Send", "Bsend", "Rsend", "Ssend")},
    "MPI_Recv_init": persistent(0, "source"),
    "MPI_Start": (START % (("1", "{request}") * 2), START_END % "{request}"),
    "MPI_Startall": (START % (("{count}", "{array_of_requests}") * 2), START_END % "{array_of_requests}"),
    "MPI_Request_free": ("""if (pmpi_asked() && *{request} != MPI_REQUEST_NULL)
        pmpi_request_gone({request});""", ""),
    "MPI_Cancel": ("", """if (pmpi_asked() && result == MPI_SUCCESS)
        pmpi_cancelled({request}, {site});"""),
    "MPI_Wait": wait("1", "request", "status", "MPI_STATUS_IGNORE", ONE[0]),
    "MPI_Test": wait("1", "request", "status", "MPI_STATUS_IGNORE", *ONE),
    "MPI_Request_get_status": wait("1", "&request", "status", "MPI_STATUS_IGNORE", *ONE),
    "MPI_Waitany": wait("{count}", "array_of_requests", "status", "MPI_STATUS_IGNORE",
                        "pmpi_wait_one(&wait, *{index}, result, {status}, {site})"),
    "MPI_Testany": wait("{count}", "array_of_requests", "status", "MPI_STATUS_IGNORE",
                        "pmpi_wait_one(&wait, *{index}, result, {status}, {site})",
                        "result == MPI_SUCCESS && !*{flag}"),
    "MPI_Waitall": wait("{count}", "array_of_requests", "array_of_statuses", "MPI_STATUSES_IGNORE",
                        "pmpi_wait_all(&wait, result, {array_of_statuses}, {site})"),
    "MPI_Testall": wait("{count}", "array_of_requests", "array_of_statuses", "MPI_STATUSES_IGNORE",
                        "pmpi_wait_all(&wait, result, {array_of_statuses}, {site})",
                        "result == MPI_SUCCESS && !*{flag}"),
    **{f"MPI_{kind}some": wait(
        "{incount}", "array_of_requests", "array_of_statuses", "MPI_STATUSES_IGNORE",
        "pmpi_wait_some(&wait, *{outcount}, {array_of_indices}, result, {array_of_statuses}, {site})")
       for kind in ("Wait", "Test")},
    "MPI_Mprobe": (PROBE, """if (probes)
        pmpi_probe_end(&probe, result == MPI_SUCCESS, *{message}, {status});"""),
    "MPI_Improbe": (PROBE, """if (probes)
        pmpi_probe_end(&probe, result == MPI_SUCCESS && *{flag}, *{message}, {status});"""),
    "MPI_Mrecv": (MATCHED + """
    if (matches && {status} == MPI_STATUS_IGNORE)
        {status} = &matched.status;""", """if (matches)
        pmpi_matched_end(&matched, result, {status}, {site});"""),
    "MPI_Imrecv": (MATCHED, """if (matches)
        pmpi_imatched_end(&matched, result, *{request});"""),
    "MPI_Type_free": ("pmpi_type_gone();", ""),

    "MPI_Ibarrier": itogether(),
    "MPI_Ibcast": itogether("comm", *GIVEN, "{root}"),
    **{f"MPI_{name}": itogether("comm", *GIVEN) for name in ("Iallreduce", "Iscan", "Iexscan")},
    "MPI_Ireduce": itogether("comm", *GIVEN, "{root}"),
    "MPI_Ireduce_scatter": itogether(),
    "MPI_Ireduce_scatter_block": itogether("comm", "{recvcount}", "{datatype}"),
    **{f"MPI_{name}": itogether("comm", *SENT)
       for name in ("Iallgather", "Iallgatherv", "Ialltoall", "Ineighbor_allgather", "Ineighbor_allgatherv",
                    "Ineighbor_alltoall")},
    **{f"MPI_{name}": itogether("comm", *SENT, "{root}") for name in ("Igather", "Igatherv", "Iscatter")},
    "MPI_Iscatterv": itogether("comm", "0", "MPI_DATATYPE_NULL", "{root}"),
    **{f"MPI_{name}": itogether()
       for name in ("Ialltoallv", "Ialltoallw", "Ineighbor_alltoallv", "Ineighbor_alltoallw")},
    "MPI_Barrier": together(),
    "MPI_Bcast": together("comm", *GIVEN, "{root}"),
    **{f"MPI_{name}": together("comm", *GIVEN) for name in ("Allreduce", "Scan", "Exscan", "Reduce_scatter_block")
       if name != "Reduce_scatter_block"},
    "MPI_Reduce": together("comm", *GIVEN, "{root}"),
    "MPI_Reduce_scatter": together(),
    "MPI_Reduce_scatter_block": together("comm", "{recvcount}", "{datatype}"),
    **{f"MPI_{name}": together("comm", *SENT)
       for name in ("Allgather", "Allgatherv", "Alltoall", "Neighbor_allgather", "Neighbor_allgatherv",
                    "Neighbor_alltoall")},
    **{f"MPI_{name}": together("comm", *SENT, "{root}") for name in ("Gather", "Gatherv", "Scatter")},
    "MPI_Scatterv": together("comm", "0", "MPI_DATATYPE_NULL", "{root}"),
    **{f"MPI_{name}": together()
       for name in ("Alltoallv", "Alltoallw", "Neighbor_alltoallv", "Neighbor_alltoallw")},

    "MPI_Init": ("", "pmpi_messages_begin();"),
    "MPI_Init_thread": ("", "pmpi_messages_begin();"),
    "MPI_Finalize": ("pmpi_messages_end();", ""),
    **{f"MPI_{name}": makes(CHILD, "comm") for name in ("Comm_dup", "Comm_dup_with_info", "Comm_split",
                                                         "Comm_split_type", "Comm_create", "Cart_sub")},
    "MPI_Cart_create": makes(CHILD, "old_comm", "comm_cart"),
    "MPI_Graph_create": makes(CHILD, "comm_old", "comm_graph"),
    "MPI_Dist_graph_create": makes(CHILD, "comm_old", "newcomm"),
    "MPI_Dist_graph_create_adjacent": makes(CHILD, "comm_old", "comm_dist_graph"),
    "MPI_Intercomm_merge": makes(CHILD, "intercomm", "newintracomm"),
    **{f"MPI_{name}": makes(CHILD, "comm", "intercomm") for name in ("Comm_spawn",)},
    "MPI_Comm_spawn_multiple": makes(CHILD, "comm", "intercomm"),
    **{f"MPI_{name}": makes(CHILD, "comm") for name in ("Comm_accept", "Comm_connect")},
    "MPI_Comm_idup": makes("PMPI_COMM_IDUP", "comm", request="{request}"),
    "MPI_Comm_idup_with_info": makes("PMPI_COMM_IDUP", "comm", request="{request}"),
    "MPI_Comm_create_group": makes("PMPI_COMM_DRAWN", "comm"),
    "MPI_Intercomm_create": makes("PMPI_COMM_DRAWN", "local_comm", "newintercomm"),
    "MPI_Comm_create_from_group": makes("PMPI_COMM_GROUP", None, tag="{stringtag}"),
    "MPI_Intercomm_create_from_groups": makes("PMPI_COMM_GROUP", None, "newintercomm", tag="{stringtag}"),
    "MPI_Comm_join": makes("PMPI_COMM_JOINED", None, "intercomm"),
    "MPI_Comm_get_parent": makes("PMPI_COMM_JOINED", None, "parent"),
    "MPI_Comm_free": ("""if (pmpi_asked())
        pmpi_comm_gone(*{comm});""", ""),
    "MPI_Comm_disconnect": ("""if (pmpi_asked())
        pmpi_comm_gone(*{comm});""", ""),
    "MPI_Comm_set_name": ("", """if (pmpi_asked())
        pmpi_comm_named({comm});"""),
    "MPI_Comm_set_info": ("", """if (pmpi_asked())
        pmpi_comm_info({comm});"""),
}

# Parameters that the two flavours' headers name differently: function -> {our name: other names}.
NAMES = {
    "*": {"newcomm": ("newcomm", "comm_new", "comm_dist_graph", "comm_out", "new_comm", "newcomm_ptr"),
          "comm": ("comm", "comm_old", "intercomm"),
          "index": ("index", "indx"),
          "old_comm": ("old_comm", "comm_old"),
          "newintracomm": ("newintracomm", "newintercomm", "newcomm", "comm_out"),
          "newintercomm": ("newintercomm", "newcomm", "newintercomm_out", "comm_out"),
          "comm_dist_graph": ("comm_dist_graph", "newcomm"),
          "comm_graph": ("comm_graph", "newcomm"),
          "comm_cart": ("comm_cart", "newcomm"),
          "local_comm": ("local_comm", "comm"),
          "count": ("count", "recvcount")},
}


def bare(function):
    return function[:-2] if function.endswith("_c") else function


def has(function):
    return bare(function) in HOOKS


# Another call that gives out a request: its handle may have been that of a message.
OTHER = ("", """if (pmpi_asked() && result == MPI_SUCCESS)
        pmpi_request_other(*{request});""")


MADE = """
    if (pmpi_splitting() && result == MPI_SUCCESS)
        pmpi_split_made(pmpi_request_handle(*{request}), PMPI_KIND_%s);"""


def texts(function, arguments, names, site, index):
    """The hook of a function, with its arguments' names filled in; ("", "") where it has none."""
    hook = HOOKS.get(bare(function))
    if not hook and kinds.makes(function, arguments):
        hook = OTHER
    if not hook:
        return "", ""
    if kinds.makes(function, arguments):
        hook = hook[BEFORE], hook[AFTER] + MADE % kinds.kind(function)
    values = {"site": site, "index_number": index}

    class Arguments(dict):
        def __missing__(self, name):
            if name.startswith("&"):
                return "&" + self[name[1:]]
            for other in (name,) + NAMES["*"].get(name, ()):
                if other in names:
                    return other
            raise KeyError(f"{function}: no parameter '{name}' among {', '.join(names)}")

    arguments = Arguments(values)
    return tuple(re.sub(r"\{(&?\w+)\}", lambda m: arguments[m.group(1)], text) for text in hook)
