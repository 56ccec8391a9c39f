"""What every multi-head self-attention has in common: Vaswani et al. 2017, §3.2.2."""

import numpy as np

from attention_from_scratch.exercises.checking import require

TOKENS, WIDTH = 5, 8


def the_same_kernels_serve_any_number_of_heads(multi_head_attention):
    """The same four square kernels do for any number of heads that divides the width.

    Heads share out the columns of the kernels; they bring no parameters of their own. Outputs keep the shape
    of the tokens, and weights are heads by queries by keys.
    """
    tokens, kernels = _inputs()
    for heads in (1, 2, 4, 8):
        outputs, weights = _call(multi_head_attention, tokens, kernels, heads)
        require(outputs.shape == tokens.shape, f"outputs of shape {outputs.shape} with {heads} heads")
        wanted = (heads, TOKENS, TOKENS)
        require(weights.shape == wanted, f"weights of shape {weights.shape}, not {wanted}")


def each_query_spends_one_in_each_head(multi_head_attention):
    """In every head, the weights of each query sum to one.

    One softmax for each head and query, over the keys: the last axis of (heads, queries, keys).
    """
    tokens, kernels = _inputs()
    _, weights = _call(multi_head_attention, tokens, kernels, 4)
    sums = weights.sum(axis=-1)
    require(np.allclose(sums, 1), f"rows that sum to {np.round(sums.ravel()[:3], 4).tolist()}")


def scores_are_divided_by_the_root_of_the_key_dim(multi_head_attention):
    """Scores are divided by the root of the width of one head, not of the model.

    key_dim is d_model divided by num_heads. Take it from the query after the split, and it is right.
    """
    tokens, kernels = _inputs()
    for heads in (1, 2, 4):
        _, weights = _call(multi_head_attention, tokens, kernels, heads)
        columns = slice(0, WIDTH // heads)
        products = (tokens @ kernels[0][:, columns]) @ (tokens @ kernels[1][:, columns]).T
        dots = products[0, 0] - products[0, 1]
        found = np.log(weights[0, 0, 0] / weights[0, 0, 1])
        wanted = dots / np.sqrt(WIDTH // heads)
        require(
            np.isclose(found, wanted),
            f"with {heads} heads, dot products that differ by {dots:.4g} became logits that differ by "
            f"{found:.4g}, not {wanted:.4g}",
        )


def each_head_reads_its_own_columns(multi_head_attention):
    """Head h looks through the h-th run of key_dim neighbouring columns, and through no others.

    Split the last axis into (num_heads, key_dim), in this order, and then move the heads to the front. A bare
    reshape to (num_heads, tokens, key_dim) cuts the tokens up instead.
    """
    tokens, kernels = _inputs()
    _, before = _call(multi_head_attention, tokens, kernels, 4)
    for head in range(4):
        blind = [kernel.copy() for kernel in kernels]
        blind[0][:, 2 * head : 2 * head + 2] = 0
        _, after = _call(multi_head_attention, tokens, blind, 4)
        others = [h for h in range(4) if h != head]
        require(
            np.allclose(after[head], 1 / TOKENS),
            f"head {head} still tells keys apart when its columns of the query kernel are zero",
        )
        require(
            np.allclose(after[others], before[others]),
            f"another head changed when the columns of head {head} in the query kernel were set to zero",
        )


def rows_belong_to_queries(multi_head_attention):
    """Row i of a head's weights belongs to query i, column j to key j.

    Scores are `query @ key` with the last two axes of the key swapped. The other way round, keys do the
    asking.
    """
    tokens, kernels = _inputs()
    kernels[0][1:] = 0
    tokens[[0, 1, 3, 4], 0] = 0  # so only token 2 has a query that is not zero
    _, weights = _call(multi_head_attention, tokens, kernels, 2)
    others = weights[:, [0, 1, 3, 4]]
    require(np.allclose(others, 1 / TOKENS), "a query of zeros tells keys apart")
    require(not np.allclose(weights[:, 2], 1 / TOKENS), "a query that is not zero tells no keys apart")


def heads_are_laid_side_by_side(multi_head_attention):
    """Before the output kernel, head h fills the h-th run of columns with averages of its own values.

    Move the heads back behind the tokens before you merge the last two axes. Heads are concatenated: neither
    added up nor averaged.
    """
    tokens, kernels = _inputs()
    kernels[3] = np.eye(WIDTH)
    outputs, weights = _call(multi_head_attention, tokens, kernels, 4)
    for head in range(4):
        columns = slice(2 * head, 2 * head + 2)
        wanted = weights[head] @ (tokens @ kernels[2][:, columns])
        require(np.allclose(outputs[:, columns], wanted), f"the columns of head {head} hold something else")


def the_output_kernel_mixes_the_heads(multi_head_attention):
    """The merged heads pass through the output kernel.

    The last step is a product with `output_kernel`. Without it no head's result could reach the columns of
    another.
    """
    tokens, kernels = _inputs()
    outputs, _ = _call(multi_head_attention, tokens, kernels, 4)
    merged, _ = _call(multi_head_attention, tokens, [*kernels[:3], np.eye(WIDTH)], 4)
    gap = np.abs(outputs - merged @ kernels[3]).max()
    require(gap < 1e-6, f"an output is {gap:.3g} away from the merged heads times the output kernel")


def permuted_tokens_give_permuted_outputs(multi_head_attention):
    """Tokens in another order give the same outputs in that order.

    Attention without positions knows no order. If this fails, tokens are mixed up on the way: look at the
    reshapes of split and merge.
    """
    tokens, kernels = _inputs()
    order = np.array([3, 0, 4, 1, 2])
    outputs, _ = _call(multi_head_attention, tokens, kernels, 4)
    permuted, _ = _call(multi_head_attention, tokens[order], kernels, 4)
    require(np.allclose(permuted, outputs[order]), "the outputs are not the same ones in the new order")


def _inputs():
    rng = np.random.default_rng(5)
    return rng.normal(size=(TOKENS, WIDTH)), [rng.normal(size=(WIDTH, WIDTH)) / 2 for _ in range(4)]


def _call(multi_head_attention, tokens, kernels, heads):
    result = multi_head_attention(tokens.copy(), *(kernel.copy() for kernel in kernels), heads)
    require(isinstance(result, tuple | list) and len(result) == 2, "it does not return outputs and weights")
    return np.asarray(result[0]), np.asarray(result[1])


PROPERTIES = (
    the_same_kernels_serve_any_number_of_heads,
    each_query_spends_one_in_each_head,
    scores_are_divided_by_the_root_of_the_key_dim,
    each_head_reads_its_own_columns,
    rows_belong_to_queries,
    heads_are_laid_side_by_side,
    the_output_kernel_mixes_the_heads,
    permuted_tokens_give_permuted_outputs,
)
