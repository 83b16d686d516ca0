#!/usr/bin/env python3
"""Copies a result file of another tool for the tests: trim.py FROM TO.

What is cut: prompts, answers, raw chunks and GuideLLM's metrics by modality,
none of which Assay reads, and the paths and the platform of the machine.
Everything else is as the tool wrote it.
"""

import json
import pathlib
import re
import sys

DROPPED = {"response_chunks", "image", "video", "audio", "tool_call"}
TEXTS = {"request", "response", "request_args", "output", "generated_texts"}


def cut(value, key=""):
    if isinstance(value, dict):
        return {k: cut(v, k) for k, v in value.items() if k not in DROPPED}
    if isinstance(value, list):
        return [cut(v, key) for v in value]
    if isinstance(value, str):
        if key in TEXTS:
            return ""
        value = re.sub(r"/tmp/[\w./,-]*/([\w.,-]+)", r"\1", value)
        if key == "platform":
            value = "Linux"
    return value


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    target.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text()
    if source.suffix == ".jsonl":
        lines = [json.dumps(cut(json.loads(line))) for line in text.splitlines() if line]
        target.write_text("\n".join(lines) + "\n")
    elif source.suffix == ".json":
        target.write_text(json.dumps(cut(json.loads(text))) + "\n")
    else:
        target.write_text(re.sub(r"/tmp/[\w./,-]*/([\w.,-]+)", r"\1", text))


main()
