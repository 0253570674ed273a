"""FCM, and its token endpoint, on the same frames and the same books (Google's reference; nothing of the simulator's)."""
