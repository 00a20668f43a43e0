"""Parses generated files with the grammar of their language. Usage: check.py csharp|dart|swift FOLDER…"""

import importlib
import pathlib
import sys

from tree_sitter import Language, Node, Parser

GRAMMARS = {"csharp": "tree_sitter_c_sharp", "dart": "tree_sitter_dart", "swift": "tree_sitter_swift"}
ENDINGS = {"csharp": "cs", "dart": "dart", "swift": "swift"}


def find_errors(node: Node) -> list[Node]:
    """Yields the innermost nodes that do not parse."""
    if not node.has_error:
        return []
    inner = [error for child in node.children for error in find_errors(child)]
    return inner or [node]


language, *folders = sys.argv[1:]
parser = Parser(Language(importlib.import_module(GRAMMARS[language]).language()))
files = [file for folder in folders for file in sorted(pathlib.Path(folder).rglob(f"*.{ENDINGS[language]}"))]
problems = [
    f"{file}:{node.start_point[0] + 1}: {(node.text or b'').decode()[:200]!r}"
    for file in files
    for node in find_errors(parser.parse(file.read_bytes()).root_node)
]
print("\n".join(problems[:50]))
print(f"{len(files)} files, {len(problems)} places that do not parse")
sys.exit(1 if problems or not files else 0)
