package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// account is the system user of the server's processes.
type account struct {
	name     string
	uid, gid int
	switched bool // another user than the one who runs Memoir
}

// serverUsers are the users for the server if Memoir runs as root, in order.
var serverUsers = []string{"postgres", "nobody"}

// accountFor returns the user to run Postgres as. Without root, this is the process's own user; it
// returns ErrAccess if another user owns the cluster pgdata. As root, it is the owner of pgdata or,
// if pgdata is missing or root's, the owner of dataDir. If that is root or has no name, it is the
// first of serverUsers that exists. It returns ErrAccess if no user fits.
func accountFor(dataDir, pgdata string) (account, error) {
	self, owner := os.Geteuid(), ownerOf(pgdata)
	switch {
	case self != 0 && (owner == self || owner < 0):
		return accountOf(userByID(self))
	case self != 0:
		return account{}, fmt.Errorf("%w: %s belongs to the user %s; start Memoir as that user or as root, or choose another --data-dir",
			ErrAccess, pgdata, nameOf(owner))
	case owner > 0:
		return accountOf(userByID(owner))
	}
	if owner := ownerOf(dataDir); owner > 0 {
		if found, err := accountOf(userByID(owner)); err == nil {
			return found, nil
		}
	}
	for _, name := range serverUsers {
		if found, err := accountOf(user.Lookup(name)); err == nil && found.uid != 0 {
			return found, nil
		}
	}
	return account{}, fmt.Errorf("%w: Postgres does not run as root, and this machine has no user %s; "+
		"start Memoir as another user, or point --database-url at a server", ErrAccess, strings.Join(serverUsers, " or "))
}

// userByID returns the user with the given id. Releases are built without cgo and read only
// /etc/passwd, so getent finds the users of LDAP and similar directories.
func userByID(uid int) (*user.User, error) {
	found, err := user.LookupId(strconv.Itoa(uid))
	if err == nil {
		return found, nil
	}
	const userFields = 7 // of passwd(5): name, password, uid, gid, comment, home, shell
	entry, failed := exec.Command("getent", "passwd", strconv.Itoa(uid)).Output()
	fields := strings.Split(strings.TrimSpace(string(entry)), ":")
	if failed != nil || len(fields) != userFields {
		return nil, err
	}
	return &user.User{Username: fields[0], Uid: fields[2], Gid: fields[3], HomeDir: fields[5]}, nil
}

// ownerOf returns the user id of the directory's owner, or -1 if the directory cannot be examined.
func ownerOf(dir string) int {
	info, err := os.Stat(dir)
	if err != nil {
		return -1
	}
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

func nameOf(uid int) string {
	if found, err := userByID(uid); err == nil {
		return found.Username
	}
	return strconv.Itoa(uid)
}

// accountOf converts the result of a search for a user to an account. If err is not nil, it returns
// ErrAccess, which also wraps err. It returns another error if an id of the user is no number.
func accountOf(found *user.User, err error) (account, error) {
	if err != nil {
		return account{}, fmt.Errorf("%w: PostgreSQL needs a user with a name: %w", ErrAccess, err)
	}
	uid, err := strconv.Atoi(found.Uid)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.Atoi(found.Gid)
	if err != nil {
		return account{}, err
	}
	return account{name: found.Username, uid: uid, gid: gid, switched: uid != os.Geteuid()}, nil
}

// own gives a file or directory, but not a directory's contents, the owner and group of the
// account. It does nothing if the account is this process's user.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// command returns a command for program that is killed if ctx ends, with few variables in its
// environment. paths are the names of dirs in the process, which may differ from dirs. The caller
// must set SysProcAttr to processAttributes, and call closeInherited after the start. It returns an
// error if the account cannot reach dirs; then nothing has to be closed.
func (a account) command(ctx context.Context, program string, dirs ...string) (cmd *exec.Cmd, paths []string, err error) {
	cmd = exec.CommandContext(ctx, program)
	cmd.Dir = "/"
	cmd.Env = bareEnvironment()
	if !a.switched {
		return cmd, dirs, nil
	}
	paths, err = a.reach(cmd, dirs)
	if err != nil {
		closeInherited(cmd)
	}
	return cmd, paths, err
}

func closeInherited(cmd *exec.Cmd) {
	for _, file := range cmd.ExtraFiles {
		_ = file.Close()
	}
}

// processAttributes returns the attributes of a process that runs as the account. The process gets
// its own process group, so that Ctrl-C reaches only Memoir. On Linux it gets the signal onDeath
// when the thread that started it ends, and so when Memoir dies.
func (a account) processAttributes(onDeath syscall.Signal) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(attributes, onDeath)
	if a.switched {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attributes
}

// inheritedVars are the variables that programs need. Memoir's own variables, which include
// secrets, are not passed on.
var inheritedVars = []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "LOCALE_ARCHIVE", "TZDIR"}

func bareEnvironment() []string {
	environment := []string{"LC_ALL=C"} // this package parses messages, which must be in English
	for _, name := range inheritedVars {
		if value, ok := os.LookupEnv(name); ok {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// refusedByKernel returns err from the start of a process, which may be nil. If the system refused
// to start it as another user, it returns ErrAccess instead, which also wraps err.
func (a account) refusedByKernel(err error) error {
	if a.switched && (errors.Is(err, syscall.EPERM) || errors.Is(err, fs.ErrPermission)) {
		return fmt.Errorf("%w: this root may not start programs as the user %s (%w); start Memoir as another user, or point --database-url at a server",
			ErrAccess, a.name, err)
	}
	return err
}
