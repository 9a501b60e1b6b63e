//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// alone gives a child its own process group, so its children end with it, and an interrupt in the
// terminal does not reach it first.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll kills a child's process group. A child that has ended is not an error.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
