package cli

import "runtime"

// Opener is the command that opens a file or an address as a double click does, before its
// argument; nil without a display. The program may be missing.
func (a *App) Opener() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if a.Env.Get("DISPLAY")+a.Env.Get("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}
