//go:build !linux

package react

import (
	"errors"
	"os/exec"
)

// separate refuses Isolated. Processes that a command started in the background outlive it.
func (o *ShellOptions) separate(*exec.Cmd) error {
	if o.Isolated {
		return errors.New("commands cannot be isolated here: that needs Linux")
	}
	return nil
}

func endGroup(*exec.Cmd) {}
