package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"strings"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
)

// rankerFile is the file of a corpus's trained ranker, outside its generations: it outlives them.
const rankerFile = "ranker"

const rankerMagic = "assay-ranker"

// rankerVersion is the version of the file format; the model has its own.
const rankerVersion = 1

// minKept is the share of the judged passages that must remain in the corpus for its trained ranker
// to be used.
const minKept = .5

// A RankerInfo describes the trained ranker of a corpus.
type RankerInfo struct {
	ID          string  `json:"id,omitempty"`
	Questions   int     `json:"questions"`   // judged ones that it was trained on
	Fingerprint string  `json:"fingerprint"` // of the corpus then
	Metric      string  `json:"metric"`      // what it was kept for, such as "nDCG@10"
	Before      float64 `json:"before"`      // the metric on held-back questions, without it
	After       float64 `json:"after"`       // and with it
	Forced      bool    `json:"forced,omitempty"`

	// Of the corpus as it was opened.
	InUse   bool    `json:"in_use"`
	Changed bool    `json:"changed,omitempty"` // the corpus has changed since the training
	Kept    float64 `json:"kept"`              // share of the judged passages still in the corpus
	Fault   string  `json:"fault,omitempty"`   // why it is not in use
}

// A rankerRecord is the content of the file.
type rankerRecord struct {
	Info  RankerInfo      `json:"info"`
	Model json.RawMessage `json:"model"`
}

// SaveRanker stores the trained ranker of a corpus, replacing an earlier one atomically. It takes
// effect at the next Open. The part of info that describes the opened corpus is not saved. Errors:
// *UnknownCorpusError and *BusyError.
func SaveRanker(home, name string, m *learn.Model, info RankerInfo) error {
	model, err := m.Encode()
	if err == nil {
		info.ID, err = m.ID()
	}
	if err != nil {
		return fmt.Errorf("saving a trained ranker: %w", err)
	}
	info.InUse, info.Changed, info.Kept, info.Fault = false, false, 0, ""
	body, err := json.Marshal(rankerRecord{info, model})
	if err != nil {
		return fmt.Errorf("saving a trained ranker: %w", err)
	}
	head := fmt.Sprintf("%s %d %08x\n", rankerMagic, rankerVersion, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return lockedCorpus(home, name, func(s *store) error {
		if err := s.writeFile(rankerFile, append([]byte(head), body...)); err != nil {
			return fmt.Errorf("saving a trained ranker: %w", err)
		}
		return nil
	})
}

// RemoveRanker deletes the trained ranker of a corpus, and reports whether there was one. Errors:
// *UnknownCorpusError and *BusyError.
func RemoveRanker(home, name string) (removed bool, err error) {
	err = lockedCorpus(home, name, func(s *store) error {
		err := os.Remove(s.path(rankerFile))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("removing a trained ranker: %w", err)
		}
		removed = true
		return disk.Sync(s.dir)
	})
	return removed, err
}

// lockedCorpus runs fn with the write lock of an existing corpus.
func lockedCorpus(home, name string, fn func(*store) error) (err error) {
	if err := CheckName(name); err != nil {
		return err
	}
	s := &store{name: name, dir: corpusDir(home, name), step: func(string) {}}
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		known, err := Names(home)
		if err != nil {
			return err
		}
		return &UnknownCorpusError{Name: name, Known: known}
	}
	lock, err := s.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return fn(s)
}

// readRanker reads a corpus's trained ranker; info is nil if there is none. For an unusable ranker
// info has its Fault, and the model is nil.
func readRanker(path string) (*RankerInfo, *learn.Model) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r rankerRecord
	var m *learn.Model
	if err == nil {
		r, err = decodeRanker(data)
	}
	if err == nil {
		m, err = learn.Decode(r.Model)
	}
	if err != nil {
		r.Info.Fault = err.Error()
		return &r.Info, nil
	}
	return &r.Info, m
}

func decodeRanker(data []byte) (r rankerRecord, err error) {
	head, body, _ := strings.Cut(string(data), "\n")
	var version int
	var sum uint32
	if _, err := fmt.Sscanf(head, rankerMagic+" %d %x", &version, &sum); err != nil {
		return r, errors.New("its file is not a trained ranker; train it again")
	}
	if version != rankerVersion {
		return r, fmt.Errorf("its file has version %d and this program reads version %d; train it again", version, rankerVersion)
	}
	if crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)) != sum {
		return r, errors.New("its file is damaged; train it again")
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return r, fmt.Errorf("reading its file: %w; train it again", err)
	}
	return r, nil
}

// StoredRanker describes the trained ranker of a corpus without opening the corpus; [Corpus.Ranker]
// shows whether it is in use. Without a ranker the ID is empty.
func StoredRanker(home, name string) (RankerInfo, error) {
	if err := CheckName(name); err != nil {
		return RankerInfo{}, err
	}
	info, _ := readRanker((&store{dir: corpusDir(home, name)}).path(rankerFile))
	if info == nil {
		return RankerInfo{}, nil
	}
	return *info, nil
}

// useRanker puts the trained ranker to use that the corpus has, or that opts
// give.
func (c *Corpus) useRanker() error {
	if c.opts.Untrained {
		return nil
	}
	model := c.opts.Ranker
	if c.manifest.Served != nil && model != nil {
		return c.needsFiles("a trained ranker")
	}
	if model == nil {
		if c.ranker, model = readRanker(c.store.path(rankerFile)); model == nil {
			return nil
		}
		if c.manifest.Served != nil {
			c.ranker.Fault = c.needsFiles("a trained ranker").Error()
			return nil
		}
		c.ranker.Kept = kept(c.index, model.Judged)
		c.ranker.Changed = c.ranker.Fingerprint != c.manifest.Fingerprint
		if c.ranker.Kept < minKept {
			c.ranker.Fault = fmt.Sprintf("only %.0f %% of the passages that it was trained on are still in the corpus; train it again, or remove it", 100*c.ranker.Kept)
			return nil
		}
		c.ranker.InUse = true
	}
	trained, err := model.Trained()
	if err != nil {
		return err
	}
	c.index.Use(trained)
	return nil
}

// kept returns the share of judged passages that are in an index.
func kept(x *index.Index, judged []index.Judged) float64 {
	all, held := 0, 0
	for _, j := range judged {
		for _, id := range j.Passages {
			all++
			if x.Has(id) {
				held++
			}
		}
	}
	return float64(held) / float64(max(1, all))
}

// Ranker describes the corpus's trained ranker as the corpus was opened, and
// whether there is one.
func (c *Corpus) Ranker() (RankerInfo, bool) {
	if c.ranker == nil {
		return RankerInfo{}, false
	}
	return *c.ranker, true
}

// PassageIDs lists the ids of the corpus's passages, sorted. An index on a server is an
// error.
func (c *Corpus) PassageIDs() ([]string, error) {
	if c.manifest.Served != nil {
		return nil, c.needsFiles("listing passages")
	}
	return c.index.IDs(), nil
}

// Train trains a ranker on judged questions about this corpus, and changes
// nothing. See [learn.Train], [SaveRanker].
func (c *Corpus) Train(ctx context.Context, questions []learn.Question, opts *learn.Options) (*learn.Model, error) {
	if c.manifest.Served != nil {
		return nil, c.needsFiles("training a ranker")
	}
	m, err := learn.Train(ctx, c.index, questions, opts)
	if err != nil {
		return nil, fmt.Errorf("training a ranker for corpus %q: %w", c.store.name, err)
	}
	return m, nil
}
