package cli

import (
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The version is right in each way to build the program.
func TestBuildOf(t *testing.T) {
	const commit, when = "0123456789abcdef", "2026-11-24T12:00:00Z"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: when}, {Key: "vcs.modified", Value: modified}}
	}
	for name, test := range map[string]struct {
		main     string
		settings []debug.BuildSetting
		release  Build
		want     Build
	}{
		"a release": {main: "(devel)", release: Build{Version: "v1.2.3", Commit: commit, Time: when},
			want: Build{Version: "v1.2.3", Revision: commit, Commit: commit, Time: when}},
		"a release of a dirty tree": {main: "(devel)", release: Build{Version: "v1.2.3+dirty", Commit: commit, Time: when},
			want: Build{Version: "v1.2.3+dirty", Revision: commit + "+dirty", Commit: commit, Dirty: true, Time: when}},
		"a release in a checkout that go build knows": {main: "v0.0.0-1+dirty", settings: vcs("true"), release: Build{Version: "v1.2.3", Commit: commit, Time: when},
			want: Build{Version: "v1.2.3", Revision: commit, Commit: commit, Time: when}},
		"go install module@version": {main: "v1.2.3", want: Build{Version: "v1.2.3"}},
		"go build in a checkout": {main: "v1.2.4-0.20261124120000-0123456789ab", settings: vcs("false"),
			want: Build{Version: "v1.2.4-0.20261124120000-0123456789ab", Revision: commit, Commit: commit, Time: when}},
		"go build in a changed checkout": {main: "v1.2.3+dirty", settings: vcs("true"),
			want: Build{Version: "v1.2.3+dirty", Revision: commit + "+dirty", Commit: commit, Dirty: true, Time: when}},
		"an old go build in a changed checkout": {main: "(devel)", settings: vcs("true"),
			want: Build{Version: "devel", Revision: commit + "+dirty", Commit: commit, Dirty: true, Time: when}},
		"go build without git": {main: "(devel)", want: Build{Version: "devel"}},
		"no record at all":     {want: Build{Version: "devel"}},
	} {
		t.Run(name, func(t *testing.T) {
			info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: test.main}, Settings: test.settings}
			test.want.Go = "go1.26"
			if diff := cmp.Diff(test.want, buildOf(info, test.release)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
