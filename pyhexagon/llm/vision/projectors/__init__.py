# SPDX-License-Identifier: MIT
"""Projectors: from the rows of an image encoder to embeddings of the language model. One file for each kind."""
