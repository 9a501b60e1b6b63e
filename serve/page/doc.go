// Package page serves pages for people under /ui/: what ran and what runs, why an answer says
// what it says, threads with all their checkpoints, and what the server has.
//
//	mux.Handle("/ui/", page.Handler(page.Options{
//		Tenants: tenants, Caller: callerByToken, Whose: tenantOfToken, Admit: admit, Space: manager.Space,
//	}))
//
// All reading works without script, and all writing by forms. A browser has a session, which
// it gets for a tenant's token; what only an operator may change needs Options.Write.
//
// The package knows no pipeline, no model and no index: what it shows of them, Options give.
// It checks no Host and no Origin, and bounds no body: the server in front of it does.
package page
