"""What people say of runs: display names, notes, remarks, marks. Kept outside the logdirs."""
