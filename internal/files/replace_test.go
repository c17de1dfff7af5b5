package files_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/files"
)

func TestWrite_ConcurrentSave(t *testing.T) {
	t.Parallel()
	for name, save := range map[string]func(path, text string) error{
		"by renaming": func(path, text string) error {
			if err := os.WriteFile(path+".tmp", []byte(text), 0o644); err != nil {
				return err
			}
			return os.Rename(path+".tmp", path)
		},
		"in place": func(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setup(t)
			p.put("a.md", "save 0\n")

			// Memoir replaces the file again and again.
			var replacing sync.WaitGroup
			done := make(chan struct{})
			replacing.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					known, err := os.ReadFile(p.at("a.md"))
					if err == nil && len(known) > 0 { // not in the middle of a save
						first, _, _ := strings.Cut(string(known), "\n")
						err = files.Write(p.root, "a.md", []byte(first+"\nand more\n"), files.Options{IfHash: files.Hash(known)})
					}
					if err != nil && !errors.Is(err, files.ErrChanged) {
						t.Error(err)
					}
				}
			})
			stop := sync.OnceFunc(func() { close(done); replacing.Wait() })
			defer stop()
			var saved string
			for i := range 100 {
				saved = fmt.Sprintf("save %d\n", i+1)
				if err := save(p.at("a.md"), saved); err != nil {
					t.Fatal(err)
				}
				// During a replacement, an older version may be visible until Memoir restores the
				// newer one.
				has := func() bool {
					now, err := os.ReadFile(p.at("a.md"))
					return err == nil && strings.HasPrefix(string(now), saved)
				}
				for deadline := time.Now().Add(20 * time.Second); !has(); {
					if time.Now().After(deadline) {
						t.Fatalf("%q was saved last, and is not what the file has", saved)
					}
				}
			}
			stop()
			if now, err := os.ReadFile(p.at("a.md")); err != nil || !strings.HasPrefix(string(now), saved) {
				t.Errorf("in the end the file has %q (%v), and %q was saved last", now, err, saved)
			}
		})
	}
}

func TestWrite_Displaced(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("a.md", "old")
	opened, err := os.OpenFile(p.at("a.md"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	var old *os.File
	options := files.Options{IfHash: hashOf("old"), Displaced: func(f *os.File) { old = f }}
	if err := files.Write(p.root, "a.md", []byte("new"), options); err != nil {
		t.Fatal(err)
	}
	if old == nil {
		t.Fatal("nothing was given away")
	}
	defer old.Close()
	if _, err := opened.WriteString("saved late"); err != nil {
		t.Fatal(err)
	}
	if late, err := io.ReadAll(old); err != nil || string(late) != "saved late" {
		t.Errorf("the replaced file has %q (%v)", late, err)
	}
	p.wants("a.md", "new")
	p.wantsNoLeftovers()
}
