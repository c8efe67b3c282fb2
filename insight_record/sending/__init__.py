"""Sends recorded files to a host that receives them, from machines that share no disk with it."""
