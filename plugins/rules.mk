# What the Makefiles of the plugins in C and C++ share: make, make install, make check. Each sets first: id, sources,
# headers, and compile: the compiler, the language and its flags. test.c is its test. A header with the name of the
# plugin's folder is public: installed, and included by applications as <segue/plugins/…>.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
BUILD ?= .build
PKG_CONFIG ?= pkg-config
INSTALL ?= install
SEGUE ?= $$($(PKG_CONFIG) --variable=prefix segue)/bin/segue
CFLAGS ?= -O2 -g
CXXFLAGS ?= $(CFLAGS)

plugins := $(dir $(lastword $(MAKEFILE_LIST)))
public_header = $(wildcard $(notdir $(CURDIR)).h)
warnings = -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
# The headers of this tree: Segue need not be installed, and nothing of it is linked.
uses = -I$(plugins)../include $(CPPFLAGS)
links = -shared -fPIC -fvisibility=hidden -Wl,--version-script=$(plugins)plugin.map -Wl,-z,defs -Wl,-z,now \
  -Wl,-z,relro -Wl,-z,nodelete -Wl,--build-id $(LDFLAGS)
# Where the test finds the plugin, as that of an application's own prefix.
tried = $(abspath $(BUILD))/prefix
folder = lib/segue/plugins

.PHONY: all install check clean

all: $(BUILD)/$(id).so

$(BUILD)/$(id).so: $(sources) $(headers) $(plugins)plugin.map $(plugins)rules.mk Makefile
	@mkdir -p $(BUILD)
	$(compile) $(warnings) $(uses) -o $@ $(sources) $(links)

install: all
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/segue/plugins
	$(INSTALL) -m 755 $(BUILD)/$(id).so $(DESTDIR)$(LIBDIR)/segue/plugins
	$(INSTALL) -m 644 $(id).plugin $(DESTDIR)$(LIBDIR)/segue/plugins
	$(if $(public_header),$(INSTALL) -D -m 644 -t $(DESTDIR)$(PREFIX)/include/segue/plugins $(public_header))

$(BUILD)/check: test.c $(public_header) $(wildcard $(plugins)testing/*) $(plugins)rules.mk
	@mkdir -p $(BUILD)
	$(CC) -std=c99 $(warnings) $(CPPFLAGS) $(CFLAGS) -DPLUGIN_PREFIX='"$(tried)"' test.c $(plugins)testing/hosted.c \
	  -I. -I$(plugins)testing $$($(PKG_CONFIG) --cflags --libs segue) \
	  -Wl,-rpath,$$($(PKG_CONFIG) --variable=libdir segue) -o $@

check: all $(BUILD)/check
	$(INSTALL) -D -m 755 -t $(tried)/$(folder) $(BUILD)/$(id).so
	$(INSTALL) -D -m 644 -t $(tried)/$(folder) $(id).plugin
	$(SEGUE) plugin check $(tried)/$(folder)/$(id).so
	$(BUILD)/check

clean:
	rm -rf $(BUILD)
