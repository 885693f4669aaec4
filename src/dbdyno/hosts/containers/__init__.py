"""Reaches containers of this machine by the API of Docker and Podman. The only user of the client library.

All that a server is given lies in folders of the host that are mounted at their own paths, so an option file, a socket
or a log has one name inside and outside, and the server's process is one of the host's.
"""

from dbdyno.hosts.containers._engine import Containers, open_containers
from dbdyno.hosts.containers._order import ContainerOrder, ImageFacts, Network
from dbdyno.hosts.containers._process import ContainerProcess

__all__ = ["ContainerOrder", "ContainerProcess", "Containers", "ImageFacts", "Network", "open_containers"]
