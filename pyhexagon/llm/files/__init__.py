# SPDX-License-Identifier: MIT
"""What a model's GGUF file says: hyper-parameters, and which tensors it has.

    header_keys: the keys of the header, each of which must be read
    config, hyper_parameters: the hyper-parameters, and how they are read
    weights: tensors with their shapes; loading them
    host_table: a table that stays in the file
"""
