//go:build race

package claims

// slower is by how much the race detector slows a test.
const slower = 20
