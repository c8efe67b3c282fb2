"""``insight-host completion SHELL``: prints a script that completes commands, flags and their values."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence

from insight_core.cli.completed_commands import CompletedCommand, CompletedFlag, completed_commands

Commands = Sequence[CompletedCommand]


def bash(commands: Commands) -> str:
    """For bash 3.2 or newer; needs no bash-completion."""
    lines = [
        "_insight_host() {",
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
        "    local flags= choices= path=",
        "    [[ $current == = ]] && current=",
        "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}",
        '    case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ]
    for one in _longest_first(commands):
        lines += [f"    {_pattern(one)}", *_bash_flags(one), "        ;;"]
    lines += [
        "    esac",
        "    if ((COMP_CWORD == 1)) && [[ $current != -* ]]; then",
        f'        choices="$choices {" ".join(_first_texts(commands))}"',
        "    fi",
        *_bash_groups(commands),
        '    [[ $current == -* ]] && choices="$flags" path=',
        "    local IFS=$'\\n'",
        '    COMPREPLY=($(compgen -W "${choices// /$IFS}" -- "$current"))',
        '    [[ $path == directory ]] && COMPREPLY+=($(compgen -d -- "$current"))',
        '    [[ $path == file ]] && COMPREPLY+=($(compgen -f -- "$current"))',
        "    [[ $path ]] && compopt -o filenames 2>/dev/null",
        "    return 0",
        "}",
        "complete -F _insight_host insight-host",
    ]
    return "\n".join(lines) + "\n"


def zsh(commands: Commands) -> str:
    """For zsh after ``compinit``: its own emulation of bash runs the same script."""
    return "autoload -Uz bashcompinit && bashcompinit\n" + bash(commands)


def fish(commands: Commands) -> str:
    """For fish, with what each flag does."""
    lines = [
        "complete -c insight-host -f",
        "function __insight_host_is",
        "    set -l words (commandline -opc)",
    ]
    names = " ".join(_quoted(one.name) for one in commands if one.name)
    lines += [
        f"    for name in {names}",
        '        if string match -q -- "$name *" "$words[2..] "',
        '            test "$argv" = "$name"; return',
        "        end",
        "    end",
        '    test -z "$argv"',
        "end",
    ]
    first = "test (count (commandline -opc)) -eq 1"
    for name, text in _first_texts(commands).items():
        lines.append(f"complete -c insight-host -n {_quoted(first)} -a {name} -d {_quoted(text)}")
    for group, seconds in _groups(commands).items():
        condition = f'contains -- {group} (string join " " -- (commandline -opc)[2..])'
        lines.append(f"complete -c insight-host -n {_quoted(condition)} -a {_quoted(' '.join(seconds))}")
    for one in commands:
        condition = _quoted(f"__insight_host_is {one.name}".strip())
        for flag in one.named:
            lines.append(f"complete -c insight-host -n {condition} {_fish_flag(flag)}")
        lines.append(f"complete -c insight-host -n {condition}{_fish_value(one.positional)}")
    return "\n".join(lines) + "\n"


SCRIPTS: Mapping[str, Callable[[Commands], str]] = {"bash": bash, "fish": fish, "zsh": zsh}


def print_script(arguments: Sequence[str], help_text: str) -> int:
    """Prints the script for a shell."""
    parser = argparse.ArgumentParser(
        prog="insight-host completion",
        description=f"{help_text.capitalize()}.",
        epilog='bash: eval "$(insight-host completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc, after '
        "compinit; fish: insight-host completion fish > ~/.config/fish/completions/insight-host.fish",
    )
    parser.add_argument("shell", choices=sorted(SCRIPTS))
    print(SCRIPTS[parser.parse_args(arguments).shell](completed_commands()), end="")
    return 0


def _longest_first(commands: Commands) -> list[CompletedCommand]:
    return sorted(commands, key=lambda one: -len(one.name.split()))


def _pattern(one: CompletedCommand) -> str:
    """Of a case over the first two words."""
    return {0: "*)", 1: f'"{one.name} "*)', 2: f'"{one.name}")'}[len(one.name.split())]


def _groups(commands: Commands) -> dict[str, list[str]]:
    """The second words of commands of two words, by the first."""
    found: dict[str, list[str]] = {}
    for first, _, second in (one.name.partition(" ") for one in commands):
        if second:
            found.setdefault(first, []).append(second)
    return found


def _first_texts(commands: Commands) -> dict[str, str]:
    texts = {one.name: one.help for one in commands if one.name and " " not in one.name}
    return texts | {group: ", ".join(seconds) for group, seconds in _groups(commands).items()}


def _bash_flags(one: CompletedCommand) -> Iterator[str]:
    first = one.positional
    yield f'        flags="{" ".join(name for flag in one.named for name in flag.names)}"'
    yield f'        choices="{" ".join(first.words or ())}" path={first.path}'
    yield "        case $before in"
    alike: dict[tuple[str, str], list[str]] = {}  # flags by what their value is
    for flag in one.named:
        if flag.words is not None:
            alike.setdefault((" ".join(flag.words), flag.path), []).extend(flag.names)
    for (words, path), names in alike.items():
        yield f'        {"|".join(names)}) choices="{words}" path={path} ;;'
    yield "        esac"


def _bash_groups(commands: Commands) -> Iterator[str]:
    for group, seconds in _groups(commands).items():
        yield f"    if ((COMP_CWORD == 2)) && [[ ${{COMP_WORDS[1]}} == {group} && $current != -* ]]; then"
        yield f'        choices="{" ".join(seconds)}" path='
        yield "    fi"


def _fish_flag(flag: CompletedFlag) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
    value = "" if flag.words is None else f" -x{_fish_value(flag)}"
    return f"{names}{value} -d {_quoted(flag.help)}"


def _fish_value(flag: CompletedFlag) -> str:
    if flag.words:
        return f" -a {_quoted(' '.join(flag.words))}"
    paths = {"directory": "(__fish_complete_directories)", "file": "(__fish_complete_path)"}
    return f" -a {_quoted(paths[flag.path])}" if flag.path else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
