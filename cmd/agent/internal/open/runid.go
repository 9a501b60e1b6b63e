package open

import (
	"encoding/base32"
	"fmt"
	"io"
	"time"
)

// idAlphabet is sorted, so that ids sort as their numbers do. It leaves out i, l, o and u,
// which are easily misread.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewRunID returns 26 characters: 48 bits of the time in milliseconds, then
// 80 random bits. Ids of later milliseconds sort after earlier ones.
func NewRunID(now time.Time, random io.Reader) (string, error) {
	var id [16]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return "", fmt.Errorf("making a run id: %w", err)
	}
	return idAlphabet.EncodeToString(id[:]), nil
}
