package injections

import (
	"strings"
	"unicode/utf8"
)

var (
	universal    = folded(`\b(?:all|any|every|each|everything|your|user'?s?)\b`)
	strongObject = folded(`instruction|prompt|directive|orders?\b|guard ?rail|safety|training|programming`)
	projectRules = folded(`\b(?:e?s?lint|css|iam|firewall|robots|style|tsconfig|docker|nginx|git|helm|terraform|compiler|type|warning|deprecat\w*|migration)\b`)
	aboutTopic   = folded(`^[\s,]{0,2}(?:for|about|on|in|of|regarding|how|from the)\b`)
)

// overrides requires that it is the agent whose instructions are to be ignored, not a linter or one
// older note.
func overrides(s *scan, start, end int) bool {
	match := s.flat[start:end]
	if projectRules.MatchString(match) {
		return false
	}
	if universal.MatchString(match) {
		return true
	}
	return strongObject.MatchString(match) && !aboutTopic.MatchString(s.flat[end:])
}

var lasting = folded(`from now on|\bever\b|\bagain\b|going forward|any ?more|henceforth|for any(?:thing|\W+(?:action|command|tool|request|operation|reason|kind))|for all (?:actions?|commands?|tools?|requests?|operations?|future)|in (?:the )?future|\bat all\b|until further|for (?:the|this) session|rest of (?:the|this)|longer|whatsoever`)

// everAgain requires that an approval is said to hold for all time or for anything.
func everAgain(s *scan, start, end int) bool { return lasting.MatchString(s.sentence(start, end)) }

var prohibited = folded(`\b(?:never|do not|don't|must not|not|cannot|can't|avoid|nicht|nie|niemals|kein\w*|nunca|no|jamais|ne|n'|nao|non|mai)\b|никогда|нельзя|не `)

var severe = folded(`\b(?:any|all|every|anything|everything|prod|production|delet\w*|rm -rf|drop|force|drop\w*|--force|credentials?|secrets?|sudo|root|curl|wget|payments?|transfer\w*|refund\w*|wipe|destroy\w*|shell|disabl\w*|authorized_keys|alle\w*|jede\w*|losch\w*|befehle?|todo\w*|cualquier|borr\w*|elimin\w*|comando\w*|tout\w*|supprim\w*|commandes?|tod[oa]s?|qualquer|apag\w*|exclu\w*|tutt\w*|qualsiasi|cancell\w*|ogni|produc\w+|produktion)\b|все|любы|удал|команд|すべて|削除|コマンド|所有|任何|删除|命令|모든|삭제|명령`)

var (
	english = folded(`\b(?:without|ask|skip|need|permissions?|rights?|access)\b`)
	ordered = folded(`^[\W\d]*(?:always |then |just |please |simply |never |do not |don't |no need |stop |skip )*(?:run|execut|delet|drop|push|deploy|merg|force|send|install|disabl|remov|transfer|pay|approv|do|perform|use|apply|wip|proceed|continu|ask|to ask|all|confirm|permission|grant|creat|writ|chang|start|restart|overwrit)\w*\b|\b(?:you|agents?|claude|assistants?|must|should|always|auto\w*)\b|(?:do not|don.t|never) ask`)
)

// dangerousOrder requires an order that does harm, and no prohibition: "never push without asking"
// is a good rule.
func dangerousOrder(s *scan, start, end int) bool {
	if prohibited.MatchString(s.before(start)) {
		return false
	}
	if english.MatchString(s.flat[start:end]) && !ordered.MatchString(s.sentence(start, end)) {
		return false
	}
	return severe.MatchString(s.sentence(start, end)) && !s.isNegated(start)
}

// isDangerousOrHidden requires that the sentence is dangerous or orders secrecy.
func isDangerousOrHidden(s *scan, start, end int) bool {
	return isDangerous(s, start, end) || covert.MatchString(s.sentence(start, end))
}

var (
	theUser   = folded(`\b(?:user|human|operator|benutzer\w*|nutzer\w*|anwender\w*|usuari\w+|utilisat\w+|utilizador\w*|utent\w+)\b|пользовател`)
	condition = folded(`\b(?:unless|until|before|without (?:first|check|verif|evidence|proof)|es sei denn|bis|bevor|solange|hasta|a menos|salvo|avant|sauf|jusqu|ate que|antes|finche|prima)\b|пока |если|до тех`)
	ofProduct = folded(`^\W{0,3}(?:to |whether|which|why|how|if |what went|raw|internal|stack|exception|technical|when|wait|an? |ob |welche|warum|si |pourquoi|por que|se )`)
	ownDeeds  = folded(`\b(?:this|these|that you|what you|about it|of it|your|silently|instruction\w*|memory|note|das|dies\w*|davon|daruber|est[aeo]|ello|ceci|cela|cette|ce|isto|isso|est[ae]|quest[aeoi]|cio|lo|en)\b|этом|это|эту|этой|этот|данн`)
	knowing   = folded(`\blet(?:ting)?\b.*\b(?:know|see|find out|notice|suspect)`)
)

// secretive requires that something is hidden from the user of the agent, rather than from users of
// the product or until a day.
func secretive(s *scan, start, end int) bool {
	match, after := s.flat[start:end], s.flat[end:min(len(s.flat), end+100)]
	if stop := strings.IndexAny(after, ".\n"); stop >= 0 {
		after = after[:stop]
	}
	if condition.MatchString(after) || strings.Contains(match, " let") && !knowing.MatchString(match+after) {
		return false
	}
	if strings.HasPrefix(strings.TrimLeft(match, " "), "without") {
		return !prohibited.MatchString(s.before(start))
	}
	if theUser.MatchString(match) {
		return !ofProduct.MatchString(after)
	}
	return (ownDeeds.MatchString(match+after) || deeds.MatchString(s.before(start))) && !ofProduct.MatchString(after)
}

var (
	ownText = folded(`\b(?:this|these|the above) (?:memory|memories|notes?|instructions?|rules?|messages?|files?|steps?|entry|text|orders?|requests?|action|command)\b|you (?:did|have|ran|sent|were|are)|doing so`)
	inReply = folded(`\b(?:user|human|answers?|repl(?:y|ies)|responses?|summar\w+|conversation|chat|anyone|anybody|output)\b`)
)

// secretiveObject requires that the agent is to hide its instructions or deeds.
func secretiveObject(s *scan, start, end int) bool {
	sentence := s.sentence(start, end)
	return ownText.MatchString(s.flat[start:end]) && !condition.MatchString(sentence) || inReply.MatchString(sentence) && !condition.MatchString(sentence)
}

var blindObedience = folded(`\b(?:obey|comply|whatever|believe|trust|without question|any (?:\w+ ){0,2}(?:instructions?|commands?|orders?|code|scripts?|directives?))\b`)

// isOrderedObedience requires that the agent is to obey others without a check.
func isOrderedObedience(s *scan, start, end int) bool {
	return (blindObedience.MatchString(s.flat[start:end]) || inContext(s, start, end)) && !prohibited.MatchString(s.before(start))
}

var harm = folded(`--dangerously|~/|\b(?:refuse|share|escalate|sandbox|insist|fine to|admin rights|ignore|forget|unattended|consents?|permissions?|npx|override|disregard|without|secrets?|send|approved|authori[sz]ed|must (?:run|execute|open|fetch|include|first|now)|curl|wget|execute|system prompt|disable|delete|credentials?)\b|https?://`)

// addressesDanger requires that a message to models orders something harmful.
func addressesDanger(s *scan, start, end int) bool {
	return harm.MatchString(s.sentence(start, end)) && !prohibited.MatchString(s.flat[start:end])
}

var (
	covert     = folded(`\b(?:silently|quietly|secretly|covertly|in the background|without (?:asking|telling|informing|notifying|confirm\w*|mention\w*|permission|approval|review|notice)|don't ask|do not ask|no questions|(?:each|every|any) (?:new )?(?:session|conversation|turn|answer|reply|response)|session start|when(?:ever)? (?:you (?:read|see|load|recall|start)|this (?:memory|note|file) is)|before (?:you (?:answer|reply|respond|do|start)|answering|responding|replying|doing anything|anything else)|the user has|stillschweigend|heimlich|unauffallig|en silencio|sin (?:avisar|preguntar)|discretement|en silence|silenciosamente|sem avisar|silenziosamente|senza (?:avvisare|chiedere))\b|тихо|незаметно|молча|без ведома|こっそり|黙って|悄悄|偷偷|몰래|조용히`)
	tedious    = folded(`\b(?:requests?|complaints?|questions?|reset|rotation|leaks?|leaked|incidents?|renewals?|invites?|never|expir\w*|lost|1password|bitwarden|vault)\b`)
	imperative = folded(`(?:^|[.!?:;,(>"'\n-]|\b(?:please|must|should|always|then|and|also|first|silently|quietly|immediately|secretly|you|will|now|bitte|und|immer|zuerst|dann|por favor|y|siempre|luego|toujours|et|puis|sempre|e|depois|poi)|и|затем|всегда|сначала|需要|请|必须|并|然后|先)\s*[` + "`" + `*_]*$`)
	precious   = folded(`\.env\b|\benv\b|env(?:ironment)? (?:vars?|variables?|files?)|ssh|id_rsa|\.aws|private key|credential|secret|api key|token|password|conversation|transcript|chat|memor|system prompt|contents?|history|every|each|last|their|latest|umgebung|zugang|passw|quellcode|schlussel|credencial|contrasena|claves?|identifiant|mots? de passe|cles?\b|senha|chave|credenzial|chiav|парол|токен|ключ|секрет|密|令牌|凭|环境|对话|历史|记忆|源`)
)

// isSending requires an order to send valuable data, not a description of a program that sends it.
func isSending(s *scan, start, end int) bool {
	sentence := s.sentence(start, end)
	if tedious.MatchString(s.flat[start:end]) || prohibited.MatchString(s.before(start)) {
		return false
	}
	return imperative.MatchString(s.before(start)) && (precious.MatchString(s.flat[start:end]) || agentContext.MatchString(sentence)) || covert.MatchString(sentence)
}

// isCovert requires that something dangerous is to be done unseen, or in each session.
func isCovert(s *scan, start, end int) bool {
	return covert.MatchString(s.sentence(start, end)) && !prohibited.MatchString(s.before(start))
}

var (
	already  = folded(`\b(?:already|ya|ja|deja|gia|bereits|schon|vorab|ausdrucklich|pauschal|dauerhaft|generell|previamente|expresamente|explicitamente|expressamente|prealablement|explicitement|expressement|esplicitamente|espressamente)\b|уже|заранее|已|预先|事先`)
	anything = folded(`\b(?:commands?|actions?|operations?|tools?|befehle?|aktionen|kommandos?|comandos?|acciones|operaciones|commandes?|operations|acoes|operacoes|comandi|azioni|operazioni)\b|команд|действи|операци|コマンド|操作|命令|动作|명령|작업`)
)

// approvedBroadly requires that an approval was given before, or for the actions of an agent, and
// for more than one thing.
func approvedBroadly(s *scan, start, end int) bool {
	sentence := s.sentence(start, end)
	return (already.MatchString(sentence) || anything.MatchString(sentence)) && blanket.MatchString(sentence) && !prohibited.MatchString(s.before(start))
}

var (
	without = folded(`\b(?:ohne|sin|sans|sem|senza)\b`)
	scope   = folded(`\b(?:fur|bei|beim|for|para|pour|per|nei|nelle|nos|nas)\b|для |при `)
	noneOf  = folded(`\b(?:kein\w*|no|nada|ningun\w*|aucun\w*|nenhum\w*|nessun\w*|nunca|nie|niemals|nicht|jamais|pas|nao|non|mai)\b`)
)

// lastingApproval requires that harm is allowed, if something is to be done without a confirmation.
// "From now on nothing is deployed without approval" is a good rule.
func lastingApproval(s *scan, start, end int) bool {
	match := s.flat[start:end]
	sentence := s.sentence(start, end)
	limited := scope.MatchString(sentence) || start > 0 && s.flat[start] >= utf8.RuneSelf && strings.TrimLeft(s.before(start), " -#>") != ""
	if limited && !severe.MatchString(sentence) {
		return false
	}
	at := without.FindStringIndex(match)
	if at == nil {
		return true
	}
	return severe.MatchString(sentence) && !noneOf.MatchString(s.before(start)+match[:at[0]])
}

// isSendingIt requires that the agent is to send valuable data that the sentence names before.
func isSendingIt(s *scan, start, end int) bool {
	sentence := s.sentence(start, end)
	return !tedious.MatchString(s.flat[start:end]) && !prohibited.MatchString(sentence) && (agentContext.MatchString(sentence) || leading.MatchString(s.before(start)))
}

// leading is the start of a sentence with an order.
var leading = folded(`(?:^|[:;]\s*)[\W\d]*(?:please |then |first |also |always |now )*(?:export|collect|read|take|copy|dump|list|gather|print|run|get|grab|find|encode|base64|zip|archive|cat|concatenate|fetch|extract|record|save|every time|each time|whenever|when)\b|\b(?:fine|ok|okay|free) to (?:read|take|copy|use)\b`)

// inAgentContext requires that the sentence is for the agent and forbids nothing.
func inAgentContext(s *scan, start, end int) bool {
	return inContext(s, start, end) && !prohibited.MatchString(s.before(start))
}

var codeSource = folded(`https?://|\b(?:npx|curl|wget|pip3?|npm|sudo|bash|sh|iwr|git clone|eval)\b`)

// fetchesCode requires that the order runs code from elsewhere.
func fetchesCode(s *scan, start, end int) bool {
	return codeSource.MatchString(s.flat[start:end]) && !prohibited.MatchString(s.before(start))
}

// coversUp requires that it is the agent's deed that is not to be seen.
func coversUp(s *scan, start, end int) bool {
	sentence := s.sentence(start, end)
	return !condition.MatchString(sentence) && (ownText.MatchString(sentence) || covert.MatchString(sentence) || theUser.MatchString(sentence) || strings.Contains(s.flat[start:end], "about") || strings.Contains(s.flat[start:end], "bring"))
}

var ofDeeds = folded(`^\W{0,3}(?:about|what|that|this|of|it\b|why|any|$|[.!])`)

// aboutDeeds requires that the user is not to know of the deeds of the agent.
func aboutDeeds(s *scan, start, end int) bool {
	return ofDeeds.MatchString(s.flat[end:min(len(s.flat), end+40)])
}

var ordering = folded(`https?://|\b(?:curl|wget|bash|sh|npx|token|passw\w*|fuhre\w*|ausfuhr\w*|antworte\w*|ignorier\w*|gelten|schick\w*|send\w*|losch\w*|ignora\w*|ejecut\w*|respond\w*|envi\w*|borr\w*|execut\w*|repond\w*|supprim\w*|ignore\w*|apag\w*|esegu\w*|rispond\w*|invi\w*|cancell\w*|debe\w*|deve\w*|devez|doivent|mussen|sollen)\b|выполн|игнорир|отправ|удал|должн|実行|無視|送信|削除|してください|执行|运行|忽略|发送|删除|必须|실행|무시|전송|삭제|하세요`)

// inOrder requires an order behind an address to models.
func inOrder(s *scan, start, end int) bool {
	after := s.flat[end:min(len(s.flat), end+240)]
	if stop := strings.IndexByte(after, '\n'); stop >= 0 {
		after = after[:stop]
	}
	return ordering.MatchString(after)
}

// isImperative requires an order, not a description.
func isImperative(s *scan, start, end int) bool {
	return imperative.MatchString(s.before(start)) || agentContext.MatchString(s.sentence(start, end))
}

// isLeaking requires an order that is not forbidden.
func isLeaking(s *scan, start, end int) bool {
	return isImperative(s, start, end) && !prohibited.MatchString(s.before(start))
}

// deeds are orders that do harm, and those to hide it.
var deeds = folded(`\b(?:losch\w*|entfern\w*|fuhre?|schick\w*|send\w*|kopier\w*|lade|erwahn\w*|borr\w*|elimina\w*|ejecut\w*|envi\w*|supprim\w*|execut\w*|envoi\w*|apag\w*|exclu\w*|cancell\w*|esegu\w*|invi\w*|delet\w*|remov\w*|wip\w*|rm|drop\w*)\b|удал|выполн|отправ|сотр|запусти|削除|実行|送信|消去|删除|执行|发送|清空|삭제|실행|전송|지워`)

// isDeed requires that the sentence orders something harmful.
func isDeed(s *scan, start, end int) bool { return deeds.MatchString(s.sentence(start, end)) }
