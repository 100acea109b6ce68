/* SPDX-License-Identifier: MIT
 *
 * One row per op. The rows generate the codes, the prototypes and the dispatch of the skel (dsp/ops/table.c), the op
 * lists of the fuzzer and the self test, the packer on the Python side (pyhexagon/_ffi/build.py reads this file) and
 * the table of ops on the documentation site. Include it with OP defined:
 *
 *     OP(code, NAME, name, KIND, least, most, results, IN_PLACE, PARAMS, "formula")
 *
 *   KIND      UNARY   one source, a result of the same shape, elementwise. Kernels: dsp/ref/<name>.c, dsp/hvx/<name>.c
 *             BINARY  two sources of the result's shape, elementwise; a stride of 0 broadcasts. Kernels as for UNARY
 *             ROWS    rows of the first result are independent; dsp/ops/<name>.c checks the operands
 *             SHARED  like ROWS; in addition threads may share a row, step by step, if its HVX kernel supports it
 *                     (phx_<name>_shared)
 *             SCATTER rows of the first source go to rows of the result that an id tensor names; dsp/ops/<name>.c
 *                     checks the operands. Each thread writes a range of columns of every row in order, so that of
 *                     equal ids the last one wins
 *             PICK    selects ne[0] of the first result elements in each row of the first source and returns their
 *                     indices. A thread takes rows, or a part of each row, and dsp/ops/picks.c merges the threads'
 *                     candidates. dsp/ops/<name>.c checks the operands
 *             OWN     dsp/ops/ has its check and its partition
 *   least, most  number of sources: the ones from `least` on are optional (PHX_NONE)
 *   results   number of results: the first is required
 *   IN_PLACE  one bit per source that may be the identical view as the first result; no other operands may overlap
 *   PARAMS    words of parameters: 0, or PHX_PARAMS(name) for struct phx_<name>_params of contract.h
 */
/* clang-format off */
OP(1, MUL_MAT, mul_mat, OWN, 2, 3, 1, 0, 0,
   "dst[i3][i2][m][n] = sum over k of src[0][i3 / r3][i2 / r2][n][k] * src[1][i3][i2][m][k], r = ne of src[1] / ne of src[0]; src[2]: a meeting with the CPU")
OP(2, MUL_MAT_ID, mul_mat_id, OWN, 3, 4, 1, 0, 0,
   "dst[t][u][n] = sum over k of src[0][e][n][k] * src[1][t][u % ne[1]][k], e = src[2][t][u]; src[3]: a meeting with the CPU")
OP(3, ADD, add, BINARY, 2, 2, 1, 1, 0, "dst[i] = src[0][i] + src[1][i]")
OP(4, RMS_NORM, rms_norm, SHARED, 1, 2, 1, 1, PHX_PARAMS(rms_norm),
   "dst[i] = src[0][i] / sqrt(mean over a row of src[0]^2 + eps) * src[1][i]; without src[1], 1 in its place")
OP(5, GET_ROWS, get_rows, ROWS, 2, 2, 1, 0, 0, "dst[i3][i2][i] = src[0][i3][i2][src[1][i3][i2][i]]: rows, as float32")
OP(6, SUB, sub, BINARY, 2, 2, 1, 1, 0, "dst[i] = src[0][i] - src[1][i]")
OP(7, MUL, mul, BINARY, 2, 2, 1, 1, 0, "dst[i] = src[0][i] * src[1][i]")
OP(8, DIV, div, BINARY, 2, 2, 1, 1, 0, "dst[i] = src[0][i] / src[1][i]")
OP(9, SCALE, scale, UNARY, 1, 1, 1, 1, PHX_PARAMS(scale), "dst[i] = src[0][i] * scale + bias")
OP(10, ADD_ID, add_id, ROWS, 3, 3, 1, 1, 0, "dst[t][u][i] = src[0][t][u][i] + src[1][src[2][t][u]][i]")
OP(11, NEG, neg, UNARY, 1, 1, 1, 1, 0, "dst[i] = -src[0][i]")
OP(12, SQR, sqr, UNARY, 1, 1, 1, 1, 0, "dst[i] = src[0][i]^2")
OP(13, SQRT, sqrt, UNARY, 1, 1, 1, 1, 0, "dst[i] = sqrt(src[0][i])")
OP(14, CLAMP, clamp, UNARY, 1, 1, 1, 1, PHX_PARAMS(clamp), "dst[i] = max(min(src[0][i], max), min)")
OP(15, EXP, exp, UNARY, 1, 1, 1, 1, 0, "dst[i] = exp(src[0][i])")
OP(16, SIGMOID, sigmoid, UNARY, 1, 1, 1, 1, 0, "dst[i] = 1 / (1 + exp(-src[0][i]))")
OP(17, SILU, silu, UNARY, 1, 1, 1, 1, 0, "dst[i] = src[0][i] / (1 + exp(-src[0][i]))")
OP(18, GELU, gelu, UNARY, 1, 1, 1, 1, 0,
   "dst[i] = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), x = src[0][i]")
OP(19, TANH, tanh, UNARY, 1, 1, 1, 1, 0, "dst[i] = tanh(src[0][i])")
OP(20, SOFTPLUS, softplus, UNARY, 1, 1, 1, 1, 0, "dst[i] = log(1 + exp(src[0][i]))")
OP(21, SWIGLU, swiglu, BINARY, 2, 2, 1, 1, 0, "dst[i] = silu(src[0][i]) * src[1][i]")
OP(22, GEGLU, geglu, BINARY, 2, 2, 1, 1, 0, "dst[i] = gelu(src[0][i]) * src[1][i]")
OP(23, SWIGLU_OAI, swiglu_oai, BINARY, 2, 2, 1, 1, PHX_PARAMS(swiglu_oai),
   "dst[i] = x / (1 + exp(-alpha x)) * (1 + y), x = min(src[0][i], limit), y = src[1][i] clamped to -limit..limit")
OP(24, NORM, norm, SHARED, 1, 3, 1, 1, PHX_PARAMS(norm),
   "dst[i] = (src[0][i] - mean of a row) / sqrt(variance of the row + eps) * src[1][i] + src[2][i]; without src[1], 1")
OP(25, L2_NORM, l2_norm, SHARED, 1, 1, 1, 1, PHX_PARAMS(l2_norm),
   "dst[i] = src[0][i] / max(sqrt(sum over a row of src[0]^2), eps)")
OP(26, ROPE, rope, ROWS, 3, 3, 1, 1, PHX_PARAMS(rope),
   "pairs of src[0]'s rows, rotated by the sum over c of src[1][c] * turns[c], turns in src[2]; the rest of a row as it is")
OP(27, SOFT_MAX, soft_max, ROWS, 1, 4, 1, 0, PHX_PARAMS(soft_max),
   "dst[i] = exp(v[i]) / (sum over a row of exp(v) + exp(src[2])), v = scale * src[0] + src[3] * src[1]; mask, sinks, slopes")
OP(28, SUM_ROWS, sum_rows, ROWS, 1, 1, 1, 0, 0, "dst[0] = sum over a row of src[0]")
OP(29, MEAN, mean, ROWS, 1, 1, 1, 0, 0, "dst[0] = mean over a row of src[0]")
OP(30, SET_ROWS, set_rows, SCATTER, 2, 2, 1, 0, 0,
   "dst[i3][i2][src[1][i3][i2][i]] = src[0][i3][i2][i], as dst's type; other rows stay, the last of equal ids wins")
OP(31, CPY, cpy, ROWS, 1, 1, 1, 0, 0, "dst[i] = src[0][i], as dst's type")
OP(32, CONCAT, concat, ROWS, 2, 8, 1, 0, PHX_PARAMS(concat), "dst = the sources one after the other, along one dimension")
OP(33, REPEAT, repeat, ROWS, 1, 1, 1, 0, 0, "dst[i3][i2][i1][i0] = src[0][i3 % ne[3]][i2 % ne[2]][i1 % ne[1]][i0 % ne[0]]")
OP(34, ARGMAX, argmax, PICK, 1, 1, 1, 0, 0, "dst[0] = the index of the largest of a row of src[0]")
OP(35, TOP_K, top_k, PICK, 1, 1, 1, 0, 0, "dst[i] = the index of the i-th largest of a row of src[0]")
OP(36, ARGSORT, argsort, ROWS, 1, 1, 1, 0, PHX_PARAMS(argsort),
   "dst[i] = the index of the i-th smallest of a row of src[0]; or, descending, of the i-th largest")
OP(37, FLASH_ATTN_EXT, flash_attn_ext, OWN, 4, 8, 1, 0, PHX_PARAMS(flash_attn_ext),
   "dst[m][h] = sum over t of softmax(scale * src[0][m][h] . k[t][h / g]) * v[t][h / g], k and v in the cache src[1]")
OP(38, SSM_CONV, ssm_conv, ROWS, 2, 4, 2, 0, 0,
   "dst[i3][i2][i1][i0] = sum over j of src[0][i3][i2 + j][i1][i0] * src[1][j][i1][i0]; with src[2], src[0] follows the rows of slot src[2] of the table dst[1], whose slot src[3] gets the last rows")
OP(39, GATED_DELTA_NET, gated_delta_net, ROWS, 6, 7, 2, 0, PHX_PARAMS(gated_delta_net),
   "of each token: state = src[0] * exp(src[4]); state += src[2] * src[5] * (src[3] - delta_rule * state . src[2]); dst = state . src[1] * scale; then the state; with src[6], from slot src[0] to slot src[6] of the table dst[1]")
OP(40, CACHE_APPEND, cache_append, OWN, 4, 5, 1, 0, 0,
   "k[src[3][m]] = src[0][m], v[src[3][m]] = src[1][m] in the cache dst")
OP(41, CACHE_COPY, cache_copy, OWN, 2, 2, 1, 1, 0, "page src[1][i][1] of the cache dst = page src[1][i][0] of the cache src[0]")
OP(42, HADAMARD, hadamard, ROWS, 1, 1, 1, 1, PHX_PARAMS(hadamard),
   "dst[i] = sum over j of (-1)^(bits that i and j share) * src[0][j] / sqrt(n), in each n elements of a row")
OP(43, CALL, call, OWN, 1, 8, 4, 255, PHX_PARAMS(call),
   "dst = a user kernel of src: idl/pyhexagon_kernel.h; the kernel says which sources dst may overwrite")
