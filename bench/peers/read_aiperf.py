"""Reads what assay report -o aiperf wrote with AIPerf's own models.

read_aiperf.py FOLDER TTFT_MS: the mean TTFT must be the one that Assay measured.
"""

import math
import pathlib
import sys

import aiperf.config  # noqa: F401  the export's model is built with it
from aiperf.common.models.export_models import JsonExportData
from aiperf.common.models.record_models import MetricRecordInfo

folder, want = pathlib.Path(sys.argv[1]), float(sys.argv[2])
JsonExportData.model_rebuild()
export = JsonExportData.model_validate_json(
    (folder / "profile_export_aiperf.json").read_text()
)
lines = [
    MetricRecordInfo.model_validate_json(line)
    for line in (folder / "profile_export.jsonl").read_text().splitlines()
]
values = [
    record.metrics["time_to_first_token"].value
    for record in lines
    if record.error is None
]
assert math.isclose(export.time_to_first_token.avg, want, rel_tol=1e-6)
assert math.isclose(sum(values) / len(values), want, rel_tol=1e-6)
assert len(values) == export.request_count.avg
print(f"aiperf: {len(lines)} requests, {export.input_config.phases[0].type}")
