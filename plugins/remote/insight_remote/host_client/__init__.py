"""``DataProvider`` client of a running host: reads its logs over HTTP."""
