package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"memoir/internal/agents"
	"memoir/internal/files"
	"memoir/internal/memories"
)

const (
	// maxBrought is the largest file that is brought from one directory to another, in bytes: 64 times what a memory may have.
	maxBrought = 64 << 20
	// maxNumbered is how many files of one name find a place beside each other.
	maxNumbered = 1000
)

// bringing brings what is in one directory into that of an agent, or only says what it would do. It can be repeated, also by somebody
// else: what is there already it leaves as it is.
type bringing struct {
	to      *hold
	write   bool
	changed bool // something was written

	files []JoinedFile
	index []JoinedIndex
	left  []LeftFile

	moved  map[string]string // where a file is now, by where it was
	claims map[string]string // the hashes of the files that are yet to be written, by where that will be
	facts  map[string]fact   // about files of memories, by where they were
}

// fact is what a file says of a memory.
type fact struct {
	key         memories.Key
	fingerprint memories.Fingerprint
	modTime     time.Time
}

// bring goes through a directory: first its files, then its indexes, whose links lead to where the files are by then.
func (b *bringing) bring(from *os.Root) error {
	b.files, b.index, b.left, b.changed = nil, nil, nil, false
	b.moved, b.claims, b.facts = map[string]string{}, map[string]string{}, map[string]fact{}
	var indexes []string
	found, left, err := everythingIn(from)
	if err != nil {
		return err
	}
	b.left = left
	for _, file := range found {
		if agents.IsIndexPath(file) && !b.to.onDisk.IsLogPath(file) {
			indexes = append(indexes, file)
			continue
		}
		if err := b.bringFile(from, file); err != nil {
			return err
		}
	}
	for _, index := range indexes {
		if err := b.bringIndex(from, index); err != nil {
			return err
		}
	}
	return nil
}

// everythingIn returns the files in a directory, sorted, and what in it cannot be brought anywhere.
func everythingIn(root *os.Root) (found []string, left []LeftFile, err error) {
	leave := func(p, why string, entry fs.DirEntry) error {
		left = append(left, LeftFile{strings.ToValidUTF8(p, "\uFFFD"), why})
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	err = fs.WalkDir(root.FS(), ".", func(p string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && p != ".":
			return nil // it has just gone
		case err != nil:
			return notRead(p, err)
		case p == ".":
			return nil
		case !utf8.ValidString(p):
			return leave(p, "its name is not UTF-8", entry)
		case isHidden(entry.Name()):
			return leave(p, "it is hidden", entry)
		case entry.IsDir():
			return nil
		case entry.Type() == fs.ModeSymlink:
			return leave(p, "it is a link", entry)
		case !entry.Type().IsRegular():
			return leave(p, "it is no regular file", entry)
		}
		found = append(found, p)
		return nil
	})
	return found, left, err
}

func notRead(p string, err error) error {
	return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be read (%v). Nothing was removed. Let the user that Memoir runs as read it, and try again.", p, plain(err))}
}

func (b *bringing) bringFile(from *os.Root, file string) error {
	raw, modTime, err := readToBring(from, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errTooLarge):
		b.leave(file, "it is larger than 64 MiB")
		return nil
	case err != nil:
		return notRead(file, err)
	}
	hash := files.Hash(raw)
	place, there, why, err := b.placeOf(file, hash)
	if err != nil || why != "" {
		b.leave(file, why)
		return err
	}
	b.moved[file] = place
	f := JoinedFile{Path: file, To: place, Outcome: ComesIn}
	if there {
		f.Outcome = IsThere
	}
	if b.to.onDisk.MayBeMemory(file) {
		parsed := memories.Parse(raw, stem(file))
		if !parsed.Unreadable {
			f.Name, f.Team = parsed.Name, b.to.onDisk.InTeam(place)
			b.facts[file] = fact{memories.Key{Name: f.Name, Team: f.Team}, parsed.Fingerprint(raw), modTime}
		}
	}
	b.files = append(b.files, f)
	b.claims[place] = hash
	if there || !b.write {
		return nil
	}
	b.changed = true
	err = b.to.disk.Write(b.to.root, place, raw, files.Options{New: true, ModTime: modTime, Hash: hash})
	if errors.Is(err, files.ErrExists) {
		return nil // somebody was faster, and it is gone through once more
	}
	return notBrought(file, err)
}

func notBrought(file string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &memories.ConflictError{Reason: fmt.Sprintf("%s cannot be brought over (%v).", file, plain(err))}
}

func (b *bringing) leave(file, why string) {
	if why != "" {
		b.left = append(b.left, LeftFile{file, why})
	}
}

func readToBring(root *os.Root, file string) (raw []byte, modTime time.Time, err error) {
	info, err := root.Lstat(file)
	if err != nil {
		return nil, time.Time{}, err
	}
	raw, err = readAll(root, file, maxBrought)
	return raw, info.ModTime(), err
}

// placeOf returns where a file goes, and whether it is there already; or why it goes nowhere.
func (b *bringing) placeOf(file, hash string) (place string, there bool, why string, err error) {
	if why, err := b.noDirectory(path.Dir(file)); why != "" || err != nil {
		return "", false, why, err
	}
	for n := 1; n <= maxNumbered; n++ {
		place = path.Join(path.Dir(file), memories.NumberedFileName(path.Base(file), n))
		if claimed, ok := b.claims[place]; ok {
			if claimed == hash {
				return place, true, "", nil
			}
			continue
		}
		switch found, err := files.ReadHash(b.to.root, place); {
		case err == nil && found == hash:
			return place, true, "", nil
		case errors.Is(err, fs.ErrNotExist) && b.to.isFree(place):
			return place, false, "", nil
		}
	}
	return "", false, fmt.Sprintf("%d files have its name", maxNumbered), nil
}

// noDirectory says why nothing can be put into a directory; empty: it can, or the directory is made with it.
func (b *bringing) noDirectory(dir string) (why string, err error) {
	info, err := files.Stat(b.to.root, dir)
	switch {
	case errors.Is(err, files.ErrLeaves), errors.Is(err, files.ErrLoop), errors.Is(err, syscall.ENOTDIR), err == nil && !info.IsDir():
		return "what has the place of its directory there is none, or leads elsewhere", nil
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return "", nil
	}
	return "", notRead(dir, err)
}

func (b *bringing) bringIndex(from *os.Root, index string) error {
	raw, modTime, err := readToBring(from, index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, errTooLarge) || err == nil && len(raw) > maxIndex {
		b.leave(index, "it is too large for an index")
		return nil
	}
	if err != nil {
		return notRead(index, err)
	}
	if why, err := b.noDirectory(path.Dir(index)); why != "" || err != nil {
		b.leave(index, why)
		return err
	}
	moved := func(target string) string {
		if now, ok := b.moved[path.Join(path.Dir(index), target)]; ok {
			return path.Join(path.Dir(target), path.Base(now))
		}
		return target
	}
	there := indexesIn(b.to.root, path.Dir(index))
	if len(there) == 0 {
		b.index = append(b.index, JoinedIndex{Path: index, New: true, Lines: strings.Split(strings.TrimRight(string(raw), "\n"), "\n")})
		if !b.write {
			return nil
		}
		b.changed = true
		err := b.to.disk.Write(b.to.root, index, memories.RelinkIndex(raw, moved), files.Options{New: true, ModTime: modTime})
		if errors.Is(err, files.ErrExists) {
			return nil
		}
		return notBrought(index, err)
	}
	has, err := readAll(b.to.root, there[0], maxIndex)
	if err != nil {
		b.leave(index, "the index there cannot be read")
		return nil
	}
	_, added := memories.MergeIndex(has, raw, moved)
	if len(added) == 0 {
		return nil
	}
	b.index = append(b.index, JoinedIndex{Path: there[0], Lines: added})
	if !b.write {
		return nil
	}
	b.changed = true
	return notBrought(index, b.to.editIndex(there[0], func(has []byte) []byte {
		merged, _ := memories.MergeIndex(has, raw, moved)
		return merged
	}))
}

// judge says what comes of each file that is to be brought from an agent, as a look at it would find.
func (b *bringing) judge(ctx context.Context, from *hold) error {
	names := map[string]struct{}{}
	for _, f := range b.facts {
		names[f.key.Name] = struct{}{}
	}
	heads, err := b.to.w.HeadsByName(ctx, keys(names))
	if err != nil {
		return err
	}
	buried, err := b.to.w.Tombstones(ctx, keys(names))
	if err != nil {
		return err
	}
	bequeathed, err := from.w.Bequeathed(ctx, b.to.id, keys(names))
	if err != nil {
		return err
	}
	for i := range b.files {
		f := &b.files[i]
		says, isMemory := b.facts[f.Path]
		if !isMemory || f.Outcome == IsThere {
			continue
		}
		tombstone := postgresTombstone(says)
		if buried[tombstone] || bequeathed[tombstone] {
			f.Outcome = IsBlocked
			continue
		}
		for _, head := range heads {
			if head.Key() != says.key || !head.Readable || head.State == memories.Deleted || head.Fingerprint == says.fingerprint {
				continue
			}
			if f.Outcome = IsOlder; says.modTime.After(head.ContentAt) {
				f.Outcome = IsNewer
			}
		}
	}
	return nil
}
