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

// isPrimaryDir reports whether this is the primary directory, still.
func isPrimaryDir(tx *agenttx.Tx, is records.DirectoryID) bool {
	info, err := files.Stat(tx.Root, tx.Agent.PrimaryDir())
	if err != nil {
		return false
	}
	_, inode, device := agents.Identity(info)
	return is == records.DirectoryID{Device: device, Inode: inode}
}

// recordPrimaryDir has scans of everything note when the primary directory goes, or comes, and tell when it is another one than before. From
// what is not in one that was gone, or on another device, because something was mounted or unmounted, nothing is concluded. From what is
// not in another directory in its place little is: it is held as missing, and the look notes that directory when it has done so. A scan at
// a part leaves all that to one at everything, and until then the directory is away.
func recordPrimaryDir(ctx context.Context, tx *agenttx.Tx, listing agents.Listing, isFull bool) (away bool, newDir newPrimaryDir, err error) {
	row, err := tx.DB.Agent(ctx)
	if err != nil {
		return false, newDir, err
	}
	known, is := row.PrimaryDir, records.DirectoryID{Device: listing.PrimaryDevice, Inode: listing.PrimaryInode}
	switch {
	case !listing.HasPrimary:
		if isFull && known != nil && primaryDirIsGone(tx) {
			return true, newDir, tx.DB.PrimaryDirGone(ctx)
		}
		return true, newDir, nil
	case known != nil && *known == is:
		return false, newDir, nil
	case !isFull:
		tx.Rescan(".")
		return true, newDir, nil
	case known == nil || known.Device != is.Device:
		return false, newDir, tx.DB.PrimaryDirReturned(ctx, is)
	}
	return false, newPrimaryDir{&is, known.Inode != 0}, nil
}

// primaryDirIsGone says that there is no primary directory, and not just one that cannot be read.
func primaryDirIsGone(tx *agenttx.Tx) bool {
	info, err := files.Stat(tx.Root, tx.Agent.PrimaryDir())
	return errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()
}

// newPrimaryDir is the primary directory where it is not the one on record.
type newPrimaryDir struct {
	id            *records.DirectoryID // nil: it is on record
	isReplacement bool                 // false: an earlier version has not kept which one it was
}
