package open

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.com/assay/memory"
	"example.com/assay/state/proof"
)

// Documents reads the documents of an answer as they stand: the contents that the run itself
// holds, by name, and those of a corpus, which may be nil. It reads no other file, whatever
// an answer names.
func Documents(c *memory.Corpus, held map[string]proof.Content) proof.Documents {
	return func(_ context.Context, d proof.Document) (proof.Content, error) {
		if content, ok := held[d.Name]; ok {
			return content, nil
		}
		if c == nil {
			return proof.Content{}, errors.New("the corpus of the run is not here or has changed, and no other file is opened because a run names it")
		}
		path, err := pathIn(c, d)
		if err != nil {
			return proof.Content{}, err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return proof.Content{}, errors.New("its file cannot be read any more")
		}
		return proof.Content{Text: string(text)}, nil
	}
}

// pathIn is the file of a document of a corpus.
func pathIn(c *memory.Corpus, d proof.Document) (string, error) {
	if path, _, err := c.TextPath(d.Name); err == nil {
		return path, nil
	}
	for _, source := range c.Sources() {
		if path, _, err := c.TextPath(source); err == nil && d.Path != "" && path == d.Path {
			return path, nil
		}
	}
	return "", fmt.Errorf("corpus %q no longer has it", c.Name())
}
