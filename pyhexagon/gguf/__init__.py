# SPDX-License-Identifier: MIT
"""Model files: GGUF, and safetensors; both are read by position, and every length is checked before it is used.

    reading: opened files, read by position; rows of a tensor
    reader, headers: the bytes of a GGUF header; metadata and tensors
    kinds: what other files are, by their first bytes
    file: ``GGUFFile``, of one file or several parts
    safetensors: files of safetensors
    sources: anything that has named tensors, as ``Device.load`` takes it
    pages: the layout of a KV cache's pages in files
"""
