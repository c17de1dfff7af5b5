package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// notForPeople are files whose texts no user reads: word lists that match the texts of memories,
// prompts for a model, the guidance that Memoir writes into CLAUDE.md, and helpers of tests.
var notForPeople = regexp.MustCompile(`^internal/(findings|longrun|memoirtest|bench|words)/|/queries/|[a-z]test/|/testdata/|` +
	`^internal/(extraction|review|recall|consolidation)/(question|selector|propose)\.go$|^internal/memories/claudemd/block\.go$|` +
	`^internal/(recall/synonyms|verification/prose|postgres/local/account)\.go$|^examples/|^scripts/|^tools/`)

// oldWords are words of the old wording that no text for people has.
var oldWords = regexp.MustCompile(`(?i)\b(somebody|nobody|whoever|anybody|by itself|mended|kept out|anew)\b`)

// oldPhrases are sentences of the old wording, which the style guide replaced.
var oldPhrases = []string{
	"Files to mend", "Read with care", "does not receive them until then", "although something about the file is odd",
	"until it is mended", "Cites what is gone", "Sessions disagree", "the newest is in use", "what the agent goes by",
	"The same was deleted before", "turns up on disk again", "It looks like an accident", "Decide one by one",
	"The directory is gone", "it goes on where it stopped", "Postgres cannot be reached", "the last that Memoir knew",
	"It changed since you opened the page", "something was faster", "made no sense", "That came from another site",
	"Nothing is here", "is not known by that name", "Something went wrong", "The request may not have been done",
	"You may only read here", "That is not the token", "gone for good", "Nothing was selected", "It is refused, and is not",
	"has decided about it already", "Its age starts", "lives again", "says this from now on", "everything says again",
	"The plan is made", "one memory now, on disk too", "has a directory of its own again", "What the agent remembers stays",
	"is in step with the memory files", "Keep what is there", "Save mine over it", "Save what I made of them",
	"It is not saved", "What a deletion changes", "Give it to one agent alone", "As of a past moment", "Look back",
	"Nothing was known yet", "What it is about, in a few words", "Agents decide by it whether", "behind what is its own",
	"When by itself", "Dealt with", "To look at yourself", "Try a query", "if it were asked this", "Close, and not given",
	"Too little of what was asked", "Chosen by the words", "says too little to choose by", "had been given every memory already",
	"Nothing is found", "nor any that come close", "What came of it", "Where and whether", "One memory for two directories",
	"See what that does", "Nothing has happened yet", "By whom", "Nothing is proposed", "should have remembered of a conversation",
	"Where it looks", "Or look around first", "are waiting to be looked at", "seen, not yet mirrored", "the system lost events",
	"disagreed about", "line goes", "Nothing is recorded, and", "is a matter of precision", "does not hold", "Nobody has looked yet",
	"An agent of its own", "Much less than the best", "is none that Memoir knows", "Memoir did not answer, so",
	"Go on editing", "They rest while you type", "gone missing at once", "Write them back", "turned up on disk", "in the meantime",
	"as it was left", "left as they were", "goes through all the same", "as long as before", "Not readable as a memory", "Its bytes are",
	"What it writes", "say that it is still true", "as many as today", "Step of a plan", "brought up to date", "could not be looked at",
	"went together with", "by which it is known", "is known already", "Look at both",
}

// TestWords_NoOldWording reads the string literals of all Go files and the templates. A template's
// comments and code are read too. The literals include the messages of logs.
func TestWords_NoOldWording(t *testing.T) {
	t.Parallel()
	texts := 0
	check := func(where, text string) {
		texts++
		if word := oldWords.FindString(text); word != "" {
			t.Errorf("%s has the old word %q: %.120q", where, word, text)
		}
		for _, phrase := range oldPhrases {
			if strings.Contains(text, phrase) {
				t.Errorf("%s has the old wording %q: %.120q", where, phrase, text)
			}
		}
	}
	err := filepath.WalkDir("../..", func(p string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("../..", p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if entry.IsDir() {
			if name := entry.Name(); name == "node_modules" || strings.HasPrefix(name, ".") && name != "." && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if notForPeople.MatchString(rel) {
			return nil
		}
		switch {
		case strings.HasSuffix(rel, ".templ"):
			raw, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			check(rel, string(raw))
		case strings.HasSuffix(rel, ".go") && !strings.HasSuffix(rel, "_test.go") && !strings.HasSuffix(rel, "_templ.go"):
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, p, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, err := strconv.Unquote(literal.Value)
					if err != nil {
						t.Errorf("%s: %v", files.Position(literal.Pos()), err)
					}
					check(rel, text)
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if texts < 1000 {
		t.Errorf("%d texts found, want all", texts)
	}
}
