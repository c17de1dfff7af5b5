package memories

import "fmt"

// Problem is a defect of a memory or its file, described for people.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of problems in the text of a file.
const (
	CodeNoFrontmatter = "no_frontmatter"
	CodeReadLeniently = "read_leniently"
	CodeNameMissing   = "name_missing"
	CodeNameNotText   = "name_not_text"
	CodeNameTooLong   = "name_too_long"
	// CodeNameInvisible means that the name has no visible character.
	CodeNameInvisible      = "name_invisible"
	CodeDescriptionNotText = "description_not_text"
	CodeTypeMissing        = "type_missing"
	CodeTypeUnknown        = "type_unknown"
	CodeTypeNotText        = "type_not_text"
	CodeTypeConflict       = "type_conflict"
	// CodeModifiedUnknown means that the stated time of the last change is not a date.
	CodeModifiedUnknown = "modified_unknown"
	CodeNUL             = "nul"
	CodeInvalidUTF8     = "invalid_utf8"
	CodeTooLarge        = "too_large"
	CodeAliasBomb       = "alias_bomb"
	CodeMergeConflict   = "merge_conflict"

	// CodeFrontmatterTooLarge means a frontmatter of more than 64 KiB or 1,000 keys.
	CodeFrontmatterTooLarge = "frontmatter_too_large"
	// CodeOddFrontmatter means a frontmatter in an unusual place or format.
	CodeOddFrontmatter = "odd_frontmatter"
)

// Codes of problems outside the text: the path, the file type, permissions and events.
const (
	CodeUnreadable      = "unreadable"
	CodeNotRegular      = "not_regular"
	CodeLinkLeaves      = "link_leaves"
	CodeLinkBroken      = "link_broken"
	CodeLinkOwner       = "link_owner"
	CodeOpenToAll       = "open_to_all"
	CodeLinkNested      = "link_nested"
	CodeTooDeep         = "too_deep"
	CodeDuplicateName   = "duplicate_name"
	CodeFileNameNotUTF8 = "file_name_not_utf8"
	CodeFileNameControl = "file_name_control"
	CodeNotMarkdown     = "not_markdown"
	CodeNotMemory       = "not_memory"
	CodeNotRemoved      = "not_removed"
	CodeMissing         = "missing"
	CodeCredential      = "credential"
	CodeLastGood        = "last_good"
)

// Codes of quarantine: agents do not receive the memory until a person lets it in.
const (
	CodeSecret    = "secret"
	CodeInjection = "injection"
)

// KeptWordsMessage is the message of CodeReadLeniently for valid YAML.
const KeptWordsMessage = "A name or description is written without quotes, and YAML would drop a part of it, such as the text after “ #”. All of it is used here. Add quotes, so that every program reads all of it."

var messages = map[string]string{
	CodeFrontmatterTooLarge: "The frontmatter has more than 64 KiB or 1,000 keys and was not read. The file is unchanged. Move the text below the frontmatter, or delete the file.",
	CodeOddFrontmatter:      "The frontmatter is in an unusual place or format. It was read, but other programs may not find it. Move it to the start of the file.",

	CodeNoFrontmatter:      "The file has no frontmatter, so its whole text is the memory and its name comes from the file. Choose a type to complete it.",
	CodeReadLeniently:      "The frontmatter is not valid YAML, so it was read line by line. Saving the memory here writes it correctly.",
	CodeNameMissing:        "The frontmatter has no name, so the file's name is used. Give the memory a name to settle it.",
	CodeNameNotText:        "The name in the frontmatter is a list or a table, so its words are used as the name. Give the memory a name.",
	CodeNameTooLong:        "The name is longer than 256 characters, so it is shown cut. Give the memory a shorter name.",
	CodeNameInvisible:      "The name has no visible character, so the file's name is used. Give the memory a name.",
	CodeDescriptionNotText: "The description is a list or a table, so its words are shown as one text. Write the description as text.",
	CodeTypeMissing:        "The memory has no type, so agents do not receive it. Choose feedback, user, project or reference.",
	CodeTypeUnknown:        "Unknown type. Agents do not see it. Choose feedback, user, project or reference.",
	CodeTypeNotText:        "The type is not text. Agents do not see it. Choose feedback, user, project or reference.",
	CodeTypeConflict:       "The file states two different types. The one at the top level is used. Save the memory to settle it.",
	CodeModifiedUnknown:    "The date of the last change cannot be read, so the file's own time counts. Write it like 2026-11-25T06:51:30Z.",
	CodeNUL:                "The file holds NUL characters, which are left out here. The file is unchanged. Saving the text again removes them.",
	CodeInvalidUTF8:        "Parts of the text are not UTF-8, shown as \uFFFD. The file is unchanged. Saving the text again replaces them.",
	CodeTooLarge:           "The file is larger than 1 MiB and was not read. It is unchanged. Split it into smaller memories or delete it.",
	CodeAliasBomb:          "The frontmatter refers to itself so often that it grows beyond measure, and was not read. The file is unchanged. Remove the YAML aliases or delete the file.",
	CodeMergeConflict:      "The text has the markers of a merge conflict, and agents receive them. Resolve the conflict in the file.",
	CodeUnreadable:         "The file cannot be read. It is unchanged. Give Memoir's user read access.",
	CodeNotRegular:         "Not a regular file (device, pipe or socket), so it was not read. Remove or replace it.",
	CodeLinkLeaves:         "This link leads out of the agent's directory and was not followed. Put the file itself in its place.",
	CodeLinkBroken:         "This link leads to nothing, or in a circle. Remove it, or put back what it led to.",
	CodeLinkOwner:          "This link belongs to another user than its target, so it is not followed. Put the file itself in its place.",
	CodeOpenToAll:          "All users may write to this directory, so Memoir changes nothing in it. Remove that permission (chmod o-w).",
	CodeLinkNested:         "This link lies in a directory that was itself reached by a link, and was not followed. Let one link lead straight to the place.",
	CodeTooDeep:            "The file lies more than 4 directories deep and was not read. Move it further up.",
	CodeDuplicateName:      "Another file of the same directory has the same name; the newest content counts. Rename one of them or delete it.",
	CodeFileNameNotUTF8:    "The file name is not valid UTF-8, so the file was not read. Rename it.",
	CodeFileNameControl:    "The path has control characters in it, which links and terminals cannot show. Rename the file or directory.",
	CodeNotMarkdown:        "The file is text, but its name does not end in .md, so agents do not receive it. Rename it to make it a memory.",
	CodeNotMemory:          "The file is for people or tools, not a memory, so agents do not receive it. To make it a memory, give it a type.",
	CodeNotRemoved:         "A file of this deleted memory, or an entry for it in MEMORY.md, could not be removed. Memoir tries again at each scan. Allow it to write to the directory, or remove it by hand.",
	CodeCredential:         "The file is in team memory and holds what looks like a credential. Take it out, and change it where it is used.",
	CodeLastGood:           "The file is unfinished, so the last good version is used. Write it back, or use the file as it is.",
	CodeMissing:            "The memory's file went together with many others, so it is kept until you decide. Delete it, or write it back.",
}

// CredentialProblem returns the problem that a line of a team memory matches a rule for
// credentials.
func CredentialProblem(rule string, line int) Problem {
	return Problem{Code: CodeCredential, Message: fmt.Sprintf("Line %d of the file looks like a credential (%s), and the whole team can read it. Remove it, and change it where it is used.", line, rule)}
}

// QuarantineProblem returns the problem with CodeSecret or CodeInjection for a reason, such as
// “Password in plain text”.
func QuarantineProblem(code, reason string) Problem {
	return Problem{Code: code, Message: reason + ". Agents do not receive this memory until you decide about it in Review."}
}

// IsQuarantine reports whether a problem keeps a memory from agents.
func (p Problem) IsQuarantine() bool { return p.Code == CodeSecret || p.Code == CodeInjection }

// ProblemOf returns the problem with this code and its standard message. For an unknown code the
// message is a general one.
func ProblemOf(code string) Problem {
	message, ok := messages[code]
	if !ok {
		message = "Something is wrong with this memory. Its file is unchanged; look at it to see what it is."
	}
	return Problem{Code: code, Message: message}
}
