"""Where the name of the experiment is that a request is about."""

WSGI_ENVIRON_KEY = "HTTP_TENSORBOARD_EXPERIMENT_ID"
