# SPDX-License-Identifier: MIT
"""Images for language models: mmproj files, preprocessing, and image encoders on the DSP.

It is a package of ``llm``, above the engine: it loads weights and reads keys as language models do, and gives the
engine a prompt with embeddings. The engine knows no images: it takes rows of numbers in place of tokens.
"""
