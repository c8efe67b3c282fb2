"""Reads tables of metrics and files of settings as they are declared; plugins have ``plugin.log_tables``."""
