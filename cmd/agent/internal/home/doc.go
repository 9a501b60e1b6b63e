// Package home knows which files a home holds: their kinds, the versions of their formats,
// and how each is copied or checked while the program runs.
//
//	if err := home.Check(dir); err != nil {
//		return err // a file of a newer version
//	}
//
// It opens no corpus, thread or answer for use, and it changes nothing.
package home
