package agents

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// client is another program than Claude Code that keeps memories below a directory of its own.
type client struct {
	layout   Layout
	dir      string   // absolute
	places   []string // directories below dir in which agents appear
	discover func(d *discovery, dir string)
}

// clients returns the clients whose directories the settings name.
func clients(s Settings) []client {
	all := []client{
		{Qwen, s.QwenDir, []string{projectsDir, qwenUserDir}, (*discovery).qwen},
		{Gemini, s.GeminiDir, []string{geminiTempDir}, (*discovery).gemini},
		{Codex, s.CodexDir, []string{codexMemoryDir}, (*discovery).codex},
		{OpenClaw, s.OpenClawDir, []string{openClawWorkspace}, (*discovery).openClaw},
		{Letta, s.LettaDir, []string{lettaAgentsDir}, (*discovery).letta},
	}
	all = slices.DeleteFunc(all, func(c client) bool { return c.dir == "" })
	for i := range all {
		all[i].dir = absolute(all[i].dir)
	}
	return all
}

const (
	qwenUserDir  = "memories"    // for all projects
	qwenTeamDir  = "team-memory" // in a repository, committed
	qwenChatsDir = "chats"       // in a project's directory
	dotQwen      = ".qwen"

	geminiTempDir  = "tmp"
	geminiRootFile = ".project_root" // holds the path of the project
	geminiRegistry = "projects.json" // maps paths of projects to the names of their directories

	codexMemoryDir    = "memories"
	openClawWorkspace = "workspace"
	lettaAgentsDir    = "agents"
	memoryBankDir     = "memory-bank" // in a repository
)

// qwen adds the agents of Qwen Code: a memory for each project, those in the projects' repositories,
// and one for all projects.
func (d *discovery) qwen(dir string) {
	if StampOf(dir) == (Stamp{}) {
		return
	}
	d.visit(dir)
	projects := filepath.Join(dir, projectsDir)
	for _, name := range d.subdirectories(projects) {
		project := filepath.Join(projects, name)
		d.visit(project)
		chats := filepath.Join(project, qwenChatsDir)
		root := printable(name)
		if StampOf(chats) == (Stamp{}) {
			d.source(chats)
		} else {
			root = d.projectPath(chats, name)
		}
		if memory := filepath.Join(project, memoryDir); d.leadsToDirectory(memory) {
			slug := "qwen-" + strings.TrimLeft(sanitise(name), "-")
			d.add(Found{Slug: slug, Layout: Qwen, Dir: memory, DisplayName: root})
		}
		d.qwenRepository(root)
		d.addProject(name, root)
	}
	if user := filepath.Join(dir, qwenUserDir); d.leadsToDirectory(user) {
		d.add(Found{Slug: "qwen", Layout: Qwen, Dir: user, DisplayName: allProjectsName(user)})
	}
}

// qwenRepository adds to d.outside the memories of Qwen Code in a repository: that of the team, and
// the private one of QWEN_CODE_MEMORY_LOCAL. It omits directories behind links in the repository,
// because its author may not be trusted.
func (d *discovery) qwenRepository(root string) {
	if !filepath.IsAbs(root) || containsHome(RealDir(root)) {
		return
	}
	for name, title := range map[string]string{qwenTeamDir: "Team memory", memoryDir: "Memory"} {
		dir := filepath.Join(root, dotQwen, name)
		if IsLink(filepath.Dir(dir)) || IsLink(dir) || !d.isDirectoryOrSource(dir) {
			continue
		}
		slug := "qwen-" + strings.TrimLeft(sanitise(filepath.Base(root)), ".-") + "-" + name
		d.outside = append(d.outside, Found{Slug: slug, Layout: Qwen, Dir: dir, DisplayName: printable(title + " in " + root)})
	}
}

// qwenRoot returns the root of the repository that contains the memory of an agent of Qwen Code, or
// "" for a memory elsewhere.
func qwenRoot(a Agent) string {
	if a.Layout != Qwen || filepath.Base(filepath.Dir(a.Dir)) != dotQwen {
		return ""
	}
	return filepath.Dir(filepath.Dir(a.Dir))
}

// gemini adds the agents of Gemini CLI: the private memory of each project that has one. It only
// reads the client's own files.
func (d *discovery) gemini(dir string) {
	if StampOf(dir) == (Stamp{}) {
		return
	}
	d.visit(dir)
	temp := filepath.Join(dir, geminiTempDir)
	for _, name := range d.subdirectories(temp) {
		home := filepath.Join(temp, name)
		d.visit(home)
		if memory := filepath.Join(home, memoryDir); d.leadsToDirectory(memory) {
			root := cmp.Or(d.geminiRoot(filepath.Join(home, geminiRootFile)), d.geminiProject(filepath.Join(dir, geminiRegistry), name), name)
			d.add(Found{Slug: "gemini-" + sanitise(name), Layout: Gemini, Dir: memory, DisplayName: printable(root)})
			d.addProject(name, root)
		}
	}
}

// geminiRoot returns the path in a file .project_root. Without an absolute path in it, it returns ""
// and records the file in d.sources.
func (d *discovery) geminiRoot(file string) string {
	stamp := StampOf(file)
	raw, err := readRegular(file, maxSettings)
	d.noteFailed(err)
	if root := strings.TrimSpace(string(raw)); filepath.IsAbs(root) {
		return filepath.Clean(root)
	}
	d.sources[file] = stamp
	return ""
}

// geminiProject returns the path of the project whose directory is called name, from the file
// projects.json, which it records in d.sources. It returns "" without such a path.
func (d *discovery) geminiProject(file, name string) string {
	d.source(file)
	raw, err := readRegular(file, maxSettings)
	d.noteFailed(err)
	var registry struct {
		Projects map[string]string `json:"projects"`
	}
	if err != nil || json.Unmarshal(raw, &registry) != nil {
		return ""
	}
	for root, known := range registry.Projects {
		if known == name && filepath.IsAbs(root) {
			return filepath.Clean(root)
		}
	}
	return ""
}

// codex adds the agent of Codex, if it has a memory.
func (d *discovery) codex(dir string) {
	if memory := filepath.Join(dir, codexMemoryDir); StampOf(dir) != (Stamp{}) {
		d.visit(dir)
		if d.leadsToDirectory(memory) {
			d.add(Found{Slug: "codex", Layout: Codex, Dir: memory, DisplayName: "Codex"})
		}
	}
}

// openClaw adds the agent of OpenClaw, if it has a workspace.
func (d *discovery) openClaw(dir string) {
	if workspace := filepath.Join(dir, openClawWorkspace); StampOf(dir) != (Stamp{}) {
		d.visit(dir)
		if d.leadsToDirectory(workspace) {
			d.add(Found{Slug: "openclaw", Layout: OpenClaw, Dir: workspace, DisplayName: "OpenClaw"})
		}
	}
}

// letta adds the agents of Letta Code that have a memory.
func (d *discovery) letta(dir string) {
	if StampOf(dir) == (Stamp{}) {
		return
	}
	d.visit(dir)
	all := filepath.Join(dir, lettaAgentsDir)
	for _, name := range d.subdirectories(all) {
		home := filepath.Join(all, name)
		d.visit(home)
		if memory := filepath.Join(home, memoryDir); d.leadsToDirectory(memory) {
			d.add(Found{Slug: "letta-" + sanitise(name), Layout: Letta, Dir: memory, DisplayName: printable(name)})
		}
	}
}

// memoryBanks adds to d.outside the memory banks in the recorded projects. It omits links, because
// the author of a repository may not be trusted.
func (d *discovery) memoryBanks() {
	roots, _ := d.roots()
	for _, root := range roots {
		if dir := filepath.Join(root, memoryBankDir); !IsLink(dir) && d.isDirectoryOrSource(dir) {
			slug := strings.TrimLeft(sanitise(filepath.Base(root)), ".-") + "-" + memoryBankDir
			d.outside = append(d.outside, Found{Slug: slug, Layout: MemoryBank, Dir: dir, DisplayName: printable("Memory bank in " + root)})
		}
	}
}

// ofClients returns the agents of Qwen Code for the project's working tree, else those of Gemini CLI
// for the working directory or its nearest parent.
func (p Project) ofClients(all []Agent) []Agent {
	whole := projectDirName(p.Tree)
	found := filter(all, func(a Agent) bool {
		name, isProject := projectMemoryOf(a, Qwen)
		return isProject && fits(name, whole) || qwenRoot(a) == p.Tree && filepath.Base(a.Dir) == memoryDir
	})
	if len(found) > 0 {
		return found
	}
	innermost := 0
	for _, a := range all {
		if a.Layout != Gemini || !filepath.IsAbs(a.DisplayName) {
			continue
		}
		root := RealDir(a.DisplayName)
		if len(root) < innermost || !Beneath(p.Dir, root) || containsHome(root) && root != p.Dir {
			continue
		}
		if len(root) > innermost {
			found, innermost = nil, len(root)
		}
		found = append(found, a)
	}
	return found
}
