# SPDX-License-Identifier: MIT
"""Speech recognition: whisper models in the files of whisper.cpp.

    segments: what a transcription yields
    ggml_file, hyper_parameters, tensor_shapes, source, memory: model files, and the memory that they take
    vocabulary, languages: tokens
    mel: the spectrogram that the encoder takes
    encoder, architecture, model, attention: the model on a device
    rules: which tokens may follow
    decoding, windows: the tokens of 30 s of audio, and the segments that they are
    transcript, transcription, whisper: a transcription from one window to the next
    alignment, words: when tokens and words were spoken
    audio, decode, microphone: files, pipes and the microphone as samples at 16 kHz; files are decoded in a process of
        its own
    vad: which parts of audio have speech
    streaming, formats: audio of any length; transcriptions as text, subtitles, JSON
    wyoming_server: Home Assistant's protocol
"""
