// Package jsonl reads JSON Lines that other people wrote: plain or compressed
// with gzip, one record per line, faults named by file, line and field.
//
//	err := jsonl.Each(ctx, "claims.jsonl.gz", "id", nil, func(at jsonl.Place, r record) error {
//		return at.Want("claim", r.Claim != "")
//	})
//
// It writes nothing, keeps one line at a time, and knows no format.
package jsonl
