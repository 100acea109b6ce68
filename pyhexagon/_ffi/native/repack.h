/* SPDX-License-Identifier: MIT
 *
 * GGUF's blocks to the tiles that the DSP reads: docs/arithmetic.md, section 4. Plain C for the host's CPU, called from
 * Python; cffi reads this file. Any thread may call it, and it allocates nothing.
 */

/* Repacks rows of a weight matrix. Returns 0, or -1 for a type that is no weight type; sizes are the caller's to check.
 *
 * dtype      GGUF's number of the type; docs/arithmetic.md, section 4, has the tiles of each
 * rows       the first row's GGUF bytes; the next one begins stride bytes further on
 * n_rows     at least 1; what the last tile lacks are rows of zero bytes
 * k          weights a row, a multiple of the type's block
 * tiles      room for all tiles of these rows; 4-byte aligned, and every byte is written
 */
int phx_repack(uint32_t dtype, const uint8_t *rows, uint64_t stride, uint32_t n_rows, uint32_t k, uint8_t *tiles);

/* Sets the grid of IQ1_S (also IQ1_M's), IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS or IQ3_S: entries of 8, of IQ3 of 4 numbers, 0
 * for the smallest level. Call it before the first phx_repack() of the type; grid must stay where it is. */
void phx_set_grid(uint32_t dtype, const uint8_t *grid);
