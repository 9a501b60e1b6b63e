package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeTrained prints the page and writes it and the weights to a folder; an empty
// one keeps nothing.
func writeTrained(out io.Writer, to string, weights, page []byte) error {
	if _, err := out.Write(page); err != nil {
		return fmt.Errorf("printing the scores: %w", err)
	}
	if to == "" {
		return nil
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{"weights.json", weights}, {"weights.md", page}} {
		if err := os.WriteFile(filepath.Join(to, file.name), file.data, 0o644); err != nil {
			return fmt.Errorf("writing what was trained: %w", err)
		}
	}
	return nil
}
