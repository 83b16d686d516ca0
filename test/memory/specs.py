"""What vLLM itself makes of a list of configurations: parameters of one rank, and
its KV cache in blocks.

Each model is built by vLLM's own code on PyTorch's meta device, which allocates
nothing, as rank 0 of a tensor-parallel group that exists by name alone. Its layers
then say what they keep, and vLLM's own functions group that into blocks.

Reads a JSON list of cases from stdin, writes a JSON list of answers to stdout.
"""

import json
import os
import sys

os.environ.update(
    VLLM_NO_USAGE_STATS="1",
    DO_NOT_TRACK="1",
    HF_HUB_OFFLINE="1",
    VLLM_LOGGING_LEVEL="CRITICAL",
    OMP_NUM_THREADS="1",
)
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # libraries print

import torch  # noqa: E402
import vllm.distributed.parallel_state as parallel  # noqa: E402
import vllm.v1.kv_cache_interface as kv  # noqa: E402
from configs import folder  # noqa: E402
from vllm.config import set_current_vllm_config  # noqa: E402
from vllm.engine.arg_utils import EngineArgs  # noqa: E402
from vllm.model_executor.model_loader.utils import initialize_model  # noqa: E402
from vllm.model_executor.models import registry  # noqa: E402
from vllm.platforms import current_platform  # noqa: E402
from vllm.utils.torch_utils import set_default_torch_dtype  # noqa: E402
from vllm.v1.attention.backends.registry import AttentionBackendEnum  # noqa: E402
from vllm.v1.core import kv_cache_utils  # noqa: E402

# On a CPU with BF16 instructions vLLM keeps the states of all recurrent layers in
# float32, for a kernel of its own; on a GPU it does not.
torch.cpu._is_avx512_bf16_supported = lambda: False

# vLLM looks at each model's class in a process of its own, which takes 15 s each.
registry._run_in_subprocess = lambda look: look()

DTYPES = {"auto": torch.bfloat16, "fp8": torch.uint8, "fp8_per_token_head": torch.uint8, "int8_per_token_head": torch.int8, "fp8_ds_mla": torch.uint8}
# Any model: layers of their own take its place.
TINY = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1,
        "intermediate_size": 64, "vocab_size": 64, "max_position_embeddings": 1 << 20}


class Group:
    """Stands for a process group of n ranks, of which this is the first."""

    def __init__(self, n):
        self.world_size, self.ranks = n, list(range(n))
        self.rank = self.rank_in_group = self.local_rank = 0
        self.is_first_rank = self.is_last_rank = True
        self.device_group = self.cpu_group = self
        self.device, self.device_communicator = torch.device("meta"), None
        self.use_device_communicator, self.mq_broadcaster = False, None
        self.unique_name = f"group of {n}"

    def size(self):
        return self.world_size


def group_ranks(tp):
    for name, n in {"_WORLD": tp, "_TP": tp, "_EP": tp}.items():
        setattr(parallel, name, Group(n))
    for name in ("_PP", "_DP", "_DCP", "_PCP", "_EPLB", "_INNER_DP_WORLD"):
        setattr(parallel, name, Group(1))


def as_on_a_gpu(vllm_config, case):
    """Undoes what the platform of a CPU has chosen otherwise."""
    vllm_config.cache_config.kv_cache_layout = "LBHNC"
    vllm_config.cache_config.block_size = case["block_size"]
    vllm_config.scheduler_config.async_scheduling = case["async"]


def built(case):
    vllm_config = EngineArgs(
        model=folder(case["config"]),
        skip_tokenizer_init=True,
        load_format="dummy",
        enforce_eager=True,
        dtype="bfloat16",
        tensor_parallel_size=case["tp"],
        enable_expert_parallel=case.get("ep", 1) > 1,
        distributed_executor_backend="mp" if case["tp"] > 1 else "uni",
        max_model_len=case["max_model_len"],
        max_num_batched_tokens=case["max_num_batched_tokens"],
        max_num_seqs=case["max_num_seqs"],
        block_size=case["block_size"],
        kv_cache_dtype=case.get("kv", "auto"),
    ).create_engine_config()
    as_on_a_gpu(vllm_config, case)
    group_ranks(case["tp"])
    with set_current_vllm_config(vllm_config):
        with set_default_torch_dtype(torch.bfloat16), torch.device("meta"):
            model = initialize_model(vllm_config, model_config=vllm_config.model_config)
        if vllm_config.model_config.is_hybrid:
            backends = current_platform._find_non_ssm_backends(vllm_config)
            current_platform._align_hybrid_block_size(vllm_config, backends[0])
        layers = vllm_config.compilation_config.static_forward_context
        specs = {
            name: spec
            for name, layer in layers.items()
            if hasattr(layer, "get_kv_cache_spec")
            and (spec := layer.get_kv_cache_spec(vllm_config)) is not None
        }
    (kv_config,) = kv_cache_utils.get_kv_cache_configs(vllm_config, [specs], [case["kv_bytes"]])
    return {
        **counted(vllm_config, kv_config),
        "weights": sum(p.numel() * p.element_size() for p in model.parameters()),
        "kinds": sorted({type(s).__name__ for s in specs.values()}),
    }


def counted(vllm_config, kv_config):
    tokens, concurrency = kv_cache_utils.get_kv_cache_capacity(vllm_config, kv_config)
    return {
        "blocks": kv_config.num_blocks,
        "groups": len(kv_config.kv_cache_groups),
        "block_bytes": kv_cache_utils._pool_bytes_per_block(vllm_config, kv_config.kv_cache_groups),
        "tokens": tokens,
        "concurrency": concurrency,
    }


def bare(case):
    """The same of layers that no model of this machine can be built of, by vLLM's classes."""
    vllm_config = EngineArgs(
        model=folder(TINY),
        skip_tokenizer_init=True,
        load_format="dummy",
        enforce_eager=True,
        max_model_len=case["max_model_len"],
        max_num_batched_tokens=case["max_num_batched_tokens"],
        max_num_seqs=case["max_num_seqs"],
        block_size=case["block_size"],
    ).create_engine_config()
    as_on_a_gpu(vllm_config, case)
    vllm_config.scheduler_config.max_num_encoder_input_tokens = case.get("encoder_tokens", 0)
    specs = {f"layer.{i}": layer_spec(layer, case["block_size"]) for i, layer in enumerate(case["layers"])}
    (kv_config,) = kv_cache_utils.get_kv_cache_configs(vllm_config, [specs], [case["kv_bytes"]])
    return {**counted(vllm_config, kv_config), "kinds": sorted({type(s).__name__ for s in specs.values()})}


def layer_spec(layer, block):
    """One layer's spec; sizes are of one rank."""
    quantised = layer.get("kv", "auto")
    if layer["kind"] == "latent":
        content = {"fp8_ds_mla": 656}.get(quantised)
        return kv.MLAAttentionSpec(
            block_size=block, num_kv_heads=1, head_size=layer["head_dim"], dtype=DTYPES[quantised],
            cache_dtype_str=quantised, state_content_bytes=content, max_tp_shards=1,
        )
    if layer["kind"] == "indexer":
        return kv.MLAAttentionSpec(
            block_size=block, num_kv_heads=1, head_size=layer["head_dim"], dtype=torch.uint8, max_tp_shards=1,
            cache_role=kv.SparseCacheRole.INDEXER,
        )
    common = dict(
        block_size=block, num_kv_heads=layer["kv_heads"], head_size=layer["head_dim"],
        head_size_v=layer.get("value_dim"), dtype=DTYPES[quantised], kv_quant_mode=kv.get_kv_quant_mode(quantised),
    )
    if layer["kind"] == "full":
        spec = kv.FullAttentionSpec(**common)
    elif layer["kind"] == "sliding":
        spec = kv.SlidingWindowSpec(**common, sliding_window=layer["window"])
    elif layer["kind"] == "chunked":
        spec = kv.ChunkedLocalAttentionSpec(**common, attention_chunk_size=layer["window"])
    elif layer["kind"] == "cross":
        spec = kv.CrossAttentionSpec(**common)
    else:
        raise ValueError(f"no such layer: {layer}")
    if not kv.get_kv_quant_mode(quantised).is_per_token_head:
        return spec
    return AttentionBackendEnum.TRITON_ATTN.get_class().customize_spec(spec)


def main():
    out = []
    for case in json.load(sys.stdin):
        try:
            out.append(bare(case) if "layers" in case else built(case))
        except Exception as err:  # the test says which case
            out.append({"error": f"{type(err).__name__}: {str(err)[:600]}"})
    json.dump(out, answers)
    answers.close()


main()
