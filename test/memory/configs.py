"""Folders with configurations, as vLLM takes for models."""

import json
import os
import tempfile

from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

# What does not change where parameters and caches lie, and needs more fields than
# a configuration written by hand has.
DROPPED = ("rope_scaling", "rope_parameters", "quantization_config")


def plain(config):
    """The configuration without what is dropped, in nested parts too."""
    return {
        k: plain(v) if isinstance(v, dict) else v
        for k, v in config.items()
        if not k.startswith("_") and k not in DROPPED
    }


def folder(config):
    """A folder with the configuration of a model that generates text."""
    config = plain(config)
    if "architectures" not in config:
        name = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES[config["model_type"]]
        config["architectures"] = [name if isinstance(name, str) else name[0]]
    path = tempfile.mkdtemp()
    with open(os.path.join(path, "config.json"), "w") as f:
        json.dump(config, f)
    return path
