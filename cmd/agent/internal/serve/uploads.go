package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
)

// uploads implements page.Uploads: files are kept in a folder of the home for each corpus, which
// agent ingest would read with the same result.
type uploads struct {
	*server
	root string // of the folders
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	mu   sync.Mutex
	jobs map[string]*job // by corpus
}

// A job reads the uploads of a corpus.
type job struct {
	page.Reading
	again   bool // files came meanwhile
	refused []page.Fact
}

const (
	// mostKept is how many files are kept for a corpus.
	mostKept = 10_000
	// longestName is how many bytes a file's name has at most.
	longestName = 150
	// leftOutShown is how many files that were left out are listed.
	leftOutShown = 50
	// partial begins the names of files that are not complete. No corpus has such a name.
	partial = ".part-"
)

func newUploads(s *server) *uploads {
	u := &uploads{server: s, root: filepath.Join(s.settings.Home, "uploads"), jobs: map[string]*job{}}
	u.ctx, u.stop = context.WithCancel(context.Background())
	u.clear()
	return u
}

// clear removes what a server that was killed has not completed. Another server may be at younger files.
func (u *uploads) clear() {
	entries, err := os.ReadDir(u.root)
	if err != nil {
		return // there are no uploads
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), partial) && time.Since(info.ModTime()) > 24*time.Hour {
			if err := os.Remove(filepath.Join(u.root, e.Name())); err != nil {
				u.Warn("removing an incomplete file: %v", err)
			}
		}
	}
}

// close ends the reading. The next one goes on.
func (u *uploads) close() error {
	u.stop()
	u.work.Wait()
	return nil
}

// fault is server.fault, without what the sender may know.
func (u *uploads) fault(doing string, err error) error {
	if page.Refused(err) {
		return err
	}
	return u.server.fault(doing, err)
}

// Into implements page.Uploads. With tenants, what one of them adds must be read by no other.
func (u *uploads) Into(name, corpus string) error {
	t, err := u.tenant(name)
	if err != nil {
		return err
	}
	if config.CheckCorpus("corpus", corpus) != nil {
		return page.Refuse("%.100q cannot be a name of documents: %s", corpus, memory.NameRule)
	}
	if !t.may(corpus) {
		return &runs.NotFoundError{What: "corpus", ID: corpus}
	}
	if _, embedded := samples[corpus]; embedded {
		return page.Refuse("this corpus is embedded in the program, and takes no files")
	}
	if !u.shared() {
		return nil
	}
	others := slices.ContainsFunc(u.tenants, func(o tenant) bool { return o.Name != t.Name && o.may(corpus) })
	if others || !slices.Contains(t.Corpora, corpus) {
		return page.Refuse("only whoever runs the server adds files here, since other tenants may read them")
	}
	return nil
}

// Most implements page.Uploads.
func (u *uploads) Most() int64 { return int64(u.uploadMiB) << 20 }

// folder opens the folder of a corpus, and that of all corpora. Nothing outside is reached through them,
// whatever a name or a link says.
func (u *uploads) folder(corpus string) (all, own *os.Root, err error) {
	if err := os.MkdirAll(u.root, 0o700); err != nil {
		return nil, nil, err
	}
	if all, err = os.OpenRoot(u.root); err != nil {
		return nil, nil, err
	}
	if err = all.Mkdir(corpus, 0o700); err == nil || errors.Is(err, fs.ErrExist) {
		own, err = all.OpenRoot(corpus)
	}
	if err != nil {
		return nil, nil, errors.Join(err, all.Close())
	}
	return all, own, nil
}

// Add implements page.Uploads.
func (u *uploads) Add(ctx context.Context, tenant, corpus, name string, from io.Reader) (err error) {
	defer func() { err = u.fault("keeping a file", err) }()
	safe := safeName(name)
	if safe == "" {
		return page.Refuse("its name has no letter or digit")
	}
	all, own, err := u.folder(corpus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Close(), all.Close()) }()
	room, err := u.room(own, safe)
	if err != nil {
		return err
	}
	temporary := partial + rand.Text()
	file, err := all.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(file, io.LimitReader(from, room+1))
	if err == nil && n > room {
		err = page.Refuse("it is too long: the files of a corpus have %d MiB at most, and there is room for %s", u.uploadMiB, mib(room))
	}
	if err == nil && n == 0 {
		err = page.Refuse("it is empty")
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = all.Rename(temporary, path.Join(corpus, safe))
	}
	if err != nil {
		err = errors.Join(err, all.Remove(temporary))
	}
	return err
}

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// room is how many bytes a file of a name may have.
func (u *uploads) room(own *os.Root, name string) (int64, error) {
	entries, err := fs.ReadDir(own.FS(), ".")
	if err != nil {
		return 0, err
	}
	left, n := u.Most(), 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.Name() == name {
			continue // it is gone, or will be replaced
		}
		n++
		left -= info.Size()
	}
	if n >= mostKept {
		return 0, page.Refuse("there are %d files already, which is the most", n)
	}
	if left <= 0 {
		return 0, page.Refuse("there is no room: the files of a corpus have %d MiB at most", u.uploadMiB)
	}
	return left, nil
}

// safeName is the last part of a name, without what some system reads as something else; empty if
// nothing is left.
func safeName(name string) string {
	name = strings.ToValidUTF8(name[strings.LastIndexAny(name, `/\`)+1:], "")
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"|?*`, r), unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	name = strings.TrimLeft(name, ". ")
	ext := path.Ext(name)
	if len(ext) > 12 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > longestName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	name = strings.TrimRight(stem+ext, ". ")
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	if device := strings.ToUpper(strings.TrimSpace(strings.SplitN(name, ".", 2)[0])); slices.Contains(devices, device) {
		name = "_" + name
	}
	return name
}

// devices are names that Windows keeps for itself.
var devices = strings.Fields("CON PRN AUX NUL COM0 COM1 COM2 COM3 COM4 COM5 COM6 COM7 COM8 COM9 LPT0 LPT1 LPT2 LPT3 LPT4 LPT5 LPT6 LPT7 LPT8 LPT9 CONIN$ CONOUT$")

// Remove implements page.Uploads.
func (u *uploads) Remove(_, corpus, name string) (err error) {
	defer func() { err = u.fault("removing a file", err) }()
	all, own, err := u.folder(corpus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Close(), all.Close()) }()
	if name == "" || name != safeName(name) {
		return &runs.NotFoundError{What: "file", ID: name}
	}
	if err = own.Remove(name); errors.Is(err, fs.ErrNotExist) {
		return &runs.NotFoundError{What: "file", ID: name}
	}
	return err
}

// Files implements page.Uploads.
func (u *uploads) Files(ctx context.Context, tenant, corpus string) (out []page.Uploaded, err error) {
	defer func() { err = u.fault("listing the files", err) }()
	dir, err := filepath.Abs(filepath.Join(u.root, corpus))
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known, why, err := u.taken(ctx, tenant, corpus)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // it is gone, or nobody added it here
		}
		at := filepath.Join(dir, e.Name())
		out = append(out, page.Uploaded{Name: e.Name(), Bytes: info.Size(), Source: known[at], Why: why[at]})
	}
	return out, nil
}

// taken has the texts of a corpus by their files, and the reasons of files that are in none.
func (u *uploads) taken(ctx context.Context, tenant, corpus string) (sources, why map[string]string, err error) {
	sources, why = map[string]string{}, map[string]string{}
	t, err := u.tenant(tenant)
	if err != nil {
		return nil, nil, err
	}
	d, err := u.corpus(ctx, t, corpus)
	if err != nil {
		return sources, why, ctx.Err() // it does not exist yet, or its own page says what is wrong
	}
	for _, name := range d.Corpus.Sources() {
		at, original, err := d.Corpus.TextPath(name)
		if err != nil {
			continue
		}
		if original != "" {
			at = original
		}
		sources[at] = name
	}
	for _, s := range d.Corpus.Unread() {
		why[s.Path] = reasonOf(s)
	}
	return sources, why, d.release()
}

// reasonOf is why a file is left out, without its name.
func reasonOf(s memory.Skip) string { return strings.TrimPrefix(s.Reason, filepath.Base(s.Path)+": ") }

// Read implements page.Uploads.
func (u *uploads) Read(_, corpus string, refused []page.Fact) {
	u.mu.Lock()
	defer u.mu.Unlock()
	j := u.jobs[corpus]
	if j == nil {
		j = &job{}
		u.jobs[corpus] = j
	}
	if j.Busy {
		j.again, j.refused = true, append(j.refused, refused...)
		return
	}
	j.refused = refused
	j.Reading = page.Reading{Busy: true}
	u.work.Go(func() { u.read(corpus, j) })
}

// Reading implements page.Uploads.
func (u *uploads) Reading(_, corpus string) page.Reading {
	u.mu.Lock()
	defer u.mu.Unlock()
	if j := u.jobs[corpus]; j != nil {
		return j.Reading
	}
	return page.Reading{}
}

// read reads the folder of a corpus until no file has come meanwhile.
func (u *uploads) read(corpus string, j *job) {
	for {
		report, err := u.ingest(corpus, func(phase string, done, total int) {
			u.mu.Lock()
			j.Phase, j.Done, j.Total = phase, done, total
			u.mu.Unlock()
		})
		u.mu.Lock()
		if j.again && u.ctx.Err() == nil {
			j.again = false
			u.mu.Unlock()
			continue
		}
		j.Reading = page.Reading{Ended: true, Added: report.Added, Changed: report.Changed, Removed: report.Removed, LeftOut: j.refused}
		if err != nil {
			u.Warn("reading the files of corpus %q: %v", corpus, err)
			j.Failed = u.fault("reading them", err).Error()
		}
		dir, _ := filepath.Abs(filepath.Join(u.root, corpus)) // the ingest has found it
		for _, s := range report.Skipped {
			if name, err := filepath.Rel(dir, s.Path); err == nil && filepath.IsLocal(name) {
				j.LeftOut = append(j.LeftOut, page.Fact{Name: name, Value: reasonOf(s)})
			}
		}
		if more := len(j.LeftOut) - leftOutShown; more > 0 {
			j.LeftOut, j.LeftOutMore = j.LeftOut[:leftOutShown], more
		}
		u.mu.Unlock()
		return
	}
}

// ingest reads the folder of a corpus, as agent ingest does. A corpus without any file is removed.
func (u *uploads) ingest(corpus string, progress func(string, int, int)) (memory.Report, error) {
	dir := filepath.Join(u.root, corpus)
	if gone, err := u.emptied(corpus, dir); gone || err != nil {
		return memory.Report{Removed: 1}, err
	}
	s := u.settings
	s.Corpus = corpus
	found, err := open.NewEmbedder(u.ctx, u.App, s, u.exchange)
	if err != nil {
		return memory.Report{}, err
	}
	opts := memory.IngestOptions{
		Home: s.Home, Corpus: corpus, Paths: []string{dir}, Progress: progress, BM25: s.BM25, Index: s.Index, Servers: config.Servers(u.Env),
	}
	for {
		report, err := found.Ingest(u.ctx, opts, nil)
		if busy := new(memory.BusyError); !errors.As(err, &busy) {
			return report, cli.Also(err, found.Close())
		}
		progress("another ingest is at work", 0, 0)
		select {
		case <-time.After(time.Second):
		case <-u.ctx.Done():
			return report, cli.Also(u.ctx.Err(), found.Close())
		}
	}
}

// emptied removes a corpus whose only files were in its folder, once that is empty.
func (u *uploads) emptied(corpus, dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return false, err
	}
	c, err := memory.OpenWith(u.settings.Home, corpus, &memory.OpenOptions{Servers: config.Servers(u.Env)})
	if errors.As(err, new(*memory.UnknownCorpusError)) || errors.As(err, new(*memory.EmptyCorpusError)) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	absolute, err := filepath.Abs(dir)
	elsewhere := slices.ContainsFunc(c.Sources(), func(name string) bool {
		at, original, err := c.TextPath(name)
		if original != "" {
			at = original
		}
		return err != nil || filepath.Dir(at) != absolute
	})
	if err = errors.Join(err, c.Close()); err != nil || elsewhere {
		return false, err
	}
	return true, memory.Remove(u.ctx, u.settings.Home, corpus, config.Servers(u.Env))
}
