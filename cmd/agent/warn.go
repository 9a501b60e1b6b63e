package main

import "example.com/assay/state"

// warnOf tells what went wrong beside an answer, and which sources are no
// longer what was read.
func (a *app) warnOf(answer state.Answer) {
	for _, w := range answer.Warnings {
		a.warn("%s", w)
	}
	for _, s := range answer.Sources {
		if s.Stale != "" {
			a.warn("source %d, %s, is stale: %s", s.N, s.Doc, s.Stale)
		}
	}
}
