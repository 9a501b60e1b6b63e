package serve

// FewDesks lets only so many desks stay open, until undo.
func FewDesks(n int) (undo func()) {
	was := mostDesks
	mostDesks = n
	return func() { mostDesks = was }
}
