package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The name of a backup is namePrefix, its time in UTC, and nameSuffix.
const namePrefix, nameTime, nameSuffix = "memoir-", "2006-01-02T150405Z", ".tar.zst"

// FileName returns the name of a backup that is made at a time.
func FileName(at time.Time) string { return namePrefix + at.UTC().Format(nameTime) + nameSuffix }

// TimeOf returns the time in a name that FileName has made.
func TimeOf(name string) (at time.Time, ok bool) {
	middle, found := strings.CutPrefix(name, namePrefix)
	middle, complete := strings.CutSuffix(middle, nameSuffix)
	at, err := time.Parse(nameTime, middle)
	return at, found && complete && err == nil
}

// partialPattern is the name of an unfinished backup, for os.CreateTemp.
const partialPattern = ".memoir-backup-*.partial"

// Save creates a backup file that only its user can read. write gives the archive. The file gets its
// name when it is complete, verified and on disk, so a crash leaves no incomplete one. It fails with
// fs.ErrExist, and replaces nothing, if the path exists.
func Save(at string, write func(io.Writer) error) (Manifest, error) {
	if _, err := os.Lstat(at); err == nil {
		return Manifest{}, &fs.PathError{Op: "create", Path: at, Err: fs.ErrExist}
	}
	file, err := os.CreateTemp(filepath.Dir(at), partialPattern)
	if err != nil {
		return Manifest{}, err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it has its own name, or failed
	defer file.Close()           //nolint:errcheck // closed below, or failed
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err := write(buffered); err != nil {
		return Manifest{}, err
	}
	if err := errors.Join(buffered.Flush(), file.Sync()); err != nil {
		return Manifest{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return Manifest{}, err
	}
	manifest, err := Verify(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return Manifest{}, fmt.Errorf("verify the new backup: %w", err)
	}
	// A link fails if the name exists; a rename would replace it.
	err = os.Link(file.Name(), at)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(file.Name(), at) // a file system without links
	}
	if err != nil {
		return Manifest{}, err
	}
	return manifest, syncDir(filepath.Dir(at))
}

// syncDir writes the names in a directory to disk, where the system can do that.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // only read
	_ = d.Sync()    // some file systems cannot sync directories
	return nil
}

// VerifyFile is Verify for a file.
func VerifyFile(at string) (Manifest, error) {
	file, err := os.Open(at)
	if err != nil {
		return Manifest{}, err
	}
	defer file.Close() //nolint:errcheck // only read
	return Verify(bufio.NewReaderSize(file, 1<<20))
}
