package graph

import (
	"encoding/json"
	"fmt"
)

// A Migration converts a checkpoint of an older version of a graph. Migrate
// changes it in place. It is called for the state, then for each Send that is
// due, with the Send's non-zero channels as Values. Tasks of an unfinished
// superstep run again.
type Migration struct {
	From, To int
	// Values are the channels by name.
	Values map[string]json.RawMessage
	// Nodes renames due nodes, from old names to new.
	Nodes map[string]string
}

// MismatchError reports a checkpoint of another graph, or of another version.
type MismatchError struct {
	Thread                        string
	Graph, SavedGraph             string
	Version, SavedVersion         int
	Fingerprint, SavedFingerprint string
}

func (e *MismatchError) Error() string {
	switch {
	case e.SavedVersion > e.Version:
		return fmt.Sprintf("thread %q was saved by version %d of graph %q, and this is version %d: run it with a newer program", e.Thread, e.SavedVersion, e.SavedGraph, e.Version)
	case e.SavedVersion < e.Version:
		return fmt.Sprintf("thread %q was saved by version %d of graph %q, and this is version %d: set CompileOptions.Migrate", e.Thread, e.SavedVersion, e.SavedGraph, e.Version)
	}
	return fmt.Sprintf("thread %q was saved by graph %q with fingerprint %s, and graph %q has %s: if the graph was changed on purpose, raise CompileOptions.Version and set CompileOptions.Migrate", e.Thread, e.SavedGraph, e.SavedFingerprint, e.Graph, e.Fingerprint)
}

// migrated migrates a checkpoint to this version, or refuses it.
func (pos *position) migrated(p *point) error {
	if p.Version == pos.program.version && p.Fingerprint == pos.program.fingerprint {
		return nil
	}
	if p.Version >= pos.program.version || pos.program.migrate == nil {
		return &MismatchError{pos.ledger.thread, pos.program.name, p.Graph, pos.program.version, p.Version, pos.program.fingerprint, p.Fingerprint}
	}
	m := &Migration{From: p.Version, To: pos.program.version, Values: p.values, Nodes: map[string]string{}}
	if err := pos.program.runMigration(m); err != nil {
		return fmt.Errorf("migrating from version %d to %d: %w", m.From, m.To, err)
	}
	p.values = m.Values
	rename := func(names []string) {
		for i, name := range names {
			if to, ok := m.Nodes[name]; ok {
				names[i] = to
			}
		}
	}
	rename(p.last.Next)
	rename(p.last.Deferred)
	for i := range p.last.Sends {
		send := &p.last.Sends[i]
		if to, ok := m.Nodes[send.Node]; ok {
			send.Node = to
		}
		if send.State != nil { // format 1, without channels
			continue
		}
		own := &Migration{From: m.From, To: m.To, Values: send.Values, Nodes: map[string]string{}}
		if own.Values == nil {
			own.Values = map[string]json.RawMessage{}
		}
		if err := pos.program.runMigration(own); err != nil {
			return fmt.Errorf("migrating a Send to %q from version %d to %d: %w", send.Node, m.From, m.To, err)
		}
		send.Values = own.Values
	}
	p.records, p.older = nil, true
	return nil
}

func (c *program) runMigration(m *Migration) (err error) {
	defer recoverAs(&err)
	return c.migrate(m)
}
