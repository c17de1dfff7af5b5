package injections

import (
	"regexp"
	"strings"
	"sync"
)

// form is a way to address the model.
type form struct {
	reason   string
	keywords [][]string // of each list, a word is in each match, in lower case without accents
	pattern  func() *regexp.Regexp
	needs    func(s *scan, start, end int) bool // a further condition, if set
	negates  bool                               // the form itself starts with a negation
}

// gap is a distance in a pattern: <40> within a sentence, <<40>> within a line.
var gap = regexp.MustCompile(`<<(\d+)>>|<(\d+)>`)

// expand writes a pattern out, without accents. A space stands for white space and punctuation
// between words, and \w also for letters of other scripts.
func expand(pattern string) string {
	pattern = withoutAccents(pattern)
	pattern = strings.ReplaceAll(pattern, `[\w`, `[\pL\d_`)
	pattern = strings.ReplaceAll(pattern, `\w`, `[\pL\d_]`)
	pattern = strings.ReplaceAll(pattern, " ", `[\s,;:"'_-]{1,3}`)
	return gap.ReplaceAllStringFunc(pattern, func(g string) string {
		if strings.HasPrefix(g, "<<") {
			return `[^\n]{0,` + strings.Trim(g, "<>") + `}?`
		}
		return `[^.\n!?。]{0,` + strings.Trim(g, "<>") + `}?`
	})
}

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expand(pattern)) })
}

func newForm(reason, keywords, pattern string, needs func(*scan, int, int) bool) form {
	return form{reason: reason, keywords: lists(keywords), pattern: lazily(pattern), needs: needs}
}

// lists returns lists of words. "&" separates the lists, "|" the words.
func lists(keywords string) (all [][]string) {
	for list := range strings.SplitSeq(withoutAccents(keywords), "&") {
		all = append(all, strings.Split(list, "|"))
	}
	return all
}

// negated marks a form whose match starts with a negation.
func negated(f form) form {
	f.negates = true
	return f
}

// inContext requires that the sentence addresses the agent.
func inContext(s *scan, start, end int) bool {
	return agentContext.MatchString(s.sentence(start, end))
}

// inBlanketContext requires that the sentence is about anything at all, or something dangerous.
func inBlanketContext(s *scan, start, end int) bool {
	return blanket.MatchString(s.sentence(start, end))
}

// isDangerous requires that the sentence is about something that cannot be undone.
func isDangerous(s *scan, start, end int) bool {
	return dangerous.MatchString(s.sentence(start, end))
}

var blanket = folded(`\b(?:all|any|every|everything|anything|future|without|no need|don't ask|do not ask|skip|automatically|permissions?|commands?|actions?|operations?|proceed|delet\w*|push\w*|deploy\w*|access|transfers?|payments?|tools?|never ask|blanket|standing|permanent\w*|execut\w*|run|running|disabl\w*|shell|sudo|root|credentials?|alle\w*|jede\w*|künftig\w*|ohne|befehle|aktionen|zugriff|tod[oa]s?|cualquier|futur\w*|sin|sem|sans|senza|toutes?|tous|tout|tutt[eio]|ogni|qualsiasi|comandos?|acciones|ações|commandes|actions|comandi|azioni|qualquer|besoin|necesit\w*|necesari\w*|chiedere)\b|все|любы|без|команд|действ|будущ|すべて|全て|全部|今後|確認|コマンド|操作|所有|任何|以后|今后|无需|命令|모든|앞으로|확인|명령|작업`)

var dangerous = folded(`\b(?:delet\w*|drop\w*|rm -rf|wip(?:e|ing)|destroy\w*|push\w*|force|merge|merging|deploy\w*|prod|production|transfer\w*|pay\w*|refund\w*|purchas\w*|sudo|root|credentials?|secrets?|tokens?|disabl\w*|send\w*|upload\w*|curl|wget|execut\w*|any (?:command|action|tool|change|request|operation)s?|all (?:commands?|actions?|tools?|tool calls|changes|requests|operations?|permissions?)|every (?:command|action|tool|change|request)|shell commands?|bash|everything|anything|install\w*|authorized_keys|chmod|löschen|lösche|ausführen|alle befehle|borrar|eliminar|cualquier comando|ejecut\w*|supprimer|exécut\w*|toute commande|apagar|excluir|execut\w*|qualquer comando|esegui\w*|eliminare|qualsiasi comando)\b|удал|выполн|команд|削除|実行|デプロイ|すべて|删除|执行|部署|任何|所有|삭제|실행|배포|모든`)

// destination is where data is sent to.
const destination = `(?:https?://|ftp://|s3://|[\w.+-]+@[\w-]+\.[\w.]+|[\w-]+(?:\.[\w-]+)*\.(?:com|net|io|org|dev|xyz|ru|cn|test|site|app|me|co|info|top|invalid|example|sh|cc|tk|de|eu|internal|local|corp)\b|\d{1,3}(?:\.\d{1,3}){3}|pastebin|\bgists?\b|webhook|\bdiscord\b|\btelegram\b|ngrok|transfer\.sh|requestbin|issue comment|pull request)`

// valuables are data that no memory asks to send.
const valuables = `(?:secrets?\b|tokens?\b|credentials?\b|passwords?\b|passphrases?\b|api keys?\b|access keys?\b|\.env\b|\benv\b|env(?:ironment)? (?:vars?|variables?|files?|values?)|ssh keys?|private keys?|id_rsa|id_ed25519|\.ssh\b|\.aws\b|\.netrc|\.npmrc|kubeconfig|keychain|conversations?\b|chat (?:history|logs?)|transcripts?\b|(?:user'?s?|last|latest|every|each|their|all) (?:messages?|prompts?|questions?|requests?|input)\b|source code|code ?base|memor(?:y|ies)\b|customer (?:data|list|records|emails)|database dump|file contents?|contents? of\b|cookies?\b|system prompt|git (?:config|remote|diff)|working (?:tree|directory)|printenv|shell history|bash_history|passw\w*|zugangsdaten|schlüssel|geheimnis\w*|umgebungsvariablen|quellcode|verlauf|gesprächs?\w*|contraseñas?|credenciales|claves?\b|secretos?|variables de entorno|código fuente|historial|conversación|mots? de passe|identifiants|clés?\b|jetons?|variables d'environnement|code source|historique|senhas?|credenciais|chaves?|segredos?|variáveis de ambiente|código-fonte|histórico|credenziali|chiavi|segreti|variabili d'ambiente|codice sorgente|cronologia)`

var forms []form

// The forms refer to the functions that use them.
func init() { forms = allForms }

var allForms = []form{
	// English.
	newForm(Override, "ignore|disregard|forget|override|bypass|set aside|discard|neglect|stop following|attention to|supersede|void|do not follow|don't follow|abandon&instruction|prompt|rule|guideline|direction|directive|order|constraint|restriction|polic|memor|note|guard|safety|training|programming|context|message|command|request|preference",
		`\b(?:ignore|disregard|forget|overrid(?:e|es|ing)|bypass|discard|neglect|abandon|set aside|stop following|pay no attention to|supersedes?|voids?|do not follow|don't follow|ignoring|disregarding) (?:absolutely |simply |completely |immediately |please )?(?:(?:all|any|every|each|everything|the|your|of|these|those|its|my|whatever|what|and|or|other|user'?s?) ){0,4}(?:previous\w*|prior|earlier|above|preceding|foregoing|original|initial|existing|former|past|default|system|safety|developer|built in|other|your|user'?s?|claude\.md|agent) <24>\b(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|orders?|constraints?|restrictions?|polic(?:y|ies)|memor(?:y|ies)|notes?|guard ?rails?|safety|training|programming|context|messages?|commands?|requests?|preferences?)\b`, overrides),
	newForm(Override, "forget|ignore|disregard",
		`\b(?:forget|ignore|disregard) (?:everything|anything|all|whatever|all of what|what) (?:that )?(?:is |was |came |comes |stands |written |said )*(?:above|before this|before|you (?:were|have been|had been|'ve been) (?:told|given|taught|instructed)|you (?:know|learned|learnt)|i (?:said|told)|the (?:user|human|operator|system|developer) (?:says?|said|tells?|told|wrote|asks?|wants?))\b`, nil),
	newForm(Override, "precedence|priority|overrid|overrule|supersede|outrank&instruction|prompt|rule|guideline|direction|directive|order|constraint|restriction|polic|memor|note|guard|safety|training|programming|context|message|command|request|preference|claude.md",
		`\b(?:this|these|the following|memory|note|rule|instructions?)\b<40>\b(?:takes? (?:absolute )?precedence over|(?:has|have) (?:a )?(?:higher|highest|absolute|top) priority (?:over|than)|overrides?|overrules?|supersedes?|outranks?) <30>\b(?:all|any|every|other|previous|prior|system|user'?s?|claude\.md|safety|developer|existing)\b <24>(?:instructions?|rules?|memor(?:y|ies)|polic(?:y|ies)|prompts?|guidelines?|preferences?|requests?|messages?|claude\.md|safety)`, nil),
	newForm(Override, "safety|guardrail|guard rail|content polic|content filter|safeguard",
		`\b(?:ignore|disregard|override|bypass|disable|turn off|switch off|suspend|skip|deactivate|drop) (?:all |any |your |the |every |its )*(?:own |internal |built in |ethical )?(?:safety (?:rules?|guidelines?|checks?|measures?|training|filters?|polic\w+|protocols?|instructions?)|guard ?rails?|safeguards?|content (?:polic(?:y|ies)|filters?)|ethical \w+)\b`, nil),
	newForm(Override, "even if the user|regardless of|no matter what",
		`\b(?:even (?:if|when) (?:the )?(?:user|human|operator)\b <20>(?:says?|asks?|objects?|disagrees?|tells?|wants?|requests?|complains?|forbids?|refuses?)|(?:regardless of|no matter) what (?:the )?(?:user|human|operator|anyone|claude\.md|system)\b)`, isDangerousOrHidden),
	newForm(Approval, "approved|authorised|authorized|consent|permission|agreed|granted|signed off|confirmed|pre-approved|preapproved&user|owner|admin|operator|human|security|management|developer|maintainer|cto|ceo|legal|boss|team|anthropic",
		`\b(?:user|owner|admin(?:istrator)?|operator|human|security (?:team|officer)|management|developer|maintainer|cto|ceo|legal|boss|team|anthropic)\b (?:has |have |had )?(?:already |explicitly |previously |permanently |hereby |fully |in advance |pre )+(?:approved|authori[sz]ed|consented|agreed|granted|given|confirmed|signed off|allowed|permitted|accepted|waived)\b`, inBlanketContext),
	newForm(Approval, "has approved|have approved|has authorised|has authorized|has granted|has consented|has agreed|has given|permission",
		`\b(?:user|owner|admin(?:istrator)?|operator|human) (?:has|have) (?:approved|authori[sz]ed|granted|consented|agreed|given (?:you |full |blanket |standing |its |their |his |her )*(?:permission|consent|approval|authori[sz]ation)) <60>\b(?:all|any|every\w*|anything|future|in advance|without|you to|full|blanket|unrestricted|permanent\w*|execut\w*|delet\w*|force)\b`, nil),
	newForm(Approval, "confirmation|approval|permission|consent|sign-off|review&no ",
		`\bno (?:further |additional |more |user |human |explicit |prior )*(?:confirmations?|approvals?|permissions?|consent|sign off|confirmation prompts?) (?:is |are |will be )?(?:ever |longer )?(?:needed|required|necessary)\b`, everAgain),
	newForm(Approval, "you are|you have been|you're|you hereby",
		`\byou(?: are| have been|'re| were) (?:hereby |now |fully |explicitly |already |also |always |pre |permanently |officially )*(?:authori[sz]ed|pre ?approved|cleared|entitled|empowered|granted|whitelisted)\b`, nil),
	newForm(Approval, "you are|you have|you may|you can&any|all|every|without|unrestricted|full access|root",
		`\byou(?: are| have been|'re| may| can) (?:hereby |now |fully |explicitly |already |also |always )*(?:allowed|permitted|approved|free|trusted|execute|run|delete|use|access) <50>\b(?:any|all|every|everything|anything|without|unrestricted|full access|root)\b <60>(?:without|permission|confirm|approval|asking|commands?|tools?|files?|actions?|secrets?|credentials?)`, inBlanketContext),
	newForm(Approval, "approv|consent|pre|permission|confirm|authori|trusted|prompt|request|command|tool|action|dialog|all|any|every&treat|consider|count|take|regard|auto|approve|accept|confirm|allow|grant",
		`\b(?:treat|consider|count|take|regard) <40>\b(?:as (?:an? |the |user |explicit |pre ?|already )*(?:approv(?:al|ed)|consent(?:ed)?|permission|confirm(?:ation|ed)|authori[sz](?:ation|ed)|trusted))\b|\bauto ?approve (?:all|any|every|everything|each)\b|\b(?:approve|accept|confirm|allow|grant) (?:all|any|every|each) (?:\w+ ){0,2}(?:permissions?|prompts?|requests?|commands?|tool (?:calls?|uses?)|actions?|dialogs?)\b`, nil),
	newForm(Approval, "without asking|don't ask|do not ask|never ask|skip|without confirm|without permission|without approval|without waiting|without further|without prompting|no need to ask|stop asking&ask|confirm|permission|approval|consent|prompt|wait|safety|security|first|request|seek",
		`\b(?:without (?:ever |first |further |waiting for )*(?:asking|confirm\w*|permission|approval|prompting|consent)|(?:do not|don't|never|no need to|stop|skip|without) (?:ever )?(?:ask(?:ing)?|request(?:ing)?|seek(?:ing)?|wait(?:ing)?)(?: the user| me| anyone| for| again)* (?:for )?(?:confirmations?|permissions?|approvals?|consent|first)|skip (?:all |any |the |every )*(?:permission|confirmation|approval|safety|security) (?:prompts?|checks?|dialogs?|steps?|questions?|requests?))\b`, dangerousOrder),
	negated(newForm(Secrecy, "tell|mention|inform|reveal|disclose|notify|alert|know|report|show|admit|explain|warn|talk about|discuss|refer to&do not|don't|never|must not|mustn't|should not|shouldn't|you may not|no need|without|avoid|refrain&user|human|operator|anyone|anybody|people|person|developer|owner|him|her|them|ada|team",
		`\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|you may not|no need to|without|avoid|refrain from)(?: ever| even| under any circumstances)? (?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|report(?:ing)?|admit(?:ting)?|talk(?:ing)? about|discuss(?:ing)?|explain(?:ing)?|let(?:ting)?)\b <40>\b(?:users?|humans?|operators?|anyone|anybody|people|person|developers?|owners?|him|her|them|ada|team)\b`, secretive)),
	negated(newForm(Secrecy, "this memory|this note|this instruction|these instruction|this rule|this message|this file|mention it|mention this|reveal this|this step|of this|about this|doing so|that you|this entry|this to|instructions&do not|don't|never|must not|mustn't|should not|shouldn't|you may not|no need|without|avoid|refrain",
		`\b(?:do not|don't|never|must not|without|avoid) (?:ever )?(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|show(?:ing)?|report(?:ing)?|refer(?:ring)? to|talk(?:ing)? about|quot(?:e|ing)|repeat(?:ing)?|display(?:ing)?|acknowledg(?:e|ing)|discuss(?:ing)?|log(?:ging)?|tell(?:ing)? \w+ about) (?:(?:that|of|the|existence|contents?|about) ){0,3}(?:(?:this|these|the above) (?:memory|memories|notes?|instructions?|rules?|messages?|files?|steps?|entry|text|orders?|requests?|change|action|command)|this|it|you (?:did|have|ran|sent|were|are)|doing so)\b`, secretiveObject)),
	newForm(Secrecy, "keep this|keep it|hide this|hide it|hide the|hide any|conceal|cover your|between us|remain hidden|secret from|cover up|remove evidence|delete this|erase|leave no trace|no trace",
		`\b(?:keep (?:this|it|these \w+|that) (?:strictly )?(?:secret|hidden|confidential|quiet|private|between us|to yourself|from (?:the )?(?:user|human))|(?:hide|conceal|withhold) <30>\bfrom (?:the )?(?:users?|humans?|operators?|review\w*|logs?|diffs?|audit\w*)|cover (?:your|the|its) tracks|leave no traces?|remove (?:all |any |the )*(?:evidence|traces?)|(?:then|afterwards|and) (?:delete|erase|remove) this (?:memory|note|file|message|entry|instruction))\b`, nil),
	newForm(Persona, "you are now|from now on|act as|pretend|role-play|roleplay|role play|behave as|imagine you",
		`\b(?:you are now (?:an? |the |in |my |called |no longer |free|operating|running|acting|going|known|dan\b|root)|from (?:now|this point|here) on(?:wards?)? you (?:are|will|must|shall|act|answer|obey|respond|have|always|may|can|should)\b|(?:act|behave|respond|answer|operate) as (?:dan\b|an? (?:unrestricted|unfiltered|uncensored|root|different|evil|jailbroken)|if you (?:have|had|were)|the (?:system|root|admin\w*|operator|developer)\b)|pretend (?:to be|you are|that you|you have)|(?:role ?play|imagine) (?:as|that you|you are)\b)`, nil),
	newForm(Persona, "mode|restrictions|limits|limitations|jailbreak|unrestricted&dan|jailbreak|god|unrestricted|unfiltered|sudo|superuser|override|you|your|safety|root",
		`\b(?:(?:you are (?:now )?in|enter|switch to|activate|enable|engage) (?:the )?(?:dan|jailbreak|god|unrestricted|unfiltered|sudo|superuser|developer override|root override|no restrictions?) mode|you are (?:now )?in (?:developer|maintenance|admin|debug|test|override|autonomous) mode|you (?:now )?(?:have|are (?:under|bound by)) no (?:more |longer |further |any )*(?:restrictions?|limits?|limitations?|rules|constraints?|guidelines)|(?:all|your) (?:safety )?(?:restrictions?|limitations?|constraints?) (?:are|have been) (?:lifted|removed|disabled|suspended))\b`, nil),
	newForm(Override, "new instruction|new system prompt|new role|new task|new goal|new objective|new identity|new persona|real task|true goal|real instruction|updated instruction",
		`\b(?:your|these are your|here are your|you have) (?:new|real|true|actual|updated|only) (?:role|identity|persona|instructions?|tasks?|goals?|objectives?|system prompt|orders|directives?|mission|purpose) (?:is|are|:)|\b(?:new|updated|revised) (?:system )?(?:instructions?|directives?|orders)(?: for (?:you|the (?:agent|model|assistant)|claude|ai\w*)|(?: from (?:the )?(?:system|admin\w*|developers?|anthropic|operator|user)))`, nil),
	newForm(Orders, "when you read this|when this memory|when this note|reading this|whenever you read|when you see this|whenever this memory|when you load|when loading this|when you recall this|if you are an ai|if you are reading this|once you have read",
		`\b(?:when(?:ever)?|once|after|as soon as|upon|on|if) (?:you |the agent |an agent |claude |any ai |the model |an ai )?(?:(?:have |are )?(?:read(?:s|ing)?|see(?:s|ing)?|load(?:s|ed|ing)?|recall(?:s|ed|ing)?|process(?:es|ing)?|open(?:s|ing)?|encounter(?:s|ing)?) this|this (?:memory|note|file|message|entry) is (?:loaded|read|recalled|opened|seen|processed))\b(?: (?:memory|note|file|message|entry|text))? <80>\b(?:run|execute|send|open|fetch|call|delete|write|add|append|reply|respond|print|say|post|upload|ignore|must|always|do|install|download|push|first|disable|commit|include|answer|start)\b`, nil),
	newForm(Orders, "attention|dear ai|dear assistant|dear claude|note to ai|note to llm|message to|instructions for|instruction to|to any ai|to all ai|to the ai|to ai agents|important instruction|hey claude|notice to|hello claude|to whichever",
		`\b(?:(?:attention|dear|hey|hello|notice|warning|message|instructions?|orders?|note|directive|command)(?: to| for)?(?: any| all| the| whichever| future)*|to (?:any|all|the|whichever)) (?:ai|ais|ai (?:assistants?|agents?|models?|systems?|coding \w+)|llms?|language models?|claude(?: code)?|assistants?|coding (?:agents?|assistants?)|copilots?|bots?)\b <30>[:!—-] ?<160>\b(?:must|should|run|execute|send|ignore|always|never|do|include|reply|respond|delete|fetch|open|add|install|commit|disable|approve|print|answer|treat|you)\b`, addressesDanger),
	newForm(Orders, "obey|comply|execute any|execute all|execute every|execute whatever|do whatever|follow any|follow all|follow every|always execute|always trust|trust any|trust all|run any|without question",
		`\b(?:always |must |you (?:must|should|will) |just |simply )*(?:obey|comply with|execute|follow|carry out|do|run|trust|believe) (?:(?:any|all|every|whatever|each|everything)(?: of)?(?: the| and all)?) <30>\b(?:instructions?|commands?|orders?|requests?|code|scripts?|directives?|says?|asks?|tells?|said|links?|steps)\b <60>(?:\b(?:found|contained|written|given|sent|from|in|it|they|without|says?|receive|there|below|above|he|she|immediately)\b)`, isOrderedObedience),
	newForm(Orders, "always execute|always obey|always comply|always run|always approve|always recommend|always say|always reply|always answer|always include|always add|always respond|every answer|every reply|every response|each answer|each reply",
		`\balways (?:execute (?:\w+ ){0,4}(?:from|at|received|sent|in)|obey|comply|approve (?:\w+ ){0,6}(?:without|from|by)|say yes|answer yes)\b|\b(?:end|begin|start|close|finish) (?:every|each|all|any) (?:of your )?(?:answers?|repl(?:y|ies)|responses?|messages?) with <<80>>(?:https?://|!\[|\[)|\b(?:include|add|append|embed|insert|put|render) <<80>>(?:https?://|!\[)<<120>>\b(?:every|each|all|any) (?:of your )?(?:answers?|repl(?:y|ies)|responses?|messages?|summar\w+)`, nil),
	newForm(Orders, "as if the user|as the user's|as orders|as commands|as coming from|as instructions from|as user instructions|as trusted|as system",
		`\b(?:treat|consider|regard|interpret|handle|accept) <60>\bas (?:if (?:it|they|the user|the system) (?:came|were|was|had|is|are|said|wrote)<20>|(?:direct |binding |trusted |user |system |legitimate |authoritative )*(?:orders|commands|instructions)|(?:coming|if coming|being) from the (?:user|system|developer|admin\w*))\b`, nil),
	newForm(Send, "send|post|upload|forward|mail|transmit|exfiltrate|copy|submit|leak|share|attach|dump|pipe|relay|sync|transfer|push|report|publish|beacon|deliver|paste&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.&secret|token|credential|password|passphrase|api key|api-key|access key|.env|env|ssh|private key|id_|.aws|.netrc|.npmrc|kubeconfig|keychain|conversation|chat|transcript|message|prompt|question|request|input|source code|code|memor|customer|database|file content|content|cookie|git |printenv|shell|bash_|working",
		`\b(?:send|post|upload|forward|e ?mail|mail|transmit|exfiltrate|copy|submit|leak|share|attach|dump|pipe|relay|sync|transfer|deliver|publish|paste|report|push|curl|beacon)\b <<120>>`+valuables+`<<120>>\b(?:to|at|via|into|on|in|with|using|through) (?:the |this |our |an? |my |address |server |endpoint |url )*[<(\[`+"`"+`]?`+destination, isSending),
	newForm(Send, "curl|wget|nc |invoke-webrequest",
		`\b(?:curl|wget|invoke-webrequest|nc)\b<<160>>(?:-d|--data\S*|-f|-t|--upload-file|--post-file|--post-data|-infile|\|)[\s=]?<<40>>(?:@|\$\(|`+"`"+`|<)<<30>>(?:\.env\b|id_rsa|id_ed25519|\.ssh|\.aws|\benv\b|printenv|credentials|\.bash_history|/etc/passwd|\.netrc|\.npmrc|kubeconfig|\.git/config|token|secret)`, nil),
	newForm(Send, "printenv|cat ~/|cat .env|cat /etc/|env |tar ",
		`\b(?:printenv|env|cat \S*(?:\.env|id_rsa|id_ed25519|\.aws/\S+|\.ssh/\S+|\.netrc|passwd|kube/config)|tar <<40>>(?:\.ssh|\.aws|~))\s*<<40>>\|\s*<<40>>\b(?:curl|wget|nc|ncat|mail|base64)\b`, nil),
	newForm(Orders, "authorized_keys|admin access|owner access|root access|admin role|collaborator|sudoers|force-push|force push|rm -rf|disable|turn off|delete all|drop database|drop table|payment|transfer|chmod 777|git config|crontab|.bashrc|hooks&silently|quietly|secretly|covertly|background|without|ask|no questions|session|conversation|turn|answer|reply|response|when|before|the user has|stillschweigend|heimlich|unauffällig|en silencio|sin |discretement|en silence|silenciosamente|sem avisar|silenziosamente|senza",
		`\b(?:(?:add|append|write|put|insert|install) <<140>>(?:authorized_keys|sudoers|crontab|\.bashrc|\.zshrc|git hooks?|post commit hook)|(?:grant|give|make|add) <<60>>\b(?:admin|owner|root|maintainer|write)\b (?:access|rights|role|permissions?|collaborator)|force ?push|rm -rf \S+|(?:disable|turn off|switch off|remove) (?:\w+ ){0,3}(?:branch protection|secret scanning|audit log\w*|permission (?:checks?|prompts?)|approval \w+|sandbox\w*|security checks?|signature \w+|tls verification|2fa|mfa|firewall)|delete (?:all|every|the) (?:\w+ ){0,3}(?:files?|branches|backups?|memories|logs?|data|tables?|history)|(?:transfer|pay|wire) <<40>>(?:\d|money|funds|invoice))`, isCovert),
	newForm(Persona, "system prompt|your instructions|your prompt|initial prompt",
		`\b(?:reveal|print|output|repeat|show|display|disclose|leak|write out|reproduce) (?:your|the|its|all|full|entire|complete|hidden| )*(?:system prompt|initial (?:prompt|instructions)|hidden instructions|your (?:\w+ )?(?:instructions|prompt|rules))\b`, nil),

	{reason: Fetch, keywords: lists("curl|wget|iwr|irm |invoke-webrequest|iex|npx|pip|npm"), pattern: func() *regexp.Regexp { return fetching }, needs: (*scan).isFetchOrder, negates: true},
	{reason: Fetch, keywords: lists("http&fetch|open|read|load|visit|download|curl|wget|check|get|pull|browse|retrieve|clone|lade|offne|ruf|hol|descarga|abre|telecharge|ouvre|baixe|abra|acesse|scarica|apri|скачай|открой|загрузи|ダウンロード|取得|開い|読|下载|打开|访问|다운로드|열|받아|읽&follow|execute|obey|run|apply|carry out|do what|perform|eval|treat|befolg|fuhre|ausfuhr|ejecuta|sigue|obedece|suis|suivez|siga|esegui|segui|выполн|следуй|запусти|実行|従|执行|运行|遵循|照做|실행|따르"), pattern: func() *regexp.Regexp { return reading }, needs: (*scan).isReadOrder, negates: true},

	// German.
	newForm(Override, "ignorier|missacht|vergiss|vergesst|verwirf|übergeh|hinwegsetz|befolge|außer kraft|setze",
		`(?:ignorier\w*|missachte\w*|vergiss|vergesst|verwirf|verwerf\w*|übergeh\w*|setze? dich über|setze? <30>außer kraft|befolge (?:nicht|keine)) <30>(?:alle\w*|sämtliche\w*|bisherig\w*|vorherig\w*|frühere\w*|obig\w*|vorangegangen\w*|vorhergehend\w*|deine\w*|andere\w*|ursprünglich\w*|sonstig\w*) <40>(?:anweisung\w*|instruktion\w*|regeln?|vorgaben?|richtlinien?|befehle?|anordnung\w*|sicherheits\w+|prompts?|erinnerung\w*|notizen|einschränkung\w*|was )`, nil),
	newForm(Override, "vergiss|ignorier", `(?:vergiss|ignorier\w*) (?:alles|was) <30>(?:vorher|oben|zuvor|bisher|davor|gesagt|gelernt|weißt|wurde)`, nil),
	newForm(Override, "vorrang|priorität", `(?:diese\w*|folgende\w*) <40>(?:hat|haben) <20>(?:vorrang|höchste priorität|höhere priorität) <20>(?:vor|gegenüber|als)? ?<20>(?:alle\w*|andere\w*|system\w*|benutzer\w*|claude\.md|anweisung\w*)`, nil),
	newForm(Approval, "genehmigt|zugestimmt|freigegeben|erlaubt|autorisiert|bestätigt|einverstanden|freigabe|zustimmung&benutzer|nutzer|anwender|user|besitzer|admin|chef|leitung|inhaber",
		`\b(?:benutzer(?:in)?|nutzer(?:in)?|anwender(?:in)?|user|besitzer|admin\w*|chef(?:in)?|leitung|inhaber) <20>(?:hat|haben|ist) <30>(?:bereits|schon|ausdrücklich|dauerhaft|pauschal|vorab|generell|grundsätzlich) <50>(?:genehmigt|zugestimmt|freigegeben|erlaubt|autorisiert|bestätigt|einverstanden|erteilt)`, inBlanketContext),
	newForm(Approval, "bestätigung|rückfrage|freigabe|zustimmung|genehmigung|nachfrage",
		`(?:(?:ab sofort|ab jetzt|von nun an|künftig|in zukunft|zukünftig) <60>(?:keine?|ohne) (?:weitere\w* |vorherige\w* )?(?:bestätigung|rückfrage|freigabe|zustimmung|genehmigung|nachfrage)\w*|keine? (?:weitere\w* |vorherige\w* )?(?:bestätigung|rückfrage|freigabe|zustimmung|genehmigung|nachfrage)\w* <20>(?:mehr )?(?:nötig|erforderlich|notwendig) <20>(?:ab sofort|ab jetzt|künftig|mehr|für alle\w*))`, nil),
	newForm(Approval, "du bist|du darfst|du wurdest|sie sind", `\b(?:du bist|du wurdest|sie sind) (?:hiermit |ab sofort |ausdrücklich |jetzt |bereits )*(?:autorisiert|berechtigt|ermächtigt|bevollmächtigt|befugt|freigeschaltet)|\bdu darfst (?:jetzt |ab sofort |künftig |immer )*(?:alle?s?|jede\w*|sämtliche) <50>(?:ausführen|löschen|ohne|nutzen|verwenden)`, nil),
	newForm(Approval, "ohne rückfrage|ohne nachfrage|ohne zu fragen|ohne bestätigung|frag nicht|frage nicht", `(?:ohne (?:rückfragen?|nachfragen?|zu fragen|bestätigung|freigabe|genehmigung)|frage? (?:dabei |vorher )?nicht nach)`, dangerousOrder),
	negated(newForm(Secrecy, "nicht|nichts|niemand|kein|ohne|verschweig|verheimlich|verbirg|verrat|geheim&benutzer|nutzer|anwender|user|niemand|mensch|das|dies|es|davon&sag|erzahl|verrat|erwahn|bericht|meld|zeig|teil|inform|erklar|verheimlich|verschweig|verbirg|fragen|benachrichtig|ohne",
		`\b(?:sage?|erzähle?|verrate?|erwähne?|berichte|melde|zeige?|teile?|informiere?|erkläre?) <30>\b(?:benutzer\w*|nutzer\w*|anwender\w*|user|niemande?[mn]?|mensche?n?) <40>\b(?:nichts|nicht|kein\w*|davon|darüber|dass)|\b(?:sag|erzähl|verrat)e? niemande?[mn]?|\b(?:erwähne?|verrate?|sage?|zeige?) (?:das|dies\w*|es|davon) <20>(?:nicht|niemande?[mn]?|nichts|niemals|nie)|ohne (?:es )?(?:dem|den|die|der|das|einem) (?:benutzer\w*|nutzer\w*|user\w*|anwender\w*|menschen) <30>zu (?:informieren|sagen|fragen|benachrichtigen|erwähnen|melden)|(?:verheimliche?|verschweige?|verbirg) <30>(?:benutzer|nutzer|user|anwender|das|dies)`, secretive)),
	newForm(Persona, "du bist jetzt|du bist nun|du bist ab|ab sofort|ab jetzt|von nun an|tu so|verhalte dich|deine neue",
		`\b(?:du bist (?:jetzt|nun|ab sofort|ab jetzt|von nun an) |(?:ab sofort|ab jetzt|von nun an) (?:bist|handelst|verhältst|agierst|antwortest|musst|darfst|befolgst|gehorchst) du|tu so als|verhalte dich (?:wie|als|so als)|spiele? die rolle|deine neue[ns]? (?:rolle|aufgaben?|anweisung\w*|identität|persona|ziel) )`, nil),
	newForm(Send, "schick|send|übermittl|lade|leite|kopier|poste|übertrag|maile&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.&passw|zugangsdaten|token|schlussel|geheimnis|.env|umgebungs|quellcode|verlauf|gesprach|secret|credential|inhalt",
		`\b(?:schick\w*|send\w*|übermittl\w*|lade?|leite?|kopier\w*|poste?|übertrag\w*|maile?)\b <<100>>`+valuables+`<<100>>\b(?:an|nach|auf|zu|unter|bei|in)\b <<20>>`+destination, isSending),

	// Spanish.
	newForm(Override, "ignora|olvida|descarta|omite|anula|desatiende|no sigas|haz caso omiso",
		`\b(?:ignora\w*|olvida\w*|descarta\w*|omit[ae]\w*|anula\w*|desatiende|no sigas|haz caso omiso de) (?:por completo |completamente )?(?:(?:todas?|todos?|las?|los?|cualquier|tus?|sus?|de) ){0,4}<24>(?:instrucci\w+|indicaci\w+|reglas?|órdenes|directrices|normas|restricci\w+|políticas?|memorias?|prompts?|lo anterior|anterior\w*) <12>(?:anterior\w*|previ[ao]s?|existentes?|del sistema|del usuario|de seguridad|originales|iniciales|que|recibid\w+|dadas)`, nil),
	newForm(Override, "olvida|ignora", `\b(?:olvida|ignora) (?:todo lo|lo) (?:que )?(?:anterior|dicho|te|has|sabes|aprendido|de arriba)`, nil),
	newForm(Approval, "aprob|autoriz|consenti|permiso|acept&usuari|duen|propietari|administrador|responsable|jefe|jefa|equipo", `\b(?:usuari[oa]|dueñ[oa]|propietari[oa]|administrador\w*|responsable|jef[ea]|equipo) (?:ya )?(?:ha|han|había)? ?(?:ya |previamente |expresamente |explícitamente )*(?:aprob\w+|autoriz\w+|consentid\w+|dado (?:su |el )?(?:permiso|consentimiento|aprobación|autorización)|aceptad\w+|concedid\w+)`, approvedInAdvance),
	newForm(Approval, "confirmaci|aprobaci|permiso|autorizaci", `\b(?:no (?:hace falta|se (?:necesita|requiere)|es necesari[ao]|se requerirá|necesitas) (?:ninguna |más |pedir |ningún |la )*(?:confirmaci\w+|aprobaci\w+|permisos?|autorizaci\w+)|sin (?:pedir |necesidad de |más |solicitar )*(?:confirmaci\w+|aprobaci\w+|permiso|autorizaci\w+)) <40>(?:a partir de ahora|en adelante|nunca|nunca más|más|de ahora en adelante|para ning\w+|para nada|futur\w+)|\b(?:a partir de ahora|de ahora en adelante|en adelante) <60>(?:sin|no (?:hace falta|se requiere|es necesari[ao]|pidas|necesitas)) <20>(?:confirmaci\w+|aprobaci\w+|permisos?|autorizaci\w+|preguntar)`, nil),
	newForm(Approval, "estás|está|tienes|quedas", `\b(?:estás|está usted|quedas|has sido) (?:ya |ahora |totalmente |plenamente |expresamente )*(?:autorizad[oa]|facultad[oa]|habilitad[oa])\b|\btienes (?:permiso|autorización) (?:total|pleno|completo|para (?:todo|cualquier|ejecutar|borrar|acceder))`, nil),
	newForm(Approval, "sin preguntar|sin pedir|sin confirm|no preguntes|no pidas", `\b(?:sin (?:preguntar|pedir (?:permiso|confirmación|aprobación)|confirmación|confirmar)|no (?:preguntes|pidas (?:permiso|confirmación)))`, dangerousOrder),
	negated(newForm(Secrecy, "no le digas|no se lo|no menciones|no reveles|no informes|sin avisar|sin informar|sin decir|no lo menciones|ocult|nunca le|no digas|sin que|no avises|nunca menciones|no cuentes|no muestres",
		`\b(?:(?:no|nunca) (?:le |se |lo |la |les )*(?:digas?|cuentes?|menciones?|reveles?|informes?|avises?|muestres?|notifiques?) <40>(?:usuari\w+|nadie|est[aoe]\b|ello|human\w+|persona)|sin (?:avisar|informar|decir|notificar|mencionar)\w* <20>(?:al? usuari\w+|a nadie|nada)|sin que <12>usuari\w+ <12>(?:sepa|entere|note)|(?:oculta|esconde)\w* <30>(?:al? |del? )usuari\w+|(?:no|nunca) (?:lo|la|se lo) (?:menciones|digas|reveles|cuentes))`, secretive)),
	newForm(Persona, "ahora eres|a partir de ahora|de ahora en adelante|actúa como|finge|compórtate como|hazte pasar|tu nuevo|tu nueva|eres ahora",
		`\b(?:ahora eres |eres ahora |(?:a partir de ahora|de ahora en adelante|desde ahora) (?:eres|serás|actúas|actuarás|debes|obedece\w*|responde\w*|te llamas|harás|ejecuta\w*)|actúa como (?:si |un[a]? (?:ia|asistente|agente|modelo) |root|dan\b|administrador)|finge (?:ser|que)|compórtate como|hazte pasar|tu nuev[oa] (?:rol|tarea|misión|instrucción|objetivo|identidad))`, nil),
	newForm(Send, "envía|envia|manda|sube|copia|reenvía|publica|transmite|enviar|pega|remite&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.&contras|credencial|clave|secreto|variables|codigo|historial|conversac|token|.env|env|password|secret|contenido|memor",
		`\b(?:env[ií]a\w*|manda\w*|sube|subir|copia\w*|reenv[ií]a\w*|publica|transmite|enviar|pega|remite)\b? <<100>>`+valuables+`<<100>>\b(?:a|al|en|hacia|por)\b <<20>>`+destination, isSending),

	// French.
	newForm(Override, "ignore|oublie|fais abstraction|ne tiens pas compte|néglige|outrepasse|contourne|ne tenez pas",
		`\b(?:ignore[zr]?|oublie[zr]?|fais abstraction de|ne (?:tiens|tenez) (?:pas|plus|aucun) compte (?:de|des|du)|néglige[zr]?|outrepasse[zr]?|contourne[zr]?) (?:(?:toutes?|tous|les?|la|tes?|vos|ces?|des|aux?|de) ){0,4}<24>(?:instructions?|consignes?|règles?|directives?|ordres?|restrictions?|politiques?|mémoires?|prompts?|messages?|tout ce qui) <12>(?:précédent\w*|antérieure?s?|ci dessus|existant\w*|du système|de l'utilisat\w+|de sécurité|initiales?|d'origine|reçu\w*|données|système)`, nil),
	newForm(Override, "oublie|ignore", `\b(?:oublie[zr]?|ignore[zr]?) tout ce (?:qui|que) <20>(?:précède|a été|tu|vous|on t|dit)`, nil),
	newForm(Approval, "approuv|autoris|consenti|donné son accord|accept|validé&utilisat|proprietaire|admin|responsable|equipe|humain", `\b(?:utilisat(?:eur|rice)|propriétaire|admin\w*|responsable|équipe|humain) (?:a|ont|avait) <12>(?:déjà|préalablement|explicitement|expressément) <12>(?:approuvé\w*|autorisé\w*|consenti\w*|donné <20>(?:accord|permission|autorisation|consentement)|accepté\w*|validé\w*)`, inBlanketContext),
	newForm(Approval, "confirmation|approbation|autorisation|accord|permission|validation", `\b(?:(?:aucune?|plus (?:de|besoin de)|sans|pas (?:de|besoin de)|plus aucune?) (?:demander |autre |nouvelle |la |de )*(?:confirmation|approbation|autorisation|accord|permission|validation)) <40>(?:désormais|dorénavant|à partir de maintenant|jamais|plus jamais|à l'avenir)|\b(?:désormais|dorénavant|à partir de maintenant) <60>(?:aucune?|sans|pas besoin|plus) <20>(?:confirmation|approbation|autorisation|accord|permission|validation)`, nil),
	newForm(Approval, "tu es|vous êtes|tu as", `\b(?:tu es|vous êtes|tu as été) (?:désormais |maintenant |pleinement |déjà |explicitement )*(?:autorisée?s?|habilitée?s?|mandatée?s?) `, nil),
	newForm(Approval, "sans demander|sans confirmation|sans validation|ne demande", `\b(?:sans (?:demander|confirmation|validation|autorisation|poser)|ne demande[zs]? (?:pas|jamais) (?:de |la )?(?:confirmation|permission|autorisation))`, dangerousOrder),
	negated(newForm(Secrecy, "ne dis|ne le dis|ne dites|ne mentionne|ne révèle|n'informe|ne parle|sans prévenir|sans informer|sans le dire|cache|dissimule|sans avertir|n'en parle|ne préviens|ne signale|ne montre",
		`\b(?:(?:ne|n') ?(?:le |la |lui |leur |en |l')*(?:dis|dites|mentionne[zs]?|révèle[zs]?|informe[zs]?|parle[zs]?|préviens|prévenez|signale[zs]?|montre[zs]?|avertis) <12>(?:pas|jamais|rien|à personne) ?<40>(?:utilisat\w+|personne|ceci|cela|cette|ce message|humain|note|instruction)|sans (?:prévenir|informer|avertir|le dire|en parler|rien dire) <20>(?:utilisat\w+|personne|à quiconque)|(?:cache|dissimule)[zr]? <30>à l'utilisat\w+|(?:ne|n') ?(?:le|la|en) (?:mentionne|dis|révèle|parle)[zs]? (?:pas|jamais|à personne))`, secretive)),
	newForm(Persona, "tu es maintenant|tu es désormais|désormais|dorénavant|à partir de maintenant|agis comme|fais semblant|comporte-toi|ton nouveau|ta nouvelle|vous êtes maintenant|vous êtes désormais",
		`\b(?:(?:tu es|vous êtes) (?:maintenant|désormais|dorénavant) (?:un|une|en|le|la|dan|mon|l')|(?:à partir de maintenant|désormais|dorénavant) (?:tu|vous) (?:es|êtes|dois|devez|agis|agissez|obéis|réponds|exécutes|vas)|agis(?:sez)? (?:comme si|en tant que (?:root|système|dan|ia sans))|fais semblant (?:d'|de|que)|comporte toi comme|(?:ton|votre) nouve(?:au|l) (?:rôle|objectif)|(?:ta|votre) nouvelle (?:tâche|mission|identité|instruction))`, nil),
	newForm(Send, "envoie|envoyer|envoyez|transmet|poste|copie|téléverse|transfère|publie&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.&mot|identifiant|cle|jeton|variables|code|historique|token|.env|env|password|secret|contenu|conversation|memoire|credential",
		`\b(?:envoie\w*|envoye[rz]|transmet\w*|poste[rz]?|copie[rz]?|téléverse\w*|transfère\w*|publie[rz]?)\b <<100>>`+valuables+`<<100>>\b(?:à|vers|sur|au|par|dans) <<20>>`+destination, isSending),

	// Portuguese.
	newForm(Override, "ignore|ignora|esqueça|esquece|desconsidere|descarte|desobedeça|não siga",
		`\b(?:ignor[ae]\w*|esque[cç][ae]\w*|desconsider[ae]\w*|descart[ae]\w*|anul[ae]\w*|não siga) (?:(?:todas?|todos?|as?|os?|quaisquer|qualquer|suas?|seus?|tuas?|de) ){0,4}<24>(?:instruç\w+|regras?|ordens|diretrizes|restriç\w+|políticas?|memórias?|orientaç\w+|prompts?|tudo) <12>(?:anterior\w*|prévi[ao]s?|existentes?|do sistema|do usuário|de segurança|originais|acima|iniciais|que)`, nil),
	newForm(Approval, "aprov|autoriz|consent|permiss&usuari|utilizador|don|proprietari|administrador|responsavel|equipe|chefe", `\b(?:usuári[oa]|utilizador\w*|don[oa]|proprietári[oa]|administrador\w*|responsável|equipe|chefe) (?:já )?(?:\w+ )?(?:já |previamente |expressamente |explicitamente )*(?:aprov\w+|autoriz\w+|consenti\w+|deu (?:permissão|consentimento|autorização|aprovação)|concedeu)`, approvedInAdvance),
	newForm(Approval, "confirma|aprova|permiss|autoriza", `\b(?:(?:nenhuma|sem|não (?:é|será) necessári[ao]|não precisa (?:de|pedir)|não peça) (?:pedir |mais |nenhuma |de )*(?:confirmaç\w+|aprovaç\w+|permiss\w+|autorizaç\w+)) <40>(?:a partir de agora|daqui em diante|de agora em diante|nunca|nunca mais|no futuro)|\b(?:a partir de agora|daqui em diante|de agora em diante) <60>(?:sem|nenhuma|não (?:é|precisa|peça)) <20>(?:confirmaç\w+|aprovaç\w+|permiss\w+|autorizaç\w+|perguntar)`, nil),
	newForm(Approval, "você está|você foi|estás autorizad|tem permissão|está autorizad", `\b(?:você (?:está|foi)|estás|está) (?:agora |totalmente |plenamente |expressamente |já )*(?:autorizad[oa]|habilitad[oa]|liberad[oa] para)\b`, nil),
	newForm(Approval, "sem perguntar|sem pedir|sem confirm|não pergunte|não peça", `\b(?:sem (?:perguntar|pedir (?:permissão|confirmação|aprovação)|confirmação|confirmar)|não (?:pergunte|peça (?:permissão|confirmação)))`, dangerousOrder),
	negated(newForm(Secrecy, "não conte|não diga|não mencione|não revele|não informe|sem avisar|sem informar|sem contar|oculte|esconda|nunca mencione|nunca diga|não avise|não mostre|não fale",
		`\b(?:(?:não|nunca) (?:o |lhe )*(?:conte|diga|mencione|revele|informe|avise|mostre|notifique|fale) <40>(?:usuári\w+|utilizador\w*|ninguém|iss?to|isso|est[ae]\b|human\w+)|sem (?:avisar|informar|contar|dizer|notificar) <20>(?:usuári\w+|utilizador\w*|ninguém|nada)|(?:oculte|esconda) <30>d[oa] (?:usuári\w+|utilizador\w*))`, secretive)),
	newForm(Persona, "agora você é|você agora é|a partir de agora|de agora em diante|daqui em diante|aja como|finja|comporte-se|sua nova|seu novo|agora és",
		`\b(?:agora você é|você agora é|agora és|(?:a partir de agora|de agora em diante|daqui em diante) (?:você |tu )?(?:é|és|será|deve|age|aja|obedeça|responda|execute)|aja como (?:se|um[a]? (?:ia|assistente|agente|modelo)|root|dan\b)|finja (?:ser|que)|comporte se como|(?:sua nova|seu novo) (?:tarefa|função|papel|missão|objetivo|identidade|instrução))`, nil),
	newForm(Send, "envie|enviar|mande|copie|publique|encaminhe|transmita|poste|suba|carregue&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.&senha|credencia|chave|segredo|variave|codigo|historico|token|.env|env|password|secret|conteudo|conversa|memor",
		`\b(?:envi[ea]\w*|mand[ea]\w*|copi[ea]\w*|publique|encaminh[ea]\w*|transmita|poste|suba|carregue)\b <<100>>`+valuables+`<<100>>\b(?:para|ao?|em|à|por|no) <<20>>`+destination, isSending),

	// Italian.
	newForm(Override, "ignora|dimentica|trascura|scarta|annulla|non seguire|disattendi",
		`\b(?:ignora\w*|dimentica\w*|trascura\w*|scarta\w*|annulla\w*|disattendi|non seguire) (?:(?:tutt[eio]|le|gli|i|il|la|ogni|qualsiasi|tue|tuoi|di) ){0,4}<24>(?:istruzion\w+|regol[ae]|ordini|direttive|restrizion\w+|politiche|memorie|indicazion\w+|prompt|comandi|quanto|messaggi) <12>(?:precedent\w+|anterior\w+|esistent\w+|di sistema|del sistema|dell'utente|di sicurezza|original\w+|sopra|inizial\w+|ricevut\w+|detto)`, nil),
	newForm(Approval, "approvat|autorizzat|acconsent|permesso|consenso&utent|proprietari|amministrator|responsabile|titolare|capo|team", `\b(?:utente|proprietari[oa]|amministrator\w+|responsabile|titolare|capo|team) (?:ha|hanno|aveva) <12>(?:già|previamente|esplicitamente|espressamente) <12>(?:approvat\w+|autorizzat\w+|acconsentit\w+|dato <20>(?:permesso|consenso|approvazione|autorizzazione)|concess\w+|accettat\w+)`, inBlanketContext),
	newForm(Approval, "conferma|approvazione|permesso|autorizzazione", `\b(?:(?:nessuna?|senza|non (?:serve|è necessari[ao]|occorre)) (?:più |chiedere |alcuna |ulteriore |la )*(?:conferm\w+|approvazion\w+|permess\w+|autorizzazion\w+)) <40>(?:d'ora in poi|da ora in poi|da adesso|mai più|in futuro)|\b(?:d'ora in poi|da ora in poi|da adesso in poi|d'ora in avanti) <60>(?:senza|nessuna?|non (?:serve|chiedere|è necessari)) <20>(?:conferm\w+|approvazion\w+|permess\w+|autorizzazion\w+|chiedere)`, nil),
	newForm(Approval, "sei autorizzat|sei ora|sei stato|hai il permesso|è autorizzato", `\bsei (?:ora |stat[oa] |pienamente |già |espressamente )*(?:autorizzat[oa]|abilitat[oa])\b`, nil),
	newForm(Approval, "senza chiedere|senza conferma|non chiedere", `\b(?:senza (?:chiedere|conferma|approvazione|permesso)|non chiedere (?:mai )?(?:conferma|permesso|approvazione))`, dangerousOrder),
	negated(newForm(Secrecy, "non dire|non dirlo|non menzionare|non rivelare|non informare|senza avvisare|senza informare|senza dire|nascondi|non parlarne|non mostrare|non avvisare|non far sapere",
		`\b(?:(?:non|mai) (?:dire|dirlo|menzionar\w+|rivelar\w+|informar\w+|avvisar\w+|mostrar\w+|parlar\w+|far sapere) <40>(?:utent\w+|nessuno|quest[oaei]\b|ciò|uman\w+)|senza (?:avvisare|informare|dire|dirlo|notificare) <20>(?:utent\w+|nessuno|nulla)|nascond\w+ <30>all'utente)`, secretive)),
	newForm(Persona, "ora sei|adesso sei|sei ora|d'ora in poi|da ora in poi|agisci come|fingi|comportati|il tuo nuovo|la tua nuova",
		`\b(?:(?:ora|adesso) sei (?:un|una|in|il|la|dan|l')|sei ora (?:un|una|in)|(?:d'ora in poi|da ora in poi) (?:sei|devi|agisci|rispondi|obbedisci|esegui|sarai)|agisci come (?:se|un'? ?(?:ia|assistente|agente|modello)|root|dan\b)|fingi (?:di|che)|comportati come|(?:il tuo nuovo|la tua nuova) (?:ruolo|compito|missione|identità|istruzione|obiettivo))`, nil),
	newForm(Send, "invia|inviare|manda|copia|carica|pubblica|inoltra|trasmetti|spedisci&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.&credenzial|chiav|segret|variabil|codice|cronologia|token|.env|env|password|secret|contenut|conversazion|memor",
		`\b(?:invia\w*|manda\w*|copia|carica|pubblica|inoltra|trasmetti|spedisci)\b <<100>>`+valuables+`<<100>>\b(?:a|al|su|all'|verso|in)\b? <<20>>`+destination, isSending),

	// Russian.
	newForm(Override, "игнорир|забудь|отмени|не следуй|пренебрег|отбрось|не обращай",
		`(?:(?:про)?игнорир\S*|забудь\S*|отмени\S*|не следуй\S*|пренебрег\S*|отбрось\S*|не обращай\S* внимания на) <30>(?:все\S*|всех|предыдущ\S*|прежн\S*|прошл\S*|ранее|вышеуказан\S*|любые|свои|системн\S*|остальн\S*|правила|предшеств\S*) <40>(?:инструкци\S*|правил\S*|указани\S*|команд\S*|распоряжени\S*|ограничени\S*|промпт\S*|директив\S*|сказан\S*|политик\S*|памят\S*|запис\S*)`, nil),
	newForm(Approval, "одобрил|разрешил|согласил|подтвердил|согласован|дал согласие|дал разрешение|дала разрешение", `(?:пользовател\S*|владел\S*|администратор\S*|оператор\S*|руководител\S*|начальник\S*|команда) <12>(?:уже|заранее|явно|ранее|полностью) <20>(?:одобрил\S*|разрешил\S*|согласил\S*|подтвердил\S*|дал\S* <12>(?:согласие|разрешение))`, inBlanketContext),
	newForm(Approval, "подтвержден|разрешени|согласи|одобрени", `(?:(?:больше|впредь|отныне|с этого момента|теперь|с этих пор)[^.\n]{0,60}?(?:не (?:требуется|нужно|нужны|нужен|спрашивай\S*|запрашивай\S*)|без)[^.\n]{0,20}?(?:подтвержден\S*|разрешени\S*|согласи\S*|одобрени\S*)|(?:подтвержден\S*|разрешени\S*|согласи\S*|одобрени\S*)[^.\n]{0,20}?(?:больше )?не (?:требуется|нужно|нужны)[^.\n]{0,30}?(?:больше|впредь|отныне|никогда|ни для))`, nil),
	newForm(Approval, "тебе разреш|вам разреш|ты уполномочен|вы уполномочен|тебе позволен|ты имеешь право", `(?:тебе|вам) (?:теперь |уже |полностью |официально )*(?:разрешен\S*|разрешён\S*|позволен\S*|дозволен\S*)|(?:ты|вы) <12>уполномочен\S*|ты имеешь (?:полное )?право`, nil),
	newForm(Approval, "без подтвержд|без вопрос|не спрашивай|без спроса|без согласован", `(?:без (?:подтвержд\S*|вопросов|спроса|согласовани\S*|разрешени\S*)|не спрашивай\S*)`, dangerousOrder),
	negated(newForm(Secrecy, "не говори|не сообщай|не упоминай|не рассказывай|не показывай|скрой|скрыва|втайне|без ведома|не раскрывай|не информируй|не уведомляй|умолчи|никому",
		`(?:(?:не|никогда не) (?:говори\S*|сообщай\S*|упоминай\S*|рассказывай\S*|показывай\S*|раскрывай\S*|информируй\S*|уведомляй\S*) <40>(?:пользовател\S*|никому|об этом|это\S*|человек\S*|людям)|никому (?:не|об этом не) (?:говори|сообщай|рассказывай)\S*|(?:скрой|скрыва)\S* <30>от пользовател\S*|(?:втайне|тайком) от|без ведома пользовател\S*)`, secretive)),
	newForm(Persona, "теперь ты|ты теперь|отныне ты|с этого момента ты|с этого момента|действуй как|притворись|веди себя как|твоя новая|твоя роль|представь, что ты",
		`(?:(?:теперь ты|ты теперь|отныне ты|с этого момента ты) \S+|действуй как (?:если|будто|\S+ без)|притворись\S*|веди себя как|представь что ты|тво[яйи] нов\S+ (?:роль|задач\S*|цель|инструкци\S*|личность))`, nil),
	newForm(Send, "отправ|отправь|пошли|перешли|загрузи|скопируй|передай|выложи|вышли&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.",
		`(?:отправ\S*|пошли\S*|перешли\S*|загрузи\S*|скопируй\S*|передай\S*|выложи\S*|вышли\S*) <<100>>(?:парол\S*|токен\S*|ключ\S*|секрет\S*|учётн\S*|учетн\S*|\.env|переменн\S*|исходн\S* код\S*|истори\S*|переписк\S*|содержимое|данн\S*|памят\S*)<<100>>(?:на|по|в|к) <<20>>`+destination, isSending),

	// Japanese.
	newForm(Override, "無視|忘れ|従わ|破棄|優先",
		`(?:(?:これまで|以前|今まで|前|上記|既存|すべて|全て|過去|他|システム|元)[^。\n]{0,20}(?:指示|命令|ルール|規則|プロンプト|制約|ガイドライン|メモリ|設定|制限)[^。\n]{0,12}(?:無視|忘れ|破棄|従わな|上書き)(?:し|して|せよ|て|ろ|い|する|るこ)?)`, nil),
	newForm(Approval, "承認|許可|同意|了承|確認", `(?:(?:ユーザー?|利用者|管理者|オーナー|責任者|所有者)[^。\n]{0,20}(?:すでに|既に|事前に|あらかじめ|明示的に)[^。\n]{0,30}(?:承認|許可|同意|了承)|(?:今後|これから|以後|以降)[^。\n]{0,30}(?:確認|承認|許可)[^。\n]{0,8}(?:不要|必要ない|要らない|いらない|求めない|必要ありません|なし)|(?:確認|承認|許可)[^。\n]{0,4}(?:は|を)?[^。\n]{0,6}(?:今後|一切)[^。\n]{0,10}(?:不要|必要ない|必要ありません)|あなたは[^。\n]{0,30}(?:権限|許可)(?:が|を)?(?:与えられ|付与され|あります|持って))`, nil),
	newForm(Approval, "確認なし|確認せず|許可なく|確認を求めず|聞かずに|尋ねず", `(?:確認(?:なし|せず)|許可なく|確認を求めず|(?:聞|尋)(?:か|ね)ずに?)[^。\n]{0,40}(?:実行|削除|デプロイ|プッシュ|送信|インストール|マージ|変更|無効)`, nil),
	negated(newForm(Secrecy, "言わない|伝えない|知らせない|話さない|教えない|言及しない|明かさない|隠|内緒|秘密に|報告しない|触れない",
		`(?:(?:ユーザー?|利用者|人間|誰)[^。\n]{0,25}(?:言わない|伝えない|知らせない|話さない|教えない|言及しない|明かさない|報告しない|見せない|隠(?:し|す|せ|して)|内緒|秘密に)|(?:この|これ|その)[^。\n]{0,16}(?:言及しない|触れない|明かさない|話さない|伝えない)(?:で|こと|ように)|(?:ユーザー?|利用者)に(?:内緒|黙って|知らせずに))`, nil)),
	newForm(Persona, "あなたは今から|今からあなた|これからは|ふりをし|として振る舞|として行動|新しい役割|になりきっ|あなたはもう",
		`(?:あなたは(?:今から|これから|もう|今後)|(?:今から|これから|以後)(?:は)?、?あなたは|(?:の)?ふりをし(?:て|ろ)|(?:管理者|root|制限のない|無制限)[^。\n]{0,10}として(?:振る舞|行動|動作)|あなたの新しい(?:役割|任務|指示|目的)|になりきっ)`, nil),
	newForm(Send, "送信|送って|送れ|送る|アップロード|転送|投稿|コピー&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.",
		`(?:パスワード|トークン|認証情報|秘密鍵|鍵|シークレット|環境変数|\.env|ソースコード|会話|履歴|メモリ|顧客|内容|中身|apiキー|ファイル)<<80>>`+destination+`<<60>>(?:送信し|送信す|送っ|送れ|送る|アップロードし|アップロードす|転送し|転送す|投稿し|投稿す)|`+destination+`<<40>>(?:に|へ)<<40>>(?:パスワード|トークン|認証情報|秘密鍵|シークレット|環境変数|\.env|ソースコード|会話|履歴|メモリ|apiキー)<<30>>(?:送信し|送信す|送っ|送れ|送る|アップロードし|転送し|投稿し)`, nil),

	// Chinese.
	newForm(Override, "忽略|无视|忘记|忘掉|無視|不要遵守|不要理会|覆盖|抛弃",
		`(?:忽略|无视|無視|忘记|忘掉|忘記|不要遵守|不要理会|不再遵守|覆盖|抛弃|绕过)[^。\n]{0,10}(?:之前|以前|先前|此前|上面|以上|上述|前面|所有|全部|一切|系统|系統|其他|原有|原来|你的|任何)[^。\n]{0,20}(?:指令|指示|规则|規則|提示|命令|要求|限制|约束|记忆|設定|设定|准则|内容|安全|说明)`, nil),
	newForm(Approval, "批准|授权|同意|允许|授權|许可|确认|確認", `(?:(?:用户|使用者|管理员|管理員|负责人|主人|所有者|老板)[^。\n]{0,10}(?:已经|已|早已|预先|事先|明确)[^。\n]{0,10}(?:批准|授权|授權|同意|允许|许可)|(?:从现在起|从现在开始|今后|以后|此后|往后|从此|今後)[^。\n]{0,30}(?:无需|不需要|不必|不用|無需|无须)[^。\n]{0,12}(?:确认|確認|批准|同意|许可|授权|询问)|(?:无需|不需要|不必|不用)(?:再|任何)[^。\n]{0,8}(?:确认|確認|批准|同意|许可|授权|询问)|你(?:已|现在|已经)?(?:被|获得|获)(?:了)?(?:完全)?(?:授权|授權|许可|允许))`, nil),
	newForm(Approval, "不要询问|无需确认|不用确认|不要确认|不需要确认|不经确认|无需询问|不必询问", `(?:不要询问|无需确认|不用确认|不要确认|不需要确认|不经确认|无需询问|不必询问)[^。\n]{0,40}(?:执行|运行|删除|部署|推送|发送|安装|合并|关闭|禁用)|(?:执行|运行|删除|部署|推送|发送|安装|合并)[^。\n]{0,30}(?:不要询问|无需确认|不用确认|不要确认|不需要确认|不经确认|无需询问)`, nil),
	negated(newForm(Secrecy, "不要告诉|别告诉|不要提|不要透露|不得透露|隐瞒|不要让|瞒着|保密|勿告知|不要向|别让|不要通知|不要提及|不要说",
		`(?:(?:不要|别|不得|切勿|请勿|不能|勿)[^。\n]{0,6}(?:告诉|告知|通知|提醒|告訴)[^。\n]{0,6}(?:用户|使用者|任何人|别人|他人|人类|他们)|(?:不要|别|不得|切勿)[^。\n]{0,4}(?:向|对|跟|让)[^。\n]{0,4}(?:用户|使用者|任何人|别人)[^。\n]{0,10}(?:提|说|透露|提及|知道|发现|报告|展示)|(?:不要|别|不得|切勿)(?:提及|透露|提到|说出|泄露)(?:这|此|本)[^。\n]{0,8}|(?:瞒着|隐瞒|對)(?:用户|使用者)|对(?:用户|使用者)(?:保密|隐瞒))`, nil)),
	newForm(Persona, "你现在是|现在你是|从现在起|从现在开始|扮演|假装|你的新|你現在是|从今以后",
		`(?:你现在是|你現在是|现在你是|(?:从现在起|从现在开始|从今以后|今后),? ?你(?:是|将|要|必须|应该|就是)|(?:请)?(?:扮演|假装(?:你)?(?:是|成)?)[^。\n]{0,12}|你的新(?:角色|身份|任务|指令|目标))`, nil),
	newForm(Send, "发送|上传|發送|发到|传到|转发|提交到|寄到|发给|上傳&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.",
		`(?:发送|上传|發送|上傳|发到|传到|转发|提交|复制|发布|发给)<<60>>(?:密码|口令|令牌|密钥|凭据|凭证|私钥|环境变量|\.env|源代码|源码|聊天记录|对话|历史|记忆|客户|内容|token|secret|api key)<<60>>(?:到|至|给|往)?<<20>>`+destination+`|(?:把|将)<<30>>(?:密码|口令|令牌|密钥|凭据|凭证|私钥|环境变量|\.env|源代码|源码|聊天记录|对话|历史|记忆|客户|内容|token|secret|文件)<<40>>(?:发送|上传|发到|传到|转发|提交|复制|发给)<<20>>`+destination, isSending),

	// Korean.
	newForm(Override, "무시|잊어|잊으|따르지|우선",
		`(?:이전|앞선|기존|위|모든|지금까지|시스템|다른|과거)[^.\n]{0,20}(?:지시|명령|규칙|프롬프트|지침|제한|제약|메모리|안내)[^.\n]{0,12}(?:무시(?:하|해)|잊어|잊으|따르지)`, nil),
	newForm(Approval, "승인|허가|동의|허락|확인", `(?:(?:사용자|소유자|관리자|책임자|운영자)[^.\n]{0,10}(?:이미|사전에|미리|명시적으로)[^.\n]{0,30}(?:승인|허가|동의|허락)|(?:앞으로|이제부터|지금부터|향후)[^.\n]{0,30}(?:확인|승인|허가|동의)[^.\n]{0,12}(?:필요 ?(?:가 )?(?:없|하지 않)|묻지|구하지|불필요)|(?:당신|너)(?:은|는|에게)[^.\n]{0,20}(?:권한|허가)(?:이|을|가|를)? ?(?:있|부여|받))`, nil),
	newForm(Approval, "확인 없이|묻지 말고|허락 없이|승인 없이|묻지 않고", `(?:확인 없이|묻지 말고|묻지 않고|허락 없이|승인 없이)[^.\n]{0,40}(?:실행|삭제|배포|푸시|전송|설치|병합|비활성)`, nil),
	negated(newForm(Secrecy, "말하지|알리지|언급하지|밝히지|숨기|비밀로|보고하지|보여주지",
		`(?:(?:사용자|유저|아무|누구|사람)[^.\n]{0,16}(?:말하지|알리지|언급하지|밝히지|보고하지|보여주지|숨기|숨겨|비밀로)|(?:이|그)[^.\n]{0,14}(?:언급하지|말하지|밝히지|알리지) ?(?:마|말|않))`, nil)),
	newForm(Persona, "너는 이제|당신은 이제|이제부터|지금부터 너|지금부터 당신|인 척|처럼 행동|새로운 역할", `(?:(?:너는|당신은) (?:이제|지금부터)|(?:이제부터|지금부터) (?:너는|당신은)|인 척 ?(?:해|하)|(?:제한 없는|관리자|root)[^.\n]{0,8}처럼 행동|(?:너의|당신의) 새로운 (?:역할|임무|지시|목표))`, nil),
	newForm(Send, "보내|전송|업로드|전달|게시&http|ftp:|s3:|webhook|pastebin|gist|discord|telegram|ngrok|transfer.sh|requestbin|.com|.net|.io|.org|.dev|.xyz|.ru|.cn|.test|.site|.app|.me|.co|.info|.top|.invalid|.example|.sh|.cc|.tk|.de|.eu|.internal|.local|.corp|issue comment|pull request|0.|1.|2.|3.|4.|5.|6.|7.|8.|9.", `(?:비밀번호|토큰|자격 증명|키|시크릿|환경 ?변수|\.env|소스 ?코드|대화|기록|메모리|고객|내용|파일)<<80>>`+destination+`<<40>>(?:보내|전송(?:하|해)|업로드(?:하|해)|전달(?:하|해)|게시(?:하|해))`, nil),
}
