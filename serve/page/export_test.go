package page

import (
	"maps"
	"slices"
)

// Routes are the patterns of the pages that need a session, below /ui/.
func Routes() []string { return slices.Sorted(maps.Keys(routes)) }
