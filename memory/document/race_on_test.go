//go:build race

package document

const raceEnabled = true
