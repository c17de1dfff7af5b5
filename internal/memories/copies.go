package memories

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// sureCopies are the stems that sync programs and editors give to a copy, and that few people choose for a file of their own. The
// first group is the stem of the original.
var sureCopies = []*regexp.Regexp{
	regexp.MustCompile(`^(.+)\.sync-conflict-.+$`),                                         // Syncthing
	regexp.MustCompile(`(?i)^(.+?) ?\([^()]*` + conflictWords + `[^()]*\)(?: ?\(\d+\))?$`), // Dropbox, Nextcloud
	regexp.MustCompile(`(?i)^(.+)[._-]conflict-\d{8}-\d{6}.*$`),                            // ownCloud
	regexp.MustCompile(`(?i)^(.+) - ` + copyWords + `(?: ?\(\d+\))?$`),                     // Windows
	regexp.MustCompile(`(?i)^(.+)\.(?:orig|bak)\d*$`),                                      // patch, Mercurial, editors
	regexp.MustCompile(`^(.+?)(?:\.~\d+)?~$`),                                              // Emacs
	regexp.MustCompile(`^(.+)_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+$`),                          // git mergetool
}

// possibleCopies are the stems of copies that people choose for other files, too.
var possibleCopies = []*regexp.Regexp{
	regexp.MustCompile(`^(.+) \d{1,2}$`),                            // iCloud
	regexp.MustCompile(`^(.+?) ?\(\d{1,3}\)$`),                      // browsers, Google Drive
	regexp.MustCompile(`(?i)^(.+) ` + copyWords + `(?: \d{1,2})?$`), // macOS
	regexp.MustCompile(`(?i)^(?:Copy of|Kopie von|Copie de) (.+)$`), // Google Drive
}

const (
	// conflictWords are the words for a conflict by which Dropbox marks a copy in the languages that it has.
	conflictWords = `(?:conflict|konflikt|conflit|conflicto|conflitto|conflito|konflik|競合|冲突|衝突|충돌|конфликт)`
	// copyWords are the words for a copy that Windows and macOS use.
	copyWords = `(?:copy|kopie|copie|copia|cópia|kopia|kopi|kopio|コピー|副本|копия)`
)

// copyDirectories are the names of directories that hold copies.
var copyDirectories = []string{"backup", "archive"}

// CopyOf reports whether the file at a slash-separated path is named as a copy that a sync program or an editor has made. originals
// are the paths of the files that it can be a copy of; below backup/ and archive/ there can be none. sure is false if people choose
// such a name for other files, too: then the file is a copy only where one of the originals exists and carries the same memory.
func CopyOf(file string) (originals []string, sure bool) {
	dir, base := path.Split(file)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	sure = slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return slices.Contains(copyDirectories, strings.ToLower(part))
	})
	if original := sureOriginal(stem); original != "" {
		return []string{dir + original + ext}, true
	}
	for _, original := range possibleOriginals(stem) {
		originals = append(originals, dir+original+ext)
	}
	return originals, sure || isCopyOfSureCopy(stem)
}

// isCopyOfSureCopy reports whether a stem is that of a copy of a sure copy, by any number of copies between the two. So the original
// of a file that is no sure copy is none, either.
func isCopyOfSureCopy(stem string) bool {
	seen := map[string]bool{}
	for next := possibleOriginals(stem); len(next) > 0; {
		original := next[0]
		next = next[1:]
		switch {
		case seen[original]:
		case sureOriginal(original) != "":
			return true
		default:
			seen[original] = true
			next = append(next, possibleOriginals(original)...)
		}
	}
	return false
}

// sureOriginal returns the stem of the original of a sure copy. It is empty if the stem is not that of one.
func sureOriginal(stem string) string {
	for _, pattern := range sureCopies {
		if found := pattern.FindStringSubmatch(stem); found != nil {
			return found[1]
		}
	}
	return ""
}

// possibleOriginals returns the stems of the files that a file with the stem can be a copy of.
func possibleOriginals(stem string) (originals []string) {
	for _, pattern := range possibleCopies {
		if found := pattern.FindStringSubmatch(stem); found != nil {
			originals = append(originals, found[1])
		}
	}
	// OneDrive appends the name of the computer, which may have hyphens.
	for i := len(stem) - 2; i > 0; i-- {
		if stem[i] == '-' {
			originals = append(originals, stem[:i])
		}
	}
	return originals
}
