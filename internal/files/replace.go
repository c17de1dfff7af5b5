package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// abbreviated is as much of a Hash, in its digits, as the name of a file that replaces another has of each of the two.
const abbreviated = 32

// nameReplacing gives the temporary file, complete and durable, the name under which it changes places with the target. That says
// which bytes either has: after a crash, what is under it with others was saved by somebody in that very moment. A target whose
// name is too long for that is replaced from under the temporary name.
func nameReplacing(root *os.Root, temp, target, data, hash string) (string, error) {
	name := fmt.Sprintf("%s%.*s-%.*s-%s", replacingPrefix, abbreviated, data, abbreviated, hash, path.Base(target))
	if len(name) > maxName {
		return temp, nil
	}
	name = path.Join(path.Dir(temp), name)
	if err := root.Rename(temp, name); err != nil {
		return temp, err
	}
	return name, nil
}

// clearReplaced clears what a crash has left of a replacement. It returns the path of the target when that has got back what
// somebody had saved there.
func clearReplaced(root *os.Root, leftover string) (restored string, err error) {
	name := strings.TrimPrefix(path.Base(leftover), replacingPrefix)
	if len(name) < 2*abbreviated+3 {
		return "", root.Remove(leftover)
	}
	data, hash := name[:abbreviated], name[abbreviated+1:2*abbreviated+1]
	target := path.Join(path.Dir(leftover), name[2*abbreviated+2:])
	left, err := ReadHash(root, leftover)
	if err != nil {
		return "", err
	}
	if under, err := ReadHash(root, target); err != nil || left[:abbreviated] == data || left[:abbreviated] == hash || under[:abbreviated] != data {
		return "", root.Remove(leftover) // it is one of the two, or something newer is there
	}
	if err := root.Rename(leftover, target); err != nil {
		return "", err
	}
	return target, syncDirectory(root, path.Dir(target))
}

// replaceIf gives the temporary file the target's place when that has the bytes that the options ask for;
// ErrChanged otherwise.
//
// Somebody may save the target between the look at it and the rename, which would take that save away for good. So the two
// change places, where the file system can do that in one step, and what had the place is looked at once more.
func (r *replacement) replaceIf(opts Options) error {
	same, err := opts.areThoseOf(r.root, r.target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !same {
		return ErrChanged
	}
	err = swapNames(r.root, r.temp, r.target)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		r.followAttributes(r.target, r.temp, opts.Hash)
		return handOver(r.root, r.target, opts.Displaced, func() error { return r.root.Rename(r.temp, r.target) })
	case errors.Is(err, fs.ErrNotExist): // removed since
		return ErrChanged
	case err != nil:
		return err
	}
	if same, err := opts.areThoseOf(r.root, r.temp); err == nil && same {
		r.followAttributes(r.temp, r.target, opts.Hash)
		return handOver(r.root, r.temp, opts.Displaced, func() error { return r.root.Remove(r.temp) })
	}
	displaced, err := ReadHash(r.root, r.temp)
	return errors.Join(err, giveBack(r.root, r.temp, r.target, opts.Hash, displaced))
}

// followAttributes gives the new file, if that is what is found under its name, what somebody has changed of the old one's attributes since
// the new one was made like it. Where that is not possible the new one stays as it was made: the other choice would be not to write.
func (r *replacement) followAttributes(old, new, hash string) {
	now, err := attributesFor(r.root, old)
	if err != nil || now == r.attributes || !now.replaces {
		return
	}
	file, err := Open(r.root, new)
	if err != nil {
		return
	}
	defer file.Close()
	if found, _, err := hashOf(file); err == nil && found == hash {
		now.apply(file) //nolint:errcheck // see above
	}
}

// areThoseOf says whether a file has the bytes that it is to have.
func (o Options) areThoseOf(root *os.Root, name string) (bool, error) {
	if o.Was == nil {
		found, err := ReadHash(root, name)
		return err == nil && found == o.IfHash, err
	}
	file, err := Open(root, name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	return hasBytes(file, o.Was)
}

// hasBytes says whether these are all the bytes of a file.
func hasBytes(file io.Reader, want []byte) (bool, error) {
	part := make([]byte, min(len(want)+1, readAtOnce))
	for {
		n, err := file.Read(part)
		if !bytes.HasPrefix(want, part[:n]) {
			return false, nil
		}
		want = want[n:]
		if err == io.EOF {
			return len(want) == 0, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// handOver gives away the file of a name, once it has been displaced from it. One that cannot be opened is nothing to give.
func handOver(root *os.Root, name string, to func(old *os.File), displace func() error) error {
	if to == nil {
		return displace()
	}
	old, err := Open(root, name)
	if err != nil {
		return displace()
	}
	if err := displace(); err != nil {
		old.Close()
		return err
	}
	to(old)
	return nil
}

// giveBack undoes an exchange that has taken the place from a save of somebody else, displaced, for given. Where that in
// turn takes it from a still newer save, that one gets it.
func giveBack(root *os.Root, temp, target, given, displaced string) error {
	for {
		if err := swapNames(root, temp, target); errors.Is(err, fs.ErrNotExist) {
			return ErrChanged // removed since, whatever it was
		} else if err != nil {
			return err
		}
		under, err := ReadHash(root, temp)
		if err != nil {
			return err
		}
		if under == given {
			return ErrChanged
		}
		given, displaced = displaced, under
	}
}
