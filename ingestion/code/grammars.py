"""Which grammar reads a file, and which of its nodes are functions, classes and what holds them?

The grammars are the tree-sitter project's own wheels, which hold compiled parsers: nothing is
downloaded when one is used. They are in the extra `code`; without it `grammar_of` knows none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Grammar:
    """Node types of one language.

    Attributes:
        module: Package that holds the parser.
        functions: Units that are not looked into.
        classes: Units whose own functions are units.
        passed: Nodes that are looked through: bodies, wrappers, conditions.
        language: Name of the function of `module` that gives the parser's language.
    """

    module: str
    functions: frozenset[str]
    classes: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()
    language: str = "language"


_C = Grammar(
    "tree_sitter_c",
    _words("function_definition struct_specifier union_specifier enum_specifier"),
    passed=_words(
        "translation_unit preproc_ifdef preproc_if preproc_else preproc_elif "
        "linkage_specification declaration_list declaration type_definition"
    ),
)
_CPP = Grammar(
    "tree_sitter_cpp",
    _words("function_definition union_specifier enum_specifier concept_definition"),
    _words("class_specifier struct_specifier namespace_definition"),
    _C.passed | _words("template_declaration field_declaration_list"),
)
_SCRIPT_FUNCTIONS = _words(
    """function_declaration generator_function_declaration method_definition lexical_declaration
    variable_declaration expression_statement field_definition"""
)
_JAVASCRIPT = Grammar(
    "tree_sitter_javascript",
    _SCRIPT_FUNCTIONS,
    _words("class_declaration class"),
    _words("program export_statement class_body"),
)
_TYPESCRIPT = Grammar(
    "tree_sitter_typescript",
    _SCRIPT_FUNCTIONS
    | _words(
        """interface_declaration enum_declaration type_alias_declaration function_signature
        public_field_definition abstract_method_signature"""
    ),
    _words("class_declaration abstract_class_declaration class internal_module module"),
    _JAVASCRIPT.passed | _words("statement_block ambient_declaration"),
    "language_typescript",
)
GRAMMARS: Mapping[str, Grammar] = {
    "python": Grammar(
        "tree_sitter_python",
        _words("function_definition"),
        _words("class_definition"),
        _words(
            """module decorated_definition block if_statement else_clause elif_clause try_statement
            except_clause finally_clause with_statement"""
        ),
    ),
    "go": Grammar(
        "tree_sitter_go",
        _words("function_declaration method_declaration type_declaration"),
        passed=_words("source_file"),
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": Grammar(
        _TYPESCRIPT.module,
        _TYPESCRIPT.functions,
        _TYPESCRIPT.classes,
        _TYPESCRIPT.passed,
        "language_tsx",
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        _words(
            """function_item struct_item enum_item union_item type_item macro_definition
            function_signature_item"""
        ),
        _words("impl_item trait_item mod_item"),
        _words("source_file declaration_list"),
    ),
    "java": Grammar(
        "tree_sitter_java",
        _words("method_declaration constructor_declaration compact_constructor_declaration"),
        _words(
            """class_declaration interface_declaration enum_declaration record_declaration
            annotation_type_declaration"""
        ),
        _words("program class_body interface_body enum_body enum_body_declarations"),
    ),
    "c": _C,
    "cpp": _CPP,
    "c-sharp": Grammar(
        "tree_sitter_c_sharp",
        _words(
            """method_declaration constructor_declaration destructor_declaration
            operator_declaration property_declaration indexer_declaration enum_declaration
            delegate_declaration"""
        ),
        _words(
            """class_declaration struct_declaration record_declaration interface_declaration
            namespace_declaration"""
        ),
        _words("compilation_unit declaration_list file_scoped_namespace_declaration"),
    ),
    "ruby": Grammar(
        "tree_sitter_ruby",
        _words("method singleton_method"),
        _words("class module"),
        _words("program body_statement singleton_class"),
    ),
    "php": Grammar(
        "tree_sitter_php",
        _words("function_definition method_declaration"),
        _words(
            """class_declaration interface_declaration trait_declaration enum_declaration
            namespace_definition"""
        ),
        _words("program declaration_list enum_declaration_list compound_statement if_statement"),
        "language_php",
    ),
    "bash": Grammar(
        "tree_sitter_bash", _words("function_definition"), passed=_words("program if_statement")
    ),
}
_SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys(("py", "pyi", "pyw"), "python"),
    "go": "go",
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
    "rs": "rust",
    "java": "java",
    "c": "c",
    **dict.fromkeys(("h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl", "ino"), "cpp"),
    "cs": "c-sharp",
    **dict.fromkeys(("rb", "rake", "gemspec", "ru"), "ruby"),
    **dict.fromkeys(("php", "phtml"), "php"),
    **dict.fromkeys(("sh", "bash", "ksh", "bats"), "bash"),
}
_NAMES: Mapping[str, str] = {"rakefile": "ruby", "gemfile": "ruby", "vagrantfile": "ruby"}
_SHEBANG = re.compile(r"#!.*?\b(python|node|ruby|php|bash|sh|ksh|dash)[\d.]*(?:\s|$)")
_PROGRAMS: Mapping[str, str] = {
    "node": "javascript",
    **dict.fromkeys(("sh", "ksh", "dash"), "bash"),
}


@dataclass(frozen=True, slots=True)
class LoadedGrammar:
    """A grammar with its parser, which is not to be shared between threads."""

    grammar: Grammar
    parser: "Parser" = field(repr=False)


def grammar_of(path: str, first_line: str) -> LoadedGrammar | None:
    """The grammar by the file's name or its `#!` line; None for a language that is not known."""
    name = path.lower().rsplit("/", 1)[-1]
    language = _SUFFIXES.get(name.rpartition(".")[2]) if "." in name else _NAMES.get(name)
    if language is None and (shebang := _SHEBANG.match(first_line)):
        language = _PROGRAMS.get(shebang[1], shebang[1])
    return _loaded(language) if language else None


def is_installed(language: str) -> bool:
    """Whether the parser of a language of `GRAMMARS` can be loaded."""
    return find_spec("tree_sitter") is not None and find_spec(GRAMMARS[language].module) is not None


@cache
def _loaded(language: str) -> LoadedGrammar | None:
    grammar = GRAMMARS[language]
    if not is_installed(language):
        return None
    from tree_sitter import Language, Parser

    capsule = getattr(import_module(grammar.module), grammar.language)()
    return LoadedGrammar(grammar, Parser(Language(capsule)))
