// Package verification checks whether the files, lines, functions, flags and memories that an
// agent's memories cite still exist in the agent's project. It owns the parsing of citations, the
// search for them, and the schedule of checks.
//
// It only reads, and only inside the project's directory, through an [os.Root], with limits of
// time, bytes and files. It reports a citation as dead only if that is certain. It never changes a
// memory; it stores results in the database for lists and pages. Command server starts it; the API
// and the pages request checks.
package verification
