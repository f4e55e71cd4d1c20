"""What pyproject.toml cannot say: how the module in C is made, and that one file of it serves every Python 3."""

from setuptools import setup

setup(cffi_modules=["native/build.py:builder"], options={"bdist_wheel": {"py_limited_api": "cp39"}})
