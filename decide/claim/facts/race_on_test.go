//go:build race

package facts

// slower is by how much the race detector slows a test.
const slower = 20
