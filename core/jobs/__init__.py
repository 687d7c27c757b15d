"""Runs that may take over a second: progress and cancel, a fair queue for each device, a store for results.

A `Job` belongs to one browser session, reports `Progress` and stops with `Cancelled` when asked to.
`DeviceQueue` gives jobs their turn on a device, one owner after the other; `Queues` holds one a device.
`Background` draws long work in a thread of its own, in slices, each in a turn of its own.
`Store` keeps results within a bound in bytes and makes each only once.
`boxed`, in the module of that name, runs a function that reads hostile files in a process of its own with limits.

Ask the store first and take the turn inside `make`: a thread that holds a turn while it waits for another
thread's result may wait for a thread that is itself waiting for that turn.
"""

from core.jobs.background import Background
from core.jobs.job import Cancelled, Job, Listener, Progress
from core.jobs.queue import DeviceQueue, Queues
from core.jobs.store import Store

__all__ = ["Background", "Cancelled", "DeviceQueue", "Job", "Listener", "Progress", "Queues", "Store"]
