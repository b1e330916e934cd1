"""ONNX Runtime's side of tools/bench_peers.sh: all-MiniLM-L6-v2 in float32.

  bench_peers_ort.py make MODEL_FOLDER OUT.onnx    the graph, from model.safetensors
  bench_peers_ort.py check OUT.onnx MODEL_FOLDER GOLDEN.json
                                                   its least cosine to the golden vectors
  bench_peers_ort.py time OUT.onnx MODEL_FOLDER TEXTS [THREADS]
                                                   texts a second, for texts one a line

Each prints one JSON object. The graph is written in the fused operators into which ONNX Runtime's own
optimizer turns a BERT (EmbedLayerNormalization, Attention, SkipLayerNormalization, BiasGelu), with the
mean over tokens in the graph: the peer at its best. The time includes its tokenizer, as ours does;
texts are sorted by length, and the batch size is that of four
which is the fastest on the first 256 texts.
"""

import json
import os
import sys
import time

import numpy as np

HEADS = 12
EPSILON = 1e-12
MAX_TOKENS = 256
BATCHES = (8, 16, 32, 64)


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], np.float32).reshape(entry["shape"])
    return tensors


def make(folder, target):
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = read_safetensors(os.path.join(folder, "model.safetensors"))
    layers = 1 + max(int(n.split(".")[2]) for n in weights if n.startswith("encoder.layer."))
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    nodes, initializers = [], []

    def constant(name, value):
        initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(op, inputs, outputs, microsoft=True, **attributes):
        domain = "com.microsoft" if microsoft else ""
        nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    embedding = [
        constant(n, weights[f"embeddings.{n}"])
        for n in (
            "word_embeddings.weight",
            "position_embeddings.weight",
            "token_type_embeddings.weight",
            "LayerNorm.weight",
            "LayerNorm.bias",
        )
    ]
    x = node(
        "EmbedLayerNormalization",
        ["ids", "types", *embedding, "mask"],
        ["x", "mask_index"],
        epsilon=EPSILON,
    )
    for i in range(layers):
        p = f"encoder.layer.{i}."

        def dense(name, x, out):  # Without its bias, which the next operator adds.
            w = constant(f"{p}{name}.w", weights[f"{p}{name}.weight"].T)
            return node("MatMul", [x, w], [f"{p}{out}"], microsoft=False)

        def bias(name):
            return constant(f"{p}{name}.b", weights[f"{p}{name}.bias"])

        def norm(name):
            return [
                constant(f"{p}{name}.{k}", weights[f"{p}{name}.{k}"]) for k in ("weight", "bias")
            ]

        parts = [f"{p}attention.self.{n}" for n in ("query", "key", "value")]
        qkv = constant(p + "qkv", np.concatenate([weights[n + ".weight"].T for n in parts], 1))
        qkv_bias = constant(p + "qkv.b", np.concatenate([weights[n + ".bias"] for n in parts]))
        a = node("Attention", [x, qkv, qkv_bias, "mask_index"], [p + "a"], num_heads=HEADS)
        a = dense("attention.output.dense", a, "ao")
        x = node(
            "SkipLayerNormalization",
            [a, x, *norm("attention.output.LayerNorm"), bias("attention.output.dense")],
            [p + "x1"],
            epsilon=EPSILON,
        )
        h = dense("intermediate.dense", x, "h")
        h = node("BiasGelu", [h, bias("intermediate.dense")], [p + "g"])
        h = dense("output.dense", h, "o")
        x = node(
            "SkipLayerNormalization",
            [h, x, *norm("output.LayerNorm"), bias("output.dense")],
            [p + "x2"],
            epsilon=EPSILON,
        )
    node("MatMul", ["pool", x], ["mean"], microsoft=False)

    def value(name, kind, shape):
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        nodes,
        "minilm",
        [
            value("ids", TensorProto.INT32, ["texts", "tokens"]),
            value("types", TensorProto.INT32, ["texts", "tokens"]),
            value("mask", TensorProto.INT32, ["texts", "tokens"]),
            value("pool", TensorProto.FLOAT, ["texts", 1, "tokens"]),
        ],
        [value("mean", TensorProto.FLOAT, ["texts", 1, width])],
        initializers,
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)],
    )
    model.ir_version = 9
    onnx.save(model, target + ".partial")
    os.replace(target + ".partial", target)
    return {"onnx": target, "bytes": os.path.getsize(target), "layers": layers}


class Encoder:
    def __init__(self, path, folder, threads):
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        self.version = onnxruntime.__version__
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.no_padding()

    def tokenize(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def encode(self, ids, batch):
        """Vectors [texts, width], normalised, in the order of `ids`."""
        order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
        out = None
        for begin in range(0, len(order), batch):
            some = order[begin : begin + batch]
            longest = len(ids[some[0]])
            tokens = np.zeros((len(some), longest), np.int32)
            mask = np.zeros((len(some), longest), np.int32)
            pool = np.zeros((len(some), 1, longest), np.float32)
            for row, i in enumerate(some):
                n = len(ids[i])
                tokens[row, :n] = ids[i]
                mask[row, :n] = 1
                pool[row, 0, :n] = 1.0 / n
            feed = {"ids": tokens, "types": np.zeros_like(tokens), "mask": mask, "pool": pool}
            mean = self.session.run(None, feed)[0][:, 0]
            mean /= np.linalg.norm(mean, axis=1, keepdims=True)
            if out is None:
                out = np.empty((len(ids), mean.shape[1]), np.float32)
            out[some] = mean
        return out


def check(path, folder, golden):
    encoder = Encoder(path, folder, 2)
    with open(golden, encoding="utf-8") as file:
        items = json.load(file)["items"]
    vectors = encoder.encode([item["ids"] for item in items], 16)
    wanted = np.array([item["v"] for item in items], np.float32)
    cosines = (vectors * wanted).sum(1) / np.linalg.norm(wanted, axis=1)
    ids = encoder.tokenize([item["text"] for item in items])
    same = sum(a == item["ids"] for a, item in zip(ids, items))
    return {"texts": len(items), "least_cosine": float(cosines.min()), "ids_equal": same}


def measure(path, folder, texts_path, threads=2):
    encoder = Encoder(path, folder, int(threads))
    with open(texts_path, encoding="utf-8") as file:
        texts = file.read().splitlines()

    def rate(some, batch):
        start = time.perf_counter()
        encoder.encode(encoder.tokenize(some), batch)
        return len(some) / (time.perf_counter() - start)

    sample = texts[:256]
    rate(sample, BATCHES[-1])  # Warms up.
    best = max(BATCHES, key=lambda batch: rate(sample, batch))
    return {
        "texts_per_second": rate(texts, best),
        "batch": best,
        "texts": len(texts),
        "tokens": sum(len(ids) for ids in encoder.tokenize(texts)),
        "threads": int(threads),
        "onnxruntime": encoder.version,
    }


if __name__ == "__main__":
    commands = {"make": make, "check": check, "time": measure}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    print(json.dumps(commands[sys.argv[1]](*sys.argv[2:])))
