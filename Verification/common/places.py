"""Where things are."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ROOT / "scripts/services.sh"


def mongod() -> str:
    """The program: the one on the PATH, else the one that scripts/install.sh unpacked."""
    return shutil.which("mongod") or str(ROOT / ".waybill/tools/mongod")
