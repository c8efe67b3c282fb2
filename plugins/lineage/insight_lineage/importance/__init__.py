"""Which parameters explain a target: shares of its variance, marginal curves, correlations."""
