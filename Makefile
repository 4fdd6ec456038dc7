# Mastermind: one Makefile, lists on top, rules below.
#   make deps demo    install what building needs, build, run the demonstration
#   make deps check   install what tests need, too, build, run every test
#   make BUILD=debug|asan|tsan ...   other builds, each in its own tree under build/
#   make install PREFIX=DIR [DESTDIR=DIR], make uninstall with the same

# --- Lists -------------------------------------------------------------------------------
# DEPS: what building and running need. CHECK_DEPS: what tests need beyond that, among it libraries
# whose public headers they interpose; nothing of ours is linked with those.
DEPS := gcc pkg-config libclang-14-dev libjansson-dev libffi-dev libedit-dev libpng-dev zlib1g-dev libpapi-dev \
        libsqlite3-dev libzstd-dev libdw-dev libzydis-dev libxml2-dev libzfp-dev libbrotli-dev libtrilinos-zoltan-dev graphviz $(if $(shell command -v npm),,nodejs npm) python3 libopenmpi-dev openmpi-bin libmpich-dev mpich
CHECK_DEPS := g++ gfortran clang libclang-rt-14-dev libomp-14-dev libcmocka-dev locales \
        libbz2-dev liblzma-dev liblz4-dev libblas-dev liblapack-dev liblapacke-dev \
        libfftw3-dev libgsl-dev libexpat1-dev libxml2-utils libhdf5-dev \
        libcurl4-openssl-dev libssl-dev man-db chromium valgrind libdevel-nytprof-perl python3-prometheus-client slurmctld slurmd slurm-client munge
# PAPER_DEPS: what draws the figures of docs/papers/case-study.md, messages-paper.md, properties-paper.md and mesh.md, which tests do in small forms.
PAPER_DEPS := gnuplot-nox fonts-dejavu-core
CHECK_DEPS += $(PAPER_DEPS)
ifneq ($(filter paper paper-messages paper-properties prophet chiffon,$(MAKECMDGOALS)),)
DEPS += $(PAPER_DEPS)
endif
ifneq ($(filter check% soak golden tests,$(MAKECMDGOALS)),)
DEPS += $(CHECK_DEPS)
endif

# What is installed decides what is built. So where deps is one of several goals, it goes first and
# alone, and each of the others is left to a make that reads this file after it.
LATER := $(if $(filter deps,$(MAKECMDGOALS)),$(filter-out deps,$(MAKECMDGOALS)))
ifneq ($(LATER),)
.PHONY: deps $(LATER)
.NOTPARALLEL:
deps:
	@scripts/deps.sh $(DEPS)
$(LATER): deps
	+@$(MAKE) --no-print-directory $@
else

# Ports that get a generated proxy: all but those of the framework and of measuring.
SERVICE_PORTS := builder connection_event parameter parameter_factory service_registry abstract_framework \
                 component_repository dispatch shadow slot swap handover monitor measurement counters messages mpi exchange property probe query
PROXIED_PORTS := $(filter-out cca $(SERVICE_PORTS),$(patsubst ports/%_port.h,%,$(wildcard ports/*_port.h)))

# One folder a component, one shared object each; a folder in it is a part of it. Classes outside
# components/ follow.
COMPONENTS := $(patsubst components/%/,%,$(sort $(dir $(wildcard components/*/*.c))))
LIBS_FieldImage := $(shell pkg-config --libs libpng 2>/dev/null)

FRAMEWORK_SRC := $(foreach r,base classes assembly assembly/swap script,$(wildcard framework/$(r)/*.c))
COHORT_SRC    := $(wildcard framework/mpi/*.c)
CCAFE_SRC     = $(VERBS_SRC) $(wildcard framework/crash/*.c framework/cmd/*.c)
RECORDER_SRC  := $(wildcard mastermind/format/*.c mastermind/recorder/*.c)
EXPR_SRC      := $(wildcard common/expr/*.c)
# Words of the command line of each program.
VERBS_SRC     := $(wildcard common/verbs/*.c)
ANALYSIS_SRC  := $(EXPR_SRC) $(foreach r,pack reader cost cost/calls cost/forms cost/search counts counts/dual counts/profile counts/contexts counts/laws choice/exact choice forecast forecast/models compare export page picture,$(wildcard mastermind/$(r)/*.c))
WRITER_SRC    := $(wildcard mastermind/writer/*.c mastermind/writer/session/*.c)
CSV_SRC       := $(wildcard mastermind/csv/*.c)
PLAN_SRC      := $(wildcard mastermind/plan/*.c)
REPOSITORY_SRC := $(wildcard mastermind/repository/*.c)
LEDGER_SRC    := $(wildcard mastermind/ledger/*.c)
# What answers questions in a run: the program without its main.
ANSWERS_SRC   := mastermind/cmd/answers/answers.c
CMD_SRC       := $(VERBS_SRC) $(filter-out $(ANSWERS_SRC),$(wildcard mastermind/cmd/*.c mastermind/cmd/*/*.c mastermind/library/*.c mastermind/library/*/*.c))
DECODE_SRC    := $(wildcard mastermind/library/decode/*.c)
MM_COMP_SRC   := $(wildcard mastermind/component/*.c) messages/read/file.c messages/read/file_walk.c
PRELOAD_SRC   := $(wildcard mastermind/preload/*.c mastermind/preload/process/*.c mastermind/preload/counters/*.c mastermind/preload/choice/*.c)
TAU_SRC       := $(wildcard tau_port/*.c)
PERF_SRC      := $(EXPR_SRC) $(wildcard tools/proxygen/perf/*.c)
# The second list is compiled once per flavour of MPI.
PMPI_MPI_SRC  := $(wildcard tau_port/pmpi/hooks*.c tau_port/pmpi/comms.c tau_port/pmpi/exchange.c tau_port/pmpi/clocks.c tau_port/pmpi/life.c tau_port/pmpi/sites.c)
PMPI_SRC      := $(filter-out $(PMPI_MPI_SRC),$(wildcard tau_port/pmpi/*.c))
OPENMP_SRC    := $(wildcard tau_port/openmp/*.c)
MEMORY_SRC    := $(wildcard tau_port/memory/*.c)
MESSAGES_WORDS_SRC := $(wildcard messages/words/*.c)
# Messages: what samples in the running program, and what reads it afterwards.
MESSAGES_RUN_SRC  := $(foreach r,words engine join keep frames clocks,$(wildcard messages/$(r)/*.c))
MESSAGES_READ_SRC := $(foreach r,words join clocks read,$(wildcard messages/$(r)/*.c)) messages/keep/bucket.c
# Properties: a store of experiments and what is asked of it.
PROPERTIES_SRC := $(EXPR_SRC) $(foreach r,store load load/sums load/measure words evaluate confidence plugin causes search,$(wildcard properties/$(r)/*.c))
# Mesh: what every cell costs. Files and numbers; then what packs and collects, and what partitions.
MESH_SRC      := $(foreach r,pack trace balance schedule child plugin convert convert/lbaf convert/vtk,$(wildcard mesh/$(r)/*.c)) $(addprefix mesh/zoltan/,zoltan.c methods.c)
# Zoltan's partitioners in a process of their own.
ZOLTAN_SRC    := $(addprefix mesh/zoltan/,main.c cut.c)
# examples/mrtd is a program in C and in Fortran, which shares all but the fields. comm.c is compiled once without MPI
# and once per flavour.
MRTD_SRC      := $(filter-out %/comm.c,$(wildcard examples/mrtd/*.c))
MRTD_SHARED_SRC := $(filter-out $(patsubst %,examples/mrtd/%.c,main field kernel swap dump profile),$(MRTD_SRC))
# Their probes, for programs; the agent reads names and segments with the same code.
PROBE_SRC     := $(wildcard mesh/probe/*.c)
PROBE_READ_SRC := $(addprefix mesh/probe/,segment.c request.c)
# What a run that is profiled needs; the program that packs and collects.
MESH_START_SRC := mesh/agent/start.c $(PROBE_READ_SRC)
MESH_AGENT_SRC := $(filter-out mesh/agent/start.c,$(wildcard mesh/agent/*.c))
# Examples are installed, and beside them what they include.
EXAMPLES      := $(wildcard examples/*.md examples/activity/*.* examples/activity/*/*.* examples/components/* examples/dispatch/* examples/query/* $(addprefix examples/mrtd/,*.[ch] *.f90 *.md Makefile))
EXAMPLES_NEED := $(wildcard mesh/balance/*.[ch] mesh/schedule/*.[ch] common/*.h) mesh/probe/mm_mesh.h components/euler.h
# Activity models: text, XMI, checks, forms to print, what runs them; then the program.
ACTIVITY_SRC  := $(EXPR_SRC) $(foreach r,model xmi check walk machine run compile cost trace trip,$(wildcard activity/$(r)/*.c activity/$(r)/*/*.c))
ACTIVITY_CMD_SRC := $(VERBS_SRC) $(wildcard activity/cmd/*.c activity/cmd/*/*.c activity/calibrate/*.c)
FFI_SRC       := $(wildcard proxies/ffi/*.c)
PROXYGEN_SRC  := $(VERBS_SRC) $(wildcard tools/proxygen/*.c) $(foreach r,read emit library suggest,$(wildcard tools/proxygen/$(r)/*.c))
BENCH_SRC     := $(filter-out bench/measure.c,$(wildcard bench/*.c))
TEST_SRC      := $(sort $(wildcard tests/*/test_*.c))
TEST_SH       := $(sort $(wildcard tests/*/test_*.sh))
PUBLIC_HEADERS := $(wildcard ports/*.h) framework/cca.h framework/framework.h framework/cohort.h \
                  framework/repository.h framework/class_info.h $(wildcard proxies/*.h) \
                  activity/model/tree.h activity/walk/walk.h

# --- Build ---------------------------------------------------------------------------------
BUILD  ?= release
O      ?= build/$(BUILD)
PREFIX ?= /usr/local
# make V=1 shows the commands whole.
Q := $(if $(V),,@)
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(origin FC),default)
FC := gfortran
endif
# make PAPI=none O=build/without: hardware counters are left out.
PAPI ?= $(shell pkg-config --exists papi && echo papi || echo none)
# make EDIT=none O=build/without: no editing of lines typed at a terminal.
EDIT ?= $(shell pkg-config --exists libedit && echo libedit || echo none)
# make ZFP=none O=build/without: mesh profiles are not packed by zfp. No pkg-config file has it.
ifndef ZFP
ZFP := $(shell printf '\043include <zfp.h>\n' | $(CC) -E - >/dev/null 2>&1 && echo zfp || echo none)
endif
ZFP_LIBS := $(patsubst %,-l%,$(filter-out none,$(ZFP)))
# make BROTLI=none O=build/without: LBDatafiles are read as plain JSON alone.
BROTLI ?= $(shell pkg-config --exists libbrotlidec && echo libbrotlidec || echo none)
BROTLI_LIBS := $(if $(filter-out none,$(BROTLI)),$(shell pkg-config --libs $(BROTLI)))
# make ZSTD=none O=build/without: experiments are neither packed nor read packed.
ZSTD ?= $(shell pkg-config --exists libzstd && echo libzstd || echo none)
# make DW=none O=build/without: `record --functions` serves -finstrument-functions alone.
DW ?= $(shell pkg-config --exists libdw && echo libdw || echo none)
DW_LIBS := $(if $(filter-out none,$(DW)),$(shell pkg-config --libs $(DW) libelf))
# make ZYDIS=none O=build/without: `record --functions` serves programs that were built for it alone.
# No pkg-config file of Debian's has it.
ifndef ZYDIS
ZYDIS := $(shell printf '\043include <Zydis/Zydis.h>\n' | $(CC) -E - >/dev/null 2>&1 && echo Zydis || echo none)
endif
ZYDIS_LIBS := $(patsubst %,-l%,$(filter-out none,$(ZYDIS)))
# make MPI=none O=build/without: ranks are left out. One build serves each flavour that is there.
MPI_MODULE_openmpi := ompi-c
MPI_MODULE_mpich   := mpich
MPI ?= $(or $(foreach f,openmpi mpich,$(shell pkg-config --exists $(MPI_MODULE_$(f)) && echo $(f))),none)
MPI_FLAVOURS := $(filter-out none,$(MPI))
$(foreach f,$(MPI_FLAVOURS),$(eval MPI_CFLAGS_$(f) := $(patsubst -I%,-isystem %,$(filter -I%,$(shell pkg-config --cflags $(MPI_MODULE_$(f)))))))
$(foreach f,$(MPI_FLAVOURS),$(eval MPI_LIBS_$(f) := $(filter -L% -lmpi -lmpich,$(shell pkg-config --libs --cflags $(MPI_MODULE_$(f))))))
MPI_FORTRAN_openmpi := mpi_mpifh
MPI_FORTRAN_mpich   := mpichfort
# A library of mpi_f08 of its own.
MPI_F08_openmpi := mpi_usempif08
MPI_C_openmpi := mpi
MPI_C_mpich   := mpich
$(foreach f,$(MPI_FLAVOURS),$(eval MPI_LIBDIR_$(f) := $(shell pkg-config --variable=libdir $(MPI_MODULE_$(f)))))
# make ZOLTAN=none O=build/without: no partitioners of Zoltan, which Debian builds with Open MPI.
ifndef ZOLTAN
ZOLTAN := $(if $(filter openmpi,$(MPI_FLAVOURS)),$(shell printf '\043include <trilinos/zoltan.h>\n' | $(CC) $(MPI_CFLAGS_openmpi) -E - >/dev/null 2>&1 && echo trilinos_zoltan || echo none),none)
endif
LLVM_DIR    ?= /usr/lib/llvm-14

OPT_release := -O2 -g
OPT_debug   := -O0 -g -Werror
OPT_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
OPT_tsan    := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wundef -Wformat=2 -Wstrict-prototypes \
        -Wmissing-prototypes -Wwrite-strings
# The wrappers' work for a message is spread over many small files: gcc joins these where it links
# libmeas, which spares a sixth of that work. Elsewhere the same objects are linked as they are.
LTO := $(and $(filter release,$(BUILD)),$(shell $(CC) --version | grep -i gcc),-flto=1)
DEFS = $(if $(findstring -fsanitize,$(OPT_$(BUILD))),,-Wl,-z,defs)
# No fused multiply-add: a field must not depend on how the compiler paired two operations.
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARN) $(OPT_$(BUILD)) -fPIC -fvisibility=hidden \
             -ffp-contract=off -fexceptions -pthread -I. -I$(O)/gen -MMD -MP $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(OPT_$(BUILD)) $(if $(LTO),-fno-lto) -pthread -Wl,--build-id=sha1 $(LDFLAGS)
SO_LDFLAGS  = -shared $(ALL_LDFLAGS) $(DEFS) -L$(O)/lib
BIN_LDFLAGS = $(ALL_LDFLAGS) -L$(O)/lib -Wl,-rpath,'$$ORIGIN/../lib'

obj = $(patsubst %.c,$(O)/obj/%.o,$(1))
MODULES := $(O)/lib/mastermind
LIBCCA  := $(O)/lib/libcca.so
COHORT_SO := $(MPI_FLAVOURS:%=$(O)/lib/libcca_%.so)
PMPI_SO   := $(MPI_FLAVOURS:%=$(O)/lib/libmeas_%.so)
PRELOAD_LIB  := $(O)/lib/libmm_preload.so
PETSC_SO     := $(O)/lib/libmm_petsc.so
OPENMP_SO    := $(O)/lib/libmeas_openmp.so
MEMORY_SO    := $(O)/lib/libmeas_memory.so
RECORDER_LIB := $(O)/lib/libmm_recorder.a
ANALYSIS_LIB := $(O)/lib/libmm_analysis.a
WRITER_LIB   := $(O)/lib/libmm_writer.a
REPOSITORY_LIB := $(O)/lib/libmm_repository.a
PLAN_LIB     := $(O)/lib/libmm_plan.a
MESSAGES_WORDS_LIB := $(O)/lib/libmsg_words.a
MESSAGES_RUN_LIB  := $(O)/lib/libmsg_run.a
MESSAGES_READ_LIB := $(O)/lib/libmsg_read.a
LEDGER_LIB   := $(O)/lib/libmm_ledger.a
PROPERTIES_LIB := $(O)/lib/libprop.a
MESH_LIB     := $(O)/lib/libmesh.a
PROBE_LIB    := $(O)/lib/libmm_mesh.a
PROBE_SO     := $(O)/lib/libmm_mesh.so
READER_SO    := $(O)/lib/libmm_reader.so
CMD_LIB      := $(O)/lib/libmm_cmd.a
ANSWERS_SO   := $(O)/lib/libmm_answers.so
MESH_START_LIB := $(O)/lib/libmesh_start.a
PROBE_FORTRAN := $(if $(shell command -v $(FC)),$(O)/obj/mesh/probe/mm_mesh.f90.o)
ACTIVITY_LIB := $(O)/lib/libact.a
PERF_LIB     := $(O)/lib/libpg_perf.a
JANSSON := -ljansson $(if $(filter-out none,$(ZSTD)),$(shell pkg-config --libs $(ZSTD)))
# make PAGE=none O=build/without: `mastermind report --html` has no page to fill.
PAGE ?= $(if $(and $(shell command -v node),$(shell command -v npm)),npm,none)
PAGE_FILE := $(if $(filter-out none,$(PAGE)),$(O)/share/mastermind/page.html)
# Packages are unpacked once for all builds.
PAGE_PACKAGES := build/web
BINS := $(addprefix $(O)/bin/,ccafe proxygen mastermind activity)
# Programs that others start, and those of the example mrtd.
LIBEXEC := $(O)/libexec/mastermind
MRTD_BINS := $(addprefix $(LIBEXEC)/,mrtd $(MPI_FLAVOURS:%=mrtd_%))
MRTD_FORTRAN_BINS := $(if $(shell command -v $(FC)),$(addprefix $(LIBEXEC)/,mrtd_f $(MPI_FLAVOURS:%=mrtd_f_%)))
ACTIVITY_PING := $(MPI_FLAVOURS:%=$(LIBEXEC)/activity-ping_%)
LIBEXECS := $(LIBEXEC)/launcher $(LIBEXEC)/mesh-agent $(if $(filter-out none,$(ZOLTAN)),$(LIBEXEC)/mesh-zoltan) $(ACTIVITY_PING) $(MRTD_BINS) $(MRTD_FORTRAN_BINS)
COMPONENT_SO := $(COMPONENTS:%=$(MODULES)/%.so)
PROXY_SO     := $(PROXIED_PORTS:%=$(MODULES)/%_port_proxy.so)
# Components of a wing.
MESH_COMPONENTS := $(patsubst mesh/component/%/,%,$(sort $(dir $(wildcard mesh/component/*/*.c))))
EXTRA_SO     := $(MESH_COMPONENTS:%=$(MODULES)/%.so) $(if $(MM_COMP_SRC),$(MODULES)/Mastermind.so) $(if $(TAU_SRC),$(MODULES)/TauMeasurement.so) $(MODULES)/FfiProxy.so
TESTS        := $(patsubst %.c,$(O)/tests/%,$(notdir $(TEST_SRC)))

.PHONY: all bins modules page tests check check-asan check-tsan soak bench bench-activity bench-composite bench-mesh bench-messages bench-models bench-properties demo paper paper-messages paper-properties prophet chiffon deps install uninstall golden lint config clean
.DELETE_ON_ERROR:
.SECONDARY:
all: bins modules page
bins: $(BINS) $(LIBEXECS) $(READER_SO) $(ANSWERS_SO) $(PRELOAD_LIB) $(PETSC_SO) $(OPENMP_SO) $(MEMORY_SO) $(COHORT_SO) $(PMPI_SO) $(PROBE_LIB) $(PROBE_SO)
SIGNATURES := $(PROXIED_PORTS:%=$(O)/gen/ports/%_port_signature.h)
modules: $(COMPONENT_SO) $(PROXY_SO) $(EXTRA_SO)
# The page of `mastermind report --html`. Where packages cannot be had, all else is built. Builds that run at a time
# take turns at unpacking.
page: $(PAGE_FILE)
$(O)/share/mastermind/page.html: web/build.mjs web/package-lock.json $(wildcard web/src/*)
	@mkdir -p $(@D) $(PAGE_PACKAGES)
	@printf '  %-8s %s\n' PAGE $@
	$(Q)flock $(PAGE_PACKAGES) sh -c 'cmp -s web/package-lock.json $(PAGE_PACKAGES)/installed || { cp web/package.json web/package-lock.json $(PAGE_PACKAGES) && \
	    cd $(PAGE_PACKAGES) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=1000 >npm.log 2>&1 && cp package-lock.json installed; }' && \
	    node web/build.mjs $(PAGE_PACKAGES)/node_modules $@ || { rm -f $@; echo "make: no page for report --html: npm cannot get its packages ($(PAGE_PACKAGES)/npm.log)" >&2; }

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' CC $@
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Files for CPUs that have more than the baseline; the code asks before it calls them.
ifeq ($(shell $(CC) -dumpmachine | cut -d- -f1),x86_64)
$(O)/obj/components/%_avx2.o: PKG_CFLAGS := -mavx2
$(O)/obj/components/%_avx512.o: PKG_CFLAGS := -mavx512f -mavx512dq -mavx512vl
endif
$(O)/obj/framework/%.o: PKG_CFLAGS := -DCCA_BUILDING_FRAMEWORK
ifneq ($(EDIT),none)
$(O)/obj/framework/cmd/terminal.o: PKG_CFLAGS := -DCCAFE_EDIT $(shell pkg-config --cflags libedit)
CCAFE_LIBS := $(shell pkg-config --libs libedit)
endif
$(O)/obj/tools/proxygen/%.o $(O)/obj/tests/proxygen/test_clang_%.o: PKG_CFLAGS := -isystem $(LLVM_DIR)/include $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libxml-2.0 2>/dev/null))
ifneq ($(PAPI),none)
$(O)/obj/tau_port/papi.o: PKG_CFLAGS := -DMEAS_PAPI $(shell pkg-config --cflags papi)
endif
ifneq ($(BROTLI),none)
$(O)/obj/mesh/convert/lbaf/brotli.o: PKG_CFLAGS := -DMESH_BROTLI $(shell pkg-config --cflags $(BROTLI))
endif
ifneq ($(ZSTD),none)
$(O)/obj/mastermind/pack/pack.o: PKG_CFLAGS := -DMM_ZSTD $(shell pkg-config --cflags $(ZSTD))
endif
ifneq ($(DW),none)
$(O)/obj/mastermind/library/arguments.o $(O)/obj/mastermind/library/sample/unwind.o: PKG_CFLAGS := -DMM_DW $(shell pkg-config --cflags $(DW))
endif
ifneq ($(ZYDIS),none)
$(O)/obj/mastermind/library/decode/instruction.o: PKG_CFLAGS := -DMM_ZYDIS
endif
ifneq ($(ZFP),none)
$(O)/obj/mesh/pack/zfp.o: PKG_CFLAGS := -DMESH_ZFP
endif
# Only the recorder has thread-local storage, and it is reached without a call. Two words that
# were stored one by one cannot be forwarded to a load of both.
# Functions begin a cache line: where the linker puts them made 7 % of a call's cost (bench/monitored_call).
$(O)/obj/mastermind/recorder/%.o: PKG_CFLAGS := -ftls-model=initial-exec -fno-tree-slp-vectorize -falign-functions=64

$(O)/lib/%.a:
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(O)/lib/libcca.a: $(call obj,$(FRAMEWORK_SRC))
$(RECORDER_LIB): $(call obj,$(RECORDER_SRC))
$(ANALYSIS_LIB): $(call obj,$(ANALYSIS_SRC))
$(PLAN_LIB): $(call obj,$(PLAN_SRC))
$(CMD_LIB): $(filter-out %/mastermind.o,$(call obj,$(CMD_SRC))) $(O)/obj/mastermind/documents.o
$(LEDGER_LIB): $(call obj,$(LEDGER_SRC))
$(MESSAGES_WORDS_LIB): $(call obj,$(MESSAGES_WORDS_SRC))
$(MESSAGES_RUN_LIB): $(call obj,$(MESSAGES_RUN_SRC))
$(MESSAGES_READ_LIB): $(call obj,$(MESSAGES_READ_SRC))
$(PROPERTIES_LIB): $(call obj,$(PROPERTIES_SRC)) $(O)/obj/properties/schema.o
$(MESH_LIB): $(call obj,$(MESH_SRC))
$(ACTIVITY_LIB): $(call obj,$(ACTIVITY_SRC))
$(MESH_START_LIB): $(call obj,$(MESH_START_SRC))
$(PROBE_LIB): $(call obj,$(PROBE_SRC) mastermind/format/clock.c) $(PROBE_FORTRAN)
# Files that read CSV and write experiments without the recorder.
$(REPOSITORY_LIB): $(call obj,$(REPOSITORY_SRC))
$(WRITER_LIB): $(call obj,$(CSV_SRC) $(filter mastermind/writer/given% mastermind/writer/json_file.c \
    mastermind/writer/machine.c mastermind/writer/methods.c mastermind/writer/write_signals.c,$(WRITER_SRC)))
$(PERF_LIB): $(call obj,$(PERF_SRC))
# What tests see of the components' insides: all but the class.
$(O)/lib/libamr.a: $(filter-out %/AMRMesh.o,$(call obj,$(wildcard components/AMRMesh/*.c components/AMRMesh/*/*.c)))
$(O)/lib/libagent.a: $(filter-out %/main.o,$(call obj,$(MESH_AGENT_SRC) mesh/probe/segment.c))
$(O)/lib/libmeas.a: $(filter-out %/component.o,$(call obj,$(TAU_SRC)))
$(O)/lib/libmm_component.a: $(call obj,$(MM_COMP_SRC) $(WRITER_SRC) $(MESH_START_SRC))

$(LIBCCA): $(call obj,$(FRAMEWORK_SRC))
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(SO_LDFLAGS) -Wl,-soname,libcca.so -o $@ $^ -ldl

$(call obj,$(PMPI_SRC) $(MESSAGES_RUN_SRC) mastermind/format/clock.c): PKG_CFLAGS := $(if $(LTO),$(LTO) -ffat-lto-objects)

# What programs without components are linked with. Its forks are watched for as long as the process is.
$(PROBE_SO): $(call obj,$(PROBE_SRC) mastermind/format/clock.c) $(PROBE_FORTRAN)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(filter-out $(LTO),$(SO_LDFLAGS)) -Wl,-soname,libmm_mesh.so.1 -Wl,-z,nodelete -o $@.1 $^
	$(Q)ln -sf libmm_mesh.so.1 $@

# Experiments for other programs: only its own symbols are seen.
$(READER_SO): $(call obj,mastermind/open/mm_reader.c) $(ANALYSIS_LIB) $(RECORDER_LIB) mastermind/open/mm_reader.map
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(filter-out $(LTO),$(SO_LDFLAGS)) -Wl,-soname,libmm_reader.so.1 -Wl,--version-script=mastermind/open/mm_reader.map -Wl,--exclude-libs,ALL -o $@.1 $(filter %.o %.a,$^) $(JANSSON) -lm
	$(Q)ln -sf libmm_reader.so.1 $@

# The Fortran module, which needs no library of Fortran's; so it is compiled without sanitizers.
$(O)/obj/mesh/probe/mm_mesh.f90.o: mesh/probe/mm_mesh.f90
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' FC $@
	$(Q)$(FC) -std=f2008 -Wall -O2 -g -fPIC -J $(@D) -c -o $@ $<

# What is compiled against mpi.h, once per flavour: $(O)/obj/FLAVOUR/...
define mpi_rule
$(O)/obj/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' MPICC $$@
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(MPI_CFLAGS_$(1)) -c -o $$@ $$<
# The wrappers come before MPI itself, so that they are found first by whatever calls MPI.
$(O)/lib/libcca_$(1).so: $(COHORT_SRC:%.c=$(O)/obj/$(1)/%.o) $(LIBCCA) $(O)/lib/libmeas_$(1).so
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CC) $$(SO_LDFLAGS) -Wl,-soname,libcca_$(1).so -Wl,-rpath,'$$$$ORIGIN' -o $$@ $$(filter %.o,$$^) \
	    -Wl,--push-state,--no-as-needed -lmeas_$(1) -Wl,--pop-state $$(MPI_LIBS_$(1))

$(PMPI_MPI_SRC:%.c=$(O)/obj/$(1)/%.o): PKG_CFLAGS := $(if $(LTO),$(LTO) -ffat-lto-objects)
# Wrappers of all functions that this flavour's mpi.h declares and its libraries have.
$(O)/gen/pmpi/$(1)/wrappers.c: $(wildcard tau_port/pmpi/*.py) tau_port/pmpi/mpi_headers.h
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' WRAP $$@
	$$(Q)$$(CC) -E -P $$(MPI_CFLAGS_$(1)) -I. -MMD -MP -MT $$@ -MF $$@.d \
	    -o $$(@D)/mpi.i tau_port/pmpi/mpi_headers.h
	$$(Q)nm -D --defined-only $(MPI_LIBDIR_$(1))/lib$(MPI_C_$(1)).so >$$(@D)/library
	$$(Q)nm -D $(MPI_LIBDIR_$(1))/lib$(MPI_FORTRAN_$(1)).so >$$(@D)/fortran 2>/dev/null || :
	$$(Q)nm -D $(MPI_LIBDIR_$(1))/lib$(MPI_F08_$(1)).so >$$(@D)/f08 2>/dev/null || :
	$$(Q)PYTHONDONTWRITEBYTECODE=1 python3 tau_port/pmpi/wrap.py --header $$(@D)/mpi.i --library $$(@D)/library --fortran $$(@D)/fortran \
	    --fortran-name "$$$$(objdump -p $(MPI_LIBDIR_$(1))/lib$(MPI_FORTRAN_$(1)).so 2>/dev/null | sed -n 's/.*SONAME *//p')" \
	    --f08 $$(@D)/f08 --f08-name "$$$$(objdump -p $(MPI_LIBDIR_$(1))/lib$(MPI_F08_$(1)).so 2>/dev/null | sed -n 's/.*SONAME *//p')" >$$@
# A thousand functions that are all alike: with sanitizers they take a minute.
$(O)/obj/$(1)/wrappers.o: $(O)/gen/pmpi/$(1)/wrappers.c
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' MPICC $$@
	$$(Q)$$(CC) $$(filter-out -fsanitize% -fno-sanitize%,$$(ALL_CFLAGS)) -Wno-deprecated-declarations $$(MPI_CFLAGS_$(1)) -c -o $$@ $$<
$(O)/lib/libmeas_$(1).so: $(O)/obj/$(1)/wrappers.o $(PMPI_MPI_SRC:%.c=$(O)/obj/$(1)/%.o) $(call obj,$(PMPI_SRC) $(MESSAGES_RUN_SRC) mastermind/format/clock.c)
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CC) $$(SO_LDFLAGS) $$(LTO) -Wl,-soname,libmeas_$(1).so -o $$@ $$^ $$(MPI_LIBS_$(1)) -ldl
endef
$(foreach f,$(MPI_FLAVOURS),$(eval $(call mpi_rule,$(f))))

# One rank, or ranks of a flavour: $(LIBEXEC)/mrtd, $(LIBEXEC)/mrtd_FLAVOUR
$(LIBEXEC)/mrtd: $(call obj,$(MRTD_SRC) examples/mrtd/comm.c) $(MESH_LIB) $(PROBE_LIB)
$(foreach f,$(MPI_FLAVOURS),$(eval $(LIBEXEC)/mrtd_$(f): $(call obj,$(MRTD_SRC)) $(O)/obj/$(f)/examples/mrtd/comm.o $(MESH_LIB) $(PROBE_LIB)))
$(foreach f,$(MPI_FLAVOURS),$(eval $(O)/obj/$(f)/examples/mrtd/comm.o: PKG_CFLAGS := -DMRTD_MPI))
$(foreach f,$(MPI_FLAVOURS),$(eval $(LIBEXEC)/mrtd_$(f): MRTD_MPI_LIBS := $(MPI_LIBS_$(f))))
$(MRTD_BINS):
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ZFP_LIBS) $(MRTD_MPI_LIBS) $(JANSSON) -lm

# Messages within a node, for activity calibrate, which is not linked with MPI.
$(foreach f,$(MPI_FLAVOURS),$(eval $(LIBEXEC)/activity-ping_$(f): $(O)/obj/$(f)/activity/calibrate/ping/ping.o))
$(foreach f,$(MPI_FLAVOURS),$(eval $(LIBEXEC)/activity-ping_$(f): PING_MPI_LIBS := $(MPI_LIBS_$(f))))
$(ACTIVITY_PING):
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PING_MPI_LIBS) -lm

# The same in Fortran: $(LIBEXEC)/mrtd_f, $(LIBEXEC)/mrtd_f_FLAVOUR. Modules go before what uses them.
MRTD_FORTRAN := $(patsubst %,$(O)/obj/examples/mrtd/%.f90.o,mrtd_shared mrtd_field mrtd)
$(O)/obj/examples/mrtd/mrtd_field.f90.o: $(O)/obj/examples/mrtd/mrtd_shared.f90.o
$(O)/obj/examples/mrtd/mrtd.f90.o: $(O)/obj/examples/mrtd/mrtd_field.f90.o $(PROBE_FORTRAN)
$(MRTD_FORTRAN): $(O)/obj/%.f90.o: %.f90
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' FC $@
	$(Q)$(FC) -std=f2008 -Wall $(filter-out -Werror,$(OPT_$(BUILD))) -ffp-contract=off -J $(@D) -I $(O)/obj/mesh/probe -c -o $@ $<
$(LIBEXEC)/mrtd_f: $(MRTD_FORTRAN) $(call obj,$(MRTD_SHARED_SRC) examples/mrtd/comm.c) $(MESH_LIB) $(PROBE_LIB)
$(foreach f,$(MPI_FLAVOURS),$(eval $(LIBEXEC)/mrtd_f_$(f): $(MRTD_FORTRAN) $(call obj,$(MRTD_SHARED_SRC)) $(O)/obj/$(f)/examples/mrtd/comm.o $(MESH_LIB) $(PROBE_LIB)))
$(foreach f,$(MPI_FLAVOURS),$(eval $(LIBEXEC)/mrtd_f_$(f): MRTD_MPI_LIBS := $(MPI_LIBS_$(f))))
$(MRTD_FORTRAN_BINS):
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' FCLD $@
	$(Q)$(FC) $(filter-out -Werror,$(ALL_LDFLAGS)) -o $@ $^ $(ZFP_LIBS) $(MRTD_MPI_LIBS) $(JANSSON) -lm

$(O)/bin/ccafe: $(call obj,$(CCAFE_SRC)) $(MESSAGES_WORDS_LIB) $(MESH_START_LIB) $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(BIN_LDFLAGS) -o $@ $(call obj,$(CCAFE_SRC)) $(MESSAGES_WORDS_LIB) $(MESH_START_LIB) -lcca -ldl $(CCAFE_LIBS)
$(O)/bin/proxygen: $(call obj,$(PROXYGEN_SRC)) $(PERF_LIB)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(BIN_LDFLAGS) -o $@ $^ -L$(LLVM_DIR)/lib -lclang-14 $(JANSSON)
$(O)/bin/mastermind: $(call obj,$(CMD_SRC) framework/assembly/rules.c) $(O)/obj/mastermind/documents.o $(ACTIVITY_LIB) $(PROPERTIES_LIB) $(MESH_LIB) $(MESH_START_LIB) $(MESSAGES_READ_LIB) $(PLAN_LIB) $(LEDGER_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(MESSAGES_WORDS_LIB) $(RECORDER_LIB) $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(BIN_LDFLAGS) -o $@ $(call obj,$(CMD_SRC) framework/assembly/rules.c) $(O)/obj/mastermind/documents.o $(ACTIVITY_LIB) $(PROPERTIES_LIB) $(MESH_LIB) $(MESH_START_LIB) $(MESSAGES_READ_LIB) $(PLAN_LIB) $(LEDGER_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(MESSAGES_WORDS_LIB) $(RECORDER_LIB) -lcca $(JANSSON) $(ZFP_LIBS) $(BROTLI_LIBS) $(DW_LIBS) $(ZYDIS_LIBS) -lsqlite3 -ldl -lm

# Loaded by Mastermind.so where its port for questions is connected.
ANSWERS_DEPS := $(CMD_LIB) $(ACTIVITY_LIB) $(PROPERTIES_LIB) $(MESH_LIB) $(MESH_START_LIB) $(MESSAGES_READ_LIB) $(PLAN_LIB) $(LEDGER_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(MESSAGES_WORDS_LIB) $(RECORDER_LIB)
$(ANSWERS_SO): $(call obj,$(ANSWERS_SRC)) $(ANSWERS_DEPS) $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(SO_LDFLAGS) -Wl,-soname,libmm_answers.so -Wl,--exclude-libs,ALL -Wl,--as-needed -o $@ $(call obj,$(ANSWERS_SRC)) $(ANSWERS_DEPS) -lcca $(JANSSON) $(ZFP_LIBS) $(BROTLI_LIBS) $(DW_LIBS) $(ZYDIS_LIBS) -lsqlite3 -ldl -lm

# What the library of activity models is linked with.
ACTIVITY_DEPS := $(ACTIVITY_LIB) $(MESSAGES_READ_LIB) $(MESSAGES_WORDS_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(RECORDER_LIB)
ACTIVITY_LIBS := $(ACTIVITY_DEPS) $(JANSSON) $(shell pkg-config --libs libxml-2.0) -ldl -lm
$(O)/bin/activity: $(call obj,$(ACTIVITY_CMD_SRC)) $(ACTIVITY_DEPS)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(BIN_LDFLAGS) -o $@ $(call obj,$(ACTIVITY_CMD_SRC)) $(ACTIVITY_LIBS)

# Small, as its memory counts for the programs that it becomes: static where the C library can be, and as in a release.
LAUNCHER := mastermind/library/launch/launcher
$(LIBEXEC)/launcher: $(LAUNCHER)/launcher.c $(LAUNCHER)/message.h
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -I. -static -o $@ $< 2>/dev/null || $(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -I. -o $@ $<
$(LIBEXEC)/mesh-agent: $(call obj,$(MESH_AGENT_SRC) mesh/probe/segment.c) $(MESH_LIB)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(call obj,$(MESH_AGENT_SRC) mesh/probe/segment.c) $(MESH_LIB) $(ZFP_LIBS) -lm

define mesh_component_rule
$(MODULES)/$(1).so: $$(call obj,$(wildcard mesh/component/$(1)/*.c)) $(PROBE_LIB) $(MESH_LIB) $(LIBCCA)
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CC) $$(SO_LDFLAGS) -o $$@ $$(filter %.o,$$^) $(PROBE_LIB) $(MESH_LIB) $(ZFP_LIBS) -lcca $(JANSSON) -lm
endef
$(foreach c,$(MESH_COMPONENTS),$(eval $(call mesh_component_rule,$(c))))

# A component is all the C files of its folder and of those in it.
define component_rule
$(MODULES)/$(1).so: $$(call obj,$(wildcard components/$(1)/*.c components/$(1)/*/*.c)) $(LIBCCA)
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CC) $$(SO_LDFLAGS) -o $$@ $$(filter %.o,$$^) -lcca $$(LIBS_$(1)) -lm
endef
$(foreach c,$(COMPONENTS),$(eval $(call component_rule,$(c))))

$(LIBEXEC)/mesh-zoltan: $(ZOLTAN_SRC:%.c=$(O)/obj/openmpi/%.o) $(MESH_LIB)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ -l$(ZOLTAN) $(MPI_LIBS_openmpi) -lm
$(MODULES)/Mastermind.so: $(call obj,$(MM_COMP_SRC) $(WRITER_SRC)) $(MESH_START_LIB) $(RECORDER_LIB) $(ANALYSIS_LIB) $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(SO_LDFLAGS) -o $@ $(call obj,$(MM_COMP_SRC) $(WRITER_SRC)) $(MESH_START_LIB) $(RECORDER_LIB) $(ANALYSIS_LIB) -lcca $(JANSSON) -lm
# What `mastermind record` loads into programs. It shows them nothing of what it is made of: the
# program may have a JSON library of its own, or be measured in its use of this one.
# On x86-64 the path of a call of a patched function touches no vector register: compilers keep values there. Its
# objects come before the recorder's library, and functions that may touch them are reached through vectors.c.
KEPT_SRC := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),mastermind/preload/calls.c $(addprefix mastermind/recorder/,hot.c fold.c fold_tables.c wide_row.c))
KEPT_NAMES = $(shell sed -n 's/^    _(\([a-z_]*\)).*/--redefine-sym \1=mm_kept_\1/p' mastermind/preload/vectors.h)
KEPT_CFLAGS := -mgeneral-regs-only -ftls-model=initial-exec -fno-tree-loop-distribute-patterns -fno-tree-slp-vectorize -falign-functions=64
$(O)/kept/%.o: %.c mastermind/preload/vectors.h
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' CC $@
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) $(KEPT_CFLAGS) -c -o $@ $<
	$(Q)objcopy $(KEPT_NAMES) $@
$(PRELOAD_LIB): $(KEPT_SRC:%.c=$(O)/kept/%.o) $(call obj,$(filter-out $(KEPT_SRC),$(PRELOAD_SRC)) $(WRITER_SRC) framework/assembly/rules.c) $(MESH_START_LIB) $(RECORDER_LIB)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(filter-out $(DEFS),$(SO_LDFLAGS)) -Wl,-soname,libmm_preload.so -o $@ $^ -Wl,--exclude-libs,ALL -l:libjansson.a -lm -ldl

$(PETSC_SO): $(O)/obj/mastermind/preload/petsc/solve.o
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(filter-out $(DEFS),$(SO_LDFLAGS)) -Wl,-soname,libmm_petsc.so -o $@ $^ -ldl

# Preloaded into programs that may be compiled without sanitizers: so is it.
$(O)/obj/tau_port/memory/%.o: PKG_CFLAGS := -fno-builtin
$(call obj,$(OPENMP_SRC) $(MEMORY_SRC)): $(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' CC $@
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -c -o $@ $<
$(MEMORY_SO): $(call obj,$(MEMORY_SRC))
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(SO_LDFLAGS)) -Wl,-soname,libmeas_memory.so -o $@ $^ -ldl
$(O)/obj/openmp/object.o: messages/frames/object.c
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' CC $@
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(ALL_CFLAGS)) -c -o $@ $<
$(OPENMP_SO): $(call obj,$(OPENMP_SRC)) $(O)/obj/openmp/object.o
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(filter-out -fsanitize% -fno-sanitize%,$(SO_LDFLAGS)) -Wl,-soname,libmeas_openmp.so -o $@ $^ -ldl

$(MODULES)/TauMeasurement.so: $(call obj,$(TAU_SRC)) $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(SO_LDFLAGS) -o $@ $(call obj,$(TAU_SRC)) -lcca -ldl -lm

$(O)/obj/activity/xmi/%.o: PKG_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libxml-2.0 2>/dev/null))
$(O)/obj/proxies/ffi/%.o: PKG_CFLAGS := $(shell pkg-config --cflags libffi 2>/dev/null)
$(MODULES)/FfiProxy.so: $(call obj,$(FFI_SRC)) $(PERF_LIB) $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(SO_LDFLAGS) -o $@ $(call obj,$(FFI_SRC)) $(PERF_LIB) -lcca -lffi $(JANSSON)

# The tables of the store as lines of C.
$(O)/gen/properties/schema.c: properties/store/schema.sql
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' SQL $@
	$(Q){ echo '#include "properties/store/schema.h"'; echo 'const char *const mm_store_schema[] = {'; \
	    sed 's/[\\"]/\\&/g; s/^/    "/; s/$$/\\n",/' $<; echo '    0};'; } >$@
# The shapes of documents, a string for each paragraph.
$(O)/gen/mastermind/documents.c: mastermind/cmd/documents.txt
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' AWK $@
	$(Q){ echo 'extern const char *const mm_documents[];'; echo 'const char *const mm_documents[] = {'; \
	    awk 'BEGIN { RS = "" } !/^#/ { gsub(/[\\"]/, "\\\\&"); gsub(/\n/, "\\n\"\n    \""); print "    \"" $$0 "\"," }' $<; echo '    0};'; } >$@
$(O)/obj/mastermind/documents.o: $(O)/gen/mastermind/documents.c
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' CC $@
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(O)/obj/properties/schema.o: $(O)/gen/properties/schema.c
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' CC $@
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(O)/gen/proxies/%_port_proxy.c: ports/%_port.h ports/cca_port.h $(O)/bin/proxygen
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' PROXYGEN $@
	$(Q)$(O)/bin/proxygen -I . -o $(@D) $<
# What the project's classes state about the prototypes of these ports.
$(O)/gen/ports/%_port_signature.h: ports/%_port.h ports/cca_port.h $(O)/bin/proxygen
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' PROXYGEN $@
	$(Q)$(O)/bin/proxygen --signature -I . -o $(@D) $<
$(call obj,$(wildcard components/*/*.c mesh/component/*/*.c)): | $(SIGNATURES)
$(O)/obj/gen/proxies/%.o: $(O)/gen/proxies/%.c
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' CC $@
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(MODULES)/%_port_proxy.so: $(O)/obj/gen/proxies/%_port_proxy.o $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(SO_LDFLAGS) -o $@ $< -lcca

# --- Tests -----------------------------------------------------------------------------------
# The first word of a test's name says which room it tests and so what it is linked with:
#   test_cca_*   the framework, as a main program sees it (libcca.so)
#   test_ccai_*  its insides (libcca.a)
#   test_rec_*   the recorder         test_mm_*  the analysis     test_tau_*  measurement
#   test_mmc_*   the Mastermind component, its Services played by the test
#   test_plan_*  the planner           test_ledger_*  the ledger
#   test_pg_*    proxygen's perf library             test_clang_*  proxygen itself, with clang
#   test_shock_* the shock components, assembled through libcca.so
#   test_amr_*   the insides of AMRMesh
#   test_msg_*   messages, in the running program       test_msgread_*  their reader
#   test_prop_*  properties
#   test_mesh_*  mesh profiles and the simulator of load balance     test_agent_*  agents
#   test_act_*   activity models
TEST_LIBS_cca   := -lcca
TEST_LIBS_ccai  := $(O)/lib/libcca.a -rdynamic -ldl
TEST_LIBS_rec   := $(RECORDER_LIB) $(JANSSON)
TEST_LIBS_mm    := $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(RECORDER_LIB) $(JANSSON)
TEST_LIBS_plan  := $(PLAN_LIB)
TEST_LIBS_ledger := $(LEDGER_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(RECORDER_LIB) $(JANSSON)
TEST_LIBS_tau   := $(O)/lib/libmeas.a
TEST_LIBS_mmc   := $(O)/lib/libmm_component.a $(RECORDER_LIB) $(ANALYSIS_LIB) $(JANSSON)
TEST_LIBS_pg    := $(PERF_LIB) $(JANSSON)
TEST_LIBS_clang := $(filter-out %/proxygen.o,$(call obj,$(PROXYGEN_SRC))) $(PERF_LIB) -L$(LLVM_DIR)/lib -lclang-14 $(JANSSON)
TEST_LIBS_shock := -lcca $(LIBS_FieldImage)
TEST_LIBS_msg     := $(MESSAGES_RUN_LIB) $(O)/obj/mastermind/format/clock.o -ldl
TEST_LIBS_msgread := $(MESSAGES_READ_LIB) $(ANALYSIS_LIB) $(MESSAGES_RUN_LIB) $(RECORDER_LIB) $(JANSSON) -ldl
TEST_LIBS_prop    := $(PROPERTIES_LIB) $(MESSAGES_READ_LIB) $(PLAN_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(MESSAGES_WORDS_LIB) $(RECORDER_LIB) $(JANSSON) -lcca -lsqlite3
TEST_LIBS_mesh    := $(MESH_LIB) $(ZFP_LIBS) $(BROTLI_LIBS) $(ANALYSIS_LIB) $(WRITER_LIB) $(RECORDER_LIB) $(JANSSON)
TEST_LIBS_mesh    += $(PROBE_LIB)
TEST_LIBS_agent   := $(O)/lib/libagent.a $(MESH_LIB) $(ZFP_LIBS) -lm
TEST_LIBS_act   := $(ACTIVITY_LIBS)
TEST_LIBS_amr   := $(O)/lib/libamr.a -lcca
TEST_LIBS_code  := $(call obj,$(DECODE_SRC)) $(ZYDIS_LIBS)
test_room = $(word 2,$(subst _, ,$(notdir $(1))))
TEST_DEPS_cca   := $(LIBCCA)
TEST_DEPS_ccai  := $(O)/lib/libcca.a
TEST_DEPS_rec   := $(RECORDER_LIB)
TEST_DEPS_mm    := $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(RECORDER_LIB)
TEST_DEPS_plan  := $(PLAN_LIB)
TEST_DEPS_ledger := $(LEDGER_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(RECORDER_LIB)
TEST_DEPS_tau   := $(O)/lib/libmeas.a
TEST_DEPS_mmc   := $(O)/lib/libmm_component.a $(RECORDER_LIB) $(ANALYSIS_LIB)
TEST_DEPS_pg    := $(PERF_LIB)
TEST_DEPS_clang := $(call obj,$(PROXYGEN_SRC)) $(PERF_LIB)
TEST_DEPS_shock := $(LIBCCA) $(COMPONENT_SO)
TEST_DEPS_msg     := $(MESSAGES_RUN_LIB) $(O)/obj/mastermind/format/clock.o
TEST_DEPS_msgread := $(MESSAGES_READ_LIB) $(ANALYSIS_LIB) $(MESSAGES_RUN_LIB) $(RECORDER_LIB)
TEST_DEPS_prop    := $(PROPERTIES_LIB) $(MESSAGES_READ_LIB) $(PLAN_LIB) $(REPOSITORY_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(MESSAGES_WORDS_LIB) $(RECORDER_LIB) $(LIBCCA)
TEST_DEPS_mesh    := $(MESH_LIB) $(ANALYSIS_LIB) $(WRITER_LIB) $(RECORDER_LIB)
TEST_DEPS_mesh    += $(PROBE_LIB)
TEST_DEPS_agent   := $(O)/lib/libagent.a $(MESH_LIB)
TEST_DEPS_act   := $(ACTIVITY_DEPS)
TEST_DEPS_amr   := $(O)/lib/libamr.a $(LIBCCA)
TEST_DEPS_code  := $(call obj,$(DECODE_SRC))

define test_rule
$(O)/tests/$(notdir $(1)): $(O)/obj/$(1).o $$(TEST_DEPS_$(call test_room,$(1)))
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -L$(O)/lib -Wl,-rpath,'$$$$ORIGIN/../lib' -o $$@ $$< $$(TEST_LIBS_$(call test_room,$(1))) -lcmocka -lm
endef
$(foreach t,$(TEST_SRC:%.c=%),$(eval $(call test_rule,$(t))))

# Waves of the paper's case (examples/mrtd), in the process that judges policies.
MESH_WAVE := $(call obj,$(patsubst %,examples/mrtd/%.c,field kernel start parts options))
$(O)/tests/test_mesh_expect: TEST_LIBS_mesh := $(MESH_WAVE) $(TEST_LIBS_mesh)
$(O)/tests/test_mesh_expect: $(MESH_WAVE)

$(O)/tests/test_ccai_methods: | $(MODULES)/flux_port_proxy.so
$(O)/tests/test_ccai_elf_hostile: | $(COMPONENT_SO) $(PROXY_SO)

# Components that only tests need: tests/components/X.c, X.cc, X.f90 -> $(O)/tests/components/X.so
TEST_COMPONENTS := $(patsubst tests/components/%,$(O)/tests/components/%.so,\
    $(basename $(wildcard tests/components/*.c tests/components/known/*.c tests/components/property/*.c tests/components/script/*.c tests/components/mesh/*.c tests/components/*.cc \
    tests/components/property/*.cc)))
# The examples, too.
TEST_COMPONENTS += $(patsubst examples/components/%,$(O)/tests/components/%.so,$(basename $(wildcard examples/components/*.cc examples/components/*.f90)))
$(TEST_COMPONENTS): | $(SIGNATURES)
$(O)/tests/components/%.so: tests/components/%.c $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(SO_LDFLAGS) -o $@ $< -lcca -lm
define cxx_component_rule
$(O)/tests/components/%.so: $(1)/components/%.cc $(LIBCCA)
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CXX) -std=c++17 -Wall -Wextra -Wpedantic $$(OPT_$(BUILD)) -fPIC -fvisibility=hidden -I. -MMD -MP $$(SO_LDFLAGS) -o $$@ $$< -lcca
endef
$(foreach d,tests examples,$(eval $(call cxx_component_rule,$(d))))
# Fortran cannot give a C name to a variable that holds addresses: the module variable cca_class
# of the module that is named as its file becomes the descriptor.
$(O)/tests/components/%.so: examples/components/%.f90 $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' FC $@
	$(Q)$(FC) -Wall $(filter-out -Werror,$(OPT_$(BUILD))) -fPIC -J $(@D) -c -o $(@:.so=.f90.o) $<
	@printf '  %-8s %s\n' OBJCOPY $@
	$(Q)objcopy --redefine-sym __$*_MOD_cca_class=cca_class $(@:.so=.f90.o)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(FC) $(filter-out -Werror,$(OPT_$(BUILD))) -J $(@D) $(SO_LDFLAGS) -o $@ $(@:.so=.f90.o) -lcca

# Those that include mpi.h: tests/components/mpi/X.c -> $(O)/tests/components/FLAVOUR/X.so
define mpi_component_rule
$(O)/tests/components/$(1)/%.so: $(2)/%.c $(LIBCCA)
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(MPI_CFLAGS_$(1)) $$(SO_LDFLAGS) -o $$@ $$< -lcca $$(MPI_LIBS_$(1))
TEST_COMPONENTS += $(patsubst $(2)/%.c,$(O)/tests/components/$(1)/%.so,$(wildcard $(2)/*.c))
endef
$(foreach f,$(MPI_FLAVOURS),$(foreach d,tests/components/mpi examples/components,$(eval $(call mpi_component_rule,$(f),$(d)))))

# Programs whose messages are measured (bench/messages/programs) and those that know the truth of theirs
# (tests/messages/programs): plain MPI, compiled like a user's, without sanitizers: $(O)/programs/FLAVOUR/NAME.
# MPICH's header makes MPI_STATUSES_IGNORE an address that gcc takes for an array without room.
PROGRAM_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) -Wno-stringop-overflow -O2 -g -ffp-contract=off -pthread -I.
MEASURED := burst ghost multigrid posted relax wavefront
ORACLES  := storm sleeps pairs_latency comms
define program_rule
$(O)/programs/$(1)/$(2): $(wildcard $(3)/$(2).c $(3)/$(2)_*.c $(4)) $(wildcard $(3)/*.h)
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' MPICC $$@
	$$(Q)$$(CC) $$(PROGRAM_CFLAGS) $$(MPI_CFLAGS_$(1)) -o $$@ $$(filter %.c,$$^) $$(MPI_LIBS_$(1)) -lm
PROGRAMS += $(if $(wildcard $(3)/$(2).c),$(O)/programs/$(1)/$(2))
endef
$(foreach f,$(MPI_FLAVOURS),$(foreach p,$(MEASURED),$(eval $(call program_rule,$(f),$(p),bench/messages/programs,bench/messages/programs/program.c))))
# ping_pong for `mastermind record`, without the wrappers linked
$(foreach f,$(MPI_FLAVOURS),$(eval $(call program_rule,$(f),ping_pong,bench/messages,)))
$(foreach f,$(MPI_FLAVOURS),$(foreach p,$(ORACLES),$(eval $(call program_rule,$(f),$(p),tests/messages/programs,tests/messages/programs/truth.c))))

# The same in Fortran, where the flavour's wrapper compiler is there.
define fortran_program_rule
$(O)/programs/$(1)/$(or $(3),$(basename $(2))): tests/messages/programs/$(2)
	@mkdir -p $$@.modules
	@printf '  %-8s %s\n' MPIFC $$@
	$$(Q)OMPI_FC=$$(FC) MPICH_FC=$$(FC) mpif90.$(1) -O2 -g -Wall -J$$@.modules $(4) -o $$@ $$<
PROGRAMS += $(if $(shell command -v mpif90.$(1)),$(O)/programs/$(1)/$(or $(3),$(basename $(2))))
endef
$(foreach f,$(MPI_FLAVOURS),$(foreach p,storm_f.f90 storm_77.f calls_f.F90,$(eval $(call fortran_program_rule,$(f),$(p)))))
# By `use mpi_f08`.
$(foreach f,$(MPI_FLAVOURS),$(eval $(call fortran_program_rule,$(f),calls_f.F90,calls_f08,-DF08)))

# Preloaded by tests: what lets calls of the C library fail, and what makes waiting ranks yield
TEST_PRELOADS := $(O)/tests/faults/libfault.so $(O)/tests/lib/yield.so
$(TEST_PRELOADS): $(O)/tests/%.so: tests/%.c
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) $(filter-out -fsanitize%,$(OPT_$(BUILD))) -fPIC -fvisibility=hidden -I. -MMD -MP -shared -o $@ $< -ldl

# What tests run beside the programs that are built anyway
TEST_PARTS := $(TEST_COMPONENTS) $(TEST_PRELOADS) $(PROGRAMS) $(O)/bench/messages/thin $(O)/bench/properties/answers
# lib.sh looks for this file.
$(O)/tests/parts: $(TEST_PARTS)
	@touch $@
tests: all $(TESTS) $(O)/tests/parts
# All tests, or those that a changed room can have broken: make check ROOM=mesh/balance
CHECK_TESTS = $(TEST_SH) $(TESTS)
ROOM_TESTS  = $(or $(shell tests/lib/room_tests.py $(ROOM) $(CHECK_TESTS)),$(error no tests of a room '$(ROOM)'))
check: tests
	@O=$(abspath $(O)) BUILD=$(BUILD) CC="$(CC)" CXX="$(CXX)" tests/lib/run.sh $(if $(ROOM),$(ROOM_TESTS),$(CHECK_TESTS))
# One test: make check-one T=test_cca_framework
check-one: $(filter %/$(T),$(TESTS)) $(O)/tests/parts
	@O=$(abspath $(O)) BUILD=$(BUILD) CC="$(CC)" CXX="$(CXX)" tests/lib/run.sh $(or $(filter %/$(T) %/$(T).sh,$(TESTS) $(TEST_SH)),$(error no test '$(T)'))
check-asan:
	$(MAKE) BUILD=asan check
check-tsan:
	$(MAKE) BUILD=tsan check
# The long form of all, or of some tests, with counts: make soak T="faults_ends mm_experiment_kill"
# KILLS=200. tests/faults/README.md has the names and what each is without being told.
SOAK_COUNTS := ALARMS ASSEMBLIES BIRTHS CALLS CANCELS DAMAGES ELFS ENDS EXPRESSIONS FIRST FLIPS FORKS FORMULAS HANDS HEADERS INSTANCES KILLS LONGJMPS MODELS PROCESSES \
               PROBLEMS PROGRAMS READS ROUNDS RUNS SCRIPTS SEEDS SPINS STEPS THREAD_CALLS THROWS TWISTS WORLDS
SOAK_TESTS = $(if $(T),$(foreach t,$(T:test_%=%),$(or $(filter %/test_$(t) %/test_$(t).sh,$(TESTS) $(TEST_SH)),\
    $(error no test '$(t)'))),$(TESTS) $(TEST_SH))
soak: tests
	@O=$(abspath $(O)) BUILD=$(BUILD) CC="$(CC)" CXX="$(CXX)" SOAK=1 $(foreach c,$(SOAK_COUNTS),$(if $(filter command environment,$(origin $(c))),FAULT_$(c)=$($(c)))) \
	    tests/lib/run.sh $(SOAK_TESTS)

# The proxy of bench/compute_port.h is a part of the program that measures it.
$(O)/gen/bench/%_port_proxy.c: bench/%_port.h ports/cca_port.h $(O)/bin/proxygen
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' PROXYGEN $@
	$(Q)$(O)/bin/proxygen -I . -o $(@D) $<
	$(Q)$(O)/bin/proxygen -I . --describe -o $(@D) $<
$(O)/obj/bench/measure.o: $(O)/gen/bench/compute_port_proxy.c
$(O)/bench/monitored_call: BENCH_LIBS := $(call obj,bench/measure.c)
$(O)/bench/monitored_call: $(call obj,bench/measure.c)
$(O)/obj/bench/ffi_call.o: $(O)/gen/bench/call_port_proxy.c
$(O)/bench/ffi_call: BENCH_LIBS := $(filter-out %/component.o,$(call obj,$(FFI_SRC))) $(PERF_LIB) -lffi $(JANSSON)
$(O)/bench/ffi_call: $(call obj,$(FFI_SRC)) $(PERF_LIB)
$(O)/bench/assembly_scale: $(O)/tests/components/fw_node.so
MODEL_BENCH := $(O)/bench/models/sums $(O)/bench/models/speed $(O)/bench/models/choice $(O)/bench/models/contexts
$(MODEL_BENCH): BENCH_LIBS := $(ANALYSIS_LIB) $(WRITER_LIB) $(JANSSON)
$(MODEL_BENCH): $(ANALYSIS_LIB) $(WRITER_LIB)
$(O)/bench/%: $(O)/obj/bench/%.o $(RECORDER_LIB) $(LIBCCA)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -L$(O)/lib -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $< $(BENCH_LIBS) $(RECORDER_LIB) -lcca -ldl -lm
bench: all $(BENCH_SRC:%.c=$(O)/%)
	@s=0; for b in $(BENCH_SRC:%.c=$(O)/%) bench/real_program.py bench/adaptive_program.py; do O=$(abspath $(O)) $$b $(BENCHFLAGS) || s=$$?; done; exit $$s
# How good predictions of whole runs are, beside other ways to make them: bench/composite/README.md.
bench-composite: all
	@O=$(abspath $(O)) bench/composite/score.py $(BENCHFLAGS)
# How good models are, beside other ways to model the same samples: bench/models/README.md.
MODEL_SEEDS ?= 1 2 3
MODEL_TOOLS ?= mastermind pmnf pmnf-refining starpu loglog
MODEL_CASES := $(O)/bench/models/cases
bench-models: all $(MODEL_BENCH) $(O)/bench/models/kernels
	$(Q)rm -rf $(MODEL_CASES)
	$(Q)O=$(abspath $(O)) bench/models/record.py $(MODEL_CASES)/recorded
	$(Q)for s in $(MODEL_SEEDS); do bench/models/generate.py $$s $(MODEL_CASES)/$$s && O=$(abspath $(O)) bench/models/score.py \
	    $(MODEL_CASES)/$$s $(MODEL_CASES)/recorded $(MODEL_TOOLS:%=--tool %) --worst 10 --json $(MODEL_CASES)/scores-$$s.json || exit; done
	$(Q)O=$(abspath $(O)); export O; s=0; bench/models/intervals.py || s=$$?; bench/models/laws.py || s=$$?; bench/models/pauses.py || s=$$?; \
	    for b in $(MODEL_BENCH); do $$b || s=$$?; done; exit $$s

# What sampling messages costs: bench/messages/README.md. Programs per flavour of MPI, linked with the
# wrappers: bench/messages/X.c -> $(O)/bench/FLAVOUR/X
MESSAGE_BENCH := message_pair ping_pong
define message_bench_rule
$(O)/bench/$(1)/%: bench/messages/%.c $(O)/obj/mastermind/format/clock.o $(O)/lib/libmeas_$(1).so
	@mkdir -p $$(@D)
	@printf '  %-8s %s\n' LD $$@
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(MPI_CFLAGS_$(1)) $$(ALL_LDFLAGS) -L$(O)/lib -Wl,-rpath,'$$$$ORIGIN/../../lib' -o $$@ $$(filter %.c %.o,$$^) \
	    -Wl,--push-state,--no-as-needed -lmeas_$(1) -Wl,--pop-state $$(MPI_LIBS_$(1)) -lm
endef
$(foreach f,$(MPI_FLAVOURS),$(eval $(call message_bench_rule,$(f))))
# Parts of sampling without MPI: $(O)/bench/messages/X
MESSAGE_PARTS := engine join
# It reads experiments: docs/papers/messages-paper.md
$(O)/bench/messages/thin: $(O)/obj/bench/messages/thin.o $(MESSAGES_READ_LIB) $(ANALYSIS_LIB) $(RECORDER_LIB)
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(JANSSON) -ldl -lm
$(O)/bench/messages/%: $(O)/obj/bench/messages/%.o $(MESSAGES_RUN_LIB) $(O)/obj/mastermind/format/clock.o
	@mkdir -p $(@D)
	@printf '  %-8s %s\n' LD $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ -ldl -lm
PROPERTY_ANSWERS := $(O)/bench/properties/answers
$(PROPERTY_ANSWERS): BENCH_LIBS := $(TEST_LIBS_prop)
$(PROPERTY_ANSWERS): $(TEST_DEPS_prop)
# How long properties take on 256,200 summaries: bench/properties/README.md.
bench-properties: all $(PROPERTY_ANSWERS)
	@O=$(abspath $(O)) bench/properties/speed.py $(BENCHFLAGS)
# What an operation of the estimator of activity models costs: bench/activity/README.md.
ACTIVITY_BENCH := $(O)/bench/activity/engine
$(ACTIVITY_BENCH): BENCH_LIBS := $(ACTIVITY_LIBS)
$(ACTIVITY_BENCH): $(ACTIVITY_DEPS)
# With SimGrid where it is installed; nothing else needs it.
SIMGRID_BENCH := $(if $(shell pkg-config --exists simgrid 2>/dev/null && echo there),$(O)/bench/activity/simgrid)
$(O)/bench/activity/simgrid: bench/activity/simgrid.c bench/bench.h
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -D_GNU_SOURCE -I. -o $@ $< -lsimgrid
bench-activity: all $(ACTIVITY_BENCH) $(SIMGRID_BENCH)
	@$(ACTIVITY_BENCH) --bar $(if $(SIMGRID_BENCH),--simgrid $(SIMGRID_BENCH)) $(BENCHFLAGS)
# What packing costs and saves: bench/mesh/README.md.
MESH_BENCH := $(patsubst %.c,$(O)/%,$(wildcard bench/mesh/*.c))
$(MESH_BENCH): BENCH_LIBS := $(TEST_LIBS_mesh)
$(MESH_BENCH): $(TEST_DEPS_mesh)
$(O)/bench/mesh/policies: BENCH_LIBS := $(MESH_WAVE) $(TEST_LIBS_mesh)
$(O)/bench/mesh/policies: $(MESH_WAVE)
bench-mesh: all $(MESH_BENCH)
	@s=0; for b in $(MESH_BENCH); do $$b $(BENCHFLAGS) || s=$$?; done; exit $$s
bench-messages: all $(PROGRAMS) $(foreach f,$(MPI_FLAVOURS),$(MESSAGE_BENCH:%=$(O)/bench/$(f)/%)) $(MESSAGE_PARTS:%=$(O)/bench/messages/%)
	@O=$(abspath $(O)); export O; s=0; for p in $(MESSAGE_PARTS); do $$O/bench/messages/$$p || s=$$?; done; \
	    for f in $(MPI_FLAVOURS); do $$O/bench/$$f/message_pair $(BENCHFLAGS) || s=$$?; done; \
	    bench/messages/ping_pong.py $(BENCHFLAGS) || s=$$?; bench/messages/multigrid.py $(BENCHFLAGS) || s=$$?; exit $$s

demo: all
	@rm -rf $(O)/demo
	@O=$(abspath $(O)) scripts/demo.sh $(O)/demo

# The results of the paper from our runs: docs/papers/case-study.md and its figures.
paper: all
	@O=$(abspath $(O)) scripts/paper/paper.sh $(O)/paper
	@mkdir -p docs/figures
	cp $(O)/paper/figures/figure-* docs/figures
	cp $(O)/paper/case-study.md docs/papers
# Those of the paper on sampled messages: docs/papers/messages-paper.md. Some minutes; PAPERFLAGS=--realtime where others compute, too.
paper-messages: all $(PROGRAMS) $(O)/bench/messages/thin
	@O=$(abspath $(O)) scripts/messages-paper/messages-paper.sh $(O)/paper-messages $(PAPERFLAGS)
	@mkdir -p docs/figures
	cp $(O)/paper-messages/figures/figure-messages-* docs/figures
	cp $(O)/paper-messages/messages-paper.md docs/papers
# Those of the paper on activity models: docs/papers/activity.md. A minute; PAPERFLAGS=--realtime where others compute, too.
prophet: all
	@O=$(abspath $(O)) PATH=$(abspath $(O))/bin:$$PATH scripts/activity-paper/activity_paper.py $(O)/prophet $(PAPERFLAGS)
	@mkdir -p docs/figures
	cp $(O)/prophet/figures/figure-activity-* docs/figures
	cp $(O)/prophet/activity.md docs/papers
	cp $(O)/prophet/lapw.act examples/activity/lapw
# Those of the paper on properties: docs/papers/properties-paper.md. Two minutes.
paper-properties: all $(PROPERTY_ANSWERS)
	@O=$(abspath $(O)) scripts/properties-paper/properties-paper.sh $(O)/paper-properties $(PAPERFLAGS)
	@mkdir -p docs/figures
	cp $(O)/paper-properties/figures/figure-properties-* docs/figures
	cp $(O)/paper-properties/properties-paper.md docs/papers

# Those of the paper on Chiffon and its simulator: docs/papers/mesh.md. Two minutes.
chiffon: all
	@O=$(abspath $(O)) scripts/chiffon/chiffon.sh $(O)/chiffon $(PAPERFLAGS)
	@mkdir -p docs/figures
	cp $(O)/chiffon/figures/figure-mesh-* docs/figures
	cp $(O)/chiffon/mesh.md docs/papers

# --- Machine -----------------------------------------------------------------------------------
deps:
	@scripts/deps.sh $(DEPS)
config:
	@echo "CC=$(CC) BUILD=$(BUILD) O=$(O) PREFIX=$(PREFIX)"
	@for p in libffi jansson cmocka libpng papi libedit; do printf '%-10s %s\n' $$p "$$(pkg-config --modversion $$p 2>/dev/null || echo missing)"; done
	@printf '%-10s %s\n' zfp "$(if $(ZFP_LIBS),there,missing)"
	@printf '%-10s %s\n' zydis "$(if $(ZYDIS_LIBS),there,missing)"
	@printf '%-10s %s\n' zoltan "$(if $(filter-out none,$(ZOLTAN)),there,missing)"
	@printf '%-10s %s\n' brotli "$(if $(BROTLI_LIBS),there,missing)"
	@printf '%-10s %s\n' page "$(if $(PAGE_FILE),there,missing)"
	@printf '%-10s %s\n' mpi "$(or $(MPI_FLAVOURS),without)"
	@printf '%-10s %s\n' libclang "$$(ls $(LLVM_DIR)/lib/libclang-14.so 2>/dev/null || echo missing)"

DEST     = $(DESTDIR)$(PREFIX)
PROGRAMS = $(notdir $(BINS))
DEST_DOC = $(DEST)/share/doc/mastermind
install: all
	install -d "$(DEST)/bin" "$(DEST)/lib/mastermind" "$(DEST)/libexec/mastermind" "$(DEST)/share/mastermind/scripts" "$(DEST)/share/mastermind/properties" "$(DEST_DOC)/docs/schemas" "$(DEST_DOC)/docs/tutorial" "$(DEST_DOC)/docs/figures"
	install -m 755 $(BINS) "$(DEST)/bin"
	install -m 755 $(LIBEXECS) "$(DEST)/libexec/mastermind"
	install -m 755 $(LIBCCA) $(ANSWERS_SO) $(PRELOAD_LIB) $(PETSC_SO) $(OPENMP_SO) $(MEMORY_SO) $(COHORT_SO) $(PMPI_SO) "$(DEST)/lib"
	install -m 755 $(COMPONENT_SO) $(PROXY_SO) $(EXTRA_SO) "$(DEST)/lib/mastermind"
	for h in $(PUBLIC_HEADERS); do install -D -m 644 $$h "$(DEST)/include/mastermind/$$h" || exit 1; done
	install -m 644 $(SIGNATURES) "$(DEST)/include/mastermind/ports"
	install -m 644 mastermind/preload/mm_region.h mastermind/preload/mm_region.f90 mesh/probe/mm_mesh.h mesh/plugin/mesh_balance_plugin.h mesh/probe/mm_mesh.f90 $(PROBE_FORTRAN:%.f90.o=%.mod) "$(DEST)/include/mastermind"
	install -m 755 $(PROBE_SO).1 "$(DEST)/lib"
	install -m 644 $(PROBE_LIB) "$(DEST)/lib"
	install -m 755 $(READER_SO).1 "$(DEST)/lib"
	ln -sf libmm_reader.so.1 "$(DEST)/lib/libmm_reader.so"
	install -m 644 mastermind/open/mm_reader.h "$(DEST)/include/mastermind"
	install -d "$(DEST)/share/mastermind/python"
	install -m 644 mastermind/open/mastermind_reader.py "$(DEST)/share/mastermind/python"
	ln -sf libmm_mesh.so.1 "$(DEST)/lib/libmm_mesh.so"
	install -d "$(DEST)/lib/pkgconfig"
	sed 's|@PREFIX@|$(PREFIX)|' mesh/probe/mm_mesh.pc.in >$(O)/mm_mesh.pc
	install -m 644 $(O)/mm_mesh.pc "$(DEST)/lib/pkgconfig"
	sed 's|@PREFIX@|$(PREFIX)|' mastermind/open/mm_reader.pc.in >$(O)/mm_reader.pc
	install -m 644 $(O)/mm_reader.pc "$(DEST)/lib/pkgconfig"
	for f in $(EXAMPLES); do install -D -m 644 $$f "$(DEST)/share/mastermind/$$f" || exit 1; done
	for f in $(EXAMPLES_NEED); do install -D -m 644 $$f "$(DEST)/share/mastermind/examples/$$f" || exit 1; done
	install -m 644 $(wildcard scripts/*.rc) "$(DEST)/share/mastermind/scripts"
	install -m 755 scripts/quality.sh scripts/circulation.sh scripts/demo.sh "$(DEST)/share/mastermind/scripts"
	install -m 644 $(wildcard properties/library/*.property) "$(DEST)/share/mastermind/properties"
	[ -z "$(PAGE_FILE)" ] || [ ! -e "$(PAGE_FILE)" ] || install -m 644 "$(PAGE_FILE)" "$(DEST)/share/mastermind"
	install -m 644 README.md LICENSE NEWS "$(DEST_DOC)"
	for p in $(wildcard docs/*.md docs/*/*.md); do install -D -m 644 $$p "$(DEST_DOC)/$$p" || exit 1; done
	install -m 644 $(wildcard docs/schemas/*.json) "$(DEST_DOC)/docs/schemas"
	for n in $$($(O)/bin/mastermind help --schema); do $(O)/bin/mastermind help --schema $$n >"$(DEST_DOC)/docs/schemas/$$n.json" || exit 1; done
	(printf '# Verbs and options\n'; for p in $(PROGRAMS); do $(O)/bin/$$p help --reference || exit 1; done) >"$(DEST_DOC)/docs/reference/verbs.md"
	install -d "$(DEST)/share/man/man1" "$(DEST)/share/bash-completion/completions"
	for p in $(PROGRAMS); do $(O)/bin/$$p help --man >"$(DEST)/share/man/man1/$$p.1" && $(O)/bin/$$p help --completion >"$(DEST)/share/bash-completion/completions/$$p" || exit 1; done
	chmod 644 $(PROGRAMS:%="$(DEST)/share/man/man1/%.1") $(PROGRAMS:%="$(DEST)/share/bash-completion/completions/%")
	chmod 644 "$(DEST_DOC)/docs/schemas/"*.json "$(DEST_DOC)/docs/reference/verbs.md"
	install -m 644 $(wildcard docs/tutorial/*) "$(DEST_DOC)/docs/tutorial"
	install -m 644 $(wildcard docs/figures/*) "$(DEST_DOC)/docs/figures"
# What was installed, and folders that are empty then.
INSTALLED := $(patsubst $(O)/%,%,$(BINS) $(LIBEXECS) $(LIBCCA) $(ANSWERS_SO) $(PRELOAD_LIB) $(PETSC_SO) $(OPENMP_SO) $(MEMORY_SO) $(COHORT_SO) $(PMPI_SO) $(COMPONENT_SO) $(PROXY_SO) $(EXTRA_SO)) \
             $(patsubst $(O)/gen/%,include/mastermind/%,$(SIGNATURES)) $(PUBLIC_HEADERS:%=include/mastermind/%) \
             lib/libmm_reader.so lib/libmm_reader.so.1 lib/pkgconfig/mm_reader.pc include/mastermind/mm_reader.h share/mastermind/python/mastermind_reader.py \
             lib/libmm_mesh.a lib/libmm_mesh.so lib/libmm_mesh.so.1 lib/pkgconfig/mm_mesh.pc \
             include/mastermind/mm_region.h include/mastermind/mm_region.f90 include/mastermind/mm_mesh.h include/mastermind/mesh_balance_plugin.h include/mastermind/mm_mesh.f90 include/mastermind/mm_mesh.mod \
             $(EXAMPLES:%=share/mastermind/%) $(EXAMPLES_NEED:%=share/mastermind/examples/%) \
             $(patsubst %,share/mastermind/%,$(wildcard scripts/*.rc) scripts/quality.sh scripts/circulation.sh scripts/demo.sh) \
             share/mastermind/page.html $(patsubst $(O)/bin/%,share/man/man1/%.1,$(BINS)) $(patsubst $(O)/bin/%,share/bash-completion/completions/%,$(BINS)) \
             $(patsubst properties/library/%,share/mastermind/properties/%,$(wildcard properties/library/*.property)) \
             $(patsubst %,share/doc/mastermind/%,README.md LICENSE NEWS $(wildcard docs/*.md docs/*/*.md docs/tutorial/* docs/figures/*) docs/schemas/*.json docs/reference/verbs.md)
uninstall:
	cd "$(DEST)" && rm -f $(INSTALLED)
	cd "$(DEST)" && for d in lib libexec include share share/doc; do \
	    [ ! -d $$d/mastermind ] || find $$d/mastermind -depth -type d -empty -delete || exit 1; done

# Includes by tests/lib/rooms.tsv, the layout of code by .clang-format, and what .clang-tidy lists in all
# that is compiled without mpi.h.
LINT_SRC := $(sort $(FRAMEWORK_SRC) $(CCAFE_SRC) $(RECORDER_SRC) $(REPOSITORY_SRC) $(LEDGER_SRC) $(ANALYSIS_SRC) $(CMD_SRC) $(MM_COMP_SRC) $(WRITER_SRC) $(PRELOAD_SRC) mastermind/preload/petsc/solve.c \
            $(TAU_SRC) $(PERF_SRC) $(FFI_SRC) $(PROXYGEN_SRC) $(wildcard components/*/*.c components/*/*/*.c) $(ACTIVITY_SRC) $(ACTIVITY_CMD_SRC))
FORMAT_SRC = $(shell find . \( -name build -o -path ./tests/data -o -path ./tests/golden -o -name '.?*' \) -prune \
    -o \( -name '*.c' -o -name '*.h' -o -name '*.cc' \) -print)
lint: $(SIGNATURES)
	@python3 tests/lib/rooms.py
	@python3 tests/lib/unused.py
	@python3 tests/lib/words.py
	@command -v clang-format >/dev/null || { echo "lint: found no clang-format, expected that of Debian's package clang-format" >&2; exit 2; }
	@clang-format --dry-run -Werror $(FORMAT_SRC)
	@command -v clang-tidy >/dev/null || { echo "lint: found no clang-tidy, expected that of Debian's package clang-tidy" >&2; exit 2; }
	@clang-tidy --quiet $(LINT_SRC) -- -std=gnu11 -D_GNU_SOURCE -DCCA_BUILDING_FRAMEWORK -DCCAFE_EDIT -DMEAS_PAPI \
	    -I. -I$(O)/gen -isystem $(LLVM_DIR)/include $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libxml-2.0 2>/dev/null))
golden: all $(O)/tests/parts
	@O=$(abspath $(O)) GOLDEN=1 tests/lib/run.sh $$(grep -lw GOLDEN $(TEST_SH))
clean:
	rm -rf build

-include $(shell find $(O) -name '*.d' 2>/dev/null)
endif
