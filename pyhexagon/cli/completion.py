# SPDX-License-Identifier: MIT
"""``pyhexagon completion``: print the script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
from typing import Final

from pyhexagon import extras
from pyhexagon.cli.output import Output

_STORE: Final = '"${XDG_DATA_HOME:-$HOME/.local/share}"/pyhexagon/store/names'
# The functions complete pulled models, whose folders have URL-quoted names (models/store.py), and GGUF files. They read
# the folder themselves, because Python takes long to start on a board.
_MODELS: Final = {
    "bash": f"""\
_pyhexagon_models() {{
  local path name
  for path in {_STORE}/*/model.json; do
    [ -e "$path" ] || continue
    name="${{path%/model.json}}" name="${{name##*/}}"
    printf -v name '%b' "${{name//%/\\\\x}}"
    [[ "$name" != "$1"* ]] || echo "$name"
  done
  while IFS= read -r path; do
    echo "${{path// /\\\\ }}"
  done < <(compgen -f -X '!*.gguf' -- "${{1//\\\\/}}"; compgen -d -S / -- "${{1//\\\\/}}")
}}
# bash splits words at colons, which the names of models have.
_pyhexagon() {{
  local word words=()
  for word in "${{COMP_WORDS[@]:0:COMP_CWORD+1}}"; do
    if [[ ${{#words[@]}} -gt 0 && ( "$word" == :* || "${{words[-1]}}" == *: ) ]]; then
      words[-1]+="$word"
    else
      words+=("$word")
    fi
  done
  local COMP_WORDS=("${{words[@]}}") COMP_CWORD=$((${{#words[@]}} - 1))
  _shtab_pyhexagon
  word="${{words[-1]}}"
  if [[ "$word" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
    COMPREPLY=("${{COMPREPLY[@]#"${{word%"${{word##*:}}"}}"}}")
  fi
  [[ "${{COMPREPLY[*]-}}" != */ ]] || compopt -o nospace  # a folder
}}
""",
    "zsh": f"""\
_pyhexagon_models() {{
  local name
  local -a names
  for name in {_STORE}/*/model.json(N:h:t); do
    names+=("$(printf '%b' "${{name//\\%/\\x}}")")
  done
  compadd -a names
  _files -g '*.gguf'
}}
""",
    "fish": """\
function _pyhexagon_models
  set -l data $XDG_DATA_HOME
  test -n "$data"; or set data $HOME/.local/share
  for path in $data/pyhexagon/store/names/*/model.json
    string unescape --style=url (basename (dirname $path))
  end
  __fish_complete_suffix .gguf
end
""",
}
_COMPLETE: Final = {
    "bash": "_pyhexagon_models", "zsh": "_pyhexagon_models", "fish": "(_pyhexagon_models)",
    "preamble": _MODELS,
}  # fmt: skip
SHELLS: Final = ("bash", "zsh", "fish")
_EPILOG: Final = """\
bash: pyhexagon completion bash > ~/.local/share/bash-completion/completions/pyhexagon
zsh: pyhexagon completion zsh > FOLDER/_pyhexagon, with a FOLDER of $fpath
fish: pyhexagon completion fish > ~/.config/fish/completions/pyhexagon.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(options: argparse.Namespace, output: Output) -> None:
    script = script_of(options.shell)
    if output.as_json:
        output.json({"shell": options.shell, "script": script})
    else:
        print(script)


def script_of(shell: str) -> str:
    """Return the completion script for a shell.

    Raises:
        UnsupportedError: shtab is not installed.
    """
    with extras.needed("completion scripts", "completion"):
        import shtab
    from pyhexagon.cli import complete_parser

    parser = complete_parser()
    _complete_models(parser)
    script = str(shtab.complete(parser, shell))
    return script.replace("-F _shtab_pyhexagon ", "-F _pyhexagon ") if shell == "bash" else script


def _complete_models(parser: argparse.ArgumentParser) -> None:
    """Complete the arguments of a parser and of its sub-commands that are models."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_models(command)
        elif action.metavar == "MODEL" or action.dest == "names":  # of pyhexagon rm
            action.complete = _COMPLETE  # type: ignore[attr-defined]
