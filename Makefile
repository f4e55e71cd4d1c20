# Everything that is done with this tree, by name. Each target is a script of its own in scripts/, which can be read and
# run alone; docs/building.md tells more.

PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR

.PHONY: build demo demo-network test bench bench-network lint install uninstall deb tarball dist release-check clean

# The library as Embedded Swift, the daemon, the command line and the plugins.
build:
	scripts/dependencies build
	scripts/build-library
	scripts/build-daemon
	scripts/build-plugins

# Two devices on this machine, and an activity that moves from one to the other.
demo:
	scripts/demo

# Three devices on hosts of a network, which find each other; for root.
demo-network:
	scripts/demo network

# Everything that CI runs, apart from lint.
test:
	scripts/test

# One table: what Segue takes, next to what it stands on, and what is worse than Benchmarks/budget.json has it. JSON=FILE
# writes the rows there too.
bench:
	scripts/bench

# The same between two hosts of their own, next to KDE Connect; for root.
bench-network:
	scripts/bench-network

# Form: Swift, C, shell, Python.
lint:
	scripts/dependencies lint
	scripts/lint

install:
	scripts/install

uninstall:
	scripts/uninstall

# Debian packages of what stands in the tree, in .build-deb; scripts/test-packages tries them in fresh Debian 12 and 13 roots,
# for root.
deb: build
	scripts/dependencies build package
	scripts/deb

# The programs, for another machine without root; and the sources with the packages that they need, for a build
# without a network.
tarball: build
	scripts/tarball

dist:
	scripts/dist

# Whether this tree may become a release.
release-check: build
	scripts/dependencies build package
	scripts/release-check

clean:
	rm -rf .build .build-embedded .build-release .build-install .build-demo .build-bench .build-compare .build-soak .build-plugins .build-test .build-fuzz \
	  .build-packages .build-deb .build-dist .build-roots .build-address .build-thread
