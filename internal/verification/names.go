package verification

import (
	"bytes"
	"fmt"
	"strings"

	"memoir/internal/memories"
)

// maxName is the maximum length of a searched name, in bytes (arbitrary).
const maxName = 64

// names searches for names in files. It reads a file once for all names.
type names struct {
	// found maps each folded name to whether it was found. Functions and flags share the map,
	// because a flag is often defined under a variable's name.
	found map[string]bool
	// first is a quick filter of words by folded length and first byte.
	first [maxName + 1][256]bool
	open  int // number of names not found yet
	// declared maps each qualifier to whether the project declares that name.
	declared map[string]bool
	hasFlags bool
}

func newNames() names { return names{found: map[string]bool{}, declared: map[string]bool{}} }

func (n *names) wantFunction(name string) { n.request(name) }

func (n *names) wantFlag(name string) {
	n.hasFlags = true
	n.request(name)
}

func (n *names) request(name string) {
	if len(name) > maxName {
		return
	}
	var room [maxName]byte
	folded := fold(room[:0], []byte(name))
	if _, known := n.found[string(folded)]; known || len(folded) == 0 {
		return
	}
	n.found[string(folded)] = false
	n.first[len(folded)][folded[0]] = true
	n.open++
}

func (n *names) wantQualifier(name string) {
	if !n.declared[name] {
		n.declared[name] = false
	}
}

// declare records that the project has something with that name.
func (n *names) declare(name string) {
	if _, isRequested := n.declared[name]; isRequested {
		n.declared[name] = true
	}
}

// has reports whether a name was found.
func (n *names) has(name string) bool {
	var room [maxName]byte
	return len(name) <= maxName && n.found[string(fold(room[:0], []byte(name)))]
}

// fold appends a name in lower case without underscores and dashes, which is equal for all naming
// styles.
func fold(to, name []byte) []byte {
	for _, b := range name {
		switch {
		case b == '_' || b == '-':
		case 'A' <= b && b <= 'Z':
			to = append(to, b|0x20)
		default:
			to = append(to, b)
		}
	}
	return to
}

// declaring are the words before a name that a project declares.
var declaring = setOf(`class struct type interface enum trait impl mod module namespace package object protocol union record extension`)

// find searches for the names in a text.
func (n *names) find(text []byte) {
	var before []byte // the previous word, if only spaces are between
	for at := 0; at < len(text); {
		if b := text[at]; !isWordByte(b) {
			if b != ' ' && b != '\t' {
				before = nil
			}
			at++
			continue
		}
		start := at
		for at < len(text) && (isWordByte(text[at]) || text[at] == '-' && at+1 < len(text) && isWordByte(text[at+1])) {
			at++
		}
		before = n.joinedWords(text[start:at], before)
	}
}

// joinedWords handles words joined by dashes, usually one, and returns the last of them.
func (n *names) joinedWords(run, before []byte) (last []byte) {
	word, rest, several := bytes.Cut(run, []byte{'-'})
	if several && n.hasFlags {
		n.match(run)
		n.match(bytes.TrimPrefix(run, []byte("no-")))
	}
	for ; several; word, rest, several = bytes.Cut(rest, []byte{'-'}) {
		n.match(word)
		before = nil
	}
	n.match(word)
	if _, isRequested := n.declared[string(word)]; isRequested && declaring[string(before)] {
		n.declared[string(word)] = true
	}
	return word
}

func (n *names) match(word []byte) {
	if len(word) > maxName {
		return
	}
	var room [maxName]byte
	folded := fold(room[:0], word)
	if len(folded) == 0 || !n.first[len(folded)][folded[0]] {
		return
	}
	if found, isRequested := n.found[string(folded)]; isRequested && !found {
		n.found[string(folded)] = true
		n.open--
	}
}

// Folded names from common libraries and programs. If a project does not contain one, that proves
// nothing.
var (
	worldFunctions = setOf(`addeventlistener removeeventlistener settimeout setinterval cleartimeout clearinterval queryselector
		queryselectorall getelementbyid preventdefault stoppropagation usestate useeffect usememo usecallback useref usecontext usereducer
		requestanimationframe structuredclone parseint parsefloat tostring tojson hasownproperty foreach isinstance issubclass
		hasattr getattr setattr malloc calloc realloc memcpy strlen strcmp printf sprintf println nextval currval setval rownumber
		jsonagg stringagg arrayagg todatetime getenv setenv waitpid gettime localtime`)
	worldFlags = setOf(`dryrun noverify forcewithlease allowempty noedit frozenlockfile savedev saveexact maxoldspacesize
		userdatadir loglevel logformat nocache nosandbox tbshort maxfail lastfailed failedfirst nocapture allfeatures nodefaultfeatures
		ignorescripts legacypeerdeps runinband updatesnapshot watchall dataraw databinary insecureskiptlsverify allnamespaces setfile
		gracefulshutdown noinput norebuild removeorphans forcerecreate detachkeys envfile workdir privileged shmsize addhost nofollow
		followrenames nopager oneline nocommit nofastforward noff ffonly squash rebasemerges autosquash keepindex includeuntracked
		noemit skiplibcheck outdir rootdir isolatedmodules dangerouslyskippermissions allowedtools permissionmode outputformat`)
)

// concludeFunction returns the status of a function and a message, after the search.
func (s *search) concludeFunction(one Citation) (memories.CitationStatus, string) {
	if s.names.has(one.Name) {
		return memories.CitationFound, ""
	}
	if why := s.namesUnknown(one.Name); why != "" {
		return memories.CitationUnknown, why
	}
	certain := one.FoundBefore
	switch one.Qualifier {
	case "", "self", "this", "cls", "super":
		certain = certain || isCompound(one.Name) && !worldFunctions[foldedName(one.Name)]
	default:
		certain = certain || s.names.declared[one.Qualifier]
	}
	if !certain {
		return memories.CitationUnknown, reasonForeign
	}
	return memories.CitationGone, fmt.Sprintf("`%s` is nowhere in the project any more.", one.Text)
}

// concludeFlag returns the status of a flag and a message, after the search.
func (s *search) concludeFlag(one Citation) (memories.CitationStatus, string) {
	if s.names.has(one.Name) {
		return memories.CitationFound, ""
	}
	if why := s.namesUnknown(one.Name); why != "" {
		return memories.CitationUnknown, why
	}
	if !one.FoundBefore && (!strings.ContainsAny(one.Name, "-_") || worldFlags[foldedName(one.Name)]) {
		return memories.CitationUnknown, reasonForeign
	}
	return memories.CitationGone, fmt.Sprintf("The flag `%s` is nowhere in the project any more.", one.Text)
}

// namesUnknown returns why a name may exist although it was not found, or "".
func (s *search) namesUnknown(name string) string {
	switch {
	case len(name) > maxName:
		return reasonIncomplete
	case !s.readAll:
		return s.why()
	case s.searched == 0:
		return reasonNoFiles
	}
	return ""
}

func foldedName(name string) string { return string(fold(nil, []byte(name))) }

// isCompound reports whether a name consists of several words, such as parseConfig and post_entry,
// so that a match is no coincidence.
func isCompound(name string) bool {
	inner := strings.Trim(name, "_")
	if len(inner) < 6 {
		return false
	}
	return strings.Contains(inner, "_") || strings.ToLower(inner[1:]) != inner[1:] && strings.ToUpper(inner) != inner
}
