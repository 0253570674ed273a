"""A small disk of a case's own, which can be filled and freed: an ext4 image on a loop device."""

import os
import subprocess
from pathlib import Path


class LoopDisk:
    """Mounted at `folder`. Needs root; raises what mount says without it."""

    def __init__(self, image: Path, folder: Path, megabytes: int) -> None:
        self._image, self.folder = image, folder
        self._ballast = folder / "ballast"
        folder.mkdir(parents=True, exist_ok=True)
        with open(image, "wb") as file:
            file.truncate(megabytes << 20)
        _run("mkfs.ext4", "-q", "-m", "0", str(image))
        _run("mount", "-o", "loop", str(image), str(folder))

    def fill(self, leaving: int) -> None:
        """Takes all but so many bytes."""
        free = os.statvfs(self.folder)
        size = free.f_bavail * free.f_frsize - leaving
        with open(self._ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(size, 1))

    def free(self) -> None:
        """Gives back what `fill` took."""
        self._ballast.unlink(missing_ok=True)

    def unmount(self) -> None:
        _run("umount", str(self.folder))
        self._image.unlink()


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip() or done.stdout.strip()}")
