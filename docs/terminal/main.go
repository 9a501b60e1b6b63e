// Terminal records real runs of the command as docs/terminal.svg:
//
//	go run ./docs/terminal
//
// It builds the command, runs each scene in a pseudo-terminal of script(1), and
// draws what a person sees at the end of it. A viewer without animation shows the
// first scene.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

const (
	columns = 92
	rows    = 32
	target  = "docs/terminal.svg"
)

// scenes are command lines as the README has them.
var scenes = []string{
	`agent ask "What must a plaintiff prove to win a claim for battery?"`,
	`agent ask "What must an applicant show to be granted asylum?"`,
	`agent verify --response case_studies/planted_errors/response.md --context case_studies/documents/contract.txt`,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	dir, err := os.MkdirTemp("", "assay-terminal")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "agent"), "./cmd/agent").CombinedOutput(); err != nil {
		return fmt.Errorf("building the command: %w\n%s", err, out)
	}
	if _, _, err := record(dir, scenes[0]); err != nil { // unpacks the sample corpus
		return err
	}
	var screens [][]line
	for _, scene := range scenes {
		printed, code, err := record(dir, scene)
		if err != nil {
			return err
		}
		text := "\x1b[1m$ " + scene + "\x1b[0m\r\n" + printed + "\x1b[1m$ echo $?\x1b[0m\r\n" + fmt.Sprint(code)
		screens = append(screens, screen(text))
	}
	return os.WriteFile(target, []byte(svg(screens)), 0o644)
}

// sample is where the sample corpus was unpacked or the repository is, which differs by machine.
var sample = regexp.MustCompile(`[^\s;\x1b\\]*/(us-law-primer-\w+|case_studies/documents)/`)

// record runs a command line in a pseudo-terminal and returns what it printed.
func record(dir, scene string) (printed string, code int, err error) {
	cmd := exec.Command("script", "-qefc", fmt.Sprintf("stty cols %d rows %d; %s", columns, rows, scene), "/dev/null")
	cmd.Env = append(os.Environ(), "ASSAY_HOME="+filepath.Join(dir, "home"), "PATH="+dir+":"+os.Getenv("PATH"), "TERM=xterm", "NO_COLOR=")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return sample.ReplaceAllString(string(out), "…/"), failed.ExitCode(), nil
	}
	return sample.ReplaceAllString(string(out), "…/"), 0, err
}
