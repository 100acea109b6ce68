# SPDX-License-Identifier: MIT
"""From text to tokens and back.

    vocabulary: tokens of a GGUF file, with their types and scores
    pretokenise, charsmap: the text before it is cut into tokens
    subwords, scored_bpe: BPE, Unigram and WordPiece
    special_tokens: control tokens in texts
    tokenizer: ``Tokenizer``
"""
