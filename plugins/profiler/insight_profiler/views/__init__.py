"""Answers of the routes."""
