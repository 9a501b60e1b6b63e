//go:build race

package racetest

const (
	On     = true
	Slower = 20
)
