package local

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUserByID_OutsidePasswd changes the environment, so it is not parallel.
func TestUserByID_OutsidePasswd(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "getent"), "#!/bin/sh\n[ \"$1 $2\" = 'passwd 64321' ] && echo 'ada:*:64321:64322:Ada:/home/ada:/bin/sh'\n", 0o755)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	found, err := accountOf(userByID(64321))
	if err != nil || found.name != "ada" || found.uid != 64321 || found.gid != 64322 {
		t.Errorf("userByID() = %+v, %v; want ada", found, err)
	}
	if _, err := userByID(64323); err == nil {
		t.Error("userByID() found a user that does not exist")
	}
}
