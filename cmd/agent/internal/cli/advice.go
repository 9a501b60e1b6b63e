package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"

	"example.com/assay/internal/disk"
	"example.com/assay/internal/sqlfile"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/document"
	"example.com/assay/memory/qa"
)

// An advised error is a library's error together with what to type next. Libraries do
// not know verbs and flags; this file does.
type advised struct {
	error
	advice string
}

func (e advised) Error() string { return e.error.Error() + "; " + e.advice }

func (e advised) Unwrap() error { return e.error }

// withAdvice adds advice to an error that has any.
func withAdvice(err error) error {
	if err == nil || errors.As(err, new(advised)) {
		return err
	}
	if advice := adviceOn(err); advice != "" {
		return advised{err, advice}
	}
	return err
}

// adviceOn returns what to type after an error, "" for nothing.
func adviceOn(err error) string {
	if e, ok := errors.AsType[*memory.UnknownCorpusError](err); ok && len(e.Known) == 0 {
		return "make it with: " + ingestInto(nil, e.Name, "")
	}
	if e, ok := errors.AsType[*memory.EmptyCorpusError](err); ok {
		return "run: " + ingestInto(nil, e.Name, "")
	}
	if e, ok := errors.AsType[*memory.OtherVersionError](err); ok {
		if e.Got > e.Want {
			return "or build it again: " + ingestInto(e.Roots, e.Name, "--rebuild ")
		}
		return "bring it up to date with: " + ingestInto(e.Roots, e.Name, "")
	}
	if e, ok := errors.AsType[*memory.CorruptCorpusError](err); ok {
		return "build it again: " + ingestInto(nil, e.Name, "--rebuild ")
	}
	if e, ok := errors.AsType[*memory.EmbedderError](err); ok {
		return "to switch the embedder run: " + ingestInto(nil, e.Corpus, "")
	}
	if errors.As(err, new(*memory.ServerError)) {
		return "agent doctor says whether its server answers; WEAVIATE_API_KEY holds its key"
	}
	if errors.As(err, new(*memory.EarlierFileError)) {
		return "name the directory that holds the file now, or drop the file with --rebuild"
	}
	if e, ok := errors.AsType[*qa.DamagedError](err); ok {
		return "to start again with an empty memory: agent memory forget --all --corpus " + strings.TrimSuffix(filepath.Base(e.Path), ".db")
	}
	if e, ok := errors.AsType[*document.InputError](err); ok && e.Option != "" {
		return "--" + strings.ReplaceAll(e.Option, "_", "-") + " names it"
	}
	if e, ok := errors.AsType[*llm.StatusError](err); ok && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden) {
		return "agent doctor names the variable that holds the key"
	}
	return StorageTrouble(err)
}

// diskFailed reports whether a disk is full or failed: no change to the command line helps.
func diskFailed(err error) bool {
	return disk.Full(err) || errors.Is(err, syscall.EIO)
}

// StorageTrouble returns what to do about an error of the disk, "" for another error.
func StorageTrouble(err error) string {
	switch {
	case disk.Full(err), sqlfile.Full(err):
		return "the disk is full: what was saved before is still there; free some space (df -h), then run it again"
	case disk.InUse(err):
		return "another process has a file open: end it (agent serve, a conversation), then run it again"
	case errors.Is(err, syscall.EFBIG):
		return "a limit on the size of files was reached (ulimit -f): raise it, then run it again"
	case errors.Is(err, syscall.EROFS), sqlfile.ReadOnly(err):
		return "the disk or the file is read-only: make it writable, or set " + EnvHome + " to another directory"
	case errors.Is(err, fs.ErrPermission):
		return "this user may not: correct the owner and the mode (ls -ld), or set " + EnvHome + " to another directory"
	case errors.Is(err, syscall.EIO), sqlfile.IOFailed(err):
		return "the disk failed to read or write, or has no room: free some space (df -h), look at the system's log (dmesg), then run agent doctor --deep"
	}
	return ""
}

// ingestInto is the command that ingests paths into a corpus.
func ingestInto(paths []string, corpus, flags string) string {
	return fmt.Sprintf("agent ingest %s%s --corpus %s", flags, quoted(paths), corpus)
}

// quoted writes paths for a shell.
func quoted(paths []string) string {
	if len(paths) == 0 {
		return "PATH…"
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = Quoted(p)
	}
	return strings.Join(out, " ")
}

// Quoted writes a path for a shell.
func Quoted(path string) string {
	if strings.ContainsAny(path, " \t\n'\"\\$`*?[]{}()<>|&;!#~") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
