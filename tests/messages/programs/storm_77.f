C     SPDX-License-Identifier: BSD-3-Clause
C     storm_77.f: storm_f.f90, smaller, as old Fortran calls MPI, by
C     mpif.h: blocking, nonblocking, wildcards, a communicator. Prints
C     `pair FROM TO messages N bytes N` and whether all came in order.
      PROGRAM STORM
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER MOST
      PARAMETER (MOST = 32)
      INTEGER RANK, RANKS, IERR, I, J, K, PREV, NEXT, COMM, BAD
      INTEGER S(MPI_STATUS_SIZE), REQS(4), OUT(16), IN(16, 2)
      INTEGER SENT(0:MOST - 1), GOT(0:MOST - 1)
      INTEGER ALLS(0:MOST*MOST - 1), ALLB(0:MOST*MOST - 1)
      INTEGER COUNT(0:MOST - 1), BYTES(0:MOST - 1), ALLBAD
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      CALL MPI_COMM_DUP(MPI_COMM_WORLD, COMM, IERR)
      PREV = MOD(RANK + RANKS - 1, RANKS)
      NEXT = MOD(RANK + 1, RANKS)
      BAD = 0
      DO 10 I = 0, MOST - 1
        SENT(I) = 0
        GOT(I) = 0
        COUNT(I) = 0
        BYTES(I) = 0
   10 CONTINUE
      DO 50 I = 1, 60
C       Two messages of two tags around the ring, on the copy.
        OUT(1) = 1000 * RANK + I
        OUT(2) = -OUT(1)
        CALL MPI_IRECV(IN(1, 1), 16, MPI_INTEGER, PREV, 1, COMM,
     &                 REQS(1), IERR)
        CALL MPI_IRECV(IN(1, 2), 16, MPI_INTEGER, PREV, 2, COMM,
     &                 REQS(2), IERR)
        CALL MPI_ISEND(OUT(2), 1, MPI_INTEGER, NEXT, 2, COMM,
     &                 REQS(3), IERR)
        CALL MPI_ISEND(OUT, 2, MPI_INTEGER, NEXT, 1, COMM,
     &                 REQS(4), IERR)
        CALL MPI_WAITALL(4, REQS, MPI_STATUSES_IGNORE, IERR)
        COUNT(NEXT) = COUNT(NEXT) + 2
        BYTES(NEXT) = BYTES(NEXT) + 12
        IF (IN(1, 1) .NE. 1000 * PREV + I) BAD = BAD + 1
        IF (IN(1, 2) .NE. -1000 * PREV - I) BAD = BAD + 1
C       All to rank 0, which takes what comes; each in order.
        CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
        IF (RANK .NE. 0) THEN
          DO 20 J = 1, 3
            OUT(1) = SENT(0)
            SENT(0) = SENT(0) + 1
            CALL MPI_SEND(OUT, J, MPI_INTEGER, 0, 7, MPI_COMM_WORLD,
     &                    IERR)
            COUNT(0) = COUNT(0) + 1
            BYTES(0) = BYTES(0) + 4 * J
   20     CONTINUE
        ELSE
          DO 30 J = 1, 3 * (RANKS - 1)
            CALL MPI_RECV(IN, 16, MPI_INTEGER, MPI_ANY_SOURCE,
     &                    MPI_ANY_TAG, MPI_COMM_WORLD, S, IERR)
            K = S(MPI_SOURCE)
            IF (IN(1, 1) .NE. GOT(K)) BAD = BAD + 1
            GOT(K) = GOT(K) + 1
   30     CONTINUE
        ENDIF
        CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
        OUT(1) = RANK
        CALL MPI_SENDRECV(OUT, 16, MPI_INTEGER, NEXT, 3,
     &                    IN, 16, MPI_INTEGER, PREV, 3,
     &                    MPI_COMM_WORLD, S, IERR)
        COUNT(NEXT) = COUNT(NEXT) + 1
        BYTES(NEXT) = BYTES(NEXT) + 64
        IF (IN(1, 1) .NE. PREV) BAD = BAD + 1
   50 CONTINUE
      CALL MPI_COMM_FREE(COMM, IERR)
      CALL MPI_GATHER(COUNT, MOST, MPI_INTEGER, ALLS, MOST,
     &                MPI_INTEGER, 0, MPI_COMM_WORLD, IERR)
      CALL MPI_GATHER(BYTES, MOST, MPI_INTEGER, ALLB, MOST,
     &                MPI_INTEGER, 0, MPI_COMM_WORLD, IERR)
      CALL MPI_ALLREDUCE(BAD, ALLBAD, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) THEN
        DO 70 I = 0, RANKS - 1
          DO 60 J = 0, RANKS - 1
            K = MOST * I + J
            IF (ALLS(K) .GT. 0) PRINT '(A,I0,A,I0,A,I0,A,I0)',
     &        'pair ', I, ' ', J, ' messages ', ALLS(K),
     &        ' bytes ', ALLB(K)
   60     CONTINUE
   70   CONTINUE
        IF (ALLBAD .EQ. 0) PRINT '(A)', 'storm_77: verified'
        IF (ALLBAD .NE. 0) PRINT '(A)', 'storm_77: WRONG'
      ENDIF
      CALL MPI_FINALIZE(IERR)
      IF (ALLBAD .NE. 0) STOP 1
      END
