//go:build !checkpoint

package main

// assayCheckpoint has no figure in a program built without the tag checkpoint.
func assayCheckpoint() (run, error) {
	return nil, absent{"built without -tags checkpoint"}
}
