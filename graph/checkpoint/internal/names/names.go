// Package names holds the rules for strings that all checkpointers of this module enforce, so that
// a thread can move from one store to another. It does not check Data, which is any bytes.
package names

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/assay/graph"
)

// Check returns an error if a string is not UTF-8 or has a zero byte: a Postgres text can hold
// neither.
func Check(texts ...string) error {
	for _, s := range texts {
		if !good(s) {
			return bad(s)
		}
	}
	return nil
}

// CheckChange returns an error if Check refuses the thread's name or a string of the change, or if
// a checkpoint to add or replace has no ID.
func CheckChange(thread string, change graph.Change) error {
	if err := Check(thread); err != nil {
		return err
	}
	for i := range change.Remove {
		if err := Check(change.Remove[i].Namespace, change.Remove[i].ID); err != nil {
			return err
		}
	}
	for _, list := range [...][]graph.Checkpoint{change.Replace, change.Add} {
		for i := range list {
			if err := checkCheckpoint(&list[i]); err != nil {
				return err
			}
		}
	}
	for i := range change.Forget {
		f := &change.Forget[i]
		if err := Check(f.Namespace, f.Checkpoint, string(f.Kind)); err != nil {
			return err
		}
	}
	for i := range change.Records {
		r := &change.Records[i]
		if err := Check(r.Namespace, r.Checkpoint, r.Task, string(r.Kind), r.Key); err != nil {
			return err
		}
	}
	return nil
}

// CheckQuery returns an error if Check refuses a string of the query.
func CheckQuery(q graph.Query) error {
	if err := Check(q.Thread, q.Namespace, q.Before, q.Parent, string(q.Source), q.Run); err != nil {
		return err
	}
	return checkMetadata(q.Metadata)
}

func checkCheckpoint(c *graph.Checkpoint) error {
	if c.ID == "" {
		return errors.New("a checkpoint has no ID")
	}
	if err := Check(c.Namespace, c.ID, c.Parent, c.Base, string(c.Source), c.Run, c.Graph, c.Fingerprint); err != nil {
		return err
	}
	return checkMetadata(c.Metadata)
}

// checkMetadata reports the least bad string: a map with several must always give the same error.
func checkMetadata(metadata map[string]string) error {
	if len(metadata) == 0 { // ranging over an empty map would take longer than all other checks
		return nil
	}
	worst, found := "", false
	for k, v := range metadata {
		for _, s := range [...]string{k, v} {
			if !good(s) && (!found || s < worst) {
				worst, found = s, true
			}
		}
	}
	if found {
		return bad(worst)
	}
	return nil
}

// good does the work of Check for one string. Each commit calls it a dozen times, nearly always
// with ASCII, so it checks eight bytes at once.
func good(s string) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if !clean(s[i:]) {
			return whole(s)
		}
	}
	if i > 0 && i < len(s) { // the last eight bytes, some of them again
		return clean(s[len(s)-8:]) || whole(s)
	}
	for ; i < len(s); i++ {
		if s[i] == 0 || s[i] >= utf8.RuneSelf {
			return whole(s)
		}
	}
	return true
}

// clean reports whether the first eight bytes are all in 1 to 127.
func clean(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	_ = s[7]
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return (x-ones|x)&tops == 0
}

func whole(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

func bad(s string) error {
	return fmt.Errorf("%.100q has a zero byte or is not UTF-8, which no name and no metadata may", s)
}
