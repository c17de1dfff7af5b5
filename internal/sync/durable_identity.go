package sync

import (
	"context"
	"errors"
	"io/fs"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/records"
)

// noteDurable has looks at everything note when the durable directory goes, or comes, and tell when it is another one than before. From
// what is not in one that was gone, or on another device, because something was mounted or unmounted, nothing is concluded. From what is
// not in another directory in its place little is: it is held as missing, and the look notes that directory when it has done so. A look at
// a part leaves all that to one at everything, and until then the directory is away.
func (h *hold) noteDurable(ctx context.Context, listing agents.Listing, whole bool) (away bool, another anotherDurable, err error) {
	row, err := h.w.Agent(ctx)
	if err != nil {
		return false, another, err
	}
	known, is := row.Durable, records.DirectoryID{Device: listing.DurableDevice, Inode: listing.DurableInode}
	switch {
	case !listing.DurableThere:
		if whole && known != nil && h.durableIsGone() {
			return true, another, h.w.DurableGone(ctx)
		}
		return true, another, nil
	case known != nil && *known == is:
		return false, another, nil
	case !whole:
		h.queue.Add(h.onDisk.Slug, ".")
		return true, another, nil
	case known == nil || known.Device != is.Device:
		return false, another, h.w.DurableReturns(ctx, is)
	}
	return false, anotherDurable{&is, known.Inode != 0}, nil
}

// anotherDurable is the durable directory where it is not the one on record.
type anotherDurable struct {
	is            *records.DirectoryID // nil: it is on record
	isReplacement bool                 // false: an earlier version has not kept which one it was
}

// durableIsGone says that there is no durable directory, and not just one that cannot be read.
func (h *hold) durableIsGone() bool {
	info, err := files.Stat(h.root, h.onDisk.PrimaryDir())
	return errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()
}

// isDurable says that this is the durable directory, still.
func (h *hold) isDurable(is records.DirectoryID) bool {
	info, err := files.Stat(h.root, h.onDisk.PrimaryDir())
	if err != nil {
		return false
	}
	_, inode, device := agents.Identity(info)
	return is == records.DirectoryID{Device: device, Inode: inode}
}
