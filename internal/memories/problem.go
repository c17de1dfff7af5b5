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
	CodeNoDescription      = "no_description"
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

// Codes of changes that a client has yet to take over.
const (
	CodePendingSave     = "pending_save"
	CodePendingDeletion = "pending_deletion"
)

// Codes of quarantine: agents do not receive the memory until a person allows it.
const (
	CodeSecret    = "secret"
	CodeInjection = "injection"
)

// KeptWordsMessage is the message of CodeReadLeniently for valid YAML.
const KeptWordsMessage = "YAML drops a part of a name or description without quotes, such as the text after “ #”. Memoir uses all of it. Add quotes."

var messages = map[string]string{
	CodeFrontmatterTooLarge: "The frontmatter has more than 64 KiB or 1,000 keys and was not read. The file is unchanged. Move the text below the frontmatter, or delete the file.",
	CodeOddFrontmatter:      "The frontmatter is in an unusual place or format. It was read, but other programs may not find it. Move it to the start of the file.",

	CodeNoFrontmatter:      "The file has no frontmatter, or it is not closed. Its whole text is the memory, with the name of the file. Choose a type.",
	CodeReadLeniently:      "The frontmatter is not valid YAML. It was read line by line. Save the memory to correct it.",
	CodeNameMissing:        "The frontmatter has no name. The name of the file is used. Give the memory a name.",
	CodeNameNotText:        "The name is a list or a table. Its words are used as the name. Give the memory a name.",
	CodeNameTooLong:        "The name is longer than 256 characters. It is shown cut. Give the memory a shorter name.",
	CodeNameInvisible:      "The name has no visible character. The name of the file is used. Give the memory a name.",
	CodeDescriptionNotText: "The description is a list or a table. Its words are used as one text. Write the description as text.",
	CodeNoDescription:      "No description. Recall finds a memory more easily with one. Add one line that says when it matters.",
	CodeTypeMissing:        "No type. Agents do not see it. Choose feedback, user, project or reference.",
	CodeTypeUnknown:        "Unknown type. Agents do not see it. Choose feedback, user, project or reference.",
	CodeTypeNotText:        "The type is not text. Agents do not see it. Choose feedback, user, project or reference.",
	CodeTypeConflict:       "The file has two different types. The one at the top level is used. Save the memory to correct it.",
	CodeModifiedUnknown:    "The date of the last change is not readable. The file's own time is used. Write it like 2026-11-25T06:51:30Z.",
	CodeNUL:                "The text has NUL characters, which are not shown. The file is unchanged. Save the text to remove them.",
	CodeInvalidUTF8:        "Parts of the text are not UTF-8, shown as \uFFFD. The file is unchanged. Save the text to replace them.",
	CodeTooLarge:           "The file is larger than 1 MiB and was not read. It is unchanged. Split or delete it.",
	CodeAliasBomb:          "The YAML aliases of the frontmatter expand too far, so it was not read. The file is unchanged. Remove the aliases, or delete the file.",
	CodeMergeConflict:      "The text has the markers of a merge conflict. Agents see them. Resolve the conflict in the file.",
	CodeUnreadable:         "The file cannot be read. It is unchanged. Give Memoir's user read access.",
	CodeNotRegular:         "Not a regular file, but a device, pipe or socket. It was not read. Remove or replace it.",
	CodeLinkLeaves:         "The link leads out of the agent's directory. It is not followed. Replace it with the file.",
	CodeLinkBroken:         "The link has no target, or leads to itself. Remove it, or restore its target.",
	CodeLinkOwner:          "The link and its target have different owners. It is not followed. Replace it with the file.",
	CodeOpenToAll:          "All users may write to this directory. Memoir changes nothing in it. Remove that permission (chmod o-w).",
	CodeLinkNested:         "The link is in a directory that was itself reached by a link. It is not followed. Link directly to the target.",
	CodeTooDeep:            "The file is more than 4 directories deep. It was not read. Move it up.",
	CodeDuplicateName:      "Another file of the directory has the same name. The newest content is used. Rename or delete one of them.",
	CodeFileNameNotUTF8:    "The file name is not valid UTF-8. The file was not read. Rename it.",
	CodeFileNameControl:    "The path has control characters, which links and terminals cannot show. Rename the file or directory.",
	CodeNotMarkdown:        "The file is text, but its name does not end in .md. Agents do not see it. Rename it to make it a memory.",
	CodeNotMemory:          "The file is for people or tools. Agents do not see it. Give it a type to make it a memory.",
	CodeNotRemoved:         "A file of this deleted memory, or its line in MEMORY.md, cannot be removed. Memoir tries again at each scan. Give Memoir write access, or remove it by hand.",
	CodeCredential:         "The file is in team memory and has what looks like a credential. Remove it, and change it where it is used.",
	CodeLastGood:           "The file is unfinished. The last good version is used. Write it back, or use the file as it is.",
	CodePendingSave:        "A note asks the client to remember this. It is pending until the client has read the note. Nothing is left to do.",
	CodePendingDeletion:    "A note asks the client to forget this. It is pending until the client has removed the text. Restore it to take that back.",
	CodeMissing:            "The file disappeared together with many others. The memory stays active until you decide. Delete it, or write it back.",
}

// CredentialProblem returns the problem that a line of a team memory matches a rule for
// credentials.
func CredentialProblem(rule string, line int) Problem {
	return Problem{Code: CodeCredential, Message: fmt.Sprintf("Line %d of the file looks like a credential (%s), and the whole team can read it. Remove it, and change it where it is used.", line, rule)}
}

// QuarantineProblem returns the problem with CodeSecret or CodeInjection for a reason, such as
// “Password in plain text”.
func QuarantineProblem(code, reason string) Problem {
	return Problem{Code: code, Message: reason + ". Agents do not receive this memory until you decide in Review."}
}

// IsQuarantine reports whether a problem keeps a memory from agents.
func (p Problem) IsQuarantine() bool { return p.Code == CodeSecret || p.Code == CodeInjection }

// ProblemOf returns the problem with this code and its standard message. For an unknown code the
// message is a general one.
func ProblemOf(code string) Problem {
	message, ok := messages[code]
	if !ok {
		message = "Unknown problem. The file is unchanged. Check the file."
	}
	return Problem{Code: code, Message: message}
}
