# What build.py makes of the headers. Handles are opaque, and every function of the headers is an attribute of lib; the
# modules that call them say what comes out.
from typing import Any

ffi: Any
lib: Any
