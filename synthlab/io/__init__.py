"""Reading and writing of data files."""

from synthlab.io.read_files import (
    FileOptions as FileOptions,
    described as described,
    read as read,
    read_file as read_file,
)
from synthlab.io.write_files import FileFormat as FileFormat, write as write
