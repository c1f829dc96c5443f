# make             builds with the server that pg_config names
# make install     installs there; make installcheck runs the regression tests there
# make demo        shows the extension in a private, throw-away server, and leaves its report in demo/report.html, or in REPORT
# make check       runs the regression tests, and holds the sources to their rules, in such a server
# make test        runs every test in such a server
# make check-long  runs 100,000 odd calls under the checks of undefined behaviour, 2,000 random worlds beside plain SQL, all random cases
#                  of the properties, the engine's fuzzing for ten minutes, the regression tests under valgrind, and many more
#                  searches beside all nodes
# make papers      measures the papers' tables and figures anew, into bench/papers/results and docs/papers.md
# make bench       prints the benchmark's ratios from such a server
# make keep        keeps this version in test/released: the install script, and a dump of an example with its answers
# make dist        makes dist/anonopt-VERSION.zip, as PGXN takes it, of the last commit
# make site        makes dist/site of the documents, with a search and the demo's report
# make deb         makes Debian packages in dist/, one for each PostgreSQL that the machine supports
# make rpm         makes an RPM of the last commit in dist/, for the server that pg_config names; rpmbuild is needed
# make image       lays out dist/image, of which an image for Kubernetes operators is made, for PostgreSQL 18 or later
# make fill        carries to all packages what META.json says of the maintainers, the home and the repository
MODULE_big = anonopt
EXTENSION = anonopt
SQL_VERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" anonopt.control)
DATA_built = sql/anonopt--$(SQL_VERSION).sql
DATA = $(wildcard sql/anonopt--*--*.sql)
PGFILEDESC = "anonopt - privacy and utility of a table"
# src/ has one folder per room; includes are relative to src/
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*/*.c)))
PG_CPPFLAGS = -I$(srcdir)/src

# the install script is the concatenation of these
PARTS = $(patsubst %,sql/parts/%.sql,declare hierarchies reading measuring searching recodings preferences records comparing stores publishing evidence pictures page report comments)

# in this order
REGRESS = hierarchies declarations arguments names privileges searching evolving recodings comparing preferences records publishing living pseudonyms reading stores
REGRESS_OPTS = --encoding=UTF8

EXTRA_CLEAN = results regression.diffs regression.out tmp_check

.DEFAULT_GOAL := all

# these install what they need, including pg_config; PGXS's own check would only fail
PRIVATE = demo check test check-long bench papers keep dist deb rpm image fill site print-regress
PG_CONFIG ?= pg_config
ifneq ($(filter-out $(PRIVATE),$(or $(MAKECMDGOALS),all)),)
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifneq ($(PGXS),)
include $(PGXS)
$(OBJS) $(OBJS:.o=.bc): $(wildcard src/*/*.h)
sql/anonopt--$(SQL_VERSION).sql: $(PARTS)
	cat $^ >$@
else
all install installcheck:
	@echo "pg_config not found: install postgresql-server-dev-15 (Debian), or set PG_CONFIG" >&2; exit 1
endif
else
check:
	test/cluster test/run regress t/00_format.t t/21_rooms.t
endif

# demo/run writes the report to descriptor 9, because a throw-away server's user may not write here
REPORT ?= demo/report.html
demo:
	test/cluster demo/run 9>$(REPORT)
	@echo 'The report is $(REPORT): open it in a browser.'
test:
	test/cluster test/run
check-long:
	SANITIZE=undefined test/cluster test/fuzz/run --calls 100000 --seed $${SEED:-$$(date +%s)}
	test/cluster test/fuzz/worlds --worlds 2000 --seed $${SEED:-$$(date +%s)}
	PGOPTIONS='-c test.thorough=on' test/cluster test/run pgtap
	test/cluster test/fuzz/engine/run 600
	test/cluster test/fuzz/valgrind test/run regress
	ANONOPT_LONG=1 test/cluster test/run pgtap/search_matrix.sql t/02_interrupts.t t/04_limits.t t/06_workers.t t/15_rights.t t/16_faults.t t/17_lasting.t
bench:
	test/cluster bench/run

# Scripts to run, such as PAPERS='poka_metrics'; by default all
papers:
	bench/papers/check
	test/cluster bench/papers/run $(PAPERS) | bench/papers/split
	bench/papers/weave

KEPT = test/released/anonopt--$(SQL_VERSION)
keep:
	@[ ! -e $(KEPT).sql ] || { echo "$(KEPT).sql is there: a released version does not change" >&2; exit 1; }
	test/cluster bash test/released/dump >$(KEPT).dump.new
	mv $(KEPT).dump.new $(KEPT).dump
	cat $(PARTS) >$(KEPT).sql

DIST_VERSION = $(shell sed -n 's/^   "version": "\(.*\)",$$/\1/p' META.json)
DIST = dist/anonopt-$(DIST_VERSION)
# with the install script, which META.json names; both are of the last commit
dist:
	rm -rf $(DIST) $(DIST).zip
	mkdir -p $(DIST)
	git archive HEAD $(PARTS) | tar -x -C $(DIST)
	cd $(DIST) && cat $(PARTS) >anonopt--$(SQL_VERSION).sql
	git archive --format=zip -o $(DIST).zip --prefix=anonopt-$(DIST_VERSION)/sql/ --add-file=$(DIST)/anonopt--$(SQL_VERSION).sql \
		--prefix=anonopt-$(DIST_VERSION)/ HEAD
	rm -r $(DIST)
deb:
	debian/build
rpm:
	PG_CONFIG=$(PG_CONFIG) packaging/rpm/build
image:
	PG_CONFIG=$(PG_CONFIG) packaging/image/build
fill:
	packaging/fill
site:
	docs/site/build

print-regress:
	@echo $(REGRESS)

.PHONY: $(PRIVATE)
