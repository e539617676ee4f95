"""The HTTP API: routes parse requests, call the workbench and return results."""
