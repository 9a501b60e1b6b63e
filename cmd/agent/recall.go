package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

// openRecall opens the QA memory of a corpus. Answers are kept apart by what
// they depend on besides the corpus: model, threshold, skills, and whether the
// model may search.
func openRecall(s settings, corpus *memory.Corpus, set *skills.Set) (research.Memory, error) {
	qa, err := memory.OpenQA(memory.QAPath(s.home, corpus.Name()), corpus.Embed)
	if err != nil {
		return nil, fmt.Errorf("%w; --no-memory goes without it", err)
	}
	hashes, err := skillHashes(set, research.Skills())
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, name := range research.Skills() {
		fmt.Fprintf(h, "%s %s\n", name, hashes[name])
	}
	fmt.Fprintf(h, "%g %+v %s %s %s\n", s.threshold, s.verification, s.lookup.embedder, s.lookup.reranker, s.lookup.model)
	if s.searchTool {
		fmt.Fprintln(h, keySearchTool)
	}
	return research.NewMemory(qa, corpus, fmt.Sprintf("%s %s", s.modelLabel(), hex.EncodeToString(h.Sum(nil))[:16])), nil
}

// skillHashes maps each of some skills to the hash of its content.
func skillHashes(set *skills.Set, names []string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, name := range names {
		skill, err := set.Get(name)
		if err != nil {
			return nil, err
		}
		hashes[name] = skill.Hash
	}
	return hashes, nil
}
