package memory

import (
	"fmt"
	"strings"

	"example.com/assay/state"
)

// An UnknownCorpusError reports that no corpus has the name.
type UnknownCorpusError struct {
	Name  string
	Known []string // sorted
}

func (e *UnknownCorpusError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no corpus %q, nor any other", e.Name)
	}
	return fmt.Sprintf("there is no corpus %q; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// An EmptyCorpusError says that a corpus was begun and never finished: its
// first ingest failed or was stopped.
type EmptyCorpusError struct{ Name string }

func (e *EmptyCorpusError) Error() string {
	return fmt.Sprintf("the corpus %q is empty: its first ingest did not finish", e.Name)
}

// A CorruptCorpusError says that a corpus cannot be read. Nothing was changed
// or deleted.
type CorruptCorpusError struct {
	Name string
	Err  error
}

func (e *CorruptCorpusError) Error() string {
	return fmt.Sprintf("the corpus %q is damaged: %v", e.Name, e.Err)
}

// Cause is CauseIndex: the run cannot read its corpus.
func (e *CorruptCorpusError) Cause() state.Cause { return state.CauseIndex }

func (e *CorruptCorpusError) Unwrap() error { return e.Err }

// An OtherVersionError says that a corpus was written by another version of the
// program. Nothing was changed or deleted, and an ingest of its files cures it.
type OtherVersionError struct {
	Name      string
	Roots     []string // the ingested files and directories
	Got, Want int      // versions of the index's format
	Err       error
}

func (e *OtherVersionError) Error() string {
	if e.Got > e.Want {
		return fmt.Sprintf("the corpus %q was written by a newer version of this program (format %d, this one reads %d): use that version", e.Name, e.Got, e.Want)
	}
	return fmt.Sprintf("the corpus %q was written by an older version of this program (format %d, this one reads %d)", e.Name, e.Got, e.Want)
}

// Cause is CauseIndex: the run cannot read its corpus.
func (e *OtherVersionError) Cause() state.Cause { return state.CauseIndex }

func (e *OtherVersionError) Unwrap() error { return e.Err }

// An EarlierFileError says that a file of an earlier ingest has to be read again,
// because the options or the program changed, and cannot be.
type EarlierFileError struct{ Err error }

func (e *EarlierFileError) Error() string {
	return fmt.Sprintf("the options or the program changed, so every file is read again; this one is of an earlier ingest: %v", e.Err)
}

func (e *EarlierFileError) Unwrap() error { return e.Err }

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
	return fmt.Sprintf("corpus %q was made with %s, and %s is in use: vectors of the two cannot be compared; use %s, or ingest the corpus again",
		e.Corpus, name(e.Made), name(e.Given), name(e.Made))
}

// Cause is CauseIndex: the run cannot read its corpus.
func (e *EmbedderError) Cause() state.Cause { return state.CauseIndex }
