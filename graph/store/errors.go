package store

import "fmt"

// An InvalidError reports an invalid part of a request.
type InvalidError struct {
	// What is "namespace", "key", "value", "ttl", "filter", "query" or "options".
	What string
	// Reason says what is wrong with it, and shows the wrong part.
	Reason string
	// Namespace and Key name the item, when the request is about one.
	Namespace []string
	Key       string
}

// Error names the fault, and the item if it is known.
func (e *InvalidError) Error() string {
	s := fmt.Sprintf("invalid %s: %s", e.What, e.Reason)
	if e.Namespace != nil || e.Key != "" {
		s += " (" + itemName(e.Namespace, e.Key) + ")"
	}
	return s
}

// of returns the error with the item's name.
func (e *InvalidError) of(namespace []string, key string) *InvalidError {
	e.Namespace, e.Key = namespace, key
	return e
}

func invalid(what, format string, args ...any) *InvalidError {
	return &InvalidError{What: what, Reason: fmt.Sprintf(format, args...)}
}

// itemName writes an item as errors do. Long keys are cut: they may be anything.
func itemName(namespace []string, key string) string {
	const most = 80
	if len(key) > most {
		return fmt.Sprintf("key %.80q… in namespace %.80q", key, namespace)
	}
	return fmt.Sprintf("key %q in namespace %.80q", key, namespace)
}
