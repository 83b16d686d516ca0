"""Reads what assay report -o guidellm wrote with GuideLLM's own loader.

read_guidellm.py FILE TTFT_MS: the first level's mean TTFT must be the one that
Assay measured, and GuideLLM's own formulas must give its aggregates.
"""

import math
import sys

from guidellm.benchmark.schemas import GenerativeBenchmarksReport

report = GenerativeBenchmarksReport.load_file(sys.argv[1])
want = float(sys.argv[2])
first = report.benchmarks[0]
assert math.isclose(
    first.metrics.time_to_first_token_ms.successful.mean, want, rel_tol=1e-6
)
for benchmark in report.benchmarks:
    requests, metrics = benchmark.requests.successful, benchmark.metrics
    for values, summary in (
        (
            [(r.time_to_first_token_ms, 1) for r in requests],
            metrics.time_to_first_token_ms,
        ),
        (
            [(r.time_per_output_token_ms, r.output_tokens) for r in requests],
            metrics.time_per_output_token_ms,
        ),
        (
            [(r.inter_token_latency_ms, r.output_tokens - 1) for r in requests],
            metrics.inter_token_latency_ms,
        ),
        ([(r.request_latency, 1) for r in requests], metrics.request_latency),
    ):
        weight = sum(w for _, w in values)
        mean = sum(v * w for v, w in values) / weight
        assert math.isclose(mean, summary.successful.mean, rel_tol=1e-4)
print(f"guidellm: {[str(b.config.strategy) for b in report.benchmarks]}")
