// Package verification looks in an agent's project for what its memories say about code: whether the files, lines, functions and flags
// that they cite, and the memories that they link to, are still there. It owns what a citation is, how it is looked for, and when
// that is done.
//
// It only reads, and only inside of the project's directory, through an [os.Root]; it has bounds for the time, the bytes and the files
// that a check may take, and says that something is gone only where it is sure. It never changes a memory, and it keeps what it has
// found where lists and pages read it without a look at the disk. cmd/server starts it; the API and the pages ask it for a check.
package verification
