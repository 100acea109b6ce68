# SPDX-License-Identifier: MIT
"""The one script of the chat page: what a module imports exists, and its policy has the hash of what is served."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from pyhexagon.serve.page import page as page_module
from pyhexagon.serve.page.page import joined, page

FOLDER = Path(page_module.__file__).parent
EXPORT = re.compile(r"^export (?:async )?(?:const|function|class) ([\w$]+)", re.MULTILINE)
IMPORT = re.compile(r"^import \{([^}]*)\} from \"\./(\w+)\.js\";", re.MULTILINE)


def test_what_modules_import_is_exported_and_used() -> None:
    texts = {path.stem: path.read_text() for path in (FOLDER / "scripts").glob("*.js")}
    exported = {name: set(EXPORT.findall(text)) for name, text in texts.items()}
    used = {"main": set[str]()}
    for name, text in texts.items():
        assert text.count("\nimport ") + text.startswith("import ") == len(IMPORT.findall(text)), name
        for names, source in IMPORT.findall(text):
            wanted = {word.strip() for word in names.split(",")}
            assert wanted <= exported[source], (name, source)
            used.setdefault(source, set()).update(wanted)
            body = IMPORT.sub("", text)
            assert [word for word in wanted if not re.search(rf"(?<![\w$]){re.escape(word)}(?![\w$])", body)] == [], (
                name
            )
    assert used.keys() == texts.keys()
    assert {name: exported[name] - used[name] for name in texts if exported[name] - used[name]} == {}


def test_every_module_comes_after_those_that_it_imports() -> None:
    script = joined("main")
    begun = [match[1] for match in re.finditer(r"^const (\w+)_js = \(\(\) => \{$", script, re.MULTILINE)]
    assert len(begun) == len(set(begun)) == len(list((FOLDER / "scripts").glob("*.js")))
    for use in re.finditer(r"^const \{[^}]*\} = (\w+)_js;$", script, re.MULTILINE):
        assert script.index(f"const {use[1]}_js = (") < use.start()
    assert "</script" not in script
    assert not re.search(r"^(?:import|export)\b", script, re.MULTILINE)


def test_the_policy_allows_exactly_the_pages_own_texts() -> None:
    response = page()
    text = bytes(response.body).decode()
    policy = response.headers["content-security-policy"]
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        found = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", text, re.DOTALL)
        wanted = [f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in found]
        assert f"{directive} {' '.join(wanted)};" in policy
    assert not re.search(r"""(?:src|href)=["'](?!#|data:)""", text)
