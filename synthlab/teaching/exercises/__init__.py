"""The exercises of the lectures, a module each: ``lecture_08.EXERCISES`` holds those of lecture 8."""
