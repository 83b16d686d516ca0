"""Counts the parameters that transformers builds from config.json files, on the
meta device, so that nothing is downloaded and no memory is taken:

    python count_parameters.py ../configs/*.json > transformers.txt
"""
import json
import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

TOWERS = ("visual", "vision", "multi_modal", "mm_projector", "projector")
# Classes that transformers has under another name.
ALIASES = {"internlm2": "llama", "kimi_k2": "deepseek_v3", "minimax_m1": "minimax"}


def config(path):
    fields = {k: v for k, v in json.load(open(path)).items() if not k.startswith("_")}
    for part in (fields, fields.get("text_config", {})):
        for ignored in ("quantization_config", "rope_scaling"):
            part.pop(ignored, None)
        if part.get("model_type") == "kimi_linear":
            part.pop("head_dim", None)
    if "attn_type_list" in fields:
        kinds = {0: "linear_attention", 1: "full_attention"}
        fields["layer_types"] = [kinds[k] for k in fields.pop("attn_type_list")]
    kind = fields.pop("model_type")
    return AutoConfig.for_model(ALIASES.get(kind, kind), **fields)


def build(cfg):
    for auto in (AutoModelForImageTextToText, AutoModelForCausalLM):
        try:
            with torch.device("meta"):
                model = auto.from_config(cfg)
            model.tie_weights()
            return model
        except ValueError:
            continue
    raise ValueError("transformers has no class for it")


def main():
    print("# Parameters that transformers", transformers.__version__, "builds from the same files, on the meta")
    print("# device: name, all parameters, those of towers and projectors, biases that it")
    print("# keeps as buffers. count_parameters.py writes it.")
    for path in sys.argv[1:]:
        name = os.path.basename(path).removesuffix(".json")
        try:
            model = build(config(path))
        except Exception as e:
            print("#", name, type(e).__name__, str(e)[:80].replace("\n", " "))
            continue
        parameters = list(model.named_parameters())
        total = sum(p.numel() for _, p in parameters)
        towers = sum(p.numel() for n, p in parameters if any(t in n for t in TOWERS))
        buffers = sum(b.numel() for n, b in model.named_buffers() if "bias" in n)
        print(name, total, towers, buffers, flush=True)


main()
