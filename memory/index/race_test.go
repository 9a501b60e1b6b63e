//go:build race

package index

func init() { slowedDown = true }
