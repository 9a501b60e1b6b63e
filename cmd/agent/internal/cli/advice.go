package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"runtime/debug"
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

// A Build is the version of the program.
type Build struct {
	Version  string `json:"version"`            // of the release or the module, or "devel"
	Revision string `json:"revision,omitempty"` // the commit; "+dirty" is appended when the source was changed
	Commit   string `json:"commit,omitempty"`
	Dirty    bool   `json:"dirty"`
	Time     string `json:"time,omitempty"` // of the commit
	Go       string `json:"go"`
}

// Package release links these into the program; they are empty in every other build.
var releaseVersion, releaseCommit, releaseTime string

// ThisBuild is the build of the running program.
func ThisBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info, Build{Version: releaseVersion, Commit: releaseCommit, Time: releaseTime})
}

// buildOf combines the values that a release linked in with the build information of the Go
// toolchain. The release counts first, then the version of the module, which go install and a
// build in a checkout record.
func buildOf(info *debug.BuildInfo, release Build) Build {
	b := release
	b.Go = info.GoVersion
	if b.Version == "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	b.Dirty = strings.HasSuffix(b.Version, "+dirty")
	for _, s := range info.Settings {
		switch {
		case release.Commit != "": // the release knows better
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.time":
			b.Time = s.Value
		case s.Key == "vcs.modified":
			b.Dirty = b.Dirty || s.Value == "true"
		}
	}
	if b.Revision = b.Commit; b.Dirty && b.Commit != "" {
		b.Revision += "+dirty"
	}
	return b
}

// String is the version and the revision.
func (b Build) String() string { return strings.TrimSpace(b.Version + " " + b.Revision) }
