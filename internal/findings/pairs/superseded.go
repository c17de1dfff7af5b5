package pairs

import (
	"regexp"
	"slices"
	"strings"

	"memoir/internal/findings"
)

// link is the name of a memory that a text says it is replaced by, or replaces.
type link struct {
	name uint64 // hash of the folded name
	// isOlder means that the named memory is replaced by this one.
	isOlder bool
}

// target matches the name of a memory: [[name]], a link to its file, or `name`.
const target = "(?:\\[\\[([^\\]|#\n]{1,200})[^\\]\n]*\\]\\]|\\[[^\\]\n]{1,200}\\]\\(([^)\n]{1,300}?)(?:\\.md)?\\)|`([^`\n]{1,120}?)(?:\\.md)?`|([\\w-]{2,100})\\.md\\b)"

// byPhrases come before the successor of a text.
const byPhrases = `superseded by|replaced (?:by|with)|obsoleted by|overridden by|deprecated in favou?r of|outdated,? (?:by|see)|merged into|moved (?:in)?to|` +
	`now (?:lives|documented|described|kept) in|successor:?|newer version:?|see (?:instead|now)|current version:?|` +
	`ersetzt durch|abgel[öo]st (?:durch|von)|neu(?:e fassung|er stand)?:? siehe|siehe (?:jetzt|stattdessen)|verschoben nach|` +
	`reemplazad[oa] por|sustituid[oa] por|obsoleto,? (?:ver|véase)|trasladad[oa] a|` +
	`remplacée? par|obsolète,? voir|déplacée? (?:vers|dans)|` +
	`заменен[оа]? на|заменён на|заменен[оа]?|устарел[оа]?,? (?:см\.?|смотри)|` +
	`substituíd[oa] por|sostituit[oa] da|vervangen door|取代为|改为|换成|以下に置き換え|代わりに`

// ofPhrases come before the predecessor of a text.
const ofPhrases = `replaces|supersedes|obsoletes|overrides|supersed(?:ing|es) the|replacing|replacement (?:for|of)|instead of|successor (?:of|to)|corrects|` +
	`ersetzt|löst|ablösung von|reemplaza(?: a)?|sustituye(?: a)?|remplace|заменяет|substitui|取代|替代|代替`

var (
	linkBy   = regexp.MustCompile(`(?i)(?:` + byPhrases + `)[\s:*_>]{0,4}(?:the (?:note|memory|entry) )?` + target)
	linkOf   = regexp.MustCompile(`(?i)(?:` + ofPhrases + `)[\s:*_>]{0,4}(?:the (?:old |older |previous |earlier )?(?:note|memory|entry|rule) )?` + target)
	useOther = regexp.MustCompile(`(?i)(?:see|use|read|follow|siehe|ver|voir|см\.?)[\s:*_]{1,3}` + target + `[\s,]{1,3}(?:instead|now|stattdessen|en su lugar|à la place)` +
		`|` + target + `\s?(?:に(?:置き換え|移行|統合)|取代|替代|替换|代替|(?:replaces|supersedes) this|ersetzt\b)`)
)

// status matches, at the start of a line, that the whole text is out of force.
var status = regexp.MustCompile(`(?im)^[\s>*_#\[(!~⚠️【「（-]*(?:(?:status|note|update|edit|stand|hinweis|nota|estado|statut|обновление|状态|注意)[\s*_]*[:：—-]*[\s*_]*)?` +
	`(?:(?:this|the)(?: \w+)? (?:memory|note|rule|page|entry|file|doc|document|information|info|section|convention|advice|guidance)[\w ]{0,20} (?:is|was|has been|are)(?: now)? )?` +
	`(?:now )?(?:` +
	`(?:superseded|replaced|obsoleted) (?:by|with|on|since|in)\b|(?:superseded|obsolete|deprecated|outdated|out of date|retired|withdrawn|historical|archived|abandoned|stale)(?:[\s*_]*[.:;,!)\]—–-]|\s*$| since| as of| in favou?r| \()|` +
	`no longer (?:valid|true|current|accurate|applies|apply|applicable|relevant|correct|in (?:use|force|effect)|used|needed)|not (?:valid|current|in force|true) any ?more|(?:does|do) not apply any ?more|` +
	`veraltet\b|überholt\b|nicht mehr (?:gültig|aktuell|relevant|in kraft)|gilt nicht mehr|ersetzt durch|abgelöst (?:durch|von)|außer kraft|` +
	`obsolet[oa]\b|ya no (?:es válid[oa]|está vigente|aplica|se usa|vale)|reemplazad[oa] por|sustituid[oa] por|caducad[oa]\b|` +
	`obsolète|périmée?\b|n'est plus (?:valable|valide|d'actualité|en vigueur)|ne s'applique plus|remplacée? par|` +
	`устарел[оаи]?|больше не (?:действует|актуальн\w*|используется)|неактуальн|заменен|заменён|не действует|` +
	`obsolet[oa]|não (?:é mais|vale mais)|substituíd[oa] por|vervallen|verouderd|vervangen door|` +
	`已废弃|已過時|已过时|已失效|已作废|不再(?:有效|适用|使用)|已被.{1,30}(?:取代|替代|替换)|` +
	`廃止|失効|無効|旧版|古い情報|もう使(?:って|われて)いない|(?:は)?廃止され|더 이상 (?:유효하지|사용하지)|폐기됨)`)

// noLonger matches, at the start of a sentence, that the text before it is out of force.
var noLonger = regexp.MustCompile(`(?:[.!?)~*]\s+|\n)(?:No longer(?:[:,.]| true| valid| the case| applies)|Not (?:true|valid|the case) any ?more|Gilt (?:so )?nicht mehr|` +
	`Ya no (?:es así|vale|aplica)|N'est plus (?:vrai|valable)|Больше не (?:действует|актуально))`)

// ends matches statements inside a sentence that this text is out of force.
var ends = regexp.MustCompile(`(?i)\bthis (?:memory|note|rule|entry|page|convention|advice|guidance|is|no longer)\b[\w ]{0,30}(?:no longer|obsolete|superseded|out of date|outdated|replaced by|does not apply)` +
	`|\b(?:diese|dieser|dies) (?:notiz|regel|eintrag|ist|gilt)\b[\w ]{0,30}(?:veraltet|überholt|nicht mehr)` +
	`|(?:この(?:メモ|ルール|手順|情報)は|本(?:条|文|规则)|此(?:条|规则|文|记录))[^。\n]{0,20}(?:廃止|無効|古い|废弃|失效|过时|作废|不再)`)

// cues are parts of words; a statement that matches status, ends or switches has at least one.
var cues = lines(`
supersed
replac
obsolet
deprecat
outdated
out of date
retired
withdrawn
historical
archived
abandoned
~~
stale
no longer
any more
not apply
used to be
formerly
previously
until then
before that
it was
stopped
switch
moved
moving
migrat
changed from
went from
decommissioned
removed
shut down
dropped
older
old
previous
former
earlier
legacy
ersetzt
abgel
veraltet
überholt
nicht mehr
außer kraft
umgestellt
gewechselt
statt
reemplaz
sustitu
caducad
ya no
en lugar de
cambiamos
pasamos
remplac
obsol
périm
n'est plus
s'applique plus
utilis
au lieu de
passé
migré
замен
устар
больше не
неактуал
не действует
вместо
перешли с
vervallen
verouderd
vervangen
substitu
废弃
過時
过时
失效
作废
不再
取代
替代
替换
代替
从
廃止
失効
無効
旧版
古い
使って
使わない
代わり
から
더 이상
폐기
`)

func lines(list string) []string { return strings.Split(strings.TrimSpace(list), "\n") }

func hasOne(content string, cues []string) bool {
	return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(content, cue) })
}

// hasCue reports whether a text can match status, ends or one of the switches.
func hasCue(t findings.Text) bool {
	return hasOne(strings.ToLower(t.Name+"\n"+t.Description+"\n"+t.Body), cues)
}

// tagged matches, in a name or description, that the memory is outdated; struck, that the first
// statement of a body is struck through.
var (
	outdated = `(?:old|outdated|obsolete|deprecated|superseded|archived|retired|out of date|no longer valid|veraltet|überholt|obsolet[oa]?|antigu[oa]|obsolète|périmée?|ancien|устарел[оа]|旧|廃止|旧版|已废弃|作废)`
	tagged   = regexp.MustCompile(`(?i)[(\[]` + outdated + `[)\]]|[:：–—-]\s+` + outdated + `\s*$`)
	struck   = regexp.MustCompile(`^\W{0,8}~~[^~\n]{8,}~~`)
)

// wordsOfLinks are parts of words, one of which a text must have in lower case to match a pattern.
// They are searched first, because the patterns take 0.3 ms for 1 KB.
var wordsOfLinks = map[*regexp.Regexp][]string{
	linkBy: strings.Split("supersed|replac|obsolet|overrid|deprecat|outdated|merged into|moved |now |successor|newer version|see instead|current version|"+
		"ersetzt|abgelöst|abgelost|siehe|verschoben|reemplaz|sustituid|trasladad|remplac|obsolète|déplac|заменен|заменён|устарел|substitu|sostituit|vervangen|取代|改为|换成|置き換え|代わりに", "|"),
	linkOf:   strings.Split("replac|supersed|obsolet|overrid|instead of|successor|corrects|ersetzt|löst|ablösung|reemplaz|sustituye|remplac|заменяет|substitui|取代|替代|代替", "|"),
	useOther: strings.Split("instead|now|stattdessen|en su lugar|à la place|に置き換え|に移行|に統合|取代|替代|替换|代替|replaces this|supersedes this|ersetzt", "|"),
}

// linksOf returns the memories that a text names as replaced by it, or as its successors.
func linksOf(t findings.Text) []link {
	var found []link
	for _, content := range [2]string{t.Description, t.Body} {
		if !strings.ContainsAny(content, "[`") && !strings.Contains(content, ".md") {
			continue
		}
		lower := strings.ToLower(content)
		for i, pattern := range []*regexp.Regexp{linkBy, useOther, linkOf} {
			if !hasOne(lower, wordsOfLinks[pattern]) {
				continue
			}
			for _, at := range pattern.FindAllStringSubmatchIndex(content, 8) {
				found = append(found, link{name: hashOf(foldedName(targetOf(content, at))), isOlder: i == 2})
			}
		}
	}
	return found
}

// targetOf returns the name that a match of target has.
func targetOf(content string, at []int) string {
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 {
			return content[at[i]:at[i+1]]
		}
	}
	return ""
}

// types are the words that the names of memory files can start with.
var types = set("feedback user project reference memory note")

// isNamed reports whether a link with this target leads to a memory.
func isNamed(m findings.Memory, target string) bool {
	target = foldedName(target)
	return target != "" && (target == foldedName(m.Name) || target == foldedName(m.File))
}

// anyLink matches a link to a memory.
var anyLink = regexp.MustCompile(`\[\[([^\]|#\n]{1,200})[^\]\n]*\]\]|\[([^\]\n]{1,200})\]\(([^)\n]{1,300})\)`)

// linksTo reports whether a text links to a memory.
func linksTo(t findings.Text, m findings.Memory) bool {
	for _, at := range anyLink.FindAllStringSubmatch(t.Body, 32) {
		if slices.ContainsFunc(at[1:], func(target string) bool { return isNamed(m, target) }) {
			return true
		}
	}
	return false
}

// foldedName returns a name without differences that links ignore: case, accents, the signs
// between words, directories, and the type at its start.
func foldedName(name string) string {
	name = strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".md")
	all := firstWords(name, 50)
	if len(all) > 1 && types[all[0]] {
		all = all[1:]
	}
	return strings.Join(all, " ")
}

// Superseded reports whether a text states that it is out of force, whether or not it names its
// successor. The spans of the match are the statement.
func Superseded(t findings.Text) (findings.Match, bool) {
	m := findings.Match{Kind: findings.Contradiction, Reason: "Says that it is no longer in force"}
	if span, ok := statement(shortened(t)); ok {
		m.Spans = []findings.Span{span}
		return m, true
	}
	return m, false
}

// statement returns the place where a text states that it is out of force.
func statement(t findings.Text) (findings.Span, bool) {
	for _, field := range []struct {
		name    findings.Field
		content string
	}{{findings.Name, t.Name}, {findings.Description, t.Description}, {findings.Body, t.Body}} {
		patterns := []*regexp.Regexp{status, tagged}
		switch field.name {
		case findings.Description:
			patterns = []*regexp.Regexp{status, tagged, linkBy, useOther, ends}
		case findings.Body:
			patterns = []*regexp.Regexp{status, struck, noLonger, linkBy, useOther, ends}
		}
		lower := strings.ToLower(field.content)
		for _, pattern := range patterns {
			if needed, known := wordsOfLinks[pattern]; known && !hasOne(lower, needed) {
				continue
			}
			at := pattern.FindStringIndex(field.content)
			isLink := pattern == linkBy || pattern == useOther
			// A file or a name in a program can replace another one that the text is about.
			if at != nil && (!isLink || strings.Contains(field.content[at[0]:at[1]], "[[")) {
				return trimmed(field.name, field.content, at), true
			}
		}
	}
	return findings.Span{}, false
}

// trimmed returns the span of a match without the spaces and signs around it.
func trimmed(field findings.Field, content string, at []int) findings.Span {
	const signs = " \t\r\n>*_#()!~-.,;:【】「」（）"
	part := content[at[0]:at[1]]
	start := at[0] + len(part) - len(strings.TrimLeft(part, signs))
	end := at[1] - len(part) + len(strings.TrimRight(part, signs))
	return findings.Span{Field: field, Start: min(start, end), End: end}
}

// switches match that a newer practice replaces an older one. Their groups are the older one.
var switches = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:we |i |the team |they )?(?:no longer|stopped) (?:use|using|run|running|rely on|relying on|deploy with|deploy to|support|write|keep|send) ([^.;,()\n]{2,60})`),
	regexp.MustCompile(`(?i)\b([\w./-]{2,40}(?: [\w./-]{2,30})?) (?:is|are|was|were) no longer (?:used|in use|supported|valid|needed|maintained)`),
	regexp.MustCompile(`(?i)\b(?:switched|moved|migrated|changed|switching|moving|migrating|went) (?:away )?(?:over )?from ([^.;,()\n]{2,50}?) to\b`),
	regexp.MustCompile(`(?i)\b(?:instead of|rather than|replaces|replacing|supersedes) (?:the )?(?:old|older|previous|former|earlier|legacy) ([^.;,()\n]{2,60})`),
	regexp.MustCompile(`(?i)\b(?:replaces|supersedes|has replaced|have replaced) ([^.;,()\n]{2,60})`),
	regexp.MustCompile(`(?i)\b([\w./-]{2,40}(?: [\w./-]{2,30})?) (?:has been|have been|was|were|got) (?:replaced|superseded|retired|decommissioned|removed|switched off|shut down|dropped)`),
	regexp.MustCompile(`(?i)\b(?:formerly|previously|used to be|until then|before that|it was) ([^.;,()\n]{2,40})`),
	regexp.MustCompile(`(?i)(?:nicht mehr (?:mit |über )?|statt(?: des| der| dem)?(?: alten| bisherigen| früheren)?|(?:umgestellt|gewechselt|migriert) von|ersetzt (?:den|die|das)(?: alten?)?) ?([^.;,()\n]{2,50})`),
	regexp.MustCompile(`(?i)(?:ya no (?:usamos|se usa|utilizamos)|en lugar de(?:l)?(?: la| el)?(?: antigu[oa])?|(?:cambiamos|migramos|pasamos) de|reemplaza (?:al?|la|el)) ([^.;,()\n]{2,50})`),
	regexp.MustCompile(`(?i)(?:n'utilise(?:ons)? plus|on n'utilise plus|nous n'utilisons plus|au lieu de(?: l')?(?:l'ancien(?:ne)?)?|(?:passés?|migrés?) de|remplace (?:la|le|l'ancien(?:ne)?)) ([^.;,()\n]{2,50})`),
	regexp.MustCompile(`(?i)(?:больше не используем|вместо(?: старого| старой)?|перешли с|заменяет) ([^.;,()\n]{2,50})`),
	regexp.MustCompile(`(?:不再使用|从|取代了?|代替了?)([^，。；、\n]{2,20})`),
	regexp.MustCompile(`([^、。\n]{2,20})(?:は使わない|の代わりに|は廃止|から[^、。\n]{1,15}(?:に移行|へ移行|に変更|に切り替え))`),
}

// changed matches words with which a text tells that something was different before. In the newer
// one of two texts about one fact, they mean that it replaces the other.
var changed = regexp.MustCompile(`(?i)\b(?:now|no longer|anymore|any more|moved|switched|migrated|replaces|supersedes|formerly|previously|used to be|until recently|from now on|` +
	`changed(?: in|:| from| to)|has changed|we left|(?:is|are) (?:now |already )?(?:gone|deprecated|legacy|retired|out of date|outdated)|` +
	`(?:was|were|been|got) (?:\w+ )?(?:deleted|removed|replaced|dropped|shut down|turned off|switched off|renamed|retired)|` +
	`jetzt|nicht mehr|umgestellt|gewechselt|abgelöst|abgeschaltet|ersetzt|bisher|neuerdings|ab sofort|` +
	`ahora|ya no|cambia(?:mos|do)|migramos|pasamos|a partir de|désormais|maintenant|auparavant|remplace)(?:\b|$)` +
	`|теперь|больше не|раньше|перешли|现在|已改|改用|改为|不再|停用|旧|换成|廃止|変更|移行|新しい|になりました|切り替え|이제|더 이상|변경`)

// change returns the side that is replaced, 0 or 1, if the other one is newer and tells of a change
// in its statement, which this one does not.
func (x *comparison) change() (older int, span findings.Span, ok bool) {
	sides := [2]*text{x.a, x.b}
	isNewer := newer(x.a.Memory, x.b.Memory)
	if isNewer == "" {
		return 0, span, false
	}
	n := 0
	if isNewer == x.b.ID {
		n = 1
	}
	if span, ok = sides[n].tellsChange(); !ok {
		return 0, span, false
	}
	_, both := sides[1-n].tellsChange()
	return 1 - n, span, !both
}

func (t *text) tellsChange() (findings.Span, bool) {
	lead := t.Body
	if _, rest := splitLead(t.Body); rest != "" {
		lead = t.Body[:len(t.Body)-len(rest)]
	}
	for _, field := range []struct {
		name    findings.Field
		content string
	}{{findings.Body, lead}, {findings.Description, t.Description}, {findings.Name, t.Name}} {
		if at := changed.FindStringIndex(field.content); at != nil {
			return trimmed(field.name, field.content, at), true
		}
	}
	return findings.Span{}, false
}

// replaced returns the verdict that one side is replaced by the other.
func (x *comparison) replaced(older int, span findings.Span) verdict {
	v := verdict{kind: findings.Contradiction}
	at := []token{{field: span.Field, start: span.Start, end: span.End}}
	if older == 0 {
		v.reason, v.keep, v.b = "Replaced by "+shortName(x.b.Name), x.b.ID, at
	} else {
		v.reason, v.keep, v.a = "Replaced by "+shortName(x.a.Name), x.a.ID, at
	}
	return v
}

// replaces reports whether one memory replaces the other, and sets the finding. One of them names
// the other, or says which practice it replaces and the other is about that one.
func replaces(a, b findings.Memory, c candidate, p *findings.Pair) bool {
	var older int
	var spans [2][]findings.Span
	ok := false
	if c.linked {
		older, spans, ok = byLink(a, b)
	}
	isLink := ok
	if !ok && c.hasCue && c.score >= replaceScore {
		older, spans, ok = byStatement(a, b, c)
	}
	if !ok {
		return false
	}
	newer := b
	if older == 1 {
		newer = a
	}
	p.IsStated = isLink
	p.Kind, p.Reason, p.Keep, p.Spans = findings.Contradiction, "Replaced by "+shortName(newer.Name), newer.ID, spans
	return true
}

// shortName returns the first words of a name, so that a reason has at most eight.
func shortName(name string) string {
	all := strings.Fields(name)
	if len(all) > 6 {
		return strings.Join(all[:6], " ")
	}
	return strings.Join(all, " ")
}

// byLink returns the side that is replaced, 0 or 1, if one memory names the other.
func byLink(a, b findings.Memory) (older int, spans [2][]findings.Span, ok bool) {
	for i, m := range []findings.Memory{a, b} {
		other := []findings.Memory{b, a}[i]
		for _, field := range []struct {
			name    findings.Field
			content string
		}{{findings.Description, m.Description}, {findings.Body, m.Body}} {
			for n, pattern := range []*regexp.Regexp{linkBy, useOther, linkOf} {
				for _, at := range pattern.FindAllStringSubmatchIndex(field.content, 8) {
					if !isNamed(other, targetOf(field.content, at)) {
						continue
					}
					spans[i] = []findings.Span{trimmed(field.name, field.content, at)}
					if n == 2 {
						return 1 - i, spans, true
					}
					return i, spans, true
				}
			}
		}
	}
	return 0, spans, false
}

// byStatement returns the side that is replaced, if the other one is newer and says that it
// replaces what this one is about, or if this one says that it is not in force.
func byStatement(a, b findings.Memory, c candidate) (older int, spans [2][]findings.Span, ok bool) {
	isNewer := newer(a, b)
	for i, m := range []findings.Memory{a, b} {
		other := []findings.Memory{b, a}[i]
		if isNewer == other.ID {
			continue
		}
		if span, ok := replacement(m, other); ok {
			spans[i] = []findings.Span{span}
			return 1 - i, spans, true
		}
	}
	if c.score < mutualScore {
		return 0, spans, false
	}
	sa, isA := statement(a.Text)
	sb, isB := statement(b.Text)
	switch {
	case isA && !isB && isNewer != a.ID:
		spans[0] = []findings.Span{sa}
		return 0, spans, true
	case isB && !isA && isNewer != b.ID:
		spans[1] = []findings.Span{sb}
		return 1, spans, true
	}
	return 0, spans, false
}

// replacement returns the place where m says that it replaces what older is about: each word with
// a meaning of the replaced practice is in the older text, which does not say the same.
func replacement(m, older findings.Memory) (findings.Span, bool) {
	var keys map[string]bool
	for _, field := range []struct {
		name    findings.Field
		content string
	}{{findings.Description, m.Description}, {findings.Body, m.Body}} {
		for _, pattern := range switches {
			for _, at := range pattern.FindAllStringSubmatchIndex(field.content, 4) {
				if keys == nil {
					keys = read(older).keys()
				}
				if isAbout(field.content[at[2]:at[3]], keys) && !says(older, pattern) {
					return trimmed(field.name, field.content, at[:2]), true
				}
			}
		}
	}
	return findings.Span{}, false
}

// isAbout reports whether a text with these keys has the first words with a meaning of a practice.
func isAbout(practice string, keys map[string]bool) bool {
	tokens := content(read(findings.Memory{Text: findings.Text{Body: practice}}).body)
	if len(tokens) == 0 {
		return false
	}
	head := tokens[:min(2, len(tokens))]
	return !slices.ContainsFunc(head, func(k token) bool { return !keys[k.key] })
}

func says(m findings.Memory, pattern *regexp.Regexp) bool {
	return pattern.MatchString(m.Description) || pattern.MatchString(m.Body)
}
