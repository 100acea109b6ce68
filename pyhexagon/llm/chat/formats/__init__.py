# SPDX-License-Identifier: MIT
"""The formats in which models write tool calls: a row per format, and one parser per grammar.

    table: the marks of each format, and what a chat template says that uses it
    reader: a position in a completion; what every grammar needs
    literals: JSON, Python's literals and Gemma's values, also as models bend them
    calls: tools of a request; arguments by their schemas
    json_calls, named_calls, tagged_calls: the grammars
    bodies: the grammar that a text begins with
"""
