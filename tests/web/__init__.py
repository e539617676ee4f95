"""The workbench's tests."""
