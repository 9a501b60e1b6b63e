package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/memory/index"
	"example.com/assay/memory/ltr"
)

// modelVersion is the version of an encoded model.
const modelVersion = 1

// A Model is a trained ranker: its trees, and the judged questions that its
// features compare a new one with. It does not change once it was made.
type Model struct {
	Version  int            `json:"version"`
	Features int            `json:"features"` // version of the features that it was trained on
	Base     float64        `json:"base"`     // weight of the index's own score
	Seed     uint64         `json:"seed"`
	Trees    *ltr.Model     `json:"trees"`
	Judged   []index.Judged `json:"judged"`
}

// errFeatures says that a model was trained on the features of another version
// of the program: it has to be trained again.
var errFeatures = errors.New("it was trained by a version of the program whose features differ; train it again")

// Encode writes the model as JSON, the same bytes for equal models.
func (m *Model) Encode() ([]byte, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding a trained ranker: %w", err)
	}
	return data, nil
}

// Decode reads the output of Encode. The error wraps errFeatures if this version of the program
// cannot use the model.
func Decode(data []byte) (*Model, error) {
	m := new(Model)
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("reading a trained ranker: %w", err)
	}
	if m.Version != modelVersion || m.Features != index.FeatureVersion {
		return nil, fmt.Errorf("reading a trained ranker: %w", errFeatures)
	}
	if m.Trees == nil {
		return nil, errors.New("reading a trained ranker: it has no trees")
	}
	if err := m.Trees.Check(); err != nil {
		return nil, fmt.Errorf("reading a trained ranker: %w", err)
	}
	if want := len(index.FeatureNames()); m.Trees.Features != want {
		return nil, fmt.Errorf("reading a trained ranker: it has %d features, not %d", m.Trees.Features, want)
	}
	return m, nil
}

// ID names the model by a hash of its content.
func (m *Model) ID() (string, error) {
	data, err := m.Encode()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return "trained:" + hex.EncodeToString(sum[:6]), nil
}

// Trained returns the ranker for [index.Index.Use].
func (m *Model) Trained() (*index.Trained, error) {
	id, err := m.ID()
	if err != nil {
		return nil, err
	}
	return &index.Trained{ID: id, Scorer: m.Trees, Base: m.Base, Judged: m.Judged}, nil
}
