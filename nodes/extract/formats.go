package extract

import (
	"fmt"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// english prints the JSON Schema library's messages in English.
var english = message.NewPrinter(language.English)

var (
	phoneForm   = regexp.MustCompile(`^\+?[0-9]{7,15}$`)
	decimalForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	timeForm    = regexp.MustCompile(`^[0-9]+ (?:year|month|week|day)s?$`)
)

// formats are the formats that the standard lacks or defines differently, for normalised values.
func formats() []*jsonschema.Format {
	must := func(name string, form *regexp.Regexp) *jsonschema.Format {
		return &jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !form.MatchString(s) {
				return fmt.Errorf("%q is no %s", s, name)
			}
			return nil
		}}
	}
	return []*jsonschema.Format{
		must("currency", decimalForm), must("percent", decimalForm), must("phone", phoneForm), must("period", timeForm),
	}
}
