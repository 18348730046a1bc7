"""Workers: jobs that run in processes of this machine or on a Ray."""

from bidarena.evaluate.workers.executor import workers
from bidarena.evaluate.workers.processes import Do, Job, Work, in_processes

__all__ = ["Do", "Job", "Work", "in_processes", "workers"]
