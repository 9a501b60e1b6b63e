//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// alone gives a child a process group, so that its own children end with it, and a
// terminal's interrupt does not reach it before this program ends it.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll kills a child's process group. A child that has ended is not an error.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
