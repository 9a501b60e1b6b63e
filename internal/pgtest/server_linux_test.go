package pgtest

import "testing"

// A server that was killed starts again with all committed rows.
func TestServerIsKilledAndStartedAgain(t *testing.T) {
	s := NewServer(t)
	if _, err := PoolAt(t, s.Address).Exec(t.Context(), "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)"); err != nil {
		t.Fatal(err)
	}
	s.Kill(t)
	if err := PoolAt(t, s.Address).Ping(t.Context()); err == nil {
		t.Error("a killed server answers")
	}
	s.Start(t)
	var n int
	if err := PoolAt(t, s.Address).QueryRow(t.Context(), "SELECT n FROM kept").Scan(&n); err != nil || n != 7 {
		t.Errorf("it kept %d, %v", n, err)
	}
}
