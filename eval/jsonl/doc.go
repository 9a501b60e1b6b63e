// Package jsonl reads JSON Lines from other sources: plain or compressed with
// gzip, one record per line. Errors name the file, the line and the field.
//
//	err := jsonl.Each(ctx, "claims.jsonl.gz", "id", nil, func(at jsonl.Place, r record) error {
//		return at.Want("claim", r.Claim != "")
//	})
//
// It writes nothing, keeps one line at a time, and knows no format.
package jsonl
