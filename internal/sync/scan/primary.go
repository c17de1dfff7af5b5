package scan

import (
	"context"
	"errors"
	"io/fs"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/records"
	"memoir/internal/sync/agenttx"
)

// isPrimaryDir reports whether id identifies the primary directory that is on disk now. It is false
// if that is missing or cannot be examined.
func isPrimaryDir(tx *agenttx.Tx, id records.DirectoryID) bool {
	info, err := files.Stat(tx.Root, tx.Agent.PrimaryDir())
	if err != nil {
		return false
	}
	_, inode, device := agents.Identity(info)
	return id == records.DirectoryID{Device: device, Inode: inode}
}

// recordPrimaryDir compares the walked primary directory with the recorded one. away means that
// missing primary files do not count as removed. The directory is missing or unreadable, or it
// differs in a scan of paths, which then requests a full scan. A new directory of an agent without
// primary memories is recorded at once. A full scan records that the directory is missing. If it
// has returned or is on another device, a full scan records that and marks the primary files as
// absent. newDir.id is set if another directory on the same device has replaced it; the caller
// records that after the commit.
func recordPrimaryDir(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, isFullScan bool) (away bool, newDir newPrimaryDir, err error) {
	row, err := tx.Rows.Agent(ctx)
	if err != nil {
		return false, newDir, err
	}
	known, found := row.PrimaryDir, records.DirectoryID{Device: listing.PrimaryDevice, Inode: listing.PrimaryInode}
	switch {
	case !listing.HasPrimary:
		if isFullScan && known != nil && isPrimaryDirMissing(tx) {
			return true, newDir, tx.DB.PrimaryDirGone(ctx)
		}
		return true, newDir, nil
	case known != nil && *known == found:
		return false, newDir, nil
	case known == nil && !isFullScan:
		if count, err := tx.Rows.CountPrimary(ctx); err != nil || count == 0 {
			if err == nil {
				err = tx.DB.SetPrimaryDir(ctx, found)
			}
			return false, newDir, err
		}
		tx.Rescan(".")
		return true, newDir, nil
	case !isFullScan:
		tx.Rescan(".")
		return true, newDir, nil
	case known == nil || known.Device != found.Device:
		return false, newDir, tx.DB.PrimaryDirReturned(ctx, found)
	}
	return false, newPrimaryDir{&found, known.Inode != 0}, nil
}

// isPrimaryDirMissing reports whether the primary directory does not exist. It reports false for
// one that cannot be read.
func isPrimaryDirMissing(tx *agenttx.Tx) bool {
	info, err := files.Stat(tx.Root, tx.Agent.PrimaryDir())
	return errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()
}

// newPrimaryDir is a primary directory that has to be recorded after the commit of a scan.
type newPrimaryDir struct {
	id            *records.DirectoryID // nil if there is no new one
	isReplacement bool                 // false if an earlier version did not record the inode
}
