package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/state"
)

// NewestFormat is the newest layout of a generation that this program reads.
const NewestFormat = cutVersion

// Format returns the version of a generation's layout, whether or not this program reads it.
func Format(dir string) (int, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return 0, err
	}
	head, _, _ := strings.Cut(string(data), "\n")
	var version int
	if _, err := fmt.Sscanf(head, manifestMagic+" %d", &version); err != nil {
		return 0, &CorruptError{Dir: dir, Err: errors.New("its manifest is not one of ours")}
	}
	return version, nil
}

// Verify reads a generation whole: every file is compared with its checksum, and each
// passage, in the order of the ids, is handed to each. The error is the first of Open, of a
// passage or of each. A generation on a server is not read.
func Verify(ctx context.Context, dir string, each func(state.Passage) error) (err error) {
	x, err := openChecking(dir, nil, math.MaxInt64)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for ord := range x.gen.table.Len() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		p, _, err := x.Passage(x.gen.table.ID(int32(ord)))
		if err == nil {
			err = each(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
