"""What is embedded beside a unit: packages its file uses, and its signature where it goes on."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from ingestion.chunking import chunk_document, embedded_text
from ingestion.code.units import code_sections
from retrieval.types import Document
from tests.fakes import CharacterCounter


@pytest.mark.parametrize(
    ("path", "code", "imports", "signature"),
    [
        ("a.py",
         "import os, numpy as np, a.b\nfrom x.z import (y,\n w)\nfrom . import k\nimport re\n"
         "def f(n: int) -> 'é':\n  'Ends. Here.'\n",
         "numpy, a, x", "def f(n: int) -> 'é'\nEnds."),
        ("a.go",
         'package a\nimport (\n "fmt"\n x "github.com/a/b"\n)\nfunc (s *S) F(x int) error {\n}\n',
         "a/b", "func (s *S) F(x int) error"),
        ("a.ts",
         'import a, {b} from "@s/c/d";\nimport "./own";\nconst fs = require("fs");\n'
         'const e = require("express");\nexport const f = (x: N) => {\n};\n',
         "@s/c, express", "const f = (x: N) =>"),
        ("a.rs", "use std::io::{self, Read};\npub use serde::De;\npub fn f(x: u8) -> u8 {\n 1\n}\n",
         "serde", "pub fn f(x: u8) -> u8"),
        ("a.h", '#ifndef A\n#include <stdio.h>\n#include <curl/curl.h>\n#include "own.h"\n'
         "int f(int x) {\n}\n#endif\n", "curl", "int f(int x)"),
        ("A.java", "import java.util.List;\nimport org.a.b.C;\nclass K {\n int f() {}\n}\n",
         "org.a.b", "class K"),
        ("a.cs", "using System.Text;\nusing Dapper;\nclass K {\n int F() {}\n}\n",
         "Dapper", "class K"),
        ("a.rb", 'require "rack/x"\nrequire_relative "own"\ndef f(x)\n x\nend\n', "rack",
         "def f(x)"),
        ("a.php", "<?php\nuse B\\C\\D;\nfunction f($x) {\n}\n", "B\\C", "function f($x)"),
    ],
)  # fmt: skip
def test_a_unit_knows_the_packages_that_its_file_uses_and_how_it_begins(
    path: str, code: str, imports: str, signature: str
) -> None:
    head, unit, *_ = code_sections(code, path)
    assert (head.context, head.continued) == ("", "")
    assert (unit.context, unit.continued) == (imports, signature)
    assert head.text + "".join(s.text for s in code_sections(code, path)[1:]) == code


def test_every_piece_of_a_long_function_says_what_it_is_part_of() -> None:
    body = "".join(f"    step_{number} = run({number})\n" for number in range(90))
    code = f'import gauge\n\n\ndef calibrate(pin):\n    """Sets the zero."""\n{body}'
    document = Document(
        "s:a.py", "s", "a.py", None, "a.py", "", "code", code_sections(code, "a.py")
    )
    _, *chunks = chunk_document(document, CharacterCounter(), 100, 10)
    assert len(chunks) > 3
    assert chunks[0].context == "gauge"
    assert {chunk.context for chunk in chunks[1:]} == {"gauge\ndef calibrate(pin)\nSets the zero."}
    last = chunks[-1]
    embedded = embedded_text("a.py", last.headings, last.text, last.context)
    assert embedded.startswith("a.py\ncalibrate\ngauge\ndef calibrate(pin)\nSets the zero.\n\n")
    lines = code.split("\n")
    for chunk in chunks:
        assert chunk.start_line is not None
        assert chunk.text == "\n".join(lines[chunk.start_line - 1 : chunk.end_line])


def test_what_follows_the_methods_of_a_class_says_whose_it_is() -> None:
    code = "class Gauge(Base):\n    a = 1\n\n    def read(self):\n        x = 1\n" + "\n" * 20
    sections = code_sections(code + "    last = 2\n", "a.py")
    assert [section.headings for section in sections] == [("Gauge",), ("Gauge", "read"), ("Gauge",)]
    assert sections[2].context == "class Gauge(Base)"


def test_a_list_of_imports_without_end_is_cut() -> None:
    code = "".join(f"import package_{number}\n" for number in range(100)) + "def f():\n    pass\n"
    context = code_sections(code, "a.py")[-1].context
    assert len(context) <= 200
    assert context.startswith("package_0, package_1, ")
    assert context.rsplit(", ", 1)[1].startswith("package_")


def test_of_a_link_to_a_commit_the_path_alone_is_embedded() -> None:
    links = [
        f"[x](https://h/{owner}/r/blob/{digit * 40}/d/x.md#L1)"
        for owner, digit in (("ada", "a"), ("ada", "b"), ("fork", "0"))
    ]
    assert {embedded_text("T", (), link) for link in links} == {"T\n\n[x](d/x.md#L1)"}
    assert "a" * 40 in embedded_text("T", (), f"The commit {'a' * 40} fixed it.")


def test_without_the_extra_code_is_cut_by_its_lines_and_none_is_lost() -> None:
    script = dedent(
        """
        import sys
        sys.modules["tree_sitter"] = None
        from ingestion.chunking import chunk_document
        from ingestion.code.units import code_sections
        from retrieval.types import Document
        from tests.fakes import CharacterCounter
        functions = [f"def f{n}(a):\\n    return {n}\\n\\n" for n in range(40)]
        code = "import os\\n\\n" + "".join(functions)
        sections = code_sections(code, "a.py")
        assert [section.text for section in sections] == [code]
        document = Document("s:a.py", "s", "a.py", None, "a.py", "", "code", sections)
        lines = code.split("\\n")
        seen = set()
        for chunk in chunk_document(document, CharacterCounter(), 60, 10):
            assert chunk.text == "\\n".join(lines[chunk.start_line - 1 : chunk.end_line])
            seen |= set(range(chunk.start_line, chunk.end_line + 1))
        assert {n for n, line in enumerate(lines, 1) if line} <= seen
        print(len(seen))
        """
    )
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) > 80
