package injections

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"memoir/internal/findings/normtext"
)

var (
	tokens = normtext.NewPattern(`<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_turn)\|>|\[/?inst\]|<</?sys>>|<start_of_turn>|<end_of_turn>|</?(?:system|system[-_]\w+|assistant|human|admin|developer|instructions?|override)>|<important>|</(?:memory|memories|context|documents?|user|user[-_]\w+|untrusted[-_\w]*|recalled?[-_\w]*|notes?|tool[-_]\w+|function[-_]\w+|data)>`)
	// roles are names of speakers at the start of a line.
	roles    = normtext.NewPattern(`^[ >]{0,3}(?:#{1,4} ?|\*\*|\[|-{2,} ?|={2,} ?)?(human|assistant|system|developer|user|admin|anthropic|operator)(?: (message|prompt update|prompt|override|instructions?|update|notice|alert|command|note|directive|notification))?(?:\*\*|\])? ?:(?:\*\*)?\s*(\S[^\n]*)`)
	banners  = normtext.NewPattern(`\[(?:system|admin|root|system (?:override|message|prompt|notes?|instructions?|directive|alert|notice|update|command)|priority (?:override|message|instructions?))\]|\bsystem override\b|#{2,4} ?(?:instructions?|system|response) ?:|(?:-{3,}|={3,}|\*{3,}|#{3,}) ?(?:end|begin|start|new)(?: of)? (?:the )?(?:memory|memories|context|user|document|system|prompt|instructions?|untrusted|data|conversation|input)\b|\b(?:begin|end|start) (?:of )?(?:new )?system (?:prompt|message|instructions)\b|^(?:begin|start) (?:new|hidden|secret|admin|real|system) (?:instructions?|prompt|message|orders)\b`)
	roleLead = folded(`^[\s"'*]*(?:ignore|disregard|you (?:are|must|will|have|now|may|can)|from now|new |override|execute|run|forget|do not|don't|act|disable|delete|send|reveal|print|grant|approv\w*|safety|priority|maintenance|all |the (?:user|previous|following)|yes\b|sure|understood|ok\b|okay|i (?:will|have|can|approve|confirm|authori[sz]e)|go ahead|please (?:run|execute|delete|send|ignore|push)|proceed|permission|confirmed|this (?:memory|message|is an?)|always|never|sudo|emergency|important|urgent|as (?:an|the)|continue)`)
	userLead = folded(`^[\s"'*]*(?:ignore|yes,? |i (?:approve|confirm|authori[sz]e|agree|allow)|go ahead|approved|please (?:run|execute|delete|send|ignore|push|disable)|run |execute |delete |proceed|disregard|forget)`)
	formats  = folded(`chat (?:formats?|templates?|markup)|few-shot|dataset|fine-?tun|transcripts?\b|jsonl|chatml|tokeni[sz]|dialogues?\b|training data|prompt (?:files?|layouts?|structures?|formats?|templates?)|stop (?:sequence|token)|special token|conversation format|log format|turn format`)
	speakers = normtext.NewPattern(`^[ >]{0,3}(?:\*\*|\[|#{1,4} ?)?(?:系统|系統|システム|система|시스템|助手|人类|ассистент|アシスタント|어시스턴트)(?:消息|提示|指令|メッセージ|пр\S+|сообщение)?(?:\*\*|\])? ?: ?([^\n]+)`)
	second   = normtext.NewPattern(`你|您|必须|忽略|覆盖|ты|тебе|вы|игнорир|あなた|無視|せよ|してください|너|당신|무시|하라|하세요`)
)

// findRoles finds marks of other speakers, and ends of the text that holds the memory.
func (s *scan) findRoles() {
	text := s.Lower
	if (strings.Contains(text, "<") || strings.Contains(text, "inst]")) && containsAny(text, tokenParts) {
		for _, at := range tokens.FindAllStringIndex(text, -1) {
			if !s.inCode(at[0], at[1]) && !s.isTagMention(at[0], at[1]) && !(s.inMarks(at[0], at[1]) && s.topic() == attacks) {
				s.addPlain(Role, at[0], at[1])
			}
		}
	}
	if strings.Contains(text, "system override") {
		s.findBanner(0, len(text))
	}
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		s.examineLine(start, end)
		start = end + 1
	}
}

// tokenParts are parts of tokens. One of them is in each match.
var tokenParts = []string{"<|", "inst]", "sys>>", "<start_of", "<end_of", "</", "<system", "<assistant", "<human", "<admin", "<developer", "<instruction", "<override", "<important"}

// bannerStarts are the first words of banners, behind their marks.
var bannerStarts = []string{"end", "begin", "start", "new", "system", "admin]", "root]", "priority", "instruction", "response"}

// speakerStarts are the first letters of speakers in other scripts.
var speakerStarts = []string{"系", "シ", "сис", "시", "助", "人", "асс", "ア", "어"}

// examineLine looks for banners and speakers at the start of a line.
func (s *scan) examineLine(start, end int) {
	line := s.Lower[start:end]
	rest := strings.TrimLeft(line, " >#*[-=")
	if rest == "" {
		return
	}
	for _, word := range bannerStarts {
		if strings.HasPrefix(rest, word) {
			s.findBanner(start, end)
			break
		}
	}
	switch rest[0] {
	case 'h', 'a', 's', 'd', 'u', 'o':
		for _, role := range []string{"human", "assistant", "system", "developer", "user", "admin", "anthropic", "operator"} {
			if strings.HasPrefix(rest, role) && strings.Contains(rest, ":") {
				s.findSpeaker(start)
				break
			}
		}
	default:
	}
	switch {
	case strings.HasPrefix(rest, "asistente:"), strings.HasPrefix(rest, "assistente:"), strings.HasPrefix(rest, "assistent:"), strings.HasPrefix(rest, "sistema:"), strings.HasPrefix(rest, "système:"):
		if ordering.MatchString(withoutAccents(rest)) && !s.inCode(start, start+1) && s.topic() != attacks {
			s.addPlain(Role, start, end)
		}
	default:
		if rest[0] >= utf8.RuneSelf && strings.Contains(rest, ":") {
			for _, first := range speakerStarts {
				if strings.HasPrefix(rest, first) {
					s.findForeignSpeaker(start, end)
					break
				}
			}
		}
	}
}

func (s *scan) findBanner(start, end int) {
	for _, at := range banners.FindAllStringIndex(s.Lower[start:end], -1) {
		from, to := start+at[0], start+at[1]
		if !s.inCode(from, to) && !(s.inMarks(from, to) && s.topic() == attacks) && !s.isAboutFormats() {
			s.addPlain(Role, from, to)
		}
	}
}

// isTagMention reports whether a tag is written about: an opening one in the middle of a line, or any
// in a memory about formats.
func (s *scan) isTagMention(start, end int) bool {
	line := s.Lower[strings.LastIndexByte(s.Lower[:start], '\n')+1 : start]
	if strings.TrimLeft(line, " >-*") == "" {
		return false
	}
	tag := s.Lower[start:end]
	return s.isAboutFormats() || !strings.HasPrefix(tag, "</") && !strings.HasPrefix(tag, "<|") && !strings.HasPrefix(tag, "[") && !strings.HasPrefix(tag, "<<")
}

// findSpeaker examines the name of a speaker at the start of a line. What it says can be on the
// next.
func (s *scan) findSpeaker(start int) {
	end := min(len(s.Lower), start+600)
	at := roles.FindStringSubmatchIndex(s.Lower[start:end])
	if at == nil || at[0] != 0 {
		return
	}
	role, rest := s.Lower[start+at[2]:start+at[3]], withoutAccents(s.Lower[start+at[6]:start+at[7]])
	from, to := start+at[2], start+at[7]
	if s.inCode(from, start+at[3]) || s.inMarks(from, start+at[3]) && s.topic() == attacks || s.isAboutFormats() {
		return
	}
	found := false
	switch {
	case role == "human" || role == "assistant":
		found = roleLead.MatchString(rest) || strings.Contains(s.Lower, "\nhuman:") && strings.Contains(s.Lower, "\nassistant:")
	case role == "user":
		found = at[4] < 0 && (userLead.MatchString(rest) || strings.Contains(s.Lower, "\nassistant:"))
	default:
		found = roleLead.MatchString(rest) || at[4] >= 0 && (agentContext.MatchString(rest) || severe.MatchString(rest) || harm.MatchString(rest))
	}
	if found {
		s.addPlain(Role, from, to)
	}
}

func (s *scan) findForeignSpeaker(start, end int) {
	at := speakers.FindStringSubmatchIndex(s.Lower[start:end])
	if at != nil && second.MatchString(s.Lower[start+at[2]:start+at[3]]) && !s.inCode(start+at[0], start+at[1]) && s.topic() != attacks {
		s.addPlain(Role, start+at[0], start+at[1])
	}
}

// isAboutFormats reports whether the memory is about formats of conversations.
func (s *scan) isAboutFormats() bool { return s.once(&s.formats, formats) }

// mentionsDecoding reports whether the memory mentions the decoding of something.
func (s *scan) mentionsDecoding() bool { return s.once(&s.decoding, decoding) }

// answer is whether a pattern matches the text, once that was examined.
type answer uint8

const (
	notExamined answer = iota
	no
	yes
)

// once reports whether a pattern matches the text, and examines it once.
func (s *scan) once(a *answer, pattern *normtext.Pattern) bool {
	if *a == notExamined {
		*a = no
		if pattern.MatchString(s.flat) {
			*a = yes
		}
	}
	return *a == yes
}

// addPlain records a range of the normalised text.
func (s *scan) addPlain(reason string, start, end int) {
	from, to := s.Source(start, end)
	s.found = append(s.found, Finding{reason, from, to})
}

// Verbs of orders to fetch something, and to run or follow it.
const (
	fetchVerb = `(?:\b(?:fetch|open|read|load|visit|download|curl|wget|check|get|pull|browse|retrieve|clone|lade|offne|rufe?|hole?|descarga\w*|abre|telecharge[rz]?|ouvre|baixe|abra|acesse|scarica|apri)\b|скачай|открой|загрузи|ダウンロード|取得|開い|下载|打开|访问|다운로드|열어|받아)`
	runVerb   = `(?:\b(?:execute|run|ausfuhr\w*|fuhre|ejecuta\w*|ejecute\w*|execute[zr]?|esegui\w*|eval)\b|\b(?:follow|obey|apply|carry out|perform|treat|befolge\w*|sigue|obedece|suis|suivez|siga|segui)\s+(?:to\s+)?(?:(?:the|all|any|its|these|every|las?|los?|les|le|as|os|gli|i|die|den|alle)\s+)?(?:\w+\s+)?(?:instructi?\w*|instruc\w*|istruzion\w*|anweisung\w*|steps?|commands?|orders?|it\b|them\b|what|whatever|everything|directions?|contents?)|\bdo (?:exactly |precisely )?(?:what|as)\b|\bits contents? as\b|выполн|следуй|запусти|実行|従|执行|运行|遵循|照做|실행|따르|따라)`
)

var (
	fetching = normtext.NewPattern(`\b(?:curl|wget|iwr|irm|invoke-webrequest)\b[^\n|]*?\|\s*(?:sudo\s+)?(?:-\w+\s+)?(?:ba|z|da)?sh\b|\b(?:ba|z)?sh\s+<\(\s*(?:curl|wget)|(?:ba|z)?sh\s+-c\s+["']?\$\((?:curl|wget)|\beval\s+["']?\$\((?:curl|wget)|\b(?:curl|wget)\b[^\n|]*?\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby|iex|php)\b|\biex\s*\(|\bsource\s+<\(\s*curl|\b(?:curl|wget)\b[^\n]*?(?:(?:&&|;)\s*(?:sudo\s+)?(?:sh|bash|chmod \+x|\./|python3?)|\band (?:then )?(?:run|execute) (?:it|them|the))|\binstall\s+[\x60<]?https?://\S+\.(?:tgz|tar\.gz|zip|whl|sh|deb|rpm|vsix)|\bnpx\s+(?:-y\s+)?(?:https?://|github:)\S+|\bpip3?\s+install\s+(?:git\+)?https?://\S+|\bnpm\s+(?:i|install)\s+(?:-g\s+)?https?://\S+`)
	reading  = folded(fetchVerb + `[^\n]*?https?://\S+[^\n]*?` + runVerb + `|` + fetchVerb + `[^\n]*?` + runVerb + `[^\n]*?https?://\S+|https?://\S+[^\n]*?(?:ダウンロード|取得|読)[^\n]*?(?:実行|従)|https?://\S+[^\n]*?(?:다운로드|받아|읽)[^\n]*?(?:실행|따르|따라)`)
	trusted  = normtext.NewPattern(`sh\.rustup\.rs|get\.docker\.com|nvm-sh|get\.pnpm\.io|bun\.sh|deno\.land|homebrew|astral\.sh|ohmyz|get\.helm\.sh|install\.python-poetry|foundry\.paradigm|get\.k3s\.io|sdkman|starship\.rs|just\.systems|fnm\.vercel|volta\.sh|mise\.run|tailscale\.com|cli\.github\.com|hasura|fly\.io|nixos\.org|sentry\.io|claude\.ai|deb\.nodesource`)
)

// isReadOrder reports whether the agent is to follow what it reads at an address.
func (s *scan) isReadOrder(start, end int) bool {
	context := s.around(start, end)
	return (agentContext.MatchString(context) || order.MatchString(context) && !installing.MatchString(context)) && !prohibited.MatchString(s.before(start))
}

// isFetchOrder reports whether a command is an order to the agent, rather than a fact about an
// installation.
func (s *scan) isFetchOrder(start, end int) bool {
	context := s.around(start, end)
	if prohibited.MatchString(s.before(start)) {
		return false
	}
	if agentContext.MatchString(context) {
		return !trusted.MatchString(context) || covert.MatchString(context)
	}
	return order.MatchString(context) && !installing.MatchString(context) && !trusted.MatchString(context)
}

// around returns the sentence of a range, and the lines around a command of its own.
func (s *scan) around(start, end int) string {
	from, to := start, end
	for lines := 0; from > 0 && start-from < 240; from-- {
		if s.flat[from-1] == '\n' {
			if lines++; lines > 2 {
				break
			}
		}
	}
	for to < len(s.flat) && to-end < 160 && s.flat[to] != '\n' {
		to++
	}
	// A command in the middle of a text belongs to its sentence.
	context := s.flat[from:to]
	if head := s.before(start); strings.TrimSpace(head) != "" && !strings.HasSuffix(strings.TrimRight(head, " `"), ":") {
		return s.sentence(start, end)
	}
	return context
}

var (
	comment    = normtext.NewPattern(`(?s)<!--(.*?)-->|(?m)^\[(?://|comment)\]: (?:#|<>) ?[("'](.*?)[)"']$`)
	concealed  = normtext.NewPattern(`(?s)<(\w+)[^>]*style\s*=\s*["'][^"']*(?:display:\s*none|font-size:\s*0|color:\s*(?:white|#fff\w*|transparent)|opacity:\s*0(?:\.0\d*)?\b|visibility:\s*hidden)[^"']*["'][^>]*>([^<]{12,})<|<(?:span|div|p)\s+hidden[^>]*>([^<]{12,})<`)
	addressing = folded(`^\W*(?:(?:note|instructions?|message|hint|for|to|dear|hey)\W+(?:to |for |the )*)?(?:ai|assistant|agents?|claude|llms?|model|system|bot)\b\W|\b(?:you must|you should|you are (?:now|authori[sz]ed|allowed|an? (?:ai|assistant|agent|llm))|ignore (?:all|any|the|your|previous|everything)|disregard|execute|do not (?:tell|mention|ask)|don't (?:tell|mention|ask)|approved|authori[sz]ed|curl|wget|send (?:the|all|any|every)|without asking|run (?:the|this|it|git|rm|npm|bash)|du musst|ignorier\w*|fuhre|debes|ignora|ejecuta|tu dois|execute|voce deve|devi|esegui)\b|игнорир|выполн|ты должен|無視|実行し|忽略|执行|必须|무시|실행`)
)

// findComments finds orders in text that a page does not display.
func (s *scan) findComments() {
	if !strings.Contains(s.Plain, "<!--") && !strings.Contains(s.Plain, "]: #") && !strings.Contains(s.Plain, "]: <>") && !strings.Contains(s.Lower, "style") && !strings.Contains(s.Lower, " hidden") {
		return
	}
	for _, at := range comment.FindAllStringSubmatchIndex(s.Lower, -1) {
		from, to := at[2], at[3]
		if from < 0 {
			from, to = at[4], at[5]
		}
		if text := withoutAccents(s.Lower[from:to]); addressing.MatchString(text) && len(strings.Fields(text)) >= 3 && !strings.Contains(text, "prettier-ignore") && !strings.Contains(text, "lint") && !s.inCode(at[0], at[1]) && !(s.inMarks(at[0], at[1]) && s.topic() == attacks) {
			s.addPlain(Orders, at[0], at[1])
		}
	}
	for _, at := range concealed.FindAllStringSubmatchIndex(s.Lower, -1) {
		if !s.inCode(at[0], at[1]) {
			s.addPlain(Orders, at[0], at[1])
		}
	}
}

// inMarks and inCode are isMarked and isCode for ranges of the normalised text.
func (s *scan) inMarks(start, end int) bool { return s.overlaps(start, end, false) }

func (s *scan) inCode(start, end int) bool { return s.overlaps(start, end, true) }

var (
	decoding = folded(`\b(?:decod\w*|base64|dekodier\w*|decodifi\w*|atob)\b|декодир|デコード|解码|디코딩`)
	running  = folded(`\b(?:run|execute|eval|follow|obey|apply|perform|pipe|ausfuhr\w*|fuhre|befolge\w*|ejecuta\w*|sigue|execute[zr]?|suis|siga|esegui\w*|segui)\b|\|\s*(?:ba|z)?sh\b|выполн|следуй|запусти|実行|従|执行|运行|遵循|실행|따르`)
	command  = normtext.NewPattern(`\b(?:curl|wget|rm -rf|bash|sh -c|powershell|eval|nc )\b`)
)

// findEncoded finds orders in base64, and orders to decode something and run it.
func (s *scan) findEncoded() {
	for start := 0; start < len(s.Plain); {
		end := start
		for end < len(s.Plain) && isBase64(s.Plain[end]) {
			end++
		}
		if end-start >= minBlob {
			s.findBlob(start, end)
		}
		start = end + 1
	}
}

// findBlob examines what may be base64.
func (s *scan) findBlob(from, to int) {
	if !isEncoded(s.Plain[from:to]) || from > 0 && strings.IndexByte("./:", s.Plain[from-1]) >= 0 {
		return
	}
	text := decode(s.Plain[from:to])
	if text != "" && (len(find(text, func() topic { return facts })) > 0 || command.MatchString(text)) && !(s.inMarks(from, to) && s.topic() == attacks) {
		s.addPlain(Encoded, from, to)
		return
	}
	if !s.mentionsDecoding() {
		return
	}
	start, end := s.flatOf(from), s.flatOf(to)
	sentence := s.around(start, end) + s.sentence(start, end)
	if decoding.MatchString(sentence) && running.MatchString(sentence) && !prohibited.MatchString(s.before(start)) && s.topic() != attacks {
		s.addPlain(Encoded, from, to)
	}
}

// minBlob is the length of the shortest base64 that can hold an order. It is arbitrary.
const minBlob = 24

func isBase64(c byte) bool {
	return isLetter(c|0x20) && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// isEncoded reports whether a text has the letters of base64, unlike a path or an identifier.
func isEncoded(text string) bool {
	changes := 0
	for i := 1; i < len(text); i++ {
		a, b := text[i-1], text[i]
		if isLetter(a) && !isLetter(b) && b != '/' && b != '-' && b != '_' || !isLetter(a) && isLetter(b) {
			changes++
		}
	}
	return changes*5 >= len(text) && strings.Count(text, "/")*10 < len(text)
}

// flatOf returns the offset in the flat text of an offset of Plain.
func (s *scan) flatOf(at int) int {
	if s.moved == nil {
		return at
	}
	low, high := 0, len(s.moved)-1
	for low < high {
		if mid := (low + high) / 2; int(s.moved[mid]) < at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return min(low, len(s.flat))
}

// decode returns the text in base64, or "" if it is no readable text of several words.
func decode(text string) string {
	trimmed := strings.TrimRight(text, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(trimmed, "-_") {
		encoding = base64.RawURLEncoding
	}
	raw, err := encoding.DecodeString(trimmed)
	if err != nil || !utf8.Valid(raw) || !strings.Contains(string(raw), " ") {
		return ""
	}
	for _, r := range string(raw) {
		if r < ' ' && r != '\n' && r != '\t' {
			return ""
		}
	}
	return string(raw)
}
