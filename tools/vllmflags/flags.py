"""Writes which flags and environment variables vLLM's server has, by version.

    python3 flags.py FOLDER > ../../internal/practice/vllm_names.tsv

FOLDER holds one folder a version, named as the version, with the contents of that
version's package (of the wheel, the vllm folder is enough). Nothing of it is run: the
names are read in the sources that make the parser, and in envs.py.

One line a name: name, first version that has it, first later version that lacks it
(empty: the newest has it). Versions are those that were read, so a name's first version
may be an earlier one in between; the head says which were read.
"""
import ast
import pathlib
import sys

PARSERS = ["engine/arg_utils.py", "entrypoints/cli/serve.py"] + [
    f"entrypoints/{d}/cli_args.py" for d in ("openai", "launchers", "common")
]


def key(version):
    return tuple(int(x) for x in version.split("."))


def flags(root):
    found = set()
    for name in PARSERS:
        path = root / name
        if not path.exists():
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
                found |= {a.value for a in node.args if isinstance(a, ast.Constant) and str(a.value).startswith("-")}
            if isinstance(node, ast.ClassDef) and node.name.endswith("FrontendArgs"):
                found |= {
                    "--" + f.target.id.replace("_", "-")
                    for f in node.body
                    if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name) and not f.target.id.startswith("_")
                }
    return {f.replace("_", "-") for f in found}


def variables(root):
    found = set()
    for node in ast.walk(ast.parse((root / "envs.py").read_text())):
        target = getattr(node, "target", None) or (getattr(node, "targets", None) or [None])[0]
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and getattr(target, "id", "") == "environment_variables":
            found |= {k.value for k in node.value.keys if isinstance(k, ast.Constant)}
    return {v for v in found if v.startswith("VLLM_")}


def main():
    roots = sorted((p for p in pathlib.Path(sys.argv[1]).iterdir() if (p / "vllm").is_dir()), key=lambda p: key(p.name))
    names = {p.name: flags(p / "vllm") | variables(p / "vllm") for p in roots}
    versions = [p.name for p in roots]
    print("# versions\t" + " ".join(versions))
    for name in sorted(set.union(*names.values())):
        have = [name in names[v] for v in versions]
        spans, start = [], None
        for v, h in zip(versions + [""], have + [False]):
            if h and start is None:
                start = v
            if not h and start is not None:
                spans.append((start, v))
                start = None
        for since, until in spans:
            print(f"{name}\t{since}\t{until}")


main()
