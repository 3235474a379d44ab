"""Rule options: a frozen dataclass whose fields know their values and what they mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from trickbench.errors import UsageError, unknown


@dataclass(frozen=True)
class Values:
    """What an option may be: a list of choices, or a reader with a description of what it accepts."""

    choices: tuple[Any, ...] = ()
    read: Callable[[Any], Any] | None = None
    described: str = ""

    def text(self) -> str:
        """Return the permitted values as a person would list them."""
        return self.described or ", ".join(str(choice) for choice in self.choices)


def choice(default: Any, *others: Any, meaning: str) -> Any:
    """Declare an option with listed values, the default first."""
    return field(default=default, metadata={"values": Values(choices=(default, *others)), "meaning": meaning})


def number(default: int | None, least: int, meaning: str, *, most: int = 1_000_000, none: bool = False, odd: bool = False) -> Any:
    """Declare an option that is a whole number in a range, perhaps odd, perhaps none."""
    described = f"{'an odd' if odd else 'a whole'} number from {least} to {most}{' or none' if none else ''}"

    def read(value: Any) -> int | None:
        if none and (value is None or str(value).lower() == "none"):
            return None
        if isinstance(value, bool) or not str(value).strip().lstrip("-").isdigit():
            raise ValueError
        result = int(value)
        if not least <= result <= most or (odd and result % 2 == 0):
            raise ValueError
        return result

    return field(default=default, metadata={"values": Values(read=read, described=described), "meaning": meaning})


def read_with(default: Any, read: Callable[[Any], Any], described: str, meaning: str) -> Any:
    """Declare an option with a reader of its own, which raises ValueError for what it does not accept."""
    return field(default=default, metadata={"values": Values(read=read, described=described), "meaning": meaning})


@dataclass(frozen=True)
class Options:
    """Base of the rules of a game: reads values from text or TOML and refuses what is not a value."""

    ENDS: ClassVar[tuple[str, ...]] = ()
    """Options that each say when a game ends."""

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            object.__setattr__(self, item.name, _checked(item, getattr(self, item.name)))

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of all options."""
        return [item.name for item in dataclasses.fields(cls)]

    def changed(self, **options: Any) -> Self:
        """Return these rules with some options changed.

        The options that say when a game ends are alternatives: naming one takes the place of those that are not named. When
        several are named, a game ends with whichever comes first.

        Raises
        ------
        UsageError
            For an option that does not exist or a value it cannot have.
        """
        for name in options:
            if name not in self.names():
                raise unknown("rule option", name, self.names())
        if any(str(options.get(name, "none")).lower() != "none" for name in self.ENDS):
            options = dict.fromkeys(self.ENDS) | options
        return dataclasses.replace(self, **options)

    def as_dict(self) -> dict[str, Any]:
        """Return the options as plain values, as manifests hold them."""
        return {key: "-".join(map(str, value)) if isinstance(value, tuple) else value for key, value in dataclasses.asdict(self).items()}

    @classmethod
    def described(cls) -> list[dict[str, str]]:
        """Return name, values and meaning of every option."""
        return [
            {"option": item.name, "values": item.metadata["values"].text(), "meaning": item.metadata["meaning"]}
            for item in dataclasses.fields(cls)
        ]


def _checked(item: dataclasses.Field[Any], value: Any) -> Any:
    values: Values = item.metadata["values"]
    if values.read is not None:
        try:
            return values.read(value)
        except (ValueError, TypeError):
            pass
    else:
        if isinstance(value, bool) and "on" in values.choices:
            value = "on" if value else "off"
        for known in values.choices:
            if str(known) == str(value):
                return known
    raise UsageError(f"rule option '{item.name}' cannot be '{value}'; it takes {values.text()}")
