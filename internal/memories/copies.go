package memories

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// sureCopies match stems that sync programs and editors give to copies and people rarely choose.
// Group 1 is the stem of the original.
var sureCopies = []*regexp.Regexp{
	regexp.MustCompile(`^(.+)\.sync-conflict-.+$`), // Syncthing
	// Dropbox, Nextcloud
	regexp.MustCompile(`(?i)^(.+?) ?\([^()]*` + conflictWords + `[^()]*\)(?: ?\(\d+\))?$`),
	regexp.MustCompile(`(?i)^(.+)[._-]conflict-\d{8}-\d{6}.*$`),        // ownCloud
	regexp.MustCompile(`(?i)^(.+) - ` + copyWords + `(?: ?\(\d+\))?$`), // Windows
	regexp.MustCompile(`(?i)^(.+)\.(?:orig|bak)\d*$`),                  // patch, Mercurial
	regexp.MustCompile(`^(.+?)(?:\.~\d+)?~$`),                          // Emacs
	regexp.MustCompile(`^(.+)_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+$`),      // git mergetool
}

// possibleCopies match stems of copies that people also choose for other files.
var possibleCopies = []*regexp.Regexp{
	regexp.MustCompile(`^(.+) \d{1,2}$`),                            // iCloud
	regexp.MustCompile(`^(.+?) ?\(\d{1,3}\)$`),                      // browsers, Google Drive
	regexp.MustCompile(`(?i)^(.+) ` + copyWords + `(?: \d{1,2})?$`), // macOS
	regexp.MustCompile(`(?i)^(?:Copy of|Kopie von|Copie de) (.+)$`), // Google Drive
}

const (
	// conflictWords match Dropbox's words for conflict in its languages.
	conflictWords = `(?:conflict|konflikt|conflit|conflicto|conflitto|conflito|konflik|競合|冲突|衝突|충돌|конфликт)`
	// copyWords match the words for copy in Windows and macOS.
	copyWords = `(?:copy|kopie|copie|copia|cópia|kopia|kopi|kopio|コピー|副本|копия)`
)

// copyDirectories are names of directories with copies.
var copyDirectories = []string{"backup", "archive"}

// CopyOf returns the paths of the possible originals of a file whose name looks like a copy, or nil
// for another name. It examines only the path. sure means that the file is a copy because of its
// name, or because it is below backup/ or archive/. If sure is false, the file is a copy only if an
// original exists with the same memory.
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

// isCopyOfSureCopy reports whether a stem may be the name of a copy of a sure copy, directly or
// through further copies.
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

// sureOriginal returns the stem of the original of a sure copy, or "".
func sureOriginal(stem string) string {
	for _, pattern := range sureCopies {
		if found := pattern.FindStringSubmatch(stem); found != nil {
			return found[1]
		}
	}
	return ""
}

// possibleOriginals returns the stems of the files whose copy may have this stem, by the names that
// sync programs and browsers give to copies.
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
