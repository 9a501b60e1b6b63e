package react

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"example.com/assay/llm"
)

// ShellOptions configure the tool "shell". Folder is required.
type ShellOptions struct {
	// Folder is the working folder of commands, and their HOME.
	Folder string
	// Timeout ends a command with all that it started. Default one minute.
	Timeout time.Duration
	// MaxOutput is how many bytes of a command's output the model sees: its beginning and its end.
	// Default 16 KiB.
	MaxOutput int
	// Env is added to the environment, which otherwise has PATH, HOME, LANG and TERM alone.
	Env []string
	// CPUSeconds, FileBytes and MemoryBytes limit each process of a command: its time, each file that
	// it writes, and its address space. Default: no limit.
	CPUSeconds, FileBytes, MemoryBytes int
	// Allow says which commands run without a person's approval. Default: none.
	Allow func(command string) bool
	// Isolated runs commands without a network, and where they see no other process, in namespaces of
	// Linux. Where the system refuses these, commands fail. Default: they have the network.
	Isolated bool
}

// shellTool makes the tool. What separates a command from the machine is a person's approval, the
// limits of ShellOptions and, with Isolated, the network. It runs as the user of this program and can
// read and write every file that this user can.
func shellTool(o ShellOptions) (Tool, error) {
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	o.MaxOutput = max(cmp.Or(o.MaxOutput, 16<<10), 100)
	info, err := os.Stat(o.Folder)
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err == nil {
		o.Folder, err = filepath.Abs(o.Folder)
	}
	if err != nil {
		return Tool{}, fmt.Errorf("the shell's folder: %w", err)
	}
	made, err := llm.NewTool(ToolShell, fmt.Sprintf("Runs a command with sh in a working folder, for at most %v, and returns its output and exit status.", o.Timeout), func(ctx context.Context, in struct {
		Command string `json:"command" jsonschema:"the command"`
	}) (string, error) {
		return o.run(ctx, in.Command)
	})
	return Tool{Callable: made, Once: true, Limit: -1, lane: ToolShell, Approve: func(call llm.ToolCall) (bool, string) {
		var in struct{ Command string }
		return json.Unmarshal(call.Arguments, &in) != nil || o.Allow == nil || !o.Allow(in.Command), ""
	}}, err
}

// run runs a command.
func (o *ShellOptions) run(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, errTooLong)
	defer cancel()
	limits := ""
	for i, n := range []int{o.CPUSeconds, (o.FileBytes + 511) / 512, (o.MemoryBytes + 1023) / 1024} {
		if n > 0 {
			limits += fmt.Sprintf("ulimit -%c %d && ", "tfv"[i], n)
		}
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", limits+`exec sh -c "$1"`, "sh", command)
	out := &ends{most: o.MaxOutput}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = o.Folder, out, out, time.Second
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + o.Folder, "LANG=C.UTF-8", "TERM=dumb"}, o.Env...)
	if err := o.separate(cmd); err != nil {
		return "", err
	}
	runtime.LockOSThread() // a command ends with the thread that began it; see separate
	err := cmd.Run()
	runtime.UnlockOSThread()
	endGroup(cmd)
	exit, ended := errors.AsType[*exec.ExitError](err)
	text := strings.ToValidUTF8(strings.ReplaceAll(out.String(), "\x00", ""), "\uFFFD")
	switch {
	case context.Cause(ctx) == errTooLong:
		return "", fmt.Errorf("%w (%v); its output was:\n%s", errTooLong, o.Timeout, text)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil && !ended && !errors.Is(err, exec.ErrWaitDelay): // a process in the background kept the output open
		return "", fmt.Errorf("running the command: %w", err)
	case ended:
		return fmt.Sprintf("%s\n(%s)", text, exit), nil
	}
	return text + "\n(exit status 0)", nil
}

var errTooLong = errors.New("the command ran too long and was ended")

// ends keeps the beginning and the end of what is written to it.
type ends struct {
	most       int
	begin, end bytes.Buffer
	left       int // bytes between them
}

func (e *ends) Write(p []byte) (int, error) {
	n := len(p)
	room := min(e.most/2-e.begin.Len(), n)
	e.begin.Write(p[:room])
	e.end.Write(p[room:])
	if over := e.end.Len() - e.most/2; over > 0 {
		e.left += over
		e.end.Next(over)
	}
	return n, nil
}

func (e *ends) String() string {
	if e.left == 0 {
		return e.begin.String() + e.end.String()
	}
	return fmt.Sprintf("%s\n(%d bytes left out)\n%s", e.begin.String(), e.left, e.end.String())
}
