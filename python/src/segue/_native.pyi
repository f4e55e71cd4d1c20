# The module that build.py makes from the headers. Handles are opaque, and every function of the headers is an attribute
# of lib; the modules that call the functions state the types of the results.
from typing import Any

ffi: Any
lib: Any
