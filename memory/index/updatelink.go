package index

import (
	"fmt"
	"path/filepath"
	"slices"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/index/internal/codec"
)

// link gives the generation a file of the earlier one that stays as it is.
func (u *update) link(name string) error {
	at := slices.IndexFunc(u.old.Files, func(f file) bool { return f.Name == name })
	if at < 0 {
		return fmt.Errorf("linking %s: the earlier generation does not have it", name)
	}
	src, dst := filepath.Join(u.opts.From, name), filepath.Join(u.opts.Dir, name)
	if err := disk.Link(src, dst); err != nil {
		return fmt.Errorf("linking %s: %w", name, err)
	}
	if u.linked == nil {
		u.linked = map[string]file{}
	}
	u.linked[name] = u.old.Files[at]
	return nil
}

// keepModel gives the generation the file of the embedder.
func (u *update) keepModel() error {
	if !u.manifest.Stats.Refit {
		return u.link(modelFile)
	}
	model, err := u.model.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encoding the embedder: %w", err)
	}
	return codec.Write(u.opts.Dir, modelFile, model)
}
