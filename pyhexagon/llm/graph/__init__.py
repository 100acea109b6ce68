# SPDX-License-Identifier: MIT
"""The graph of a model: what ``pyhexagon.llm.architectures`` builds layers of, and the program of a step.

    layer, rotation: the building blocks of a layer; rotary positions
    experts, latent_attention, altup: mixtures of experts, multi-head latent attention, AltUp
    layer_state, delta_net, mamba2, short_conv: the state of a recurrent layer, and its update
    lora, classifier: adapters; the head of a ranker
    step_inputs, step, mtp: the program from token ids to logits; the block that predicts further tokens
"""
