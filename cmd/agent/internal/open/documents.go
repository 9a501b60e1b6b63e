package open

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"example.com/assay/memory"
	"example.com/assay/memory/document"
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
		source, known := SourceOf(c, d)
		path, _, err := c.TextPath(source)
		if !known || err != nil {
			return proof.Content{}, fmt.Errorf("corpus %q no longer has it", c.Name())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return proof.Content{}, errors.New("its file cannot be read any more")
		}
		return proof.Content{Text: string(text), Changed: Changed(c, source)}, nil
	}
}

// Changed reports whether a text of a corpus is known not to be what was ingested.
func Changed(c *memory.Corpus, source string) bool {
	_, changed := errors.AsType[*document.InputError](c.Check(source))
	return changed
}

// SourceOf is the text of a corpus that is a document, by its name or by its path.
func SourceOf(c *memory.Corpus, d proof.Document) (source string, known bool) {
	all := c.Sources()
	if slices.Contains(all, d.Name) {
		return d.Name, true
	}
	at := slices.IndexFunc(all, func(source string) bool {
		path, _, err := c.TextPath(source)
		return err == nil && d.Path != "" && path == d.Path
	})
	if at < 0 {
		return "", false
	}
	return all[at], true
}
