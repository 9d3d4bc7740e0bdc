"""Code files cut at their units, in each language."""

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.code.grammars import GRAMMARS
from ingestion.code.units import WHOLE_CLASS_LINES, code_sections

_FILLER = "\n" * (WHOLE_CLASS_LINES + 2)

PYTHON = '''\
"""Reads a gauge."""
import os

LIMIT = 3


# Reads once.
@cached
def read(pin):
    """Value of a pin."""
    def inner():
        return pin
    return inner()


class Gauge:
    """A gauge."""

    unit = "mm"

    def __init__(self, pin):
        self.pin = pin

    @property
    def value(self):
        return read(self.pin)
%s
    last = 1

if LIMIT:
    async def later():
        return 1
'''
GO = """\
package gauge

import "fmt"

// Server serves.
type Server struct {
	name string
}

// Handle handles.
func (s *Server) Handle(x int) error {
	return nil
}

func Free[T any](x T) {}
"""
TYPESCRIPT = """\
import { a } from "./a";

export interface Shape {
  area(): number;
}

/** Adds. */
export const add = (x: number, y: number) => {
  return x + y;
};

export default class Store extends Base {
  private x = 1;

  get = async () => {
    return this.x;
  };

  put(x: number): void {
    this.x = x;
  }
%s
}

exports.old = function () {
  return 1;
};
"""
RUST = """\
use std::io;

/// A pump.
#[derive(Debug)]
pub struct Pump {
    pin: u8,
}

impl Display for Pump {
    fn fmt(&self) -> u8 {
        1
    }
%s
}

pub fn start() {}
"""
JAVA = """\
package a;

public class Gauge {
    private int pin;

    /** Reads. */
    @Override
    public int read() {
        return pin;
    }

    Gauge(int pin) { this.pin = pin; }
%s
}
"""
CPP = """\
#include "gauge.h"

namespace tide {

static const struct option table[] = {{"a", 1}};

template <typename T>
T twice(T x) {
  return x + x;
}

int Gauge::read(int pin) const {
  return pin;
}

class Buoy {
 public:
  int level() { return 1; }
%s
};

}  // namespace tide
"""
C = """\
#include <stdio.h>

typedef struct pump {
  int pin;
} pump_t;

#ifdef FAST
static int *fast(int a)
{
  return 0;
}
#endif
"""
CSHARP = """\
using System;
namespace Tide;

public class Gauge
{
    /// <summary>Reads.</summary>
    [Pure]
    public int Read() => 1;

    public int Level { get; set; }
%s
}
"""
RUBY = """\
require "json"

module Tide
  class Gauge
    # Reads.
    def read
      1
    end

    def self.open
      2
    end
%s
  end
end
"""
PHP = """\
<?php
namespace Tide;

function free() {
  return 1;
}

class Gauge {
  public function read(): int {
    return 1;
  }
%s
}
"""
BASH = """\
#!/bin/bash
set -e

# Deploys.
deploy() {
  echo hi
}

deploy "$@"
"""
SAMPLES = [
    ("a.py", PYTHON, {"read": ("# Reads once.", "return inner()"),
                      "Gauge/__init__": ("def __init__(self, pin):", "self.pin = pin"),
                      "Gauge/value": ("@property", "return read(self.pin)"),
                      "later": ("async def later():", "return 1")}),
    ("a.go", GO, {"Server": ("// Server serves.", "name string"),
                  "Server/Handle": ("// Handle handles.", "return nil"),
                  "Free": ("func Free[T any](x T) {}", "func Free[T any](x T) {}")}),
    ("a.ts", TYPESCRIPT, {"Shape": ("export interface Shape {", "area(): number;"),
                          "add": ("/** Adds. */", "return x + y;"),
                          "Store/get": ("get = async () => {", "return this.x;"),
                          "Store/put": ("put(x: number): void {", "this.x = x;"),
                          "exports.old": ("exports.old = function () {", "return 1;")}),
    ("a.rs", RUST, {"Pump": ("/// A pump.", "pin: u8,"),
                    "Display for Pump/fmt": ("fn fmt(&self) -> u8 {", "1"),
                    "start": ("pub fn start() {}", "pub fn start() {}")}),
    ("A.java", JAVA, {"Gauge/read": ("/** Reads. */", "return pin;"),
                      "Gauge/Gauge": ("Gauge(int pin) { this.pin = pin; }",) * 2}),
    ("a.cpp", CPP, {"tide/twice": ("template <typename T>", "return x + x;"),
                    "tide/Gauge::read": ("int Gauge::read(int pin) const {", "return pin;"),
                    "tide/Buoy/level": ("int level() { return 1; }",) * 2}),
    ("a.c", C, {"pump": ("typedef struct pump {", "} pump_t;"),
                "fast": ("static int *fast(int a)", "return 0;")}),
    ("A.cs", CSHARP, {"Gauge/Read": ("/// <summary>Reads.</summary>", "public int Read() => 1;"),
                      "Gauge/Level": ("public int Level { get; set; }",) * 2}),
    ("a.rb", RUBY, {"Tide/Gauge/read": ("# Reads.", "end"),
                    "Tide/Gauge/open": ("def self.open", "end")}),
    ("a.php", PHP, {"free": ("function free() {", "return 1;"),
                    "Gauge/read": ("public function read(): int {", "return 1;")}),
    ("deploy", BASH, {"deploy": ("# Deploys.", "echo hi")}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "sample", "expected"), SAMPLES, ids=lambda value: str(value)[:9])
def test_units_have_their_names_and_lines(
    path: str, sample: str, expected: dict[str, tuple[str, str]]
) -> None:
    text = sample.replace("%s", _FILLER)
    lines = text.split("\n")
    found: dict[str, tuple[str, str]] = {}
    for section in code_sections(text, path):
        own = section.text.removesuffix("\n").split("\n")
        first = section.start_line
        assert first is not None
        assert lines[first - 1 : first - 1 + len(own)] == own
        written = [line.strip() for line in own if any(map(str.isalnum, line))]
        found.setdefault("/".join(section.headings), (own[0].strip(), written[-1]))
    assert {name: found.get(name) for name in expected} == expected


def test_a_short_class_is_one_unit() -> None:
    text = dedent(
        """\
        import os

        class Pin:
            def on(self):
                return 1

            def off(self):
                return 0
        """
    )
    assert [section.headings for section in code_sections(text, "a.py")] == [(), ("Pin",)]


@pytest.mark.parametrize("path", ["a.xyz", "Makefile", "a.css", "noextension"])
def test_an_unknown_language_is_one_section(path: str) -> None:
    (section,) = code_sections("all:\n\tdef x\n", path)
    assert (section.text, section.start_line, section.headings) == ("all:\n\tdef x\n", 1, ())


def test_broken_code_loses_no_line() -> None:
    text = "def ok():\n    return 1\n\nclass (((\n  def bad(:\n}}}\n\ndef also():\n    pass\n"
    assert "".join(section.text for section in code_sections(text, "a.py")) == text


def test_deep_nesting_is_no_error() -> None:
    text = "\n".join(["namespace a {"] * 3000 + ["}"] * 3000)
    assert "".join(section.text for section in code_sections(text, "a.cpp")) == text


_WORDS = [
    "def f():", "class A:", "function g() {", "}", "{", "    return 1", "", "# x", "// é",
    "fn h() {}", "end", "impl A {", "if x {", "\t", "'''", "/*", "*/", "struct B {",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(_WORDS), max_size=60),
    st.sampled_from(
        ["py", "go", "js", "ts", "tsx", "rs", "java", "c", "cpp", "cs", "rb", "php", "sh"]
    ),
    st.booleans(),
)
def test_every_line_is_in_exactly_one_section(
    words: list[str], suffix: str, ends_with_newline: bool
) -> None:
    text = "\n".join(words) + ("\n" if ends_with_newline else "")
    sections = code_sections(text, f"a.{suffix}")
    assert "".join(section.text for section in sections) == text
    line = 1
    for section in sections:
        assert section.start_line == line
        line += section.text.count("\n")


def test_every_grammar_is_installed_for_the_tests() -> None:
    from importlib.util import find_spec

    assert all(find_spec(grammar.module) for grammar in GRAMMARS.values())
