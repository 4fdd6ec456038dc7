-- SPDX-License-Identifier: BSD-3-Clause
-- The store of experiment-related data: Figure 3 of Fahringer and Seragiotto (SC2001) as
-- tables of SQLite. docs/reference/property-files.md describes tables and views for readers.
--
-- Times are REAL seconds, counts are REAL too, so that no division is one of integers.
-- NULL: not measured; `missing` has the reason. Table names are the paper's classes.

PRAGMA application_id = 1296912467; -- MMPS
PRAGMA user_version = 1;

CREATE TABLE application (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE            -- the script, or the program
);
CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    application INTEGER NOT NULL REFERENCES application,
    build TEXT NOT NULL,                 -- instances, classes and their build ids, sorted
    UNIQUE (application, build)
);
CREATE TABLE source_file (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL REFERENCES version,
    path TEXT NOT NULL,
    UNIQUE (version, path)
);
CREATE TABLE region (                    -- CodeRegion
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL REFERENCES version,
    kind TEXT NOT NULL CHECK (kind IN ('program', 'go', 'method', 'context', 'callsite', 'openmp')),
    name TEXT NOT NULL,                  -- mesh.mesh.exchange; contexts: a > b > c; relax.c:88
    instance TEXT, port TEXT, method TEXT, class TEXT,
    parent INTEGER REFERENCES region,    -- the region around it: contexts; NULL: not one alone
    source_file INTEGER REFERENCES source_file,
    first_line INTEGER, last_line INTEGER,
    UNIQUE (version, kind, name)
);
CREATE TABLE machine (                   -- VirtualMachine: the nodes of one kind of run
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE node (
    id INTEGER PRIMARY KEY,
    machine INTEGER NOT NULL REFERENCES machine,
    host TEXT NOT NULL,
    cpu TEXT,
    cores REAL,                          -- that the run might use
    UNIQUE (machine, host)
);
CREATE TABLE cache (                     -- of a node, level by level
    node INTEGER NOT NULL REFERENCES node,
    level INTEGER NOT NULL,
    bytes REAL,
    penalty REAL,                        -- seconds that a miss of this level costs
    PRIMARY KEY (node, level)
) WITHOUT ROWID;
CREATE TABLE network (
    machine INTEGER NOT NULL REFERENCES machine,
    scope TEXT NOT NULL CHECK (scope IN ('node', 'nodes')), -- inside a node, between nodes
    latency REAL,                        -- least seconds of a message
    bandwidth REAL,                      -- bytes a second, of large messages
    PRIMARY KEY (machine, scope)
) WITHOUT ROWID;
CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL REFERENCES version,
    machine INTEGER NOT NULL REFERENCES machine,
    path TEXT NOT NULL UNIQUE,           -- as it was given
    name TEXT NOT NULL,
    problem TEXT NOT NULL,               -- what runs of one problem share: script and parameters
    configuration TEXT NOT NULL,         -- what repeats share: problem, ranks, threads, metrics
    ranks REAL NOT NULL,
    threads REAL NOT NULL,               -- most threads of a rank
    units REAL NOT NULL,                 -- numberOfProcessingUnits
    started REAL,                        -- seconds since 1970
    state TEXT NOT NULL CHECK (state IN ('finished', 'running', 'killed', 'imported', 'simulated')),
    root INTEGER REFERENCES region,      -- the usual basis: the program
    recording REAL,                      -- CPU seconds that measuring took, rank 0
    cpu REAL                             -- CPU seconds of the process, rank 0
);
CREATE TABLE unit (                      -- processing unit: a thread of a rank
    id INTEGER PRIMARY KEY,
    experiment INTEGER NOT NULL REFERENCES experiment,
    rank INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    node INTEGER NOT NULL REFERENCES node,
    wall REAL,                           -- seconds between first call and last reading
    cpu REAL,                            -- CPU seconds in it
    stolen REAL,                         -- seconds ready to run, without a core, as far as known
    UNIQUE (experiment, rank, thread)
);

-- RegionSummary: one region on one processing unit. All times are inclusive, of outermost
-- activations, less the cost of recording, except those named own_*. A run without MPI has
-- 0 in the columns of MPI; a run whose MPI was not measured has NULL.
CREATE TABLE summary (
    experiment INTEGER NOT NULL REFERENCES experiment,
    region INTEGER NOT NULL REFERENCES region,
    unit INTEGER NOT NULL REFERENCES unit,
    calls REAL NOT NULL,
    unfinished REAL NOT NULL DEFAULT 0,  -- of calls: open at the end: times are lower bounds
    exec_time REAL,
    own_time REAL,                       -- outside regions below it
    mpi_time REAL,                       -- all of MPI
    own_mpi_time REAL,
    cpu_time REAL,                       -- CPU time of the thread: --metrics CPU_TIME
    own_cpu_time REAL,
    recv_time REAL,                      -- MPI_SPLIT: blocking receives, completion of receives
    send_time REAL,
    mpi_sync_time REAL,                  -- barriers, fences
    coll_time REAL,                      -- other collectives
    mpi_ctl_time REAL,                   -- MPI_Init, communicators
    io_time REAL,
    omp_sync_time REAL,                  -- OPENMP: barriers, critical
    omp_ctl_time REAL,                   -- fork, scheduling
    loss_par REAL,                       -- OPENMP: lossOfParallelismTime: idle threads / threads
    wait_time REAL,                      -- waiting inside MPI, estimated from sampled messages
    instructions REAL,
    recording REAL,                      -- seconds of recording taken off
    PRIMARY KEY (experiment, region, unit)
) WITHOUT ROWID;
CREATE TABLE summary_cache (
    experiment INTEGER NOT NULL, region INTEGER NOT NULL, unit INTEGER NOT NULL,
    level INTEGER NOT NULL,
    misses REAL, accesses REAL,
    PRIMARY KEY (experiment, region, unit, level)
) WITHOUT ROWID;
CREATE TABLE summary_counter (           -- every counter, by its name
    experiment INTEGER NOT NULL, region INTEGER NOT NULL, unit INTEGER NOT NULL,
    name TEXT NOT NULL,
    value REAL, own_value REAL,
    PRIMARY KEY (experiment, region, unit, name)
) WITHOUT ROWID;
-- Iterations in a row on one unit, summed up in at most 64 batches of as many calls: what is
-- known of the noise within a run. Regions with few calls have none.
CREATE TABLE batch (
    experiment INTEGER NOT NULL, region INTEGER NOT NULL, unit INTEGER NOT NULL,
    batch INTEGER NOT NULL,              -- 0.. in order of time
    calls REAL NOT NULL,
    exec_time REAL, own_time REAL, mpi_time REAL, cpu_time REAL, recv_time REAL, send_time REAL,
    mpi_sync_time REAL, coll_time REAL, mpi_ctl_time REAL, io_time REAL, omp_sync_time REAL,
    omp_ctl_time REAL, loss_par REAL, instructions REAL,
    width REAL NOT NULL,                 -- calls of a full batch, the same on all units
    PRIMARY KEY (experiment, region, unit, batch)
) WITHOUT ROWID;

-- Sampled messages between two callsites of two ranks, in a class of sizes.
CREATE TABLE message (
    experiment INTEGER NOT NULL REFERENCES experiment,
    src INTEGER NOT NULL, dst INTEGER NOT NULL, -- ranks
    send_site TEXT NOT NULL, recv_site TEXT NOT NULL,
    send_region INTEGER REFERENCES region, recv_region INTEGER REFERENCES region, -- methods open
    size_class REAL NOT NULL,            -- least bytes of the class
    n REAL NOT NULL,                     -- messages, estimated where sampled
    samples REAL NOT NULL,
    bytes REAL,
    min REAL, max REAL, sum REAL,        -- latency, seconds
    late_send REAL, late_send_low REAL, late_send_high REAL, -- waiting of dst for a late sender
    late_recv REAL, late_recv_low REAL, late_recv_high REAL, -- waiting of src for a late receiver
    transfer REAL,
    PRIMARY KEY (experiment, src, dst, send_site, recv_site, send_region, recv_region, size_class)
);
CREATE TABLE collective (                -- sampled collective calls at one callsite
    experiment INTEGER NOT NULL REFERENCES experiment,
    function TEXT NOT NULL, site TEXT NOT NULL,
    region INTEGER REFERENCES region,
    instances REAL NOT NULL, samples REAL NOT NULL,
    wait REAL, wait_low REAL, wait_high REAL, -- of all ranks
    longest REAL,
    last_rank INTEGER, last_share REAL,  -- who came last most often, in which share
    PRIMARY KEY (experiment, function, site, region)
);
-- Calls that cost more than the fitted model of their method says.
CREATE TABLE model_excess (
    experiment INTEGER NOT NULL REFERENCES experiment,
    region INTEGER NOT NULL REFERENCES region,
    unit INTEGER NOT NULL REFERENCES unit,
    calls REAL NOT NULL,                 -- above the model by more than 3 of its sd
    excess REAL NOT NULL,                -- seconds above it, of these
    sd REAL,                             -- of excess
    worst TEXT,                          -- parameters of the worst call
    worst_time REAL, worst_model REAL,
    PRIMARY KEY (experiment, region, unit)
) WITHOUT ROWID;
CREATE TABLE missing (                   -- what could not be asked, and why
    experiment INTEGER NOT NULL REFERENCES experiment,
    what TEXT NOT NULL,                  -- a column of the view rs, or a table
    reason TEXT NOT NULL,
    PRIMARY KEY (experiment, what)
) WITHOUT ROWID;
CREATE TABLE property_result (           -- what properties were found, by `mastermind properties -o`
    property TEXT NOT NULL,
    experiment INTEGER REFERENCES experiment,
    region INTEGER REFERENCES region,
    unit INTEGER REFERENCES unit,
    detail TEXT,                         -- level, or pair of callsites, where it has one
    holds INTEGER,                       -- NULL: not evaluated
    severity REAL, confidence REAL, low REAL, high REAL,
    reason TEXT                          -- why it was not evaluated
);

-- rs: a RegionSummary with the paper's names. NULL + x is NULL: what is half known is not stated.
CREATE VIEW rs AS SELECT
    s.experiment, s.region, s.unit, s.calls, s.unfinished, s.exec_time, s.own_time,
    s.mpi_time, s.own_mpi_time, s.cpu_time, s.own_cpu_time,
    s.recv_time, s.send_time, s.coll_time, s.io_time,
    s.recv_time + s.send_time + s.coll_time AS comm_time,
    CASE WHEN s.mpi_sync_time IS NULL THEN s.omp_sync_time
         ELSE s.mpi_sync_time + coalesce(s.omp_sync_time, 0) END AS sync_time,
    CASE WHEN s.mpi_ctl_time IS NULL THEN s.omp_ctl_time
         ELSE s.mpi_ctl_time + coalesce(s.omp_ctl_time, 0) END AS ctl_par,
    s.mpi_sync_time, s.omp_sync_time, s.mpi_ctl_time, s.omp_ctl_time, s.loss_par, s.wait_time,
    s.instructions, s.recording,
    s.exec_time - s.mpi_time - coalesce(s.omp_sync_time, 0) AS useful_time,
    s.recv_time + s.send_time + s.coll_time + s.mpi_sync_time + s.mpi_ctl_time + s.io_time
        + coalesce(s.omp_sync_time, 0) + coalesce(s.omp_ctl_time, 0) + coalesce(s.loss_par, 0)
        AS identified
FROM summary AS s;
