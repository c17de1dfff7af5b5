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
	// found maps each searched name, folded, to true if it was found. Functions and flags share it,
	// because a flag is often defined under a variable's name.
	found map[string]bool
	open  int // number of names not found yet
	// declared maps each name before a function's name to true if the project declares it.
	declared map[string]bool
	hasFlags bool
	folded   []byte // buffer of match
}

// add adds a name to the searched names. It ignores a name longer than maxName, and one that is
// equal to another apart from case, underscores and dashes.
func (n *names) add(name string) {
	folded := foldedName(name)
	if _, known := n.found[folded]; known || folded == "" || len(name) > maxName {
		return
	}
	n.found[folded] = false
	n.open++
}

// has reports whether a name was found, ignoring case, underscores and dashes.
func (n *names) has(name string) bool { return n.found[foldedName(name)] }

// foldedName returns a name in lower case (ASCII only), without underscores and dashes. It is
// equal for parseConfig, parse_config and parse-config.
func foldedName(name string) string { return string(fold(nil, []byte(name))) }

// fold appends the lower-case letters and other bytes of a name to to, without underscores and
// dashes.
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

// find marks the searched names that a text contains as found. It also records the searched
// qualifiers that the text declares, such as "class Parser".
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

// joinedWords marks the searched names that are a word in run as found. run is one word, or
// several joined by dashes. If flags are searched, the whole run can be a name too. If run is one
// word and before, the word before it, is one such as "class", it records run as declared. It
// returns the last word.
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
	if _, isSearched := n.declared[string(word)]; isSearched && declaring[string(before)] {
		n.declared[string(word)] = true
	}
	return word
}

func (n *names) match(word []byte) {
	if len(word) > maxName {
		return
	}
	n.folded = fold(n.folded[:0], word)
	if found, isSearched := n.found[string(n.folded)]; isSearched && !found {
		n.found[string(n.folded)] = true
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

// concludeFunction returns the status of a cited function and a message, after the search. A name
// in any searched file is found. Another name is gone only if all code was read and it surely
// belongs to the project. It does if it was found before, its qualifier is declared, or it is
// compound and not common. Else it is unknown.
func (s *search) concludeFunction(one Citation) (memories.CitationStatus, string) {
	isOfProject := s.names.declared[one.Qualifier]
	switch one.Qualifier {
	case "", "self", "this", "cls", "super":
		isOfProject = isCompound(one.Name) && !worldFunctions[foldedName(one.Name)]
	}
	return s.concludeName(one, isOfProject, fmt.Sprintf("`%s` is no longer in the project.", one.Text))
}

// concludeFlag returns the status of a cited flag and a message, after the search. A name in any
// searched file is found. Another flag is gone only if all code was read and it surely belongs to
// the project. It does if it was found before, or has several words and is no common flag. Else it
// is unknown.
func (s *search) concludeFlag(one Citation) (memories.CitationStatus, string) {
	isOfProject := strings.ContainsAny(one.Name, "-_") && !worldFlags[foldedName(one.Name)]
	return s.concludeName(one, isOfProject, fmt.Sprintf("The flag `%s` is no longer in the project.", one.Text))
}

// concludeName returns the status of a cited name, and a message. A name that was not found is
// gone, with the message gone. It is unknown instead if the search was incomplete or searched no
// file, or the name is too long. It is also unknown if isOfProject is false and no earlier check
// found it.
func (s *search) concludeName(one Citation, isOfProject bool, gone string) (memories.CitationStatus, string) {
	switch {
	case s.names.has(one.Name):
		return memories.CitationFound, ""
	case len(one.Name) > maxName:
		return memories.CitationUnknown, reasonIncomplete
	case !s.readAll:
		return memories.CitationUnknown, s.why()
	case s.searched == 0:
		return memories.CitationUnknown, reasonNoFiles
	case !one.FoundBefore && !isOfProject:
		return memories.CitationUnknown, reasonForeign
	}
	return memories.CitationGone, gone
}

// isCompound reports whether a name has at least six letters and several words, such as parseConfig
// and post_entry.
func isCompound(name string) bool {
	inner := strings.Trim(name, "_")
	if len(inner) < 6 {
		return false
	}
	return strings.Contains(inner, "_") || strings.ToLower(inner[1:]) != inner[1:] && strings.ToUpper(inner) != inner
}
