package runs

import "slices"

// A Caller is who uses a Space.
type Caller struct {
	Tenant  string   // whose threads, runs and memory it sees
	Subject string   // the person or program, for records; empty if unknown
	Scopes  []string // what it may do: ScopeRead, ScopeWrite, ScopeAdmin and others; none for nothing
}

// Scopes of callers. Each includes those before it. This package only records them: a server checks
// them.
const (
	ScopeRead  = "read"  // see the tenant's threads, runs and memory
	ScopeWrite = "write" // begin runs and change what the tenant has
	ScopeAdmin = "admin" // see what concerns all tenants, as figures of the server
)

// May reports whether the caller has a scope.
func (c Caller) May(scope string) bool {
	return slices.Contains(c.Scopes, scope) ||
		scope == ScopeRead && c.May(ScopeWrite) || scope == ScopeWrite && c.May(ScopeAdmin)
}

// For returns the space of a caller's tenant. Its runs record the caller.
func (m *Manager) For(c Caller) *Space { return &Space{m, c.Tenant, c} }

// Caller returns who uses the space.
func (s *Space) Caller() Caller { return s.by }
