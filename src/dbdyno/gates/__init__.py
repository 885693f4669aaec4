"""Whether a server has settled, read off its telemetry: the gates of `stats` fed with what each engine shows. Pure.

The same gates are asked while a run is driven and again of what is stored of it; both get them here.
"""

from dbdyno.gates._server import GATE_METRICS, Readings, ServerFacts, gate_facts, is_flash, server_gates

__all__ = ["GATE_METRICS", "Readings", "ServerFacts", "gate_facts", "is_flash", "server_gates"]
