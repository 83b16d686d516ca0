"""Reads what assay report -o inference-perf wrote with inference-perf's code.

read_inference_perf.py FOLDER TTFT_MS: the first stage's mean TTFT must be the
one that Assay measured, the configuration must be one of inference-perf's, and
its validation must find no error in the summary.
"""

import json
import math
import pathlib
import sys

import yaml
from inference_perf.analysis.analyze import _extract_latency_metric
from inference_perf.config import Config
from inference_perf.reportgen.base import ResponsesSummary

folder, want = pathlib.Path(sys.argv[1]), float(sys.argv[2])
stages = sorted(folder.glob("stage_*_lifecycle_metrics.json"))
for path in [*stages, folder / "summary_lifecycle_metrics.json"]:
    ResponsesSummary.model_validate_json(path.read_text())
first = json.loads(stages[0].read_text())
got = _extract_latency_metric(
    first["successes"]["latency"], "time_to_first_token", convert_to_ms=True
)
assert math.isclose(got, want, rel_tol=1e-6)
Config.model_validate(yaml.safe_load((folder / "config.yaml").read_text()))
requests = json.loads((folder / "per_request_lifecycle_metrics.json").read_text())
print(f"inference-perf: {len(stages)} stages, {len(requests)} requests")
