"""``/openapi.json``: the routes of the host and its plugins as an OpenAPI description."""
