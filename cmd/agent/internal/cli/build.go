package cli

import (
	"runtime/debug"
	"strings"
)

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
