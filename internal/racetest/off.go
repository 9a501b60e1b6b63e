//go:build !race

// Package racetest tells tests whether the race detector watches. It is for tests only.
package racetest

const (
	On     = false // it slows what is timed, and pools forget what they were given
	Slower = 1     // by how much a bound of time must be wider
)
