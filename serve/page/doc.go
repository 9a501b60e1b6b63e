// Package page serves pages for people under /ui/: past and current runs, answers with their
// evidence, threads with all their checkpoints, and the server's corpora, memory and results.
//
//	mux.Handle("/ui/", page.Handler(page.Options{
//		Authenticate: callerOf, Admit: admit, Space: manager.For,
//	}))
//
// All reading works without scripts, and all writing uses forms. A browser gets a session for a
// tenant's token. Changes that only an operator may make need Options.Write.
//
// The package knows no pipeline, model or index: Options provide what it shows. It checks no Host
// and no Origin, and limits no body: the server in front of it does.
package page
