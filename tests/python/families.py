"""Tiny random models of every kind that has a gated MLP, built from configs of transformers: no download."""

from __future__ import annotations

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from transformers import CONFIG_MAPPING, AutoModel  # noqa: E402

# A config takes those of these sizes that it has.
TINY = dict(
    hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8, vocab_size=99, d_model=32,
    d_ff=64, num_layers=2, num_decoder_layers=2, num_heads=4, d_kv=8, encoder_layers=2, decoder_layers=2, pad_token_id=0, bos_token_id=1,
    eos_token_id=2, num_experts=4, n_routed_experts=4, num_local_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
    encoder_num_hidden_layers=2, decoder_num_hidden_layers=2, image_size=32, patch_size=8, max_position_embeddings=128, ffn_dim=64,
    qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=8, q_lora_rank=16, kv_lora_rank=16, mamba_d_ssm=32, mamba_n_heads=4, mamba_d_state=8,
)  # fmt: skip

torch.set_num_threads(1)  # the products are tiny: where other processes run, threads wait for each other longer than they compute

SEPARATE, STACKED = "(gate_proj, up_proj, down_proj)", "stacked gate_up (gate_up_proj, down_proj)"
# model type: (gated MLPs, what the report must say of them, config options)
PATCHED = {
    **{
        name: (2, f"silu {SEPARATE}", {})
        for name in """
            llama qwen2 qwen3 mistral ministral granite olmo olmo2 olmo3 smollm3 cohere cohere2 cwm diffllama ernie4_5 exaone4 helium
            hunyuan_v1_dense doge eurobert seed_oss nomic_bert aria_text afmoe falcon_h1 qwen2_moe llama4_text
        """.split()
    },
    **{name: (2, f"silu {SEPARATE}", {"num_key_value_heads": 4}) for name in ("youtu", "minicpm3", "deepseek_v2")},
    "jamba": (1, f"silu {SEPARATE}", {"attn_layer_period": 2, "attn_layer_offset": 1}),
    "recurrent_gemma": (3, f"gelu_tanh {SEPARATE}", {"num_hidden_layers": 3}),
    **{name: (2, f"gelu_tanh {SEPARATE}", {}) for name in ("gemma", "gemma2", "gemma3_text", "vaultgemma")},
    **{name: (2, f"silu {STACKED}", {}) for name in ("phi3", "glm", "glm4")},
    **{name: (4, "gelu_tanh (wi_0, wi_1, wo)", {"feed_forward_proj": "gated-gelu"}) for name in ("t5", "mt5", "umt5", "longt5")},
    "pixtral": (2, f"gelu_erf {SEPARATE}", {}),
    "modernbert": (2, "gelu_erf stacked gate_up (Wi, Wo)", {}),
    "dinov2": (2, "silu stacked gate_up (weights_in, weights_out)", {"use_swiglu_ffn": True}),
    "dinov2_with_registers": (2, "silu stacked gate_up (weights_in, weights_out)", {"use_swiglu_ffn": True}),
    "dinov3_vit": (2, f"gelu_erf {SEPARATE}", {"use_gated_mlp": True}),
    "lfm2": (2, "silu (w1, w3, w2)", {}),
    "moonshine": (2, "silu stacked up_gate (fc1, fc2)", {}),
    "moshi": (2, "silu stacked gate_up (fc1, fc2)", {}),
}
BIASED = {"llama": {"mlp_bias": True}, "granite": {"mlp_bias": True}, "seed_oss": {"mlp_bias": True}, "modernbert": {"mlp_bias": True}}


def config_of(kind: str, **options):
    make = CONFIG_MAPPING[kind]
    default = make()
    return make(**{**{name: value for name, value in TINY.items() if hasattr(default, name)}, **options})


def build(kind: str, seed: int = 0, **options) -> torch.nn.Module:
    """A tiny model of this type with random weights; biases and norms are random too, zeros would hide a mix-up."""
    torch.manual_seed(seed)
    model = AutoModel.from_config(config_of(kind, **options)).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
            elif parameter.dim() == 2:  # hidden states of size one in every layer, so that activations leave their linear part
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * parameter.shape[1] ** -0.5)
    return model


def example(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Inputs that suit the model: text, an image or a sound."""
    generator = torch.Generator().manual_seed(1)
    name = model.main_input_name
    if name == "pixel_values":
        return {name: torch.randn(2, 3, 32, 32, generator=generator)}
    if name == "input_values":
        values = {name: torch.randn(1, 2000, generator=generator)}
    else:
        values = {name: torch.randint(3, 90, (2, 7), generator=generator)}
    if model.config.is_encoder_decoder:
        values["decoder_input_ids"] = torch.randint(3, 90, (values[name].shape[0], 5), generator=generator)
    return values


def output(model: torch.nn.Module, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    return model(**inputs).last_hidden_state
