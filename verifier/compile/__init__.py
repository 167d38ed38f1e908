"""The core to WebAssembly: a kernel that says which rounds of a log are certainly in order."""
