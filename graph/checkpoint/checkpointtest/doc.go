// Package checkpointtest tests checkpointers, and programs that use them. Test is the suite that
// every graph.Checkpointer must pass. TestStore is a second suite, for stores that outlive a saver.
//
//	func TestSaver(t *testing.T) {
//		checkpointtest.Test(t, func(t *testing.T) graph.Checkpointer {
//			return mystore.Open(t.TempDir())
//		})
//	}
//
// Faulty and Lossy make a saver fail at its n-th call, to test how a program reacts.
//
// The package does not kill processes or fill disks: each store tests that itself.
package checkpointtest
