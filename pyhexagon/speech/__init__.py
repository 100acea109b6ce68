# SPDX-License-Identifier: MIT
"""Speech to text with whisper's models. It needs the packages of ``pyhexagon[speech]``.

audio, decode: audio files and pipes as samples at 16 kHz; files are decoded in a process of its own
vad: which parts of audio have speech
"""
