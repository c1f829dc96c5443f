# make             builds with the server that pg_config names
# make install     installs there; make installcheck runs the regression tests there
# make demo        shows the extension in a private, throw-away server
# make test        runs every test in such a server
# make bench       prints the benchmark's ratios from such a server
MODULE_big = anonopt
EXTENSION = anonopt
DATA = sql/anonopt--1.0.sql
PGFILEDESC = "anonopt - privacy and utility of a table"
OBJS = $(patsubst %.c,%.o,$(wildcard src/*.c))

# in this order; the install script stands beside them, told apart by its name
REGRESS = hierarchies declarations arguments names privileges searching evolving comparing preferences records publishing reading stores
REGRESS_OPTS = --encoding=UTF8

EXTRA_CLEAN = results regression.diffs regression.out tmp_check

.DEFAULT_GOAL := all

# demo, test and bench install what they need, pg_config included
PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq ($(PGXS),)
include $(PGXS)
$(OBJS): $(wildcard src/*.h)
else
all install installcheck:
	@echo "pg_config not found: install postgresql-server-dev-15 (Debian), or set PG_CONFIG" >&2; exit 1
endif

demo:
	test/cluster demo/run
test:
	test/cluster test/run
bench:
	test/cluster bench/run

print-regress:
	@echo $(REGRESS)

.PHONY: demo test bench print-regress
