"""Files as agencies have them, read into data frames: nothing is guessed that the file does not say."""

from synthlab.io.read_files import (
    FileOptions as FileOptions,
    described as described,
    read as read,
    read_file as read_file,
)
