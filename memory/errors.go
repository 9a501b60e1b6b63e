package memory

import (
	"fmt"
	"strings"
)

// An UnknownCorpusError says that there is no corpus of a name.
type UnknownCorpusError struct {
	Name  string
	Known []string // sorted
}

func (e *UnknownCorpusError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no corpus %q, nor any other; make it with: agent ingest PATH… --corpus %s", e.Name, e.Name)
	}
	return fmt.Sprintf("there is no corpus %q; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// An EmptyCorpusError says that a corpus was begun and never finished: its
// first ingest failed or was stopped.
type EmptyCorpusError struct{ Name string }

func (e *EmptyCorpusError) Error() string {
	return fmt.Sprintf("the corpus %q holds nothing yet: its first ingest did not finish; run: agent ingest PATH… --corpus %s", e.Name, e.Name)
}

// A CorruptCorpusError says that a corpus cannot be read. Nothing was changed
// or deleted.
type CorruptCorpusError struct {
	Name string
	Err  error
}

func (e *CorruptCorpusError) Error() string {
	return fmt.Sprintf("the corpus %q is damaged: %v; build it again: agent ingest --rebuild PATH… --corpus %s", e.Name, e.Err, e.Name)
}

func (e *CorruptCorpusError) Unwrap() error { return e.Err }

// An OtherVersionError says that a corpus was written by another version of the
// program. Nothing was changed or deleted, and an ingest of its files cures it.
type OtherVersionError struct {
	Name      string
	Roots     []string // what it was ingested from
	Got, Want int      // versions of the index's format
	Err       error
}

func (e *OtherVersionError) Error() string {
	if e.Got > e.Want {
		return fmt.Sprintf("the corpus %q was written by a newer version of this program (format %d, this one reads %d): use that version, or build it again: agent ingest --rebuild %s --corpus %s",
			e.Name, e.Got, e.Want, paths(e.Roots), e.Name)
	}
	return fmt.Sprintf("the corpus %q was written by an older version of this program (format %d, this one reads %d); bring it up to date with: agent ingest %s --corpus %s",
		e.Name, e.Got, e.Want, paths(e.Roots), e.Name)
}

func (e *OtherVersionError) Unwrap() error { return e.Err }

// paths writes paths for a shell.
func paths(list []string) string {
	if len(list) == 0 {
		return "PATH…"
	}
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p
		if strings.ContainsAny(p, " \t\n'\"\\$`*?[]{}()<>|&;!#~") {
			out[i] = "'" + strings.ReplaceAll(p, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// A BusyError says that another process is writing to a corpus.
type BusyError struct {
	Corpus string
	PID    int // 0 when it has not said
}

func (e *BusyError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("corpus %q is being ingested by %s; wait or end it, then try again", e.Corpus, who)
}

// An EmbedderError says that a corpus cannot be searched with the embedder in
// use, because its vectors were made by another.
type EmbedderError struct {
	Corpus string
	Made   string // ID of the embedder that it was ingested with; empty for the offline one
	Given  string // ID of the one in use; empty for none but the offline one
}

func (e *EmbedderError) Error() string {
	name := func(id string) string {
		if id == "" {
			return "the offline embedder"
		}
		return fmt.Sprintf("%q", id)
	}
	return fmt.Sprintf("corpus %q was made with %s, and %s is in use: vectors of the two cannot be compared; to change over run: agent ingest PATH… --corpus %s; or use %s again",
		e.Corpus, name(e.Made), name(e.Given), e.Corpus, name(e.Made))
}
