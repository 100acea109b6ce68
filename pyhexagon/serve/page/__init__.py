# SPDX-License-Identifier: MIT
"""The chat page, and the HTML of its messages.

    page, page.html: the page and its headers
    markdown, html, formulas: Markdown and TeX as safe HTML and MathML, made in a worker process
"""
