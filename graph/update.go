package graph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A writeJSON is an encoded write. Commands have no channel. Writes to
// Untracked channels have no value.
type writeJSON struct {
	Channel string          `json:"channel,omitempty"`
	Op      string          `json:"op"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// MarshalJSON encodes the update as [{"channel":…,"op":…,"value":…}, …].
// Commands have no channel; their value is {"to":…,"sends":…}. Writes to
// Untracked channels have no value.
func (u Update[S]) MarshalJSON() ([]byte, error) { return appendUpdate(nil, u.untyped(nil)) }

func appendUpdate(dst []byte, u update) ([]byte, error) {
	return appendWrites(dst, u, func(dst []byte, w write) ([]byte, error) { return w.encode(dst) })
}

// appendWrites encodes an update. Encode appends each value.
func appendWrites(dst []byte, u update, encode func([]byte, write) ([]byte, error)) (data []byte, err error) {
	defer recoverAs(&err)
	dst = append(dst, '[')
	for i, w := range u {
		if w == nil {
			return nil, fmt.Errorf("encoding update: write %d is nil", i)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		id := w.channel()
		if id != nil {
			dst = append(appendString(append(dst, `"channel":`...), id.name), ',')
		}
		dst = append(append(append(dst, `"op":"`...), w.Op().String()...), '"')
		const value = `,"value":`
		before := len(dst)
		if dst, err = encode(append(dst, value...), w); err != nil {
			if id == nil {
				return nil, fmt.Errorf("encoding command: %w", err)
			}
			return nil, fmt.Errorf("encoding write to channel %q: %w", id.name, err)
		}
		if len(dst) == before+len(value) {
			dst = dst[:before]
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

// DecodeUpdate decodes an update from a trace or a checkpoint. It drops writes
// to Untracked channels, which have no encoded values. It refuses Parent, whose
// update has the type of another graph.
func (c *Compiled[S]) DecodeUpdate(data []byte) (Update[S], error) {
	u, err := c.plain.decodeUpdate(data)
	return typed[S](u), err
}

func (p *program) decodeUpdate(data []byte) (update, error) {
	var writes []writeJSON
	if err := decodeInto(data, &writes); err != nil {
		return nil, fmt.Errorf("decoding update: %w", err)
	}
	return p.readUpdate(writes)
}

func (p *program) readUpdate(writes []writeJSON) (update, error) {
	out := make(update, 0, len(writes))
	for i, w := range writes {
		op, err := opNamed(w.Op)
		if err != nil {
			return nil, fmt.Errorf("decoding update, write %d: %w", i, err)
		}
		read, err := p.readWrite(w, op)
		if err != nil {
			return nil, fmt.Errorf("decoding update, write %d: %w", i, err)
		}
		if read != nil {
			out = append(out, read)
		}
	}
	return out, nil
}

func (p *program) readWrite(w writeJSON, op Op) (write, error) {
	switch op {
	case OpGoto, OpAlso:
		if w.Channel != "" {
			return nil, fmt.Errorf("a command (%s) that names channel %q", op, w.Channel)
		}
		var where directions
		if err := decodeInto(w.Value, &where); err != nil {
			return nil, fmt.Errorf("decoding a command (%s): %w", op, err)
		}
		cmd := &command{op: op, targets: where.To, sending: len(where.Sends) > 0}
		for _, saved := range where.Sends {
			send, err := p.readSend(saved)
			if err != nil {
				return nil, fmt.Errorf("decoding a command (%s): %w", op, err)
			}
			cmd.sends = append(cmd.sends, send)
		}
		return cmd, nil
	case OpParent:
		return nil, fmt.Errorf("it is for the parent graph (%s)", op)
	}
	at := slices.IndexFunc(p.ids, func(id *channelID) bool { return id.name == w.Channel })
	if at < 0 {
		return nil, fmt.Errorf("unknown channel %q; graph %q has %s", w.Channel, p.name, orNone(channelNames(p.channels)))
	}
	if p.ids[at].kind == KindUntracked && w.Value == nil {
		return nil, nil
	}
	return p.channels[at].decodeWrite(op, w.Value)
}

// opNames are the operations in encoded updates, by Op.
var opNames = [...]string{OpSet: "set", OpAdd: "add", OpOverwrite: "overwrite", OpGoto: "goto", OpAlso: "also", OpParent: "parent", OpPut: "put", OpRemove: "remove"}

func opNamed(name string) (Op, error) {
	at := slices.Index(opNames[:], name)
	if at <= 0 {
		return 0, fmt.Errorf("unknown operation %q; there are %s", name, orNone(opNames[1:]))
	}
	return Op(at), nil
}
