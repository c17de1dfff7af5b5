package agenttx

import (
	"os"
	"time"

	"memoir/internal/files"
	"memoir/internal/memories"
)

// CheckReadOnly returns a *memories.ConflictError if the agent's layout forbids a change of the
// file at relPath.
func (tx *Tx) CheckReadOnly(relPath string) error {
	if reason := tx.Agent.ReadOnly(relPath, tx.Actor == memories.ByBrowser); reason != "" {
		return &memories.ConflictError{Reason: reason + " Nothing was changed."}
	}
	return nil
}

// layoutDisk is a Disk that refuses changes with the error of CheckReadOnly.
type layoutDisk struct {
	Disk
	tx *Tx
}

func (d layoutDisk) Write(root *os.Root, path string, data []byte, options files.Options) error {
	if err := d.tx.CheckReadOnly(path); err != nil {
		return err
	}
	return d.Disk.Write(root, path, data, options)
}

func (d layoutDisk) Append(root *os.Root, path string, data []byte) error {
	if err := d.tx.CheckReadOnly(path); err != nil {
		return err
	}
	return d.Disk.Append(root, path, data)
}

func (d layoutDisk) RemoveIf(root *os.Root, path, hash string) error {
	if err := d.tx.CheckReadOnly(path); err != nil {
		return err
	}
	return d.Disk.RemoveIf(root, path, hash)
}

func (d layoutDisk) RemoveDirectory(root *os.Root, path string) error {
	if err := d.tx.CheckReadOnly(path); err != nil {
		return err
	}
	return d.Disk.RemoveDirectory(root, path)
}

func (d layoutDisk) Move(root *os.Root, from, to string) error {
	for _, path := range []string{from, to} {
		if err := d.tx.CheckReadOnly(path); err != nil {
			return err
		}
	}
	return d.Disk.Move(root, from, to)
}

func (d layoutDisk) Touch(root *os.Root, path string, modTime time.Time) error {
	if err := d.tx.CheckReadOnly(path); err != nil {
		return err
	}
	return d.Disk.Touch(root, path, modTime)
}
