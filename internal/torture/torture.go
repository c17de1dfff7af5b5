// Package torture contains the tests that harm the real binary and then check its promises. They
// kill it and Postgres at random moments of a mixed load, and watch a soak for leaks. The tests
// know the server only from outside. Short forms run with all tests, `make torture` and `make soak`
// the long ones; package longrun stores their results. After each blow the tests check:
//
//	files, memories: each file belongs to its memory or is blocked; no answered change is lost
//	CLAUDE.md, MEMORY.md: all handwritten text, and each active memory
//	journal, pages: both match the API
package torture
