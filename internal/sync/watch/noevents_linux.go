package watch

import "golang.org/x/sys/unix"

// noEventsTypes are the file systems that other machines can change without an event here.
var noEventsTypes = map[int64]bool{
	unix.NFS_SUPER_MAGIC:  true,
	unix.SMB_SUPER_MAGIC:  true,
	unix.CIFS_SUPER_MAGIC: true,
	unix.SMB2_SUPER_MAGIC: true,
	unix.FUSE_SUPER_MAGIC: true,
	unix.V9FS_MAGIC:       true,
	unix.CEPH_SUPER_MAGIC: true,
	unix.AFS_SUPER_MAGIC:  true,
}

// SendsNoEvents reports whether files below the directory may change without an event, because it
// is on a network or FUSE file system. It is false if the directory cannot be read, and always
// false on other systems than Linux.
func SendsNoEvents(dir string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(dir, &stat) == nil && noEventsTypes[int64(stat.Type)]
}
