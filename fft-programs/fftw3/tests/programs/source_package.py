"""Fetches and unpacks a source package of PyPI: source_package.py NAME VERSION FOLDER"""

import io
import re
import sys
import tarfile
import urllib.request

name, version, folder = sys.argv[1:]
index = urllib.request.urlopen(f"https://pypi.org/simple/{name}/", timeout=60).read().decode()
links = re.findall(r'href="([^"#]+)', index)
ending = f"/{name}-{version}.tar.gz"
link = next(link for link in links if link.lower().endswith(ending))
package = urllib.request.urlopen(link, timeout=120).read()
with tarfile.open(fileobj=io.BytesIO(package)) as archive:
    archive.extractall(folder, filter="data")
