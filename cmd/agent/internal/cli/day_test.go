package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// --as-of takes a date, a month and a year.
func TestDay(t *testing.T) {
	for s, want := range map[string]bool{"2024-06-30": true, "2024-06": true, "2024": true, "2024-02-31": false, "June": false, "": false} {
		cmd := &cobra.Command{}
		cmd.Flags().String("as-of", "", "")
		if err := cmd.Flags().Set("as-of", s); err != nil {
			t.Fatal(err)
		}
		if err := Day(cmd, "as-of"); (err == nil) != want {
			t.Errorf("%q: %v", s, err)
		}
	}
}
