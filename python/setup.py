"""The settings that pyproject.toml cannot express: how to build the C module, and that one file serves every Python 3.
"""

from setuptools import setup

setup(cffi_modules=["native/build.py:builder"], options={"bdist_wheel": {"py_limited_api": "cp39"}})
