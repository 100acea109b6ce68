# SPDX-License-Identifier: MIT
"""Prometheus metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from pyhexagon.llm.engine.engine_thread import Statistics

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """The metrics of one server, or of one of its models.

    Attributes:
        statistics: that the engine or the router of the model counts.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._present = _Present()
        self.registry.register(self._present)
        self._models: dict[str, Metrics] = {}
        self.requests = self._counter("requests", "Requests answered", "path", "status")
        self.prompt_tokens = self._counter("prompt_tokens", "Tokens of prompts that were answered")
        self.audio_seconds = self._counter("audio_seconds", "Seconds of audio that were transcribed")
        first = Histogram(
            "pyhexagon_first_token_seconds", "From the request to its first token", buckets=_SECONDS,
            registry=self.registry,
        )  # fmt: skip
        self.statistics = Statistics(first_token=first.observe)
        self.registry.register(_Counted(self.statistics))

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(f"pyhexagon_{name}", documentation, labels, registry=self.registry)

    def watch(self, now: Callable[[], Mapping[str, float]]) -> None:
        """Export what ``now`` returns at each scrape, by names of ``_PRESENT`` (gauges) and ``_SUMS`` (counters);
        it may leave some out. A later call replaces ``now``."""
        self._present.now = now

    def of_model(self, name: str) -> Metrics:
        """Return the metrics of one of several models: ``text`` has them with the label "model"."""
        return self._models.setdefault(name, Metrics())

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(_Labelled(self.requests, self._present, self._models) if self._models else self.registry)


_PRESENT = {
    "running": "Requests that are running",
    "waiting": "Requests that are waiting",
    "up": "1 while the DSP can be used",
    "boards": "Boards of the cluster that have the model",
    "boards_up": "Boards that answer",
    "memory_model_bytes": "Shared memory of the weights",
    "memory_context_bytes": "Shared memory of the KV cache",
    "memory_compute_bytes": "Shared memory of activations and programs",
}
_COUNTED = {
    "generated_tokens": ("generated_tokens", "Tokens generated"),
    "draft_tokens": ("draft_tokens", "Draft tokens that the model verified"),
    "accepted_draft_tokens": ("accepted_draft_tokens", "Draft tokens that the model accepted"),
    "steps": ("steps", "Steps of the scheduler"),
    "deaths": ("dsp_deaths", "Losses of the DSP"),
    "refused": ("refused", "Requests refused because too many waited"),
    "cancelled": ("cancelled", "Requests whose client closed the connection"),
}
_SUMS = {
    "messages": "Messages that the DSP answered",
    "dsp_seconds": "Time with a message on the DSP, as seen from the host",
}


class _Present:
    """A collector whose values are read at each scrape."""

    def __init__(self) -> None:
        self.now: Callable[[], Mapping[str, float]] = dict

    def collect(self) -> Iterator[Metric]:
        values = self.now()
        for kind, names in ((GaugeMetricFamily, _PRESENT), (CounterMetricFamily, _SUMS)):
            for name, documentation in names.items():
                if name in values:
                    yield kind(f"pyhexagon_{name}", documentation, value=values[name])

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registration does not call ``collect`` before a model is loaded."""
        return []


class _Counted(Collector):
    """A collector of what an engine counts."""

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics

    def collect(self) -> Iterable[Metric]:
        counts = self._statistics
        for attribute, (name, documentation) in _COUNTED.items():
            value = getattr(counts, attribute)
            yield CounterMetricFamily(f"pyhexagon_{name}", documentation, value=value, created=counts.since)


class _Labelled(Collector):
    """The metrics of the server and of several models, each with its label."""

    def __init__(self, requests: Counter, present: _Present, models: Mapping[str, Metrics]) -> None:
        self._requests, self._present, self._models = requests, present, models

    def collect(self) -> Iterable[Metric]:
        families = {family.name: family for family in (*self._requests.collect(), *self._present.collect())}
        for model, metrics in self._models.items():
            for family in metrics.registry.collect():
                merged = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
                merged.samples += [
                    sample._replace(labels={"model": model, **sample.labels}) for sample in family.samples
                ]
        return families.values()
