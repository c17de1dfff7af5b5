package sync

import "golang.org/x/sys/unix"

// eventlessTypes are the file systems on which others write without this kernel hearing of it.
var eventlessTypes = map[int64]bool{
	unix.NFS_SUPER_MAGIC:  true,
	unix.SMB_SUPER_MAGIC:  true,
	unix.CIFS_SUPER_MAGIC: true,
	unix.SMB2_SUPER_MAGIC: true,
	unix.FUSE_SUPER_MAGIC: true,
	unix.V9FS_MAGIC:       true,
	unix.CEPH_SUPER_MAGIC: true,
	unix.AFS_SUPER_MAGIC:  true,
}

// sendsNoEvents says whether changes below the directory may happen without an event.
func sendsNoEvents(dir string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(dir, &stat) == nil && eventlessTypes[int64(stat.Type)]
}
