"""Starts vLLM's engine on the CPU for each of a list of configurations, one after
the other in this process: dummy weights, KV cache, scheduler and one step.

Reads a JSON list of cases from stdin, writes a JSON list of answers to stdout: what
the engine logged of its KV cache, and the bytes of the parameters as it loaded them.
"""

import json
import logging
import os
import re
import sys
import time
import traceback

os.environ.update(
    VLLM_NO_USAGE_STATS="1",
    DO_NOT_TRACK="1",
    HF_HUB_OFFLINE="1",
    VLLM_ENABLE_V1_MULTIPROCESSING="0",
    OMP_NUM_THREADS="1",
)
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # libraries print

from configs import folder  # noqa: E402
from vllm.distributed.parallel_state import cleanup_dist_env_and_memory  # noqa: E402
from vllm.engine.arg_utils import EngineArgs  # noqa: E402
from vllm.logger import _print_info_once  # noqa: E402
from vllm.model_executor.model_loader import dummy_loader, register_model_loader  # noqa: E402
from vllm.model_executor.models import registry  # noqa: E402
from vllm.v1.engine.core import EngineCore  # noqa: E402
from vllm.v1.executor.abstract import Executor  # noqa: E402

# vLLM looks at each model's class in a process of its own, which takes 15 s each.
registry._run_in_subprocess = lambda look: look()

SIZE = re.compile(r"KV cache size: ([\d,]+) tokens")
CONCURRENCY = re.compile(r"Maximum concurrency for [\d,]+ tokens per request: ([\d.]+)x")


class Lines(logging.Handler):
    """Keeps what vLLM logs."""

    def __init__(self):
        super().__init__()
        self.text = []

    def emit(self, record):
        self.text.append(record.getMessage())

    def number(self, pattern):
        found = [m[1] for line in self.text if (m := pattern.search(line))]
        return float(found[-1].replace(",", "")) if found else None


@register_model_loader("dummy")
class Loaded(dummy_loader.DummyModelLoader):
    """Counts the parameters before kernels for the CPU pack them anew."""

    bytes = 0

    def load_weights(self, model, model_config):
        super().load_weights(model, model_config)
        Loaded.bytes = sum(p.numel() * p.element_size() for p in model.parameters())


def started(case):
    lines, logger = Lines(), logging.getLogger("vllm")
    _print_info_once.cache_clear()  # else a size that was logged before is not again
    model = case["config"]
    core = None
    try:
        config = EngineArgs(
            model=folder(model),
            skip_tokenizer_init=True,
            load_format="dummy",
            enforce_eager=True,
            dtype="bfloat16",
            distributed_executor_backend="uni",
            limit_mm_per_prompt={"image": 0, "video": 0} if "vision_config" in model else {},
            max_model_len=case["max_model_len"],
            max_num_batched_tokens=case["max_num_batched_tokens"],
            max_num_seqs=case["max_num_seqs"],
            block_size=case["block_size"],
            kv_cache_memory_bytes=case["kv_bytes"],
            mamba_ssm_cache_dtype="float32",  # all that every CPU takes
            attention_backend="CPU_MLA" if "kv_lora_rank" in model else None,  # also where the CPU has AMX
        ).create_engine_config()
        logger.addHandler(lines)  # only now is logging set up
        core = EngineCore(config, Executor.get_class(config), log_stats=False)
        core.execute_dummy_batch()
        return {
            "weights": Loaded.bytes,
            "tokens": int(lines.number(SIZE)),
            "concurrency": lines.number(CONCURRENCY),
            "blocks": config.cache_config.num_gpu_blocks,
            "block_size": config.cache_config.block_size,
        }
    finally:
        logger.removeHandler(lines)
        if core is not None:
            core.shutdown()
        cleanup_dist_env_and_memory()


def main():
    out = []
    for case in json.load(sys.stdin):
        begin = time.monotonic()
        try:
            answer = started(case)
        except Exception as err:  # the test says which case
            at = traceback.extract_tb(err.__traceback__)[-1]
            answer = {"error": f"{type(err).__name__} in {at.name}: {str(err)[:600]}"}
        out.append({**answer, "seconds": round(time.monotonic() - begin, 1)})
    json.dump(out, answers)
    answers.close()


main()
