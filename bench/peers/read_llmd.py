"""Reads what assay report -o llm-d wrote with llm-d's own schema, which
inference-perf carries.

read_llmd.py FILE TTFT_MS: the mean TTFT must be the one that Assay measured.
"""

import math
import pathlib
import sys

from inference_perf.reportgen.br.v0_2.schema_v0_2 import BenchmarkReportV02

text, want = pathlib.Path(sys.argv[1]).read_text(), float(sys.argv[2])
report = BenchmarkReportV02.model_validate_json(text)
latency = report.results.request_performance.aggregate.latency
assert math.isclose(latency.time_to_first_token.mean * 1000, want, rel_tol=1e-6)
print(f"llm-d: report {report.version}, {report.run.uid}")
