# SPDX-License-Identifier: MIT
"""The package's accuracy functions, under the name that the tests use."""

from pyhexagon.bench.accuracy import llama_product, nmse, normal, outliers, q8_0_round_trip, q8_k_round_trip

__all__ = ["llama_product", "nmse", "normal", "outliers", "q8_0_round_trip", "q8_k_round_trip"]
