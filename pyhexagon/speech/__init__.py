# SPDX-License-Identifier: MIT
"""Speech recognition: whisper models in the files of whisper.cpp.

segments: what a transcription yields
ggml_file: model files
"""
