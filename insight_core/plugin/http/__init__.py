"""For the routes of plugins: parameters of requests, answers, and the records of a series."""
