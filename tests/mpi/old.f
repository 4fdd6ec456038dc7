C     SPDX-License-Identifier: BSD-3-Clause
C     old.f: MPI as old Fortran calls it, by mpif.h.
      PROGRAM OLD
      INCLUDE 'mpif.h'
      INTEGER RANK, RANKS, IERR, I, S(MPI_STATUS_SIZE), REQS(2)
      INTEGER MINE, HIS, TOTAL
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      TOTAL = 0
      DO 10 I = 1, 50
        MINE = RANK * I
        CALL MPI_IRECV(HIS, 1, MPI_INTEGER,
     &                 MOD(RANK + RANKS - 1, RANKS),
     &                 I, MPI_COMM_WORLD, REQS(1), IERR)
        CALL MPI_ISEND(MINE, 1, MPI_INTEGER, MOD(RANK + 1, RANKS),
     &                 I, MPI_COMM_WORLD, REQS(2), IERR)
        CALL MPI_WAITALL(2, REQS, MPI_STATUSES_IGNORE, IERR)
        TOTAL = TOTAL + HIS
   10 CONTINUE
      CALL MPI_SENDRECV(TOTAL, 1, MPI_INTEGER, MOD(RANK + 1, RANKS), 0,
     &                  HIS, 1, MPI_INTEGER,
     &                  MOD(RANK + RANKS - 1, RANKS), 0,
     &                  MPI_COMM_WORLD, S, IERR)
      CALL MPI_REDUCE(HIS, TOTAL, 1, MPI_INTEGER, MPI_SUM, 0,
     &                MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) PRINT '(A,I0)', 'total ', TOTAL
      CALL MPI_FINALIZE(IERR)
      END
