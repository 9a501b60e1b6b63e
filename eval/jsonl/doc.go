// Package jsonl reads JSON Lines from other sources: plain or compressed with gzip, one record per
// line. Errors name the file, the line and the field.
//
//	err := jsonl.Each(ctx, "claims.jsonl.gz", "id", nil, func(at jsonl.Place, r record) error {
//		return at.Want("claim", r.Claim != "")
//	})
//
// It does not write files or know particular formats. One line at a time is in memory.
package jsonl
