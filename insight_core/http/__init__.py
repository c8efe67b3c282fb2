"""For views: parameters of requests, answers, and the records of a series."""
