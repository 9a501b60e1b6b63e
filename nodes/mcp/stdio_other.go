//go:build !unix

package mcp

import "os/exec"

func alone(*exec.Cmd) {}

// killAll kills a child, but not its own children. One that has ended is no error.
func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
