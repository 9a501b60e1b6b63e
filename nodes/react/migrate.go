package react

import (
	"errors"

	"example.com/assay/graph"
)

// Migrate is a graph.CompileOptions.Migrate, together with a Version above that of the saved
// threads: their conversations go on with other tools and steps, and with a later version of this
// package. A thread in the middle of a round of calls is refused, since a call that waited for a
// person would be made.
func Migrate(m *graph.Migration) error {
	if m.Values["messages"] == nil { // a call that is due
		return errors.New("the thread is in the middle of a round of calls: end its turn with the earlier version of the program, or begin another thread")
	}
	return nil
}
