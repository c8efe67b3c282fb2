"""What a plugin is: TensorBoard's ``plugins/base_plugin.py``."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


@frozen(kw_only=True)
class FrontendMetadata:
    """How a plugin is shown: by ``es_module_path``, one of its routes, in a frame."""

    disable_reload: bool = field(default=None, converter=bool)
    element_name: str | None = None
    es_module_path: str | None = None
    remove_dom: bool = field(default=None, converter=bool)
    tab_name: str | None = None
    is_ng_component: bool = field(default=None, converter=bool)


@define(kw_only=True, eq=False)
class TBContext:
    """What a plugin is told of the host; any of it may be None."""

    assets_zip_provider: Any = None
    data_provider: Any = None
    flags: argparse.Namespace | None = None
    logdir: str | None = None
    multiplexer: Any = None
    plugin_name_to_instance: Any = None
    sampling_hints: Mapping[str, int] | None = None
    window_title: str | None = None


class TBPlugin(ABC):
    plugin_name: str | None = None

    def __init__(self, context: TBContext) -> None:  # noqa: B027
        pass

    @abstractmethod
    def get_plugin_apps(self) -> Mapping[str, WSGIApplication]:
        """WSGI applications by route: ``/tags``, ``/static/*``."""

    @abstractmethod
    def is_active(self) -> bool: ...

    def frontend_metadata(self) -> FrontendMetadata:
        return FrontendMetadata()

    def data_plugin_names(self) -> Collection[str | None]:
        """Plugins whose data it shows."""
        return (self.plugin_name,)


class TBLoader:
    """Makes a plugin, or None where it cannot work."""

    def define_flags(self, parser: argparse.ArgumentParser) -> None:
        pass

    def fix_flags(self, flags: argparse.Namespace) -> None:
        pass

    def load(self, context: TBContext) -> TBPlugin | None:
        return None


class BasicLoader(TBLoader):
    """Makes plugins of a class."""

    def __init__(self, plugin_class: type[TBPlugin]) -> None:
        self.plugin_class = plugin_class

    def load(self, context: TBContext) -> TBPlugin | None:
        return self.plugin_class(context)


class FlagsError(ValueError):
    """The value of a flag will not do."""
