package agenttx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

func pathError(cause error) error { return &fs.PathError{Op: "open", Path: "/agents/ada", Err: cause} }

func TestMissingError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		closed error
		want   string
	}{
		{"missing", nil, "Directory /agents/ada not found. Nothing was changed. Restore it and try again."},
		{
			"joined", &joinedError{"ada", "bob"},
			"Agent ada is joined to bob: its directory is a link. Nothing was changed. Use that agent.",
		},
		{
			"no permission", pathError(fs.ErrPermission),
			"Directory /agents/ada cannot be opened (permission denied). Nothing was changed. Give Memoir's user read access and try again.",
		},
		{
			"too many open files", pathError(syscall.EMFILE),
			"Directory /agents/ada cannot be opened (too many open files). Nothing was changed. Raise the limit of open files (ulimit -n) and try again.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tx := &Tx{Agent: agents.Agent{Slug: "ada", Dir: "/agents/ada"}, Closed: tt.closed}
			var conflict *memories.ConflictError
			if err := tx.MissingError(); !errors.As(err, &conflict) || conflict.Reason != tt.want {
				t.Errorf("MissingError() = %v, want a ConflictError with %q", err, tt.want)
			}
		})
	}
}

func TestClosedError_Ownership(t *testing.T) {
	t.Parallel()
	tx := &Tx{Closed: fmt.Errorf("open: %w", &files.OwnershipError{Path: "/agents"})}
	if err := tx.ClosedError(); !strings.Contains(err.Error(), ownershipHelp) {
		t.Errorf("ClosedError() = %v, want the help about owners", err)
	}
}

func TestOutOfFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"no error", nil, false},
		{"process limit", pathError(syscall.EMFILE), true},
		{"system limit", pathError(syscall.ENFILE), true},
		{"no permission", pathError(fs.ErrPermission), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := OutOfFiles(tt.err)
			if got := errors.Is(err, memories.ErrOutOfFiles); got != tt.want || (err != nil) != tt.want {
				t.Errorf("OutOfFiles() = %v, want memories.ErrOutOfFiles: %t", err, tt.want)
			}
			if tt.want && !errors.Is(err, tt.err) {
				t.Errorf("OutOfFiles() = %v, which does not wrap its cause", err)
			}
		})
	}
}

func TestFSCause(t *testing.T) {
	t.Parallel()
	other := errors.New("other error")
	for _, tt := range []struct {
		name      string
		err, want error
	}{
		{"path error", pathError(fs.ErrPermission), fs.ErrPermission},
		{"wrapped path error", fmt.Errorf("read: %w", pathError(syscall.EIO)), syscall.EIO},
		{"link error", &os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EXDEV}, syscall.EXDEV},
		{"other error", other, other},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := FSCause(tt.err); got != tt.want {
				t.Errorf("FSCause() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestIsNotFound(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		syscall.ENOENT: true, syscall.ENOTDIR: true, syscall.ENAMETOOLONG: true, syscall.EINVAL: true, memories.ErrNoFile: true,
		syscall.EACCES: false, syscall.EIO: false, syscall.EMFILE: false,
	} {
		if got := IsNotFound(pathError(err)); got != want {
			t.Errorf("IsNotFound(%v) = %t, want %t", err, got, want)
		}
	}
	if IsNotFound(nil) {
		t.Error("IsNotFound(nil) = true, want false")
	}
}

func TestMisnamedError(t *testing.T) {
	t.Parallel()
	if err := (&Tx{}).MisnamedError("a.md"); err != nil {
		t.Errorf("MisnamedError() without a directory = %v, want nil", err)
	}
	tx := newTx(t)
	writeFile(t, tx, "a.md", "text")
	if err := tx.MisnamedError("a.md"); err != nil {
		t.Errorf("MisnamedError() = %v, want nil", err)
	}
}
