//go:build !lean

package config

import (
	"strings"
	"testing"
)

func TestParseStore(t *testing.T) {
	for _, c := range []struct{ text, schema, shown string }{
		{"postgres://ann@db:5433/assay", "assay", "postgres://ann@db:5433/assay"},
		{"postgresql://ann:s3cret@db/assay?schema=team+one&sslmode=require", "team one", "postgres://ann@db:5432/assay?schema=team+one"},
		{"postgres://ann@/assay?host=/run/postgresql&password=s3cret", "assay", "postgres://ann@/assay?host=%2Frun%2Fpostgresql&port=5432"},
		{"postgres://ann@db/assay?pool_max_conns=3&sslpassword=s3cret", "assay", "postgres://ann@db:5432/assay"},
	} {
		s, err := parseStore(c.text)
		if err != nil || s.Schema != c.schema || s.Shown != c.shown {
			t.Errorf("%s: %q, %q, %v", c.text, s.Schema, s.Shown, err)
			continue
		}
		if s.Connect.ConnConfig.RuntimeParams["schema"] != "" {
			t.Errorf("%s: the server would be told of the schema", c.text)
		}
	}
	for _, text := range []string{
		"s3cret", "mysql://ann:s3cret@db/assay", "postgres://ann:s3cret@db:port/assay", "postgres://ann:s3cret@db/assay?sslmode=s3cret",
		"postgres://ann:s3cret@db/assay?schema=", "postgres://ann:s3cret%zz@db/assay", "postgres://ann:s3cret@db/assay?pool_max_conns=s3cret",
		"postgres://ann:s3cret@db/assay?sslrootcert=/nowhere/s3cret&sslmode=verify-full",
	} {
		if _, err := parseStore(text); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if s, err := parseStore(""); err != nil || s.Connect != nil {
		t.Errorf("nothing: %+v, %v", s, err)
	}
}
