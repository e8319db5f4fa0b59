"""Published numbers compared with those of this package, one folder a source.

Each runs on the data the source used where they are at hand, and says where it stands otherwise.
"""
