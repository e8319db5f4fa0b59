"""Copies and near copies of confidential records."""
