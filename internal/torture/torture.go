// Package torture treats the real binary badly and then asks whether its promises hold: it is killed at random moments
// of a mixed load, with and without its Postgres, and it works for an hour while its memory, descriptors, goroutines and
// connections are watched. The package owns the load, the killing, the watching, and the questions asked afterwards; it
// knows the server only from outside. It is all tests: a short form runs with them, `make torture` and `make soak` are the
// long ones, of which package longrun keeps what they have shown.
//
// What is asked after each blow, and where it stands:
//
//	files      every file is carried by the memory that it names, or listed as kept out, and the other way round
//	memories   what was answered holds, what was deleted stays away, nothing that was ever seen is lost
//	CLAUDE.md  has each living memory and no other, and every handwritten byte
//	MEMORY.md  has every line but those of removed files
//	journal    leads, step by step, to what is
//	pages      show what the API says
package torture
