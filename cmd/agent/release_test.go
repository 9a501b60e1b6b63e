package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
)

// A composed is a service in a compose file.
type composed struct {
	Image       string
	Command     []string
	Environment map[string]string
	Volumes     []string
	DependsOn   yaml.Node `yaml:"depends_on"`
}

// released reads a file below release.
func released(t *testing.T, name ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "release"}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkCommandLine refuses a command line of the program with unknown words or flags.
func checkCommandLine(t *testing.T, where string, args []string) {
	t.Helper()
	a, _, _ := clitest.App(t.TempDir())
	cmd, rest, err := rootCommand(a).Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && len(cmd.Flags().Args()) > 0 && cmd.Args != nil {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	if err != nil || cmd == cmd.Root() {
		t.Errorf("%s: agent %q is %q: %v", where, args, cmd.Name(), err)
	}
}

// checkVariables refuses variables that neither the program nor PostgreSQL's library reads, and
// values that the program does not take.
func checkVariables(t *testing.T, where string, variables map[string]string) {
	t.Helper()
	a, _, _ := clitest.App(t.TempDir())
	table, err := config.Table(a)
	if err != nil {
		t.Fatal(err)
	}
	known := append(config.Known(table), "PGPASSWORD")
	for name, value := range variables {
		if !slices.Contains(known, name) {
			t.Errorf("%s: nothing reads %s", where, name)
		}
		a.Env[name] = value
	}
	cmd, _, err := rootCommand(a).Find([]string{"worker"})
	if err == nil {
		_, err = config.Resolve(a, cmd, new(config.Flags))
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

// Everything in the compose files exists: each image has a version, the program knows each
// command line and variable, and each service and volume is declared.
func TestComposeFiles(t *testing.T) {
	all, volumes := map[string]composed{}, map[string]any{}
	pinned := regexp.MustCompile(`^([a-z/-]+:(\d+\.\d+(\.\d+)?(-alpine[\d.]*)?|local)|scratch)$`)
	for _, name := range []string{"two.yml", "three.yml"} {
		var file struct {
			Services map[string]composed
			Volumes  map[string]any
		}
		if err := yaml.Unmarshal([]byte(released(t, "compose", name)), &file); err != nil {
			t.Fatal(err)
		}
		maps.Copy(volumes, file.Volumes)
		for service, s := range file.Services {
			if s.Image == "" {
				s.Image = all[service].Image // three.yml adds to it
			}
			if !pinned.MatchString(s.Image) {
				t.Errorf("%s: the image of %s is %q: name a version", name, service, s.Image)
			}
			if s.Image == "assay:local" {
				checkVariables(t, name+", "+service, s.Environment)
				if s.Command != nil {
					checkCommandLine(t, name+", "+service, s.Command)
				}
			}
			all[service] = s
		}
		for service, s := range file.Services {
			for _, v := range s.Volumes {
				if _, ok := volumes[strings.Split(v, ":")[0]]; !ok && !strings.HasPrefix(v, "$") { // a folder of the host
					t.Errorf("%s: %s has the volume %q, which is not declared", name, service, v)
				}
			}
			if slices.Contains(s.Volumes, "home:/home/assay/data") && !slices.ContainsFunc(s.Volumes, func(v string) bool { return strings.HasSuffix(v, ":/docs:ro") }) {
				t.Errorf("%s: %s has corpora without the documents, from which quotes are read", name, service)
			}
			for _, n := range s.DependsOn.Content {
				if _, ok := all[n.Value]; n.Value != "" && !ok {
					t.Errorf("%s: %s depends on %q, which is not there", name, service, n.Value)
				}
			}
		}
	}
	if len(all) != 4 || all["worker"].Command == nil || all["agent"].Environment["ASSAY_TEMPORAL"] == "" {
		t.Errorf("services %v", slices.Sorted(maps.Keys(all)))
	}
	for _, from := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(released(t, "compose", "Dockerfile"), -1) {
		if !pinned.MatchString(from[1]) {
			t.Errorf("the Dockerfile begins with %s: name a version", from[1])
		}
	}
}

// The units of systemd start the program with flags and variables that it has. systemd-analyze,
// if it is installed, finds no fault in them.
func TestSystemdUnits(t *testing.T) {
	for name, variables := range map[string]int{"assay-worker": 4, "assay-serve": 1} {
		t.Run(name, func(t *testing.T) {
			unit := released(t, "systemd", name+".service")
			run := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/agent (.*)$`).FindStringSubmatch(unit)
			if run == nil {
				t.Fatal("it starts no agent")
			}
			checkCommandLine(t, name, strings.Fields(run[1]))
			set := map[string]string{}
			settings := unit
			if name == "assay-worker" {
				settings += released(t, "systemd", "worker.env")
			}
			for _, m := range regexp.MustCompile(`(?m)^(?:Environment=)?([A-Z_]+)=(.*)$`).FindAllStringSubmatch(settings, -1) {
				set[m[1]] = m[2]
			}
			if len(set) != variables {
				t.Errorf("variables %v", set)
			}
			checkVariables(t, name, set)
			analyze, err := exec.LookPath("systemd-analyze")
			if err != nil {
				t.Skip("systemd-analyze is not installed")
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			files := []string{filepath.Join(t.TempDir(), name+".service")}
			if err := os.WriteFile(files[0], []byte(strings.ReplaceAll(unit, "/usr/local/bin/agent", self)), 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "assay-serve" {
				socket := filepath.Join(filepath.Dir(files[0]), name+".socket")
				if err := os.WriteFile(socket, []byte(released(t, "systemd", name+".socket")), 0o600); err != nil {
					t.Fatal(err)
				}
				files = append(files, socket)
			}
			if out, err := exec.CommandContext(t.Context(), analyze, append([]string{"verify"}, files...)...).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
