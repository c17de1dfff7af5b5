package sync_test

import (
	"testing"

	"memoir/internal/memories"
)

func TestRestoringAMemoryNamedByItsFileKeepsTheNameInAFileOfAnotherName(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"only a session had it":          inSession(sessionA, "Harbour log.md"),
		"its place has become another's": "ada/memory/Harbour log.md",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write(file, "---\ntype: project\nkept: 1\n---\n\nThe crane is slow.\n")
			b.scanAll()
			deleted := b.delete("ada", "Harbour log")
			if file == "ada/memory/Harbour log.md" {
				b.write(file, note("Another", memories.User, "is there now"))
			}
			restored := b.restore("ada", deleted)
			b.scan("ada")
			if restored.ID != deleted.ID || restored.State != memories.Active || restored.Path != "memory/project_harbour_log.md" {
				t.Errorf("restored as %q, %s, at %s", restored.Name, restored.State, restored.Path)
			}
			b.hasBody("ada", "Harbour log", "The crane is slow.")
			if _, ok := b.list("ada", "")["project_harbour_log"]; ok {
				t.Error("it has come back under another name")
			}
			if got := b.read("ada/" + restored.Path); got != "---\nname: Harbour log\ntype: project\nkept: 1\n---\n\nThe crane is slow.\n" {
				t.Errorf("the file is %q", got)
			}
		})
	}
}
