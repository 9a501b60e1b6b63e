package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// appendSend encodes a Send for a checkpoint, channel by channel, as the state
// is encoded.
func (c *program) appendSend(dst []byte, node string, state any, timeout Timeout) ([]byte, error) {
	dst = appendString(append(dst, `{"node":`...), node)
	zero, rest, first := c.typ.fresh(), c.typ.copyOf(state), true
	for i, ch := range c.channels {
		ch.reset(rest)
		if ch.equal(state, zero) {
			continue
		}
		if first {
			dst = append(dst, `,"values":{`...)
		} else {
			dst = append(dst, ',')
		}
		first = false
		from := len(dst)
		dst = append(appendString(dst, c.ids[i].name), ':')
		value := len(dst)
		var err error
		if dst, err = ch.encode(dst, state); err != nil {
			return dst[:from], fmt.Errorf("saving channel %q of a Send to %q: %w", c.ids[i].name, node, err)
		}
		if c.ids[i].kind != KindUntracked { // Compile did not check an Untracked type
			continue
		}
		back := c.typ.fresh()
		if err := ch.decode(back, dst[value:]); err != nil || !ch.equal(state, back) {
			return dst[:from], fmt.Errorf("saving channel %q of a Send to %q: it is Untracked, and JSON does not bring its value back", c.ids[i].name, node)
		}
	}
	if !first {
		dst = append(dst, '}')
	}
	if v := reflect.ValueOf(rest).Elem(); !v.IsZero() {
		fields, err := restOf(v)
		if err == nil {
			dst, err = appendJSON(append(dst, `,"rest":`...), &fields)
		}
		if err != nil {
			return dst, fmt.Errorf("saving a Send to %q: %w", node, err)
		}
	}
	if timeout != (Timeout{}) {
		var err error
		if dst, err = appendJSON(append(dst, `,"timeout":`...), &timeout); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// readSend decodes a Send. Its target is known by name only.
func (c *program) readSend(send savedSend) (queuedSend, error) {
	d := queuedSend{node: send.Node, state: c.typ.fresh()}
	if send.Timeout != nil {
		d.timeout = *send.Timeout
	}
	if err := c.readSendState(d.state, send); err != nil {
		return d, fmt.Errorf("reading a Send to %q: %w", send.Node, err)
	}
	return d, nil
}

func (c *program) readSendState(state any, send savedSend) error {
	if send.State != nil {
		return decodeInto(send.State, state)
	}
	for name, data := range send.Rest {
		field := reflect.ValueOf(state).Elem().FieldByName(name)
		if !field.IsValid() || !field.CanSet() {
			return fmt.Errorf("the state has no field %s: %s", name, convertIt)
		}
		if err := decodeWhole(data, field.Addr().Interface()); err != nil {
			return fmt.Errorf("reading field %s: %w: %s", name, err, convertIt)
		}
	}
	return c.restore(state, send.Values, false)
}

// restOf encodes the fields that have no channel and are not zero.
func restOf(state reflect.Value) (map[string]json.RawMessage, error) {
	if state.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the state is a %s, not a struct with channels for its fields", state.Type())
	}
	fields := map[string]json.RawMessage{}
	for i := range state.NumField() {
		f, v := state.Type().Field(i), state.Field(i)
		switch {
		case v.IsZero():
			continue
		case !f.IsExported():
			return nil, fmt.Errorf("field %s has no channel and is not exported", f.Name)
		}
		where, why := unfit(v.Type(), f.Name, map[reflect.Type]bool{})
		if why == "" {
			where, why = lost(v, f.Name)
		}
		if why != "" {
			return nil, fmt.Errorf("field %s has no channel: %s", where, why)
		}
		data, err := encode(v.Addr().Interface())
		if err == nil {
			err = errors.Join(intact(data, v.Addr().Interface()), sameTypes(v.Addr().Interface()))
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		fields[f.Name] = data
	}
	return fields, nil
}

// appendSaved encodes an update for a checkpoint. It encodes the Sends of
// Commands as appendSend does, and refuses what JSON would change.
func (c *program) appendSaved(dst []byte, u update) ([]byte, error) {
	return appendWrites(dst, u, func(dst []byte, w write) ([]byte, error) {
		if w.channel() == nil {
			if cmd, ok := w.(*command); ok {
				return c.appendDirections(dst, cmd)
			}
		}
		return encodeIntact(dst, w)
	})
}

// encodeIntact encodes a write that will be decoded again.
func encodeIntact(dst []byte, w write) ([]byte, error) {
	from := len(dst)
	dst, err := w.encode(dst)
	if err == nil {
		err = w.intact(dst[from:])
	}
	return dst, err
}

func (c *program) appendDirections(dst []byte, cmd *command) (_ []byte, err error) {
	dst = append(dst, '{')
	if len(cmd.targets) > 0 {
		if dst, err = appendStrings(append(dst, `"to":`...), cmd.targets); err != nil {
			return dst, err
		}
	}
	for i := range cmd.sends {
		switch {
		case i > 0:
			dst = append(dst, ',')
		case len(cmd.targets) > 0:
			dst = append(dst, `,"sends":[`...)
		default:
			dst = append(dst, `"sends":[`...)
		}
		if dst, err = c.appendSend(dst, cmd.sends[i].node, cmd.sends[i].state, cmd.sends[i].timeout); err != nil {
			return dst, err
		}
	}
	if len(cmd.sends) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}'), nil
}
