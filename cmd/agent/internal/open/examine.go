package open

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/eval"
	threadrows "example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/eventlog"
	noterows "example.com/assay/graph/store/postgres"
	"example.com/assay/internal/pgschema"
	"example.com/assay/internal/plainfile"
	raterows "example.com/assay/llm/postgres"
	"example.com/assay/memory"
	vectorrows "example.com/assay/memory/embed/postgres"
	answerrows "example.com/assay/memory/qa/postgres"
	"example.com/assay/nodes/extract"
)

// Examine asks the server, and makes nothing. Its error says that the server was not
// reached.
func (k *Store) Examine(ctx context.Context) (e Examined, err error) {
	pool, err := pgxpool.NewWithConfig(ctx, k.at.Connect)
	if err != nil {
		return e, err
	}
	defer pool.Close()
	e.Schema = k.at.Schema
	if err := pool.QueryRow(ctx, "SELECT current_setting('server_version'), current_user").Scan(&e.Server, &e.User); err != nil {
		return e, err
	}
	if e.Unusable = pgschema.CheckServer(ctx, pool); e.Unusable != nil {
		return e, nil
	}
	var exists, uses bool
	if err := pool.QueryRow(ctx, `SELECT s.nspname IS NOT NULL, coalesce(has_schema_privilege(s.oid, 'USAGE'), true),
			coalesce(has_schema_privilege(s.oid, 'CREATE'), has_database_privilege(current_database(), 'CREATE'))
		FROM (SELECT 1) one LEFT JOIN pg_namespace s ON s.nspname = $1`, e.Schema).Scan(&exists, &uses, &e.MayMake); err != nil {
		return e, err
	}
	if !uses {
		e.Denied = []string{"USAGE ON SCHEMA " + e.Schema}
		return e, nil
	}
	if e.Denied, err = denied(ctx, pool, e.Schema); err != nil {
		return e, err
	}
	return e, e.compare(ctx, pool)
}

// compare compares the versions of the tables with those of this program, as far as the
// user may read them.
func (e *Examined) compare(ctx context.Context, pool *pgxpool.Pool) error {
	if len(e.Denied) > 0 {
		return nil
	}
	for _, version := range []func(context.Context, *pgxpool.Pool, string) (int, int, error){
		threadrows.Version, noterows.Version, answerrows.Version, vectorrows.Version, raterows.Version, eventlog.Version,
	} {
		have, newest, err := version(ctx, pool, e.Schema)
		if errors.Is(err, pgschema.ErrNewer) {
			e.Newer = err
			return nil
		}
		if err != nil {
			return err
		}
		e.Behind = e.Behind || have < newest
	}
	return nil
}

// denied lists the rights on the tables of a schema that the user needs and does not have.
// The tables of versions need only be read.
func denied(ctx context.Context, pool *pgxpool.Pool, schema string) ([]string, error) {
	rows, err := pool.Query(ctx, `SELECT p || ' ON ' || c.relname FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
		CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
		WHERE s.nspname = $1 AND c.relkind = 'r' AND (p = 'SELECT' OR c.relname NOT LIKE '%migrations') AND NOT has_table_privilege(c.oid, p)
		ORDER BY c.relname, p`, schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// ResultsDir is where results of cases are kept.
func ResultsDir(home string) string { return filepath.Join(home, "evals") }

// CaseResults are the results of cases on one model, as files have them.
type CaseResults struct {
	eval.Results
	Comparison *eval.Comparison `json:"comparison,omitempty"`
}

// ReadResults reads a file that agent eval cases wrote.
func ReadResults(path string) (CaseResults, error) {
	var r CaseResults
	data, err := plainfile.Read(path, 0)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w; it is not a results.json of agent eval cases", path, err)
	}
	if r.Task != "cases" || r.Schema != eval.ResultsSchema || len(r.Items) == 0 {
		return r, fmt.Errorf("%s: these are not results of agent eval cases; --out makes them", path)
	}
	return r, nil
}

// Encode writes results as files have them.
func (r CaseResults) Encode() ([]byte, error) { return cli.Indented(r) }

// KeepResults writes results to a new file of a folder, which is named by date and model.
func KeepResults(dir string, r CaseResults) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	name := FileName(r.Made.Date + " " + r.Model)
	path := filepath.Join(dir, name+".json")
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			break
		}
		path = filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n))
	}
	if err := cli.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("keeping results: %w", err)
	}
	return nil
}

// FileName is a text without characters that file names should not have.
func FileName(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
			return '_'
		}
		return r
	}, text)
}

// maxSchema bounds a schema, in bytes.
const maxSchema = 1 << 20

// Schema reads a schema. It also returns the text of the file.
func Schema(path string) (*extract.Schema, []byte, error) {
	data, err := plainfile.Read(path, maxSchema)
	if err != nil {
		return nil, nil, cli.Usagef("reading --schema: %w", err)
	}
	s, err := extract.ParseSchema(data)
	if err != nil {
		return nil, nil, cli.Usagef("%s: %w", path, err)
	}
	return s, data, nil
}

const (
	// SampleCorpus is the name under which the embedded sample is ingested.
	SampleCorpus = "sample"
	// sampleWait is how long to wait for another process that ingests it.
	sampleWait = 60 * time.Second
	samplePoll = 100 * time.Millisecond
)

const SampleNote = "answered from the embedded sample corpus, a teaching sample, not legal advice; `agent ingest DIR` makes your own"

// CountyCorpus is the name under which the embedded compliance sample is ingested.
const CountyCorpus = "sample-county"

// An embedded is a sample inside the program.
type embedded struct {
	corpus  string // its name once it is ingested
	name    string // of its folder
	instead string // the note when it answers for the default corpus; empty for none
	files   func() (fs.FS, error)
}

var (
	lawSample    = embedded{SampleCorpus, casestudies.SampleName, "", casestudies.Sample}
	countySample = embedded{
		CountyCorpus, casestudies.CountyName, "the embedded compliance sample answers, an invented county; `agent ingest DIR` makes your own", casestudies.County,
	}
)

// sampleFile is a file of the sample.
type sampleFile struct {
	name string // slash-separated, e.g. "torts/battery.md"
	data []byte
}

// SampleFiles lists the embedded files in the order of their names, and the
// hash of names and contents.
func SampleFiles() ([]sampleFile, string, error) { return lawSample.list() }

func (e embedded) list() ([]sampleFile, string, error) {
	root, err := e.files()
	if err != nil {
		return nil, "", fmt.Errorf("reading the embedded sample: %w", err)
	}
	var files []sampleFile
	hash := sha256.New()
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		files = append(files, sampleFile{name, data})
		fmt.Fprintf(hash, "%q %d\n", name, len(data))
		hash.Write(data)
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("reading the embedded sample: %w", err)
	}
	return files, hex.EncodeToString(hash.Sum(nil))[:12], nil
}

// SampleDir is where the files of a sample with this hash are unpacked.
// Directories of other hashes stay: earlier answers point into them.
func SampleDir(home, hash string) string { return lawSample.dir(home, hash) }

func (e embedded) dir(home, hash string) string {
	return filepath.Join(home, "samples", e.name+"-"+hash)
}

// open opens the sample as a corpus. It unpacks and ingests the files the first time,
// after a new binary brought other files, and when the corpus is damaged. note is called
// before that work. The sample is found and chosen by its words, so that its first answer waits for no
// encoder. Two processes may do so at the same time: one works, the other waits.
func (e embedded) open(ctx context.Context, home string, note func(string)) (*memory.Corpus, error) {
	files, hash, err := e.list()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(home, 0o700); err != nil { // it will hold questions and answers
		return nil, fmt.Errorf("making the home: %w", err)
	}
	dir := e.dir(home, hash)
	noted := false
	for deadline := time.Now().Add(sampleWait); ; {
		if err := unpack(dir, files); err != nil {
			return nil, err
		}
		corpus, err := memory.Open(home, e.corpus)
		if err == nil {
			if IsSample(corpus, dir, len(files)) {
				return corpus, nil
			}
			if err := corpus.Close(); err != nil {
				return nil, fmt.Errorf("closing an older sample: %w", err)
			}
		} else if !SampleMissing(err) {
			return nil, err
		}
		if !noted {
			note(fmt.Sprintf("preparing the embedded sample corpus (%d files, once)", len(files)))
			noted = true
		}
		_, err = memory.Ingest(ctx, memory.IngestOptions{Home: home, Corpus: e.corpus, Paths: []string{dir}, Rebuild: true})
		var busy *memory.BusyError
		if err != nil && (!errors.As(err, &busy) || time.Now().After(deadline)) {
			return nil, fmt.Errorf("preparing the embedded sample: %w", err)
		}
		if err != nil {
			select {
			case <-time.After(samplePoll):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
	}
}

// SampleMissing reports whether ingesting the sample again repairs an error of opening it.
// That corpus holds none of a person's own files.
func SampleMissing(err error) bool {
	var unknown *memory.UnknownCorpusError
	var empty *memory.EmptyCorpusError
	var corrupt *memory.CorruptCorpusError
	var other *memory.OtherVersionError
	return errors.As(err, &unknown) || errors.As(err, &empty) || errors.As(err, &corrupt) || errors.As(err, &other)
}

// IsSample reports whether a corpus was made from the files in dir.
func IsSample(corpus *memory.Corpus, dir string, files int) bool {
	sources := corpus.Sources()
	if len(sources) != files {
		return false
	}
	for _, source := range sources {
		path, _, err := corpus.TextPath(source)
		if err != nil || !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return false
		}
	}
	return true
}

// unpack writes the files that are missing or were changed, each atomically.
func unpack(dir string, files []sampleFile) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, f.data) {
			continue
		}
		if err := cli.WriteFile(path, f.data, 0o644); err != nil {
			return fmt.Errorf("unpacking the embedded sample: %w; %s names another directory", err, cli.EnvHome)
		}
	}
	return nil
}
