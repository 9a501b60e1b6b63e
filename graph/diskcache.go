package graph

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A DiskCache keeps updates in files, so they outlive the process; see
// CachePolicy. Processes may share a folder. Updates with writes to Untracked
// channels are not cached, since their values would be missing. A file that
// does not hold an update is a cache miss, and is replaced.
//
// Other read and write errors, such as a full disk, fail the node. Only Sweep
// removes files.
type DiskCache[S any] struct {
	// Dir is the folder, created with the first update. AddNode reads it.
	Dir string
}

// A diskEntry is the content of a file.
type diskEntry struct {
	Until  time.Time       `json:"until,omitzero"` // zero for no limit
	Update json.RawMessage `json:"update"`
}

func (c *DiskCache[S]) of(*S) {}

func (c *DiskCache[S]) untyped() cacheStore { return diskCache(c.Dir) }

// Sweep removes expired updates and, unless before is zero, updates written
// before it. It returns their number.
func (c *DiskCache[S]) Sweep(before time.Time) (int, error) {
	n, err := diskCache(c.Dir).sweep(before)
	if err != nil {
		err = fmt.Errorf("sweeping the cache: %w", err)
	}
	return n, err
}

// A diskCache is a DiskCache without the type of its state: its folder.
type diskCache string

func (c diskCache) fault() string {
	if c == "" {
		return "its cache's Dir is empty"
	}
	return ""
}

func (c diskCache) path(key cacheKey) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(string(c), name[:2], name+".json")
}

func (c diskCache) get(p *program, key cacheKey) (update, bool, error) {
	data, err := os.ReadFile(c.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var e diskEntry
	if decodeInto(data, &e) != nil || !e.Until.IsZero() && !time.Now().Before(e.Until) {
		return nil, false, nil
	}
	u, err := p.decodeUpdate(e.Update)
	return u, err == nil, nil
}

func (c diskCache) put(key cacheKey, u update, ttl time.Duration) error {
	for _, w := range u {
		if w == nil || w.Op() == OpParent || w.channel() != nil && w.channel().kind == KindUntracked {
			return nil
		}
	}
	var e diskEntry
	if ttl > 0 {
		e.Until = time.Now().Add(ttl)
	}
	var err error
	if e.Update, err = appendWrites(nil, u, encodeIntact); err != nil {
		return err
	}
	data, err := encode(&e)
	if err != nil {
		return err
	}
	path := c.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return writeFile(path, data)
}

// writeFile replaces a file as a whole, or not at all.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if late := f.Close(); err == nil {
		err = late
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func (c diskCache) sweep(before time.Time) (int, error) {
	files, err := filepath.Glob(filepath.Join(string(c), "??", "*.json"))
	if err != nil {
		return 0, err
	}
	n := 0
	for _, path := range files {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return n, err
		}
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
		var e diskEntry
		old := !before.IsZero() && info.ModTime().Before(before)
		if !old && decodeInto(data, &e) == nil && (e.Until.IsZero() || time.Now().Before(e.Until)) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
		n++
	}
	return n, nil
}
