package cassette

import (
	"encoding/json"
	"regexp"
	"strings"

	"example.com/assay/internal/plainjson"
)

// minSecret is the minimum length of a secret.
const minSecret = 8

// cut replaces a secret.
const cut = "[key]"

// A scrubber cuts secrets out of a recording, in place. The recording's key stays: it is a hash of
// the request as a replay will repeat it.
type scrubber struct{ secrets []string }

func (s scrubber) recording(rec *recording) {
	for i := range rec.Request.Messages {
		m := &rec.Request.Messages[i]
		s.all(&m.Text)
		s.calls(m.Calls)
		for j := range m.Results {
			s.all(&m.Results[j].Text)
		}
	}
	if set := string(rec.Request.Sampling); set != "" { // a stop text may be a secret
		s.all(&set)
		rec.Request.Sampling = json.RawMessage(set)
	}
	for i := range rec.Chunks {
		s.all(&rec.Chunks[i].Text)
	}
	s.all(&rec.Response.Text, &rec.Response.Reasoning, &rec.Response.Model)
	s.calls(rec.Response.Calls)
	if o := rec.Outside; o != nil {
		s.all(&o.Params, &o.Result)
	}
	s.all(&rec.Fallback)
	rec.Fallback = keyless(rec.Fallback)
	if f := rec.Error; f != nil {
		said := []*string{&f.Text, &f.Inner, &f.Provider, &f.Model, &f.Message, &f.Code, &f.Param, &f.Reason, &f.What}
		s.all(said...)
		for _, text := range said {
			*text = keyless(*text)
		}
	}
}

func (s scrubber) calls(calls []toolCall) {
	for i := range calls {
		s.all(&calls[i].Arguments)
	}
}

// all cuts the known secrets out of texts, also in their JSON form.
func (s scrubber) all(texts ...*string) {
	for _, secret := range s.secrets {
		plain, _ := plainjson.Encode(secret) // a text can always be encoded
		escaped, _ := json.Marshal(secret)
		for _, form := range []string{secret, unquoted(plain), unquoted(escaped)} {
			for _, text := range texts {
				*text = strings.ReplaceAll(*text, form, cut)
			}
		}
	}
}

// unquoted returns a JSON string without its quotes.
func unquoted(data []byte) string { return string(data[1 : len(data)-1]) }

// The forms of keys in errors of HTTP: credentials in an address, fields named like keys,
// authorisation headers, and the prefixes of providers' keys.
var (
	credentials = regexp.MustCompile(`://[^/\s@"']+@`)
	authorised  = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}`)
	named       = regexp.MustCompile(`(?i)((?:key|token|secret|password|authorization|signature|sig)["']?\s*[=:]\s*["']?)(?:bearer\s+|basic\s+)?[^\s"'&,;(){}]+`)
	prefixed    = regexp.MustCompile(`\b(?:sk-|pk-|rk-|xai-|gsk_|hf_|AIza|ya29\.|eyJ)[\w.-]{8,}`)
)

// keyless cuts what looks like a key out of an error's text.
func keyless(text string) string {
	text = credentials.ReplaceAllString(text, "://"+cut+"@")
	text = named.ReplaceAllString(text, "${1}"+cut)
	text = authorised.ReplaceAllString(text, "${1} "+cut)
	return prefixed.ReplaceAllString(text, cut)
}
