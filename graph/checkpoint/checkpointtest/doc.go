// Package checkpointtest tests checkpointers, and what uses them. Test is the
// suite that every graph.Checkpointer must pass, and TestStore a second one for
// stores that outlive a saver; both need nothing but the saver.
//
//	func TestSaver(t *testing.T) {
//		checkpointtest.Test(t, func(t *testing.T) graph.Checkpointer {
//			return mystore.Open(t.TempDir())
//		})
//	}
//
// Faulty and Lossy make a saver fail at its n-th call, to see what a program
// does then.
//
// It does not kill processes and does not fill disks: what a store does then
// is for its own tests.
package checkpointtest
