package cli

import (
	"runtime/debug"
	"strings"
)

// A Build is the version of the program, as the Go toolchain recorded it.
type Build struct {
	Version  string `json:"version"`            // of the module, or "devel"
	Revision string `json:"revision,omitempty"` // of the source; "+dirty" is appended when it was changed
	Go       string `json:"go"`
}

// ThisBuild is the build of the running program.
func ThisBuild() Build {
	b := Build{Version: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Revision = s.Value + b.Revision
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Revision += "+dirty"
		}
	}
	return b
}

// String is the version and the revision.
func (b Build) String() string { return strings.TrimSpace(b.Version + " " + b.Revision) }
