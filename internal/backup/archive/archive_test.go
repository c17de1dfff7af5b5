package archive_test

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"memoir/internal/backup/archive"
)

// rows is a table larger than one part.
var rows = strings.Repeat("1\tA row of a table.\n", 250_000)

// made returns a backup with two tables and two agents.
func made(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := archive.NewWriter(&out, archive.Manifest{Memoir: "v1", Schema: 49, StartedAt: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	table := func(name, text string) {
		err := w.Table(name, []string{"id", "text"}, func(w io.Writer) (int64, error) {
			_, err := io.WriteString(w, text)
			return int64(strings.Count(text, "\n")), err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	table("agents", "1\tada\n")
	table("empty", "")
	table("memories", rows)
	w.Sequences([]archive.Sequence{{Name: "agents_id_seq", Last: 7, IsCalled: true}})
	w.Agent(archive.Agent{Slug: "ada", Layout: "hive", Dir: "/agents/ada"})
	w.Directory(archive.Directory{Path: ".", Mode: 0o750})
	noise := make([]byte, 3000)
	rand.Read(noise) //nolint:errcheck // it never fails
	for path, data := range map[string][]byte{"memory/one.md": []byte("One."), "memory/50%\nレビュー.md": noise, "CLAUDE.md": nil} {
		if err := w.File(archive.File{Path: archive.EscapePath(path), Mode: 0o600, ModifiedAt: time.Unix(1e9, 5)}, data); err != nil {
			t.Fatal(err)
		}
	}
	w.Agent(archive.Agent{Slug: "bob", Layout: "hive", Dir: "/agents/bob"})
	w.LeaveOut("/agents/bob", "not found")
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestVerify_RoundTrip(t *testing.T) {
	t.Parallel()
	whole := made(t)
	m, err := archive.Verify(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	if m.Files() != 3 || m.Rows("memories") != 250_000 || m.Rows("empty") != 0 || len(m.LeftOut) != 1 || m.Sequences[0].Last != 7 {
		t.Errorf("Verify() = %+v", m)
	}
	r, err := archive.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		item, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if item.Table != "memories" {
			continue // Next skips what is not read
		}
		if got, err := io.ReadAll(item); err != nil || string(got) != rows {
			t.Errorf("a table of several parts has %d bytes (%v), want %d", len(got), err, len(rows))
		}
	}
}

func TestVerify_Torn(t *testing.T) {
	t.Parallel()
	whole := made(t)
	for n := 0; n < len(whole); n += max(1, len(whole)/100) {
		if _, err := archive.Verify(bytes.NewReader(whole[:n])); !errors.Is(err, archive.ErrDamaged) && !errors.Is(err, archive.ErrNotBackup) {
			t.Fatalf("Verify() of the first %d of %d bytes: error = %v", n, len(whole), err)
		}
	}
	if _, err := archive.Verify(bytes.NewReader(append(bytes.Clone(whole), whole...))); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("two archives in one: error = %v", err)
	}
}

func TestVerify_FlippedBits(t *testing.T) {
	t.Parallel()
	whole := made(t)
	content := unpacked(t, whole)
	for n := 0; n < len(whole); n += max(1, len(whole)/100) {
		changed := bytes.Clone(whole)
		changed[n] ^= 0x10
		// Repeated text can be copied from several places, so a change can leave the content as it is.
		if _, err := archive.Verify(bytes.NewReader(changed)); err == nil && !bytes.Equal(unpacked(t, changed), content) {
			t.Errorf("byte %d of %d is changed, and nothing is noticed", n, len(whole))
		}
	}
}

// unpacked returns the content of a backup that can be read.
func unpacked(t *testing.T, whole []byte) []byte {
	t.Helper()
	zip, err := zstd.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	defer zip.Close()
	content, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// repack returns a backup in which change was applied to each entry. change returns the entries to
// write in its place.
func repack(t *testing.T, whole []byte, change func(h *tar.Header, data []byte) (replaced [][]byte)) []byte {
	t.Helper()
	zip, err := zstd.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	defer zip.Close()
	var out bytes.Buffer
	packed, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	to := tar.NewWriter(packed)
	for from := tar.NewReader(zip); ; {
		h, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range change(h, data) {
			h.Size = int64(len(data))
			if err := to.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := to.Write(data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(to.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestVerify_Tampered(t *testing.T) {
	t.Parallel()
	whole := made(t)
	keep := func(_ *tar.Header, data []byte) [][]byte { return [][]byte{data} }
	if _, err := archive.Verify(bytes.NewReader(repack(t, whole, keep))); err != nil {
		t.Fatalf("packed again: error = %v", err)
	}
	at := func(name string, does func(data []byte) [][]byte) func(*tar.Header, []byte) [][]byte {
		return func(h *tar.Header, data []byte) [][]byte {
			if h.Name == name {
				return does(data)
			}
			return [][]byte{data}
		}
	}
	rename := func(name, other string) func(*tar.Header, []byte) [][]byte {
		return func(h *tar.Header, data []byte) [][]byte {
			if h.Name == name {
				h.Name = other
			}
			return [][]byte{data}
		}
	}
	manifest := func(from, to string) func(*tar.Header, []byte) [][]byte {
		return at("manifest.json", func(data []byte) [][]byte {
			if !bytes.Contains(data, []byte(from)) {
				t.Fatalf("the manifest does not have %s", from)
			}
			return [][]byte{bytes.Replace(data, []byte(from), []byte(to), 1)}
		})
	}
	for what, change := range map[string]func(*tar.Header, []byte) [][]byte{
		"a row":            at("database/agents.000000", func([]byte) [][]byte { return [][]byte{[]byte("2\tada\n")} }),
		"a part is gone":   at("database/memories.000001", func([]byte) [][]byte { return nil }),
		"a part twice":     at("database/agents.000000", func(d []byte) [][]byte { return [][]byte{d, d} }),
		"a file":           at("files/0/memory/one.md", func([]byte) [][]byte { return [][]byte{[]byte("Two.")} }),
		"a file is gone":   at("files/0/memory/one.md", func([]byte) [][]byte { return nil }),
		"a file twice":     at("files/0/memory/one.md", func(d []byte) [][]byte { return [][]byte{d, d} }),
		"a file elsewhere": rename("files/0/memory/one.md", "files/1/memory/one.md"),
		"a path upwards":   rename("files/0/memory/one.md", "files/0/../../one.md"),
		"an escaped path":  rename("files/0/memory/one.md", "files/0/%2e%2e/one.md"),
		"another entry":    rename("files/0/memory/one.md", "evil"),
		"no manifest":      at("manifest.json", func([]byte) [][]byte { return nil }),
		"two manifests":    at("manifest.json", func(d []byte) [][]byte { return [][]byte{d, d} }),
		"rows":             manifest(`"rows": 250000`, `"rows": 250001`),
		"relative agent":   manifest(`"dir": "/agents/ada"`, `"dir": "agents/ada"`),
		"upward directory": manifest(`"path": "."`, `"path": "../x"`),
		"no schema":        manifest(`"schema": 49`, `"schema": 0`),
	} {
		if _, err := archive.Verify(bytes.NewReader(repack(t, whole, change))); !errors.Is(err, archive.ErrDamaged) {
			t.Errorf("%s: error = %v, want ErrDamaged", what, err)
		}
	}
	if _, err := archive.Verify(bytes.NewReader(repack(t, whole, manifest(`"format": 1`, `"format": 2`)))); !errors.Is(err, archive.ErrNewer) {
		t.Errorf("a newer format: error = %v, want ErrNewer", err)
	}
	if _, err := archive.Verify(strings.NewReader("hello")); !errors.Is(err, archive.ErrNotBackup) {
		t.Errorf("another file: error = %v, want ErrNotBackup", err)
	}
}

func TestEscapePath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"memory/レビュー.md": "memory/レビュー.md", "a b.md": "a b.md", "50%.md": "50%25.md", "a\nb": "a%0Ab", "\xff.md": "%FF.md", "\ufffd": "%EF%BF%BD",
	} {
		got := archive.EscapePath(path)
		back, err := archive.UnescapePath(got)
		if got != want || back != path || err != nil {
			t.Errorf("EscapePath(%q) = %q, want %q; back %q, %v", path, got, want, back, err)
		}
	}
}

func TestSave_OnlyComplete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := filepath.Join(dir, archive.FileName(time.Unix(1e9, 0)))
	whole := made(t)
	_, err := archive.Save(at, func(w io.Writer) error { _, err := w.Write(whole[:len(whole)-9]); return err })
	if !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("Save() of a torn one: error = %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("Save() leaves %v", entries)
	}
	save := func(w io.Writer) error { _, err := w.Write(whole); return err }
	if _, err := archive.Save(at, save); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Save(at, save); !errors.Is(err, os.ErrExist) {
		t.Errorf("Save() over a file: error = %v", err)
	}
	info, err := os.Stat(at)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != int64(len(whole)) {
		t.Errorf("the file is %v (%v)", info, err)
	}
	entries, _ := os.ReadDir(dir)
	if at, ok := archive.TimeOf(entries[0].Name()); len(entries) != 1 || !ok || at.Unix() != 1e9 {
		t.Errorf("the directory has %v; %v", entries, at)
	}
}
