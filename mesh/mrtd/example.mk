# SPDX-License-Identifier: BSD-3-Clause
# The example mrtd from its sources. PREFIX/share/mastermind/examples has this file as Makefile:
#
#     make PKG_CONFIG_PATH=PREFIX/lib/pkgconfig              mrtd, mrtd_f: one rank, in C and in Fortran
#     make ... MPICC=mpicc MPIFC=mpif90 mrtd_mpi mrtd_f_mpi  on ranks of that MPI
FC     := gfortran
MPICC  := mpicc
MPIFC  := mpif90
FLAGS  := -O2 -g -ffp-contract=off
C_FLAGS = -std=gnu11 -D_GNU_SOURCE $(FLAGS) -pthread -I. $(shell pkg-config --cflags mm_mesh jansson)
F_FLAGS = $(FLAGS) $(shell pkg-config --cflags mm_mesh)
LIBS    = $(shell pkg-config --libs mm_mesh jansson) -lm
SHARED := $(patsubst %.c,%.o,$(wildcard mesh/balance/*.c mesh/schedule/*.c) $(patsubst %,mesh/mrtd/%.c,boxes options parts plan report start))
FIELDS := $(patsubst %,mesh/mrtd/%.o,main field kernel swap dump profile)
MODULES := $(patsubst %,mesh/mrtd/%.f90,mrtd_shared mrtd_field mrtd)
ALONE  := mesh/mrtd/comm.o
RANKS  := mesh/mrtd/comm_mpi.o

all: mrtd mrtd_f
%.o: %.c
	$(CC) $(C_FLAGS) -c -o $@ $<
$(RANKS): mesh/mrtd/comm.c
	$(MPICC) $(C_FLAGS) -DMRTD_MPI -c -o $@ $<
mrtd: $(SHARED) $(FIELDS) $(ALONE)
	$(CC) -o $@ $^ $(LIBS)
mrtd_mpi: $(SHARED) $(FIELDS) $(RANKS)
	$(MPICC) -o $@ $^ $(LIBS)
mrtd_f: $(MODULES) $(SHARED) $(ALONE)
	$(FC) $(F_FLAGS) -o $@ $^ $(LIBS)
mrtd_f_mpi: $(MODULES) $(SHARED) $(RANKS)
	$(MPIFC) $(F_FLAGS) -o $@ $^ $(LIBS)
clean:
	rm -f mrtd mrtd_mpi mrtd_f mrtd_f_mpi mesh/*/*.o *.mod
