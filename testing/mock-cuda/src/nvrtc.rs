//! NVRTC: programs that compile, or do not.
