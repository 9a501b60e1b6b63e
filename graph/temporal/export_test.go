package temporal

// Register registers what a worker has with a test environment.
func Register(r registry, o WorkerOptions, find Find) { register(r, o, find, nil) }
