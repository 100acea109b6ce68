# SPDX-License-Identifier: MIT
"""The engine: requests become sequences, which share messages to the DSP. From bottom to top:

    model, recurrent_state, stage, pipeline, local_pipeline: layers on a device, with KV cache, state and programs
    encoder: models that make embeddings only
    encoder_cache: keys and values of encodings, to which the decoder of an encoder-decoder model attends
    sequence, forward: tokens with their pages; the tokens whose logits a sequence needs
    prefix_index, kv_cache: prefix caching, and which sequence is evicted for want of pages
    window_pages: the pages of layers that cache a sliding window only
    batching: which sequences join the next message
    runner, drafting, engine_core, engine: messages and their results
    sampling_params, sampling, grammar, stopping, speculation: how the next token is chosen, and when it was the last
    decoding, generation: the steps of a completion, and its chunks
    request, errors: what a client wants, and why it may not get it
    fair_queue, scheduler: which requests run: fairness, limits, preemption, deadlines, cancellation
    streaming: the outputs of requests, for whoever iterates over them
    device_gate, engine_thread: a thread that runs the requests of a server, and reopens a lost DSP
"""
