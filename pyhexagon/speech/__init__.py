# SPDX-License-Identifier: MIT
"""Speech recognition: whisper models in the files of whisper.cpp.

    segments: what a transcription yields
    ggml_file: model files
    audio, decode: audio files and pipes as samples at 16 kHz; files are decoded in a process of its own
    vad: which parts of audio have speech
    streaming, formats: audio of any length; transcriptions as text, subtitles, JSON
"""
