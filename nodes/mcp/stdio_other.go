//go:build !unix

package mcp

import "os/exec"

func alone(*exec.Cmd) {}

// killAll kills a child, but not its own children. A child that has ended is not an error.
func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
