# SPDX-License-Identifier: MIT
"""The chat page, and the HTML of its messages.

    page, page.html, *.css, scripts/: the page and its headers
    markdown, html, inline, formulas: Markdown and TeX as safe HTML and MathML, made in a worker process
"""
