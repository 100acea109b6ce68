# SPDX-License-Identifier: MIT
# Made by pyhexagon/_ffi/build.py from idl/ops.h; do not edit.

# code, name, kind, fewest sources, most sources, results, sources that may be the result, parameter struct, formula
ROWS = (
    (1, 'mul_mat', 'OWN', 2, 2, 1, 0, '',
     'dst[i3][i2][m][n] = sum over k of src[0][i3 / r3][i2 / r2][n][k] * src[1][i3][i2][m][k], r = ne of src[1] / ne of src[0]'),
    (2, 'mul_mat_id', 'OWN', 3, 3, 1, 0, '',
     'dst[t][u][n] = sum over k of src[0][e][n][k] * src[1][t][u % ne[1]][k], e = src[2][t][u]'),
    (3, 'add', 'BINARY', 2, 2, 1, 1, '',
     'dst[i] = src[0][i] + src[1][i]'),
    (4, 'rms_norm', 'ROWS', 1, 2, 1, 1, 'rms_norm',
     'dst[i] = src[0][i] / sqrt(mean over a row of src[0]^2 + eps) * src[1][i]; without src[1], 1 in its place'),
    (5, 'get_rows', 'ROWS', 2, 2, 1, 0, '',
     'dst[i3][i2][i] = src[0][i3][i2][src[1][i3][i2][i]]: rows, as float32'),
    (6, 'sub', 'BINARY', 2, 2, 1, 1, '',
     'dst[i] = src[0][i] - src[1][i]'),
    (7, 'mul', 'BINARY', 2, 2, 1, 1, '',
     'dst[i] = src[0][i] * src[1][i]'),
    (9, 'scale', 'UNARY', 1, 1, 1, 1, 'scale',
     'dst[i] = src[0][i] * scale + bias'),
    (26, 'rope', 'ROWS', 3, 3, 1, 1, 'rope',
     "pairs of src[0]'s rows, rotated by the sum over c of src[1][c] * turns[c], turns in src[2]; the rest of a row as it is"),
    (37, 'flash_attn_ext', 'OWN', 4, 6, 1, 0, 'flash_attn_ext',
     'dst[m][h] = sum over t of softmax(scale * src[0][m][h] . k[t][h / g]) * v[t][h / g], k and v in the cache src[1]'),
    (40, 'cache_append', 'OWN', 4, 5, 1, 0, '',
     'k[src[3][m]] = src[0][m], v[src[3][m]] = src[1][m] in the cache dst'),
)
