# SPDX-License-Identifier: MIT
"""Images for language models: mmproj files, preprocessing, and image encoders on the DSP.

It is a package of ``llm``, below the engine: it loads weights and reads keys as language models do, and the engine
takes embeddings as rows of numbers, whatever made them.
"""
