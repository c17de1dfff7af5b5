// Package architecture_test checks which packages may import which.
package architecture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memoir/internal/servertest"
)

// mayImport lists, for each package in the server, the project's packages that it may import. A new
// package must be added here first.
var mayImport = map[string][]string{
	"internal/memories":             {"internal/memories/memtext"},
	"internal/memories/memtext":     {},
	"internal/memories/mdcode":      {"internal/memories/memtext"},
	"internal/memories/frontmatter": {"internal/memories", "internal/memories/memtext", "internal/memories/mdcode"},
	"internal/memories/memorymd":    {"internal/memories", "internal/memories/memtext", "internal/memories/mdcode", "internal/memories/frontmatter"},
	"internal/memories/claudemd":    {"internal/memories", "internal/memories/memtext", "internal/memories/mdcode"},
	"internal/memories/terms":       {"internal/memories"},
	"internal/files":                {},
	"internal/markdown":             {"internal/marked"},
	"internal/marked":               {"internal/words"},
	"internal/diff":                 {},
	"internal/chart":                {},
	"internal/transcript":           {},
	"internal/claudesettings":       {},
	"internal/version":              {},
	"internal/words":                {},
	"internal/access":               {"internal/memories"},
	"internal/access/directory":     {"internal/access"},
	"internal/access/oidc":          {},
	"internal/problem":              {"internal/memories"},
	"internal/logs":                 {"internal/memories/..."},
	"internal/exchange":             {"internal/memories", "internal/findings"},
	"internal/exchange/archive":     {"internal/exchange"},
	"internal/exchange/formats":     {"internal/exchange", "internal/memories/..."},
	"internal/findings":             {},
	"internal/findings/normtext":    {},
	"internal/findings/prefix":      {},
	"internal/findings/secrets":     {"internal/findings", "internal/findings/normtext", "internal/findings/prefix"},
	"internal/findings/injections":  {"internal/findings", "internal/findings/normtext", "internal/findings/prefix"},
	"internal/findings/expiry":      {"internal/findings"},
	"internal/findings/quarantine":  {"internal/findings/..."},
	"internal/findings/pairs":       {"internal/findings", "internal/words"},
	"internal/findings/links":       {"internal/findings", "internal/memories/..."},
	"internal/findings/junk":        {"internal/findings"},
	"web":                           {},
	"db":                            {},
	"examples":                      {},
	"examples/copy":                 {"examples"},
	"tools/screenshots":             {"examples"},
	"internal/longrun":              {},
	"tools/longrun":                 {"internal/longrun"},

	"internal/agents":                    {"internal/memories/...", "internal/files", "internal/transcript", "internal/claudesettings"},
	"internal/postgres":                  {"internal/memories/...", "internal/logs", "internal/records", "internal/agents", "internal/words", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/paging", "internal/postgres/internal/queries", "internal/postgres/search", "internal/postgres/lease", "internal/postgres/overview", "internal/postgres/review", "internal/findings/...", "internal/postgres/carried", "internal/postgres/timeline", "internal/postgres/memorylist", "internal/postgres/recalled", "internal/postgres/vectors", "internal/postgres/askedas", "internal/postgres/targets", "internal/postgres/exchange", "internal/postgres/tokens", "internal/postgres/visible"},
	"internal/postgres/askedas":          {"internal/memories", "internal/records", "internal/words", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/queries", "internal/postgres/search", "internal/postgres/visible"},
	"internal/postgres/exchange":         {"internal/postgres/visible", "internal/exchange", "internal/records", "internal/memories", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/queries", "internal/postgres/search"},
	"internal/backup/archive":            {},
	"internal/backup":                    {"internal/agents", "internal/backup/archive", "internal/files", "internal/postgres/dump"},
	"internal/postgres/dump":             {"db", "internal/backup/archive", "internal/postgres/internal/dberr"},
	"internal/postgres/figures":          {"internal/postgres/internal/dberr", "internal/postgres/internal/queries"},
	"internal/metrics":                   {"internal/backup", "internal/metrics/route", "internal/postgres/figures", "internal/sync", "internal/version"},
	"internal/metrics/route":             {},
	"internal/doctor":                    {"internal/files"},
	"internal/postgres/carried":          {"internal/records", "internal/postgres/internal/dberr", "internal/postgres/internal/queries"},
	"internal/postgres/lease":            {"internal/memories", "internal/records", "internal/postgres/internal/dberr", "internal/postgres/internal/queries"},
	"internal/postgres/masked":           {"internal/memories", "internal/logs", "internal/findings/...", "internal/postgres", "internal/records"},
	"internal/postgres/overview":         {"internal/memories", "internal/records", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/queries"},
	"internal/postgres/review":           {"internal/memories", "internal/records", "internal/findings/...", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/paging", "internal/postgres/internal/queries", "internal/postgres/visible"},
	"internal/postgres/timeline":         {"internal/memories", "internal/records", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/paging", "internal/postgres/internal/queries", "internal/postgres/visible"},
	"internal/postgres/recalled":         {"internal/memories", "internal/records", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/queries"},
	"internal/postgres/targets":          {"internal/records", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/queries"},
	"internal/postgres/vectors":          {"internal/records", "internal/postgres/internal/dberr", "internal/postgres/internal/queries", "internal/postgres/visible"},
	"internal/postgres/memorylist":       {"internal/memories", "internal/records", "internal/findings", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/queries", "internal/postgres/search", "internal/postgres/visible"},
	"internal/postgres/tokens":           {"internal/access", "internal/memories", "internal/postgres/internal/dbconv", "internal/postgres/internal/dberr", "internal/postgres/internal/queries"},
	"internal/postgres/visible":          {"internal/access"},
	"internal/postgres/internal/dbconv":  {"internal/memories", "internal/postgres/internal/dberr"},
	"internal/postgres/internal/paging":  {"internal/records"},
	"internal/postgres/migrate":          {"internal/postgres/internal/dberr", "db"},
	"internal/postgres/internal/dberr":   {"internal/memories"},
	"internal/records":                   {"internal/access", "internal/memories/...", "internal/logs", "internal/findings", "internal/findings/quarantine"},
	"internal/postgres/search":           {"internal/words"},
	"internal/postgres/internal/queries": {},
	"internal/postgres/local":            {},
	"internal/torture":                   {},
	"internal/bench":                     {"internal/memories/...", "internal/postgres", "internal/records", "internal/postgres/local"},
	"internal/lockfile":                  {"internal/files"},
	"internal/sync":                      {"internal/sync/flaws", "internal/exchange", "internal/sync/imports", "internal/memories/...", "internal/findings/quarantine", "internal/problem", "internal/logs", "internal/agents", "internal/files", "internal/lockfile", "internal/postgres", "internal/records", "internal/sync/events", "internal/sync/watch", "internal/sync/agenttx", "internal/sync/agentdir", "internal/sync/cluster", "internal/sync/discover", "internal/sync/indexfile", "internal/sync/ops", "internal/sync/publish", "internal/sync/removal", "internal/sync/scan", "internal/access"},
	"internal/sync/flaws":                {"internal/memories/...", "internal/agents", "internal/files", "internal/postgres", "internal/records", "internal/sync/agenttx", "internal/sync/reconcile"},
	"internal/sync/notes":                {"internal/memories", "internal/agents", "internal/files", "internal/records", "internal/sync/agenttx"},
	"internal/sync/ops":                  {"internal/sync/flaws", "internal/sync/notes", "internal/memories/...", "internal/problem", "internal/logs", "internal/agents", "internal/findings/...", "internal/files", "internal/postgres", "internal/records", "internal/sync/events", "internal/sync/agenttx", "internal/sync/indexfile", "internal/sync/removal", "internal/sync/reconcile", "internal/sync/scan", "internal/sync/publish", "internal/sync/cluster"},
	"internal/sync/imports":              {"internal/exchange", "internal/memories", "internal/agents", "internal/files", "internal/postgres", "internal/records", "internal/sync/agenttx", "internal/sync/cluster", "internal/sync/events", "internal/sync/ops", "internal/sync/publish", "internal/sync/reconcile", "internal/sync/scan"},
	"internal/sync/agentdir":             {"internal/memories/...", "internal/logs", "internal/agents", "internal/files", "internal/lockfile", "internal/postgres", "internal/sync/agenttx", "internal/sync/reconcile", "internal/sync/scan", "internal/sync/publish", "internal/sync/ops", "internal/sync/cluster", "internal/sync/indexfile"},
	"internal/sync/discover":             {"internal/memories/...", "internal/agents", "internal/postgres", "internal/records", "internal/sync/events", "internal/sync/watch", "internal/sync/agenttx", "internal/sync/scan", "internal/sync/cluster"},
	"internal/sync/cluster":              {"internal/agents", "internal/access", "internal/memories/...", "internal/problem", "internal/postgres", "internal/postgres/lease", "internal/records", "internal/sync/events", "internal/sync/watch", "internal/sync/agenttx"},
	"internal/sync/publish":              {"internal/memories/...", "internal/agents", "internal/files", "internal/postgres", "internal/records", "internal/sync/events", "internal/sync/watch", "internal/sync/agenttx", "internal/sync/indexfile"},
	"internal/sync/scan":                 {"internal/memories/...", "internal/logs", "internal/agents", "internal/findings/...", "internal/files", "internal/records", "internal/sync/events", "internal/sync/watch", "internal/sync/agenttx", "internal/sync/indexfile", "internal/sync/removal", "internal/sync/reconcile"},
	"internal/sync/removal":              {"internal/memories/...", "internal/files", "internal/records", "internal/sync/agenttx", "internal/sync/indexfile"},
	"internal/sync/indexfile":            {"internal/memories/...", "internal/agents", "internal/files", "internal/postgres", "internal/records", "internal/sync/events", "internal/sync/agenttx"},
	"internal/sync/agenttx":              {"internal/memories/...", "internal/agents", "internal/files", "internal/postgres", "internal/records", "internal/sync/events", "internal/sync/watch"},
	"internal/sync/reconcile":            {"internal/memories/...", "internal/records", "internal/sync/events"},
	"internal/sync/events":               {},
	"internal/sync/watch":                {"internal/agents", "internal/files"},
	"internal/consolidation":             {"internal/memories/...", "internal/findings", "internal/findings/pairs", "internal/logs", "internal/agents", "internal/files", "internal/lockfile", "internal/jobs", "internal/model", "internal/records", "internal/sync", "internal/words"},
	"internal/extraction":                {"internal/memories/...", "internal/findings/...", "internal/agents", "internal/files", "internal/jobs", "internal/model", "internal/records", "internal/sync", "internal/sync/events", "internal/transcript", "internal/words"},
	"internal/importer":                  {"internal/exchange/...", "internal/memories/...", "internal/agents", "internal/records", "internal/sync"},
	"internal/exporter":                  {"internal/exchange/...", "internal/findings/quarantine", "internal/memories/...", "internal/agents", "internal/records", "internal/sync", "internal/wire"},
	"internal/askedas":                   {"internal/memories/...", "internal/findings/quarantine", "internal/background", "internal/jobs", "internal/model", "internal/records", "internal/sync"},
	"internal/undo":                      {"internal/agents", "internal/memories/...", "internal/records", "internal/sync"},
	"internal/background":                {"internal/sync", "internal/sync/events"},
	"internal/review":                    {"internal/memories/...", "internal/findings/...", "internal/agents", "internal/background", "internal/files", "internal/jobs", "internal/model", "internal/records", "internal/sync", "internal/sync/events"},
	"internal/embedding":                 {"internal/memories", "internal/findings/quarantine", "internal/background", "internal/model", "internal/records", "internal/sync"},
	"internal/hooks":                     {"internal/fence", "internal/memories/...", "internal/agents", "internal/extraction", "internal/gate", "internal/records", "internal/recall", "internal/sync"},
	"internal/mcp":                       {"internal/fence", "internal/access", "internal/memories/...", "internal/findings/quarantine", "internal/agents", "internal/records", "internal/recall", "internal/sync", "internal/gate", "internal/problem", "internal/words"},
	"internal/model":                     {"internal/findings/quarantine"},
	"internal/jobs":                      {"internal/memories/...", "internal/postgres", "internal/records"},
	"internal/fence":                     {"internal/findings/quarantine"},
	"internal/recall/ranking":            {"internal/memories", "internal/words"},
	"internal/recall":                    {"internal/fence", "internal/recall/ranking", "internal/memories/...", "internal/findings/quarantine", "internal/model", "internal/records", "internal/words"},
	"internal/wire":                      {"internal/access", "internal/memories", "internal/records"},
	"internal/memorytool":                {"internal/memories/...", "internal/problem"},
	"internal/verification":              {"internal/memories/...", "internal/agents", "internal/background", "internal/files", "internal/records", "internal/sync"},

	"web/templates":         {"internal/pages/xray", "internal/pages/fileview", "internal/memories/...", "internal/logs", "internal/agents", "internal/markdown", "internal/diff", "internal/chart", "internal/words", "web/templates/address", "web/templates/ui", "web/templates/wording"},
	"web/templates/address": {"internal/logs", "internal/memories", "web/templates/wording"},
	"web/templates/ui":      {"internal/memories", "internal/diff", "internal/words", "web", "web/templates/address", "web/templates/wording"},
	"web/templates/wording": {"internal/agents", "internal/memories"},

	"internal/gate": {"internal/access", "internal/access/oidc", "internal/problem"},
	"internal/api": {
		"internal/access", "internal/review", "internal/findings/...", "internal/memories/...", "internal/logs", "internal/agents", "internal/files", "internal/records", "internal/sync", "internal/sync/events", "internal/gate", "internal/problem",
		"internal/words", "internal/fence", "internal/recall", "internal/memorytool", "internal/verification", "internal/extraction", "internal/jobs", "internal/transcript", "internal/model", "internal/consolidation", "internal/embedding",
		"internal/claudesettings", "internal/wire", "internal/exchange/formats", "internal/exporter", "internal/importer", "internal/backup/...",
		"internal/doctor", "internal/version", "internal/metrics/route",
	},
	"internal/pages": {
		"internal/review", "internal/undo", "internal/pages/reviewcards", "internal/pages/allmemories", "internal/pages/homeview", "internal/pages/paletteview", "internal/findings/...", "internal/memories/...", "internal/logs", "internal/agents", "internal/files", "internal/records", "internal/sync", "internal/sync/watch", "internal/gate", "internal/problem", "internal/pages/xray", "internal/pages/fileview", "internal/pages/prompts", "internal/pages/timelineview", "internal/pages/listview", "internal/pages/memorypane", "internal/pages/shown", "internal/pages/kit", "internal/importer", "internal/pages/exchangepages", "internal/access", "internal/pages/accesspages",
		"internal/markdown", "internal/diff", "internal/words", "internal/recall", "web/templates/...", "web", "examples",
		"internal/verification", "internal/extraction", "internal/jobs", "internal/model", "internal/consolidation", "internal/embedding",
		"internal/claudesettings",
	},

	"internal/pages/kit":           {"internal/gate", "internal/memories", "internal/problem", "internal/records", "internal/sync", "web/templates/...", "internal/access"},
	"internal/pages/allmemories":   {"internal/agents", "internal/memories/...", "internal/pages/homeview", "internal/pages/kit", "internal/pages/listview", "internal/records", "internal/words", "web/templates/..."},
	"internal/pages/homeview":      {"internal/review", "internal/findings", "internal/memories/...", "internal/agents", "internal/pages/reviewcards", "internal/pages/xray", "internal/records", "web/templates/..."},
	"internal/pages/paletteview":   {"internal/review", "internal/findings", "internal/memories/...", "internal/agents", "internal/pages/homeview", "internal/records", "internal/words", "web/templates/..."},
	"internal/pages/xray":          {"internal/memories/...", "internal/records"},
	"internal/pages/fileview":      {"internal/memories/..."},
	"internal/pages/prompts":       {"internal/diff", "internal/findings/quarantine", "internal/memories/...", "internal/recall", "internal/records", "internal/sync", "web/templates/..."},
	"internal/pages/exchangepages": {"internal/exchange", "internal/exchange/formats", "internal/findings/quarantine", "internal/importer", "internal/memories", "internal/pages/kit", "internal/records", "web/templates/..."},
	"internal/pages/accesspages":   {"internal/access", "internal/memories", "internal/pages/kit", "web/templates/..."},

	"internal/pages/reviewcards":  {"internal/markdown", "internal/marked", "internal/review", "internal/findings/...", "internal/memories/...", "internal/records", "internal/sync", "web/templates/...", "internal/agents", "internal/diff", "internal/extraction", "internal/pages/shown", "internal/words"},
	"internal/pages/eventlines":   {"internal/memories", "internal/records"},
	"internal/pages/timelineview": {"internal/pages/eventlines", "internal/memories", "internal/records", "internal/agents", "internal/chart", "internal/logs", "internal/markdown", "internal/words", "web/templates/..."},
	"internal/pages/listview":     {"internal/findings", "internal/memories/...", "internal/pages/shown", "internal/records", "internal/words", "web/templates/..."},
	"internal/pages/memorypane":   {"internal/diff", "internal/markdown", "internal/marked", "internal/findings", "internal/findings/quarantine", "internal/memories/...", "internal/pages/shown", "internal/records", "internal/sync", "web/templates/..."},
	"internal/pages/shown":        {"internal/diff", "internal/findings/quarantine"},

	"internal/hooksettings":    {},
	"internal/service":         {},
	"internal/recallbench":     {"internal/memories", "internal/memories/frontmatter"},
	"internal/cli/terminal":    {},
	"internal/cli/remote":      {"internal/agents", "internal/wire"},
	"internal/cli/memorystore": {"internal/cli/remote", "internal/memories/...", "internal/agents", "internal/fence", "internal/files", "internal/recall", "internal/wire"},
	"internal/cli": {
		"internal/cli/terminal", "internal/cli/remote", "internal/cli/memorystore",
		"internal/memories/...", "internal/agents", "internal/claudesettings", "internal/files", "internal/diff", "internal/hooksettings", "internal/recallbench", "internal/version", "internal/wire", "internal/exchange",
		"internal/backup/archive",
		"internal/service",
		"internal/doctor",
	},

	"cmd/server": {
		"internal/access", "internal/access/directory", "internal/access/oidc", "internal/cli", "internal/version",
		"internal/memories/...", "internal/agents", "internal/files", "internal/postgres", "internal/postgres/masked", "internal/postgres/migrate", "internal/records", "internal/postgres/local", "internal/sync", "internal/gate",
		"internal/problem", "internal/model", "internal/recall", "internal/hooks", "internal/mcp", "internal/api", "internal/pages", "web", "web/templates", "db", "examples",
		"internal/verification", "internal/extraction", "internal/jobs", "internal/consolidation", "internal/review", "internal/findings", "internal/embedding", "internal/askedas", "internal/exporter", "internal/importer",
		"internal/backup/...", "internal/postgres/dump",
		"internal/doctor", "internal/postgres/figures", "internal/metrics",
	},
}

// mayNotTouch lists standard packages that a package must not use, and why.
var mayNotTouch = map[string]struct {
	packages []string
	why      string
}{
	"internal/hooksettings":    {[]string{"os", "io/fs", "net", "net/http"}, "it is pure"},
	"internal/service":         {[]string{"os", "io/fs", "net", "net/http"}, "it is pure"},
	"internal/recallbench":     {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is pure"},
	"internal/access":          {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is pure"},
	"internal/claudesettings":  {[]string{"os", "io/fs", "net", "net/http"}, "it is pure"},
	"internal/memorytool":      {[]string{"os", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it knows files by an interface alone"},
	"internal/findings":        {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is pure"},
	"internal/chart":           {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/a-h/templ"}, "it is pure"},
	"internal/pages/xray":      {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/a-h/templ"}, "it is pure"},
	"internal/pages/fileview":  {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/a-h/templ"}, "it is pure"},
	"internal/logs":            {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is pure"},
	"internal/exchange":        {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is plain values"},
	"internal/memories":        {[]string{"os", "net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/fsnotify"}, "it is pure"},
	"internal/agents":          {[]string{"net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/fsnotify"}, "it only reads directories"},
	"internal/sync":            {[]string{"net/http", "database/sql", "github.com/jackc/pgx"}, "HTTP and SQL are other packages' business"},
	"internal/sync/reconcile":  {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is pure"},
	"internal/sync/events":     {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is pure"},
	"internal/sync/watch":      {[]string{"net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it only notices changes"},
	"internal/transcript":      {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it reads what it is given"},
	"internal/verification":    {[]string{"net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/fsnotify"}, "it only reads projects"},
	"internal/wire":            {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is plain values"},
	"internal/records":         {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is plain values"},
	"internal/postgres/search": {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx"}, "it is pure"},
	"internal/postgres":        {[]string{"os", "net/http", "github.com/fsnotify"}, "it only keeps what it is told"},
	"internal/jobs":            {[]string{"os", "net/http", "database/sql"}, "what there is to do is other packages' business"},
	"web/templates":            {[]string{"os", "database/sql", "github.com/jackc/pgx"}, "templates get view models and call nothing"},
	"web/templates/address":    {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/a-h/templ"}, "it is pure"},
	"web/templates/ui":         {[]string{"os", "database/sql", "github.com/jackc/pgx"}, "components get values and call nothing"},
	"web/templates/wording":    {[]string{"os", "io/fs", "net", "net/http", "database/sql", "github.com/jackc/pgx", "github.com/a-h/templ"}, "it is pure"},
}

type pkg struct {
	ImportPath string
	Imports    []string
	GoFiles    []string
}

func (p pkg) place() string { return strings.TrimPrefix(p.ImportPath, "memoir/") }

// packages returns the project's packages with non-test files.
func packages(t *testing.T) []pkg {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Imports,GoFiles", "memoir/...")
	var complaint strings.Builder
	list.Stderr = &complaint
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, complaint.String())
	}
	var found []pkg
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			found = append(found, p)
		}
	}
	if len(found) < 10 {
		t.Fatalf("go list found %d packages of the project; something is wrong with the list", len(found))
	}
	return found
}

// forTests reports whether a package is only for tests, by its name: pgtest, filestest.
func forTests(place string) bool { return strings.HasSuffix(place, "test") }

func TestImports_Direction(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if forTests(p.place()) {
			continue
		}
		allowed, known := mayImport[p.place()]
		if !known {
			t.Errorf("%s has no place in the structure yet: decide which packages it may import, and add it to mayImport.", p.place())
			continue
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, "memoir/")
			switch {
			case !isOurs:
			case forTests(ours):
				t.Errorf("%s imports %s, which is for tests alone.", p.place(), ours)
			case !allows(allowed, ours):
				t.Errorf("%s imports %s, which is against the direction: it may import %s.", p.place(), ours, orNothing(allowed))
			}
		}
	}
}

// allows reports whether a list contains the package. An entry "x/..." contains x and all packages
// below it.
func allows(list []string, place string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		parent, withBelow := strings.CutSuffix(entry, "/...")
		return entry == place || withBelow && (place == parent || strings.HasPrefix(place, parent+"/"))
	})
}

func orNothing(allowed []string) string {
	if len(allowed) == 0 {
		return "none of the project's packages"
	}
	return "only " + strings.Join(allowed, ", ")
}

func TestImports_Forbidden(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		rule := mayNotTouch[p.place()]
		for _, pure := range []string{"internal/memories", "internal/findings", "internal/exchange"} {
			if strings.HasPrefix(p.place(), pure+"/") {
				rule = mayNotTouch[pure]
			}
		}
		for _, imported := range p.Imports {
			for _, forbidden := range rule.packages {
				if imported == forbidden || strings.HasPrefix(imported, forbidden+"/") && strings.Contains(forbidden, ".") {
					t.Errorf("%s imports %s, but %s.", p.place(), imported, rule.why)
				}
			}
		}
	}
}

func TestStructure_ExistingPackages(t *testing.T) {
	t.Parallel()
	for place, allowed := range mayImport {
		for _, other := range allowed {
			other = strings.TrimSuffix(other, "/...")
			if _, known := mayImport[other]; !known {
				t.Errorf("%s may import %s, which has no place in the structure itself.", place, other)
			}
			if allows(mayImport[other], place) {
				t.Errorf("%s and %s may import each other; one of them has to be below.", place, other)
			}
		}
	}
}

func TestLinker_DropsUnusedMethods(t *testing.T) {
	// If code calls methods by name, as html/template does, the linker must keep every exported
	// method. The program would be 24 MB larger and use 8 MB more memory.
	t.Parallel()
	dependencies, err := servertest.Build(filepath.Join(t.TempDir(), "memoir"), "-ldflags=-dumpdep")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(dependencies, []byte("main.main -> ")) {
		t.Fatal("the linker says nothing of what depends on what")
	}
	for line := range bytes.Lines(dependencies) {
		source, _, _ := bytes.Cut(line, []byte(" -> "))
		if by, reaches := bytes.CutSuffix(source, []byte(" <ReflectMethod>")); reaches {
			t.Fatalf("%s reaches methods by name.", by)
		}
	}
}
