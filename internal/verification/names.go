package verification

import (
	"bytes"
	"fmt"
	"strings"

	"memoir/internal/memories"
)

// maxName is the longest name that is looked for, in bytes.
const maxName = 64

// names looks for names in files. A file is read once for all of them.
type names struct {
	// found says of each name that is wanted, folded, whether it is there. Functions and flags are one set: a flag is often
	// defined under the name of a variable.
	found map[string]bool
	// first tells at a glance which words are worth a look-up, by their folded length and first byte.
	first [maxName + 1][256]bool
	open  int // names that are not found yet
	// declared says of each qualifier, as it is written, whether the project has something of that name.
	declared map[string]bool
	hasFlags bool
}

func newNames() names { return names{found: map[string]bool{}, declared: map[string]bool{}} }

func (n *names) wantFunction(name string) { n.want(name) }

func (n *names) wantFlag(name string) {
	n.hasFlags = true
	n.want(name)
}

func (n *names) want(name string) {
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

// declare notes that the project has something of that name.
func (n *names) declare(name string) {
	if _, wanted := n.declared[name]; wanted {
		n.declared[name] = true
	}
}

// has reports whether a wanted name was found.
func (n *names) has(name string) bool {
	var room [maxName]byte
	return len(name) <= maxName && n.found[string(fold(room[:0], []byte(name)))]
}

// fold appends a name in lower case, without underscores and dashes: the same name in all the ways in which languages write it.
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

// declaring are the words before a name that somebody defines.
var declaring = setOf(`class struct type interface enum trait impl mod module namespace package object protocol union record extension`)

// find looks for the names in a text.
func (n *names) find(text []byte) {
	var before []byte // the word before, with nothing but blanks between
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
		before = n.joined(text[start:at], before)
	}
}

// joined takes words that dashes join, mostly a single one, and returns the last of them.
func (n *names) joined(run, before []byte) (last []byte) {
	word, rest, several := bytes.Cut(run, []byte{'-'})
	if several && n.hasFlags {
		n.met(run)
		n.met(bytes.TrimPrefix(run, []byte("no-")))
	}
	for ; several; word, rest, several = bytes.Cut(rest, []byte{'-'}) {
		n.met(word)
		before = nil
	}
	n.met(word)
	if _, wanted := n.declared[string(word)]; wanted && declaring[string(before)] {
		n.declared[string(word)] = true
	}
	return word
}

func (n *names) met(word []byte) {
	if len(word) > maxName {
		return
	}
	var room [maxName]byte
	folded := fold(room[:0], word)
	if len(folded) == 0 || !n.first[len(folded)][folded[0]] {
		return
	}
	if found, wanted := n.found[string(folded)]; wanted && !found {
		n.found[string(folded)] = true
		n.open--
	}
}

// Names that libraries and programs have given the world: that a project has none of it says nothing.
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

// concludeFunction decides about a function once everything was searched.
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
		return memories.CitationUnknown, notOurs
	}
	return memories.CitationGone, fmt.Sprintf("`%s` is nowhere in the project any more.", one.Text)
}

// concludeFlag decides about a flag once everything was searched.
func (s *search) concludeFlag(one Citation) (memories.CitationStatus, string) {
	if s.names.has(one.Name) {
		return memories.CitationFound, ""
	}
	if why := s.namesUnknown(one.Name); why != "" {
		return memories.CitationUnknown, why
	}
	if !one.FoundBefore && (!strings.ContainsAny(one.Name, "-_") || worldFlags[foldedName(one.Name)]) {
		return memories.CitationUnknown, notOurs
	}
	return memories.CitationGone, fmt.Sprintf("The flag `%s` is nowhere in the project any more.", one.Text)
}

// namesUnknown says why a name that was not found may still be there; empty: it is not.
func (s *search) namesUnknown(name string) string {
	switch {
	case len(name) > maxName:
		return notSearched
	case !s.readAll:
		return s.why()
	case s.searched == 0:
		return nothingRead
	}
	return ""
}

func foldedName(name string) string { return string(fold(nil, []byte(name))) }

// isCompound reports whether a name is made of several words, as parseConfig and post_entry are: nobody happens upon one.
func isCompound(name string) bool {
	inner := strings.Trim(name, "_")
	if len(inner) < 6 {
		return false
	}
	return strings.Contains(inner, "_") || strings.ToLower(inner[1:]) != inner[1:] && strings.ToUpper(inner) != inner
}
