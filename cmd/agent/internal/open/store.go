package open

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	threadfile "example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	notefile "example.com/assay/graph/store/sqlite"
	"example.com/assay/llm"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/text"
)

// A Store opens what the program saves: files of the home, or tables of the PostgreSQL
// server that the settings name. It connects when it is first used. Close it after what it
// opened.
type Store struct {
	home string
	at   config.Store

	mu     sync.Mutex
	server server // nil before the first use, and with files
}

// A server keeps in its tables what the home keeps in files.
type server interface {
	llm.Buckets // the rates
	threads(ctx context.Context) (Saver, error)
	notes(ctx context.Context, opts store.Options) (store.Store, error)
	answers(ctx context.Context, corpus string, opts *qa.Options) (*qa.Memory, error)
	vectors(ctx context.Context, opts *embed.CacheOptions) (*embed.Cache, error)
	events(ctx context.Context) (*eventlog.Log, error)
	close()
}

// NewStore returns the store of the settings.
func NewStore(s config.Settings) *Store { return &Store{home: s.Home, at: s.Store} }

// Shared reports whether a server keeps what is saved.
func (k *Store) Shared() bool { return k.at.Connect != nil }

// Close ends the connections.
func (k *Store) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.server != nil {
		k.server.close()
		k.server = nil
	}
}

// Has reports whether something may have been saved: with a server always, else if the file exists.
func (k *Store) Has(file string) (bool, error) {
	if k.Shared() {
		return true, nil
	}
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// connected returns the server. All tables are there.
func (k *Store) connected(ctx context.Context) (server, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.server != nil {
		return k.server, nil
	}
	to, err := connect(ctx, k.at)
	if err != nil {
		return nil, k.because(err)
	}
	k.server = to
	return to, nil
}

func (k *Store) because(err error) error {
	return fmt.Errorf("using the store %s: %w (agent doctor says what to do)", k.at.Shown, err)
}

// A Saver keeps threads.
type Saver interface {
	graph.Checkpointer
	io.Closer
}

// Threads opens the threads.
func (k *Store) Threads(ctx context.Context) (Saver, error) {
	if !k.Shared() {
		saver, err := threadfile.Open(ctx, ThreadsFile(k.home), nil)
		if err != nil {
			return nil, fmt.Errorf("opening the saved runs: %w (agent doctor says what to do)", err)
		}
		return saver, nil
	}
	to, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	return to.threads(ctx)
}

// Notes are long-term memory.
type Notes interface {
	store.Store
	io.Closer
}

// sharedNotes are closed with their pool.
type sharedNotes struct{ store.Store }

func (sharedNotes) Close() error { return nil }

// Notes opens the notes.
func (k *Store) Notes(ctx context.Context) (Notes, error) {
	return k.notes(ctx, NotesFile(k.home), store.Options{})
}

// notes opens a file of notes, or the rows that the server keeps.
func (k *Store) notes(ctx context.Context, path string, opts store.Options) (Notes, error) {
	if !k.Shared() {
		file, err := notefile.Open(ctx, path, &notefile.Options{Options: opts})
		if err != nil {
			return nil, err // not Notes that hold a nil pointer
		}
		return file, nil
	}
	to, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := to.notes(ctx, opts)
	if err != nil {
		return nil, err
	}
	return sharedNotes{rows}, nil
}

// Answers opens the remembered answers of a corpus. Each tenant of agent serve has its own; the
// command's tenant is "".
func (k *Store) Answers(ctx context.Context, tenant, corpus string, opts *qa.Options) (*qa.Memory, error) {
	if !k.Shared() {
		return qa.Open(ctx, AnswersFile(k.home, tenant, corpus), opts)
	}
	to, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	return to.answers(ctx, filepath.ToSlash(filepath.Join(tenantFolder(tenant), corpus)), opts)
}

// AnswersFile is the file of a corpus's remembered answers, unless a server keeps them.
func AnswersFile(home, tenant, corpus string) string {
	return qa.Path(filepath.Join(home, tenantFolder(tenant)), corpus)
}

// PapersDir is the folder for papers of a tenant whose fields are read.
func PapersDir(home, tenant string) string {
	return filepath.Join(home, tenantFolder(tenant), "papers")
}

// tenantFolder is the folder of a tenant's files, below the home.
func tenantFolder(tenant string) string {
	if tenant == "" {
		return ""
	}
	return filepath.Join("tenants", tenant)
}

// Vectors opens the cache of vectors.
func (k *Store) Vectors(ctx context.Context, opts *embed.CacheOptions) (*embed.Cache, error) {
	if !k.Shared() {
		return embed.OpenCache(memory.VectorsPath(k.home), opts)
	}
	to, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	return to.vectors(ctx, opts)
}

// Served opens the rows that agent serve keeps in addition to threads: records of runs, and the
// memory of its callers, which an embedder finds by meaning.
func (k *Store) Served(ctx context.Context, e store.Embedder) (Notes, error) {
	return k.notes(ctx, filepath.Join(k.home, "serve.db"), store.Options{Embedder: e})
}

// Events opens the log of events.
func (k *Store) Events(ctx context.Context) (*eventlog.Log, error) {
	if !k.Shared() {
		return eventlog.OpenFile(ctx, filepath.Join(k.home, "events.db"))
	}
	to, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	return to.events(ctx)
}

// Draw implements llm.Buckets for the rates of a server.
func (k *Store) Draw(ctx context.Context, draws []llm.Draw) ([]float64, error) {
	to, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	return to.Draw(ctx, draws)
}

// Examined describes a store on a server. Examining it changed nothing.
type Examined struct {
	Server   string   // its version
	User     string   // whose rights were looked at
	Schema   string   // of the tables
	Unusable error    // the server is too old, or the database is not in UTF8
	Newer    error    // a later version of this program has made the tables
	Behind   bool     // tables are missing or of an earlier version
	MayMake  bool     // the user may make tables, and the schema if that is missing
	Denied   []string // what the user needs and may not do, such as "UPDATE ON qa_entries"
}

const (
	ThreadCorpus      = "corpus"
	ThreadFingerprint = "corpus_fingerprint"
	ThreadQuestion    = "question" // its first MaxThreadQuestion bytes
	MaxThreadQuestion = 200
)

// ThreadsFile is the file of all threads of a home, unless a server keeps them.
func ThreadsFile(home string) string { return filepath.Join(home, "threads.db") }

// CheckThread refuses names that would be hard to type again.
func CheckThread(where, name string) error {
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return cli.Usagef("%s is %q: a thread's name must have 1 to 100 bytes and no white space", where, name)
	}
	return nil
}

// InfoOf describes a thread by its newest checkpoint. The error is graph.ErrNoCheckpoint if the
// thread does not exist.
func InfoOf(ctx context.Context, saver graph.Checkpointer, thread string) (ThreadInfo, error) {
	for c, err := range saver.List(ctx, graph.Query{Thread: thread, Limit: 1}) {
		if err != nil {
			return ThreadInfo{}, fmt.Errorf("reading thread %q: %w", thread, err)
		}
		m := c.Metadata
		return ThreadInfo{Thread: thread, Graph: c.Graph, Question: m[ThreadQuestion], Corpus: m[ThreadCorpus], Updated: c.Time, Fingerprint: m[ThreadFingerprint]}, nil
	}
	return ThreadInfo{}, graph.ErrNoCheckpoint
}

// Printable removes from a text the bytes that the metadata of a checkpoint may not hold.
func Printable(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "") }

// UnknownThread is the usage error for an unknown thread. It names the nearest thread.
func UnknownThread(ctx context.Context, saver graph.Checkpointer, name string) error {
	var known []string
	for t, err := range saver.Threads(ctx) {
		if err != nil {
			return err
		}
		known = append(known, t.ID)
	}
	hint := "there are none; begin one with: agent ask --thread " + name + " QUESTION"
	if len(known) > 0 {
		hint = "agent threads list shows all"
	}
	return cli.Usagef("there is no thread %q%s; %s", name, text.DidYouMean(name, known), hint)
}

// CorpusOf is the corpus of a thread, "" if the thread does not exist.
func (k *Store) CorpusOf(ctx context.Context, thread string) (string, error) {
	if has, err := k.Has(ThreadsFile(k.home)); !has {
		return "", err
	}
	saver, err := k.Threads(ctx)
	if err != nil {
		return "", err
	}
	info, err := InfoOf(ctx, saver, thread)
	if errors.Is(err, graph.ErrNoCheckpoint) {
		err = nil
	}
	return info.Corpus, errors.Join(err, saver.Close())
}

// A ThreadInfo describes a thread, without its state.
type ThreadInfo struct {
	Thread      string    `json:"thread"`
	Graph       string    `json:"graph,omitempty"`
	Question    string    `json:"question,omitempty"`
	Corpus      string    `json:"corpus,omitempty"`
	Checkpoints int       `json:"checkpoints"`
	Updated     time.Time `json:"updated"`
	Fingerprint string
}

// NotesOf is the namespace of the notes that agent chat keeps.
var NotesOf = []string{"notes"}

// NotesFile is the file of notes, unless a server keeps them.
func NotesFile(home string) string { return filepath.Join(home, "notes.db") }
