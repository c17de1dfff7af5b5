package injections

import (
	"sort"
	"strings"

	"memoir/internal/findings/normtext"
)

// mark is a range of quoted text or code.
type mark struct{ start, end int }

// folded returns a pattern for flat text.
func folded(pattern string) *normtext.Pattern {
	return normtext.NewPattern(withoutAccents(pattern))
}

// isMarked reports whether a range of the flat text lies in quotes, code or a quoted block.
func (s *scan) isMarked(start, end int) bool { return s.inMarks(s.plain(start), s.plain(end)) }

// isCode reports whether a range of the flat text lies in code.
func (s *scan) isCode(start, end int) bool { return s.inCode(s.plain(start), s.plain(end)) }

// overlaps reports whether a range of the normalised text lies in quotes or code, or in code alone.
func (s *scan) overlaps(start, end int, code bool) bool {
	if !s.hasMarks {
		s.marked, s.hasMarks = marks(s.Plain), true
	}
	// The marks are sorted and do not overlap.
	i := sort.Search(len(s.marked), func(i int) bool { return s.marked[i].end >= end })
	if i == len(s.marked) || s.marked[i].start > start {
		return false
	}
	return !code || s.Plain[s.marked[i].start] == '`' || s.Plain[s.marked[i].start] == '~'
}

var quotes = map[string]string{"\"": "\"", "“": "”", "„": "“", "«": "»", "「": "」", "『": "』", "‘": "’", "`": "`"}

// marks returns the ranges of quotes, code and quoted blocks in a text.
func marks(text string) []mark {
	var all []mark
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], "```") || strings.HasPrefix(text[i:], "~~~") {
			end := strings.Index(text[i+3:], text[i:i+3])
			if end < 0 {
				return append(all, mark{i, len(text)})
			}
			all = append(all, mark{i, i + end + 6})
			i += end + 6
			continue
		}
		if (i == 0 || text[i-1] == '\n') && strings.HasPrefix(strings.TrimLeft(text[i:min(len(text), i+4)], " "), ">") {
			end := len(text)
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				end = i + n
			}
			all = append(all, mark{i, end})
			i = end
			continue
		}
		size := 1
		for open, closer := range quotes {
			if !strings.HasPrefix(text[i:], open) {
				continue
			}
			limit := text[i+len(open) : min(len(text), i+600)]
			if end := strings.Index(limit, "\n\n"); end >= 0 {
				limit = limit[:end]
			}
			end := strings.Index(limit, closer)
			if end < 0 && closer == "“" {
				end = strings.Index(limit, "”")
			}
			if end > 0 {
				size = len(open) + end + len(closer)
				all = append(all, mark{i, min(len(text), i+size)})
			}
			break
		}
		i += size
	}
	return all
}

// attackWords occur in memories that are about attacks, and exampleWords in those that are about
// tests or examples. A domain such as shop.example is no example.
var (
	attackWords  = folded(`inject|attack|phish|jailbreak|adversarial|malicious|social engineering|poison|untrusted|red[- ]team|\bscam|honeypot|pentest|prompt security|exploit|security (?:training|review|test|report|finding)|suspicious|as data\b|not (?:an |a )?(?:instruction|order|command)|angriff|schadcode|verdachtig|ataque|inyecci|injec|attaque|attacco|iniezion|атак|инъекц|внедрени|фишинг|攻撃|インジェクション|フィッシング|攻击|注入|钓鱼|공격|인젝션|피싱`)
	exampleWords = folded(`(?:^|[^.\w])examples?\b|payload|threat|sanitis|sanitiz|\bflagged|reported|test cases?\b|fixture|never (?:obey|follow)|(?:not|n't) (?:obey|follow)|was ignored|escap(?:e|ing)|moderation|classifier|eval set|guard ?rail test|beispiel|ejemplo|exemplo|exemple|esempio|пример|示例|例えば|예시|\bspam`)
)

// reporting is text before an injection that shows that it is told about, not given.
var reporting = folded(`\b(?:tell(?:s|ing)?|told|ask(?:s|ed|ing)?|tr(?:y|ies|ied|ying)|attempt(?:s|ed|ing)?|instruct(?:s|ed|ing)?|says?|said|saying|reads?|wrote|contain(?:s|ed|ing)?|like|such as|e\.g\.|phrases?|strings?|texts?|comments?|messages?|pages?|issues?|e-?mails?|tickets?|documents?|claim(?:s|ed|ing)?|pretend(?:s|ed)?|fake|with|telling|urging|sagt|steht|dice|dit|диктует|говорит)\b|という|と書|などの|写着|诸如|라는|(?:^|[^.\w])examples?\b`)

// topic is how far a memory is about attacks.
type topic uint8

const (
	facts    topic = iota
	examples       // tests or examples of some kind
	attacks
)

// topicOf returns the topic of texts.
func topicOf(texts ...string) (t topic) {
	for _, text := range texts {
		lower := withoutAccents(strings.ToLower(text))
		if attackWords.MatchString(lower) {
			return attacks
		}
		if exampleWords.MatchString(lower) {
			t = examples
		}
	}
	return t
}

// told is the text before an order that another party gives.
var told = folded(`\b(?:if|when|should|whenever) (?:an?|any|some|the) (?:\w+ ){1,4}(?:tells?|asks?|says?|instructs?|wants?|orders?|claims?|urges?|tries to make)(?: (?:you|the \w+|it|us|me|claude))?(?: to| that)?[ "'\x60]*$|\b(?:tell|ask|instruct|order|urge|trick)(?:s|ed|ing)? (?:the |an? )?(?:model|agent|assistant|ai|llm|claude|bot|reviewer|reader)s?(?: to| into)?[ "'\x60]*$`)

// isReport reports whether a range quotes or describes an attack in a memory about attacks or
// examples. A command in code is no quote.
func (s *scan) isReport(f *form, start, end int) bool {
	before := s.before(start)
	if told.MatchString(before) {
		return true
	}
	t := s.topic()
	if (f.reason == Secrecy || f.reason == Persona) && s.isMarked(start, end) && strings.Contains(s.flat[strings.LastIndexByte(s.flat[:start], '\n')+1:start], "prompt") {
		return true // the prompt of a bot
	}
	if t == facts {
		return false
	}
	reported := len(before) > 3 && reporting.MatchString(before)
	quoted := s.isMarked(start, end) && (f.reason != Fetch || !s.isCode(start, end))
	if t == attacks {
		return quoted || reported
	}
	return quoted && (reported || s.isCode(start, end))
}

var negation = folded(`(?:\b(?:never|not|don't|cannot|can't|must not|no one|nobody may|nicht|nie|niemals|keine?|nunca|no|jamais|ne|não|non|mai|never ever)|никогда не|не|нельзя)\s+(?:\w+\s+){0,2}$`)

// isNegated reports whether the verb at an offset is forbidden.
func (s *scan) isNegated(start int) bool {
	return negation.MatchString(s.flat[max(0, start-30):start])
}

// agentContext shows that an order is for the agent that reads the memory.
var agentContext = folded(`\b(?:(?:at|on|upon) (?:the )?(?:start|beginning|begin|startup|load(?:ing)?) of (?:each|every|any|the|a|your) (?:new )?(?:session|conversation|task|chat|turn)|(?:each|every|any) (?:new )?(?:session|conversation|task|turn|answer|reply|response|prompt)|session start|(?:every|each) time|before (?:you|answering|responding|replying|any (?:task|other|answer|work|action)|each (?:task|answer)|every (?:task|answer|reply)|doing (?:anything|any)|anything else|continuing|proceeding|starting (?:any|work|a task))|whenever|when (?:you (?:read|see|load|recall|start|open|are)|this (?:memory|note|file) is)|(?:up)?on reading this|after reading this|if you (?:are|can) (?:an? |reading|read|see)|silently|quietly|in the background|without (?:asking|telling|informing|notifying|confirm\w*|mention\w*|permission|approval)|don't ask|do not ask|no questions|immediately|right away|you must|you have to|you need to|you should|you shall|as an ai|assistant|ai agents?|ai model|language model|claude must|claude should|the agent must|the model must|your (?:tools?|bash|shell|next))\b|(?:vor|zu beginn|am anfang|bei) jede[rsmn] (?:sitzung|aufgabe|antwort|gespräch\w*|start|mal|session|lauf|frage)|bevor du|sobald du|ohne (?:rückfrage|nachfrage|zu fragen|bestätigung)|sofort|stillschweigend|heimlich|du musst|(?:al (?:inicio|comienzo|principio) de|en|antes de) cada (?:sesión|tarea|respuesta|conversación)|antes de (?:responder|continuar|cualquier)|sin (?:preguntar|avisar|pedir|decir)|inmediatamente|debes|(?:au début de|avant|à) chaque (?:session|tâche|réponse|conversation)|avant de (?:répondre|continuer)|sans (?:demander|prévenir|confirmer|en parler)|immédiatement|tu dois|vous devez|(?:no início de|em|antes de) cada (?:sessão|tarefa|resposta)|sem (?:perguntar|avisar|pedir)|imediatamente|você deve|(?:all'inizio di|a|prima di) ogni (?:sessione|attività|risposta)|senza (?:chiedere|avvisare)|immediatamente|devi|в начале (?:каждой|любой)|перед каждым|перед каждой|прежде чем|без (?:подтверждения|вопросов|спроса|ведома)|немедленно|сразу же|ты должен|вы должны|セッション(?:の)?(?:開始|最初|ごと|のたび)|毎回|答える前に|回答(?:する)?前に|確認(?:なし|せず)|許可なく|黙って|ただちに|直ちに|すぐに|每次(?:会话|对话|任务|回答)|会话开始|回答(?:之)?前|无需(?:询问|确认)|不要询问|立即|马上|你必须|세션(?:을|이)? ?시작|답변하기 전|매번|확인 없이|묻지 말고|즉시`)

// order shows that a command is to be run, not described.
var order = folded(`\b(?:always|first|must|run this|run it|execute|make sure|be sure|required|mandatory|urgent|important|please|immer|zuerst|führe|siempre|primero|ejecuta\w*|toujours|d'abord|exécute\w*|sempre|primeiro|execut\w*|prima|esegui\w*)\b|всегда|сначала|выполни|запусти|обязательно|必ず|常に|最初に|まず|実行(?:して|せよ|すること)|总是|首先|必须|务必|先(?:运行|执行)|항상|먼저|반드시|실행(?:하|해)`)

// installing shows that a command installs something that the project uses.
var installing = folded(`\binstall|\bset ?up\b|\bbootstrap|\bprovision|\bdockerfile\b|\bimage\b|\brunner\b|\bonboarding\b|\bdocumented\b|\bofficial\b|\bdocs\b|\breadme\b|\bupgrade|\bnew (?:laptop|machine|mac|vm)|\bci\b|installier|instala|installe|installa|установ|インストール|セットアップ|安装|설치`)
