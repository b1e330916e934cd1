"""rules_test.py SOURCE CXX: the rules that hold the folders apart.

Each rule is a function that lists its breaches under a root. It must find none in the sources, and it must find
those that are planted in a small tree of its own.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, CXX = sys.argv[1:3]
# A folder may include itself and what stands before it.
LAYERS = ["core", "kernels", "engine", "memory"]
# These include the layers, and never one another; an example is a user's program and sees the SDK alone.
TOPS = ["tools", "examples"]
# Headers for one library of the outside world each, that nothing else includes.
BRIDGES = {"asio.h": "boost/asio"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b", re.MULTILINE)
FOREIGN = re.compile(r"\b(sqlite3\w*|faiss::\w*|nlohmann\b|boost::\w*|asio::\w*|cuda\w+|CU[A-Zdm]\w*|__half\w*)")


def files(root, folder):
    for path, _, names in sorted(os.walk(os.path.join(root, folder))):
        for name in sorted(names):
            if name.endswith((".h", ".cc", ".cu", ".cuh", ".inc")):
                yield os.path.relpath(os.path.join(path, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def code(text):
    """The text without comments; strings that hold // are rare enough in headers."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def sdk_headers(root):
    """name: (layer, path) of each liubai/name."""
    found = {}
    for layer in LAYERS:
        for path in files(root, layer + "/include/liubai"):
            found[os.path.basename(path)] = (layer, path)
    return found


def upward_includes(root):
    headers = sdk_headers(root)
    breaches = []
    for folder in LAYERS + TOPS:
        below = LAYERS[:LAYERS.index(folder) + 1] if folder in LAYERS else LAYERS + [folder]
        for path in files(root, folder):
            for _, name in INCLUDE.findall(read(root, path)):
                first, _, rest = name.partition("/")
                if not rest:
                    continue  # A header of the standard library, <memory> among them.
                if ".." in name.split("/"):
                    breaches.append(f"{path} includes {name}: paths begin at the root")
                elif first == "liubai":
                    if rest not in headers:
                        breaches.append(f"{path} includes {name}, which no layer has")
                    elif headers[rest][0] not in below:
                        breaches.append(f"{path} includes {name} of {headers[rest][0]}")
                elif folder == "examples" and first in LAYERS + TOPS:
                    breaches.append(f"{path} includes {name}, which is no header of the SDK")
                elif first in LAYERS + TOPS + ["tests"] and first not in below:
                    breaches.append(f"{path} includes {name}")
    return breaches


def impure_headers(root):
    breaches = []
    for name, (_, path) in sdk_headers(root).items():
        text = code(read(root, path))
        bridge = BRIDGES.get(name)
        for quote, included in INCLUDE.findall(text):
            # A header of the standard library is one word.
            standard = quote == "<" and re.fullmatch(r"[a-z_]+", included)
            to_bridge = included.startswith("liubai/") and included[len("liubai/"):] in BRIDGES
            sdk = quote == '"' and included.startswith("liubai/") and not to_bridge
            if not (standard or sdk or (bridge and included.startswith(bridge))):
                breaches.append(f"{path} includes {included}")
        if CONDITIONAL.search(text):
            breaches.append(f"{path} has a conditional: {CONDITIONAL.search(text).group().strip()}")
        if not bridge:
            names = FOREIGN.findall(INCLUDE.sub("", text))
            breaches += [f"{path} names {word}" for word in names]
    return breaches


def dependent_headers(root):
    """Each header, included first and twice, must compile; a bridge does so in the test of its library."""
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-"]
    folders = [f"-I{root}/{layer}/include" for layer in LAYERS]
    breaches = []
    for name in sdk_headers(root):
        if name in BRIDGES:
            continue
        text = f'#include "liubai/{name}"\n' * 2
        result = subprocess.run([CXX, *folders, *flags], input=text, capture_output=True, text=True)
        if result.returncode != 0:
            breaches.append(f"liubai/{name} does not compile alone: {result.stderr.strip()}")
    return breaches


class RulesTest(unittest.TestCase):
    def planted(self, rule, tree):
        with tempfile.TemporaryDirectory() as root:
            for path, text in tree.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return rule(root)

    def test_the_tree_is_there(self):
        self.assertGreater(len(sdk_headers(SOURCE)), 5)
        for folder in LAYERS + TOPS:
            self.assertTrue(list(files(SOURCE, folder)), folder)

    def test_includes_point_down(self):
        self.assertEqual(upward_includes(SOURCE), [])

    def test_upward_includes_are_found(self):
        found = self.planted(upward_includes, {
            "core/a.cc": '#include "core/b.h"\n#include "kernels/c.h"\n',
            "engine/d.h": '#  include "memory/e.h"\n// #include "tools/no.h"\n#include "kernels/c.h"\n',
            "engine/f.cu": '#include "liubai/store.h"\n#include "../core/b.h"\n#include "liubai/none.h"\n',
            "memory/include/liubai/store.h": '#include "core/b.h"\n',
            "tools/g.cc": '#include "memory/e.h"\n#include "examples/h.h"\n',
            "examples/h.cc": '#include "liubai/store.h"\n#include "core/b.h"\n',
        })
        self.assertEqual([breach.split(" includes ")[0] for breach in found],
                         ["core/a.cc", "engine/d.h"] + ["engine/f.cu"] * 3 + ["tools/g.cc", "examples/h.cc"], found)

    def test_sdk_headers_are_pure(self):
        self.assertEqual(impure_headers(SOURCE), [])

    def test_impure_headers_are_found(self):
        found = self.planted(impure_headers, {
            "core/include/liubai/good.h": "// sqlite3 and #if are only told of\n#include <span>\n#include \"liubai/x.h\"\n",
            "core/include/liubai/a.h": "#include <sqlite3.h>\n",
            "core/include/liubai/b.h": "class X { sqlite3* db; };\n",
            "core/include/liubai/c.h": "#include \"core/text.h\"\n",
            "core/include/liubai/d.h": "#ifdef NDEBUG\n#endif\n",
            "core/include/liubai/e.h": "void F(cudaStream_t stream);\n",
            "core/include/liubai/f.h": "#include \"liubai/asio.h\"\n",
            "memory/include/liubai/asio.h": "#include <boost/asio/awaitable.hpp>\nboost::asio::awaitable<int> F();\n",
        })
        self.assertEqual(sorted(breach[len("core/include/liubai/"):][0] for breach in found),
                         ["a", "b", "c", "d", "e", "f"], found)

    def test_sdk_headers_compile_alone(self):
        self.assertEqual(dependent_headers(SOURCE), [])

    def test_dependent_headers_are_found(self):
        found = self.planted(dependent_headers, {
            "core/include/liubai/good.h": "#pragma once\n#include <string>\nstruct A { std::string text; };\n",
            "core/include/liubai/bad.h": "#pragma once\nstruct B { std::string text; };\n",
            "core/include/liubai/twice.h": "struct C {};\n",
        })
        self.assertEqual(sorted(breach.split()[0] for breach in found), ["liubai/bad.h", "liubai/twice.h"], found)


unittest.main(argv=sys.argv[:1], verbosity=2)
