"""What users write: annotations of runs and what tabs save, in files of versioned lines that hosts share."""
