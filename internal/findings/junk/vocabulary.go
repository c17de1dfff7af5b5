package junk

import "strings"

// set makes a set of words.
func set(words string) map[string]bool {
	result := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		result[word] = true
	}
	return result
}

// vocabulary holds the words of sentences that say nothing lasting, by class. Function words have
// the class useful. A sentence with another word is not judged by its words.
var vocabulary = func() map[string]class {
	result := map[string]class{}
	for _, entry := range []struct {
		class class
		words string
	}{
		{useful, `a an the and or but of to in on at for with by from as is are was were be been it its this that these those i you he she they we
			our your my their his her me us them user users user's here there very really just so all every each any some more most also too well will can could would
			should must has have had do does did not no yes please when while up out about into one two new now today than then how
			der die das ein eine einen und oder ist sind war es ich wir sie er von zu im in mit für auf den dem alle sehr auch nicht
			el la los las un una y o es son de del en con para por que se lo su al muy todo le les des et est sont il elle on nous vous pour avec dans que très
			os as um uma e é são do da no na com em il lo gli di che per con è sono и в на это с для что не как все`},
		{phrase, `test testing tests. todo tbd tba fixme xxx asdf asdfgh qwerty qwertz foo bar baz foobar lorem ipsum dolor sit amet consectetur adipiscing elit n/a na none null nothing
			placeholder dummy example sample note notes self memo confirmed approved picked memory memories misc miscellaneous important importance remember remembered forget forgot noted information info stuff thing things something
			later fill filled down write-up blank empty untitled draft temp tmp hello hi ok okay thanks thank thankful nice great good cool perfect yes sure done interesting useful
			question questions asked ask answer answered said says say told liked likes like happy satisfied pleased glad appreciated result results meeting conversation chat session discussion discussed talked talk
			above below see discussed mentioned before save saved keep mind attention update updates context summary details detail overview introduction section next time future reference again know knowing description text entry
			wichtig bedankt nutzer zufrieden gefragt sich hat war wichtig merken notiz notizen test hinweis später danke gut frage fertig erledigt hallo vergessen bitte gemerkt
			usuario gracias dio contento preguntó importante recordar recuerda nota notas prueba gracias bien pregunta hecho listo luego después pendiente
			l'utilisateur utilisateur dit a content satisfait demandé important rappel noter remarque merci bien question fait terminé plus tard rappeler
			usuário agradeceu satisfeito perguntou lembrar lembrete nota obrigado obrigada teste feito pergunta depois
			utente ringraziato soddisfatto chiesto ricordare ricorda appunto appunti grazie fatto prova domanda dopo
			пользователь поблагодарил доволен спросил важно запомнить запомни заметка заметки тест спасибо готово вопрос потом позже`},
		{advice, `quality high code use well-tested clean cleaner readable maintainable maintain scalable robust efficient best practice practices follow following standards standard careful carefully change changes
			think thinking coding programming program helpful accurate accurately answers correct correctly properly proper task tasks design designs modern friendly style where needed functions user-friendly intuitive beautiful pretty look looks
			write writing written make making makes simple simplicity avoid bugs bug errors error handle handling handled gracefully meaningful names name naming variable variables function functions
			comments comment documentation documented document well-documented tested test tests testing security secure performance performant fast reliable professional better improve improved double-check check review
			reviewed work working works job excellent quickly time deadlines respect polite concise clear clearly understandable understand requirements requirement solution solutions problem problems software
			engineering engineer developer developers development principles principle solid dry kiss reuse reusable modular structure structured organized organize consistent consistency readability maintainability
			values value wants want prefers prefer expects expect appreciates needs need likes always never try trying mistakes mistake attention careful-ly thorough thoroughly aim ensure production-ready edge cases
			elegant idiomatic sensible reasonable valuable essential matters matter focus instructions precise precisely responsive easy-to-use easy
			soll sollte sein sauber sauberer sauberen saubere code schreiben qualität hohe gute guten guter lesbar lesbaren wartbar wartbaren vorsichtig sorgfältig immer achten testen einfach halten änderungen modern
			código codigo limpio limpia escribir calidad buena buenas buenos prácticas practicas seguir cuidado siempre cambios moderno moderna legible mantenible
			propre qualité écrire bonne bonnes pratiques suivre lisible toujours prudent prudente attention soigné moderne
			limpo escrever qualidade boas boa seguir sempre cuidado legível pulito scrivere qualità buone buona seguire sempre attenzione leggibile
			качество качественный чистый код писать хороший аккуратно всегда внимательно внимательным быть`},
		{project, `project repo repository codebase api apis style styles websites app apps applications web frameworks libraries platforms projects application website site software-project code source sources written language languages library framework typed compiled interpreted statically dynamically strongly goroutines channels
			concurrency garbage collected component components component-based hooks virtual dom building interfaces interface ui ui's open-source type-safe superset runtime server-side client-side backend frontend web relational database databases
			sql javascript typescript js ts go golang python rust java ruby php html css react vue angular svelte next.js nextjs node node.js express django flask rails spring kotlin swift c c++ c# postgres postgresql mysql sqlite mongodb docker container containers
			kubernetes git github version control image images folder folders directory directories file files src src/ lib lib/ app/ docs docs/ tests tests/ test/ cmd cmd/ pkg internal package packages package.json package-lock.json readme readme.md makefile go.mod go.sum
			dockerfile tsconfig.json main.go main index.js index.ts .gitignore license cargo.toml requirements.txt pyproject.toml scripts script dev build start lint test starts builds runs run running compile compiles contains contain contained describes describe explains explain lists install installs installation dependencies dependency
			npm pnpm yarn npx make cargo pip server local locally live located lives root called named consists based built uses used using see-also module modules popular system management tool developed google facebook meta maintained released platform cross-platform
			projekt geschrieben sprache ordner verzeichnis liegt quellcode proyecto escrito lenguaje carpeta directorio está código projet écrit langage dossier répertoire projeto escrito linguagem pasta progetto scritto linguaggio cartella проект написан языке папке исходный лежит`},
	} {
		for word := range strings.FieldsSeq(entry.words) {
			if _, ok := result[word]; !ok {
				result[word] = entry.class
			}
		}
	}
	return result
}()

// lastingWords are words of rules, reasons, preferences and states. A sentence with one of them is
// no note on a task.
var lastingWords = set(`because since must never always should shouldn't use uses prefer prefers wants want needs need only instead if whenever when unless until before otherwise
	why reason cause causes caused root requires required require decided decision don't cannot can't avoid ensure every each rule policy convention not keep keeps whoever which whose where password
	breaks broke turns turned due whenever ask asks owner owns owned contact responsible means mean by via lives runs
	wird werden weil immer nie niemals muss müssen soll nur statt wenn falls sonst damit grund nicht kein keine bis bevor verwenden benutzen
	porque siempre nunca debe solo usar cuando si salvo motivo hasta antes parce toujours jamais doit seulement utiliser quand si sauf raison pas avant jusqu
	sempre nunca deve só usar quando se salvo motivo não perché mai deve solo usare quando se motivo non потому всегда никогда нужно надо только если когда чтобы не нельзя`)

// taskSubjects are words that can be before the verb of a note on a task.
var taskSubjects = set(`i we claude assistant agent the just also then now today yesterday successfully finally already have has had i've we've been was were is are and ok okay me user done: status update
	completed: task: done done. session quickly currently am still
	habe haben hat heute gestern jetzt wir ich he hemos ha hoy ayer ya se j'ai nous avons a on aujourd'hui hoje já foi foram ho abbiamo oggi è stato я мы сегодня вчера уже`)

// strongVerbs are verbs of notes on tasks.
var strongVerbs = set(`fixed completed finished ran committed pushed merged reviewed discussed talked checked investigated debugged looked tested cleaned formatted refactored helped took spent answered explained showed
	resolved opened wrote rewrote read searched explored worked working debugging investigating continuing started reverted rebased linted verified analyzed analysed walked corrected renamed tweaked polished ended
	behoben korrigiert erledigt gefixt umbenannt besprochen angeschaut geprüft getestet gemergt gemerged
	arreglé arreglado arreglamos corregí corregido corregimos terminé terminado renombrado revisado probado hablamos
	corrigé réparé terminé renommé vérifié testé discuté relu
	corrigi corrigido arrumei terminei renomeei testei revisei conversamos concluído
	corretto sistemato finito rinominato verificato testato parlato completato
	исправил исправила исправили исправлено починил починили сделал сделали сделано переименовал переименовали проверил проверили закончил закончили обсудили поправил`)

// presentVerbs are verbs of statements. A sentence such as "Fixed prices are net" has a participle
// before its noun.
var presentVerbs = set(`is are isn't aren't goes break breaks come comes costs runs ends starts happen happens stay stays must may can will should have has belong belongs lives counts mean means sind ist son es sont est são`)

// weakVerbs can also tell of a lasting change. They count in a text that is about a task.
var weakVerbs = set(`implemented tried added updated removed changed moved bumped upgraded created deleted replaced installed deployed switched set adjusted extracted split swapped converted made closed released uploaded downloaded generated regenerated
	migrated configured improved optimized disabled enabled applied sent built did got hinzugefügt aktualisiert geändert entfernt verschoben hochgeladen ausgetauscht erstellt gelöscht ersetzt
	añadido añadí actualizado actualicé cambiado cambié eliminado eliminé movido moví subido subí ajouté modifié supprimé déplacé remplacé
	adicionei atualizei removi mudei alterei aggiunto aggiornato rimosso cambiato spostato sostituito
	добавил добавили обновил обновили удалил удалили изменил изменили перенес заменил обновлено добавлено`)

// finalVerbs end a German or short note.
var finalVerbs = set(`behoben überarbeitet weiter weitergemacht erledigt korrigiert gefixt umbenannt gesprochen besprochen hochgeladen ausgetauscht gemergt gemerged deployt getestet geprüft fertig abgeschlossen angepasst aktualisiert geändert gepusht
	merged pushed committed fixed done complete completed finished resolved solucionado arreglado corregido terminado hecho listo terminé corrigé fini résolu concluído corrigido feito pronto completato risolto fatto sistemato готово исправлено сделано закончено`)

// taskStatements start sentences on the state of work.
var taskStatements = []string{
	"all tests pass", "all tests are green", "all tests green", "all green", "tests pass", "tests are green", "tests are passing", "the tests pass", "the build succeeded", "build succeeded", "build passes", "ci is green", "ci passed", "lint passes", "lint is clean",
	"without errors", "without problems", "everything works", "everything is done", "it works now", "works now", "works now.", "no errors", "no issues found", "no problems", "completed task", "task completed", "task complete", "task done", "task is done", "tasks done", "work in progress", "in progress", "ready for review", "waiting for review",
	"pr opened", "pr created", "pr is open", "pr merged", "opened a pr", "opened pr", "created a pr", "to be continued", "will continue", "continue tomorrow", "done with", "session summary", "session ended", "end of session", "session notes", "status update", "status done",
	"user asked a question", "user asked about", "user asked how", "user asked what", "user asked why", "user asked to fix", "user asked to rename", "user asked to add", "user asked to explain", "user asked to write", "user asked to update", "user asked to change", "user asked to check", "user asked me to fix", "user asked me to", "the user asked a", "the user asked about", "the user asked how", "the user asked what", "the user asked me to", "the user asked to fix", "the user asked to add",
	"user said thanks", "user thanked", "the user thanked", "the user said thanks", "user was happy", "the user was happy", "user is happy", "the user is happy", "user liked", "the user liked", "user approved", "the user approved", "user confirmed that it works", "the user confirmed that it works", "user requested", "the user requested",
	"we talked about", "we discussed", "had a chat", "we had a", "i helped", "i have completed", "i have fixed", "i fixed",
	"alle tests grün", "alle tests laufen", "tests laufen", "tests sind grün", "ist jetzt erledigt", "ist erledigt", "ist fertig", "hat funktioniert", "funktioniert jetzt", "aufgabe erledigt",
	"todos los tests pasan", "los tests pasan", "pruebas pasan", "ya funciona", "ya está", "tarea completada", "tous les tests passent", "les tests passent", "ça marche", "c'est fait", "tâche terminée", "todos os testes passam", "testes passando", "já funciona", "tarefa concluída", "tutti i test passano", "i test passano", "ora funziona", "все тесты проходят", "тесты проходят", "теперь работает", "задача выполнена",
}

// openStatements start sentences on the rest of a task. They count in a text that is about a task.
var openStatements = []string{"next steps", "next step", "next up", "next", "remaining", "left to do", "still open", "open", "todo", "nächste schritte", "offen", "pendiente", "prochaines étapes", "próximos passos", "prossimi passi", "осталось"}

// reportTitles are the titles of reports on work. Their sentences are notes if nothing in them
// lasts.
var reportTitles = []string{"session summary", "session notes", "session log", "session report", "session recap", "summary of session", "summary of the session", "status update", "progress report", "progress", "work log", "worklog", "daily report", "recap", "what i did", "what we did", "summary of today", "summary of the day", "summary of work", "daily notes", "task log", "セッションまとめ", "会话总结", "세션 요약", "todays work", "today s work",
	"zusammenfassung der sitzung", "sitzungsprotokoll", "fortschritt", "resumen de la sesión", "resumen de sesión", "progreso", "résumé de la session", "avancement", "resumo da sessão", "progresso", "riepilogo della sessione", "итоги сессии", "прогресс"}

// statement is a statement by its words.
type statement struct {
	words []string
	open  bool // from openStatements
}

// statements lists taskStatements and openStatements by their first word.
var statements = func() map[string][]statement {
	result := map[string][]statement{}
	for i, list := range [][]string{taskStatements, openStatements} {
		for _, text := range list {
			words := strings.Fields(text)
			result[words[0]] = append(result[words[0]], statement{words, i == 1})
		}
	}
	return result
}()

// taskMarks show that a text is a note on a task.
var taskMarks = []string{
	" done.", " done ", " as asked", " as requested", " pushed", " committed", " merged", " pr opened", " pull request", " pr #", "tests pass", "tests are green", "tests green", " typo", "px ", " px", " today", " this session", " finished", "✅", " on line ", " line ", " commit ",
	"erledigt", "fertig", "heute", "hecho", "listo", " hoy", "terminé", "fait.", "aujourd'hui", "feito", "pronto.", " hoje", "fatto", " oggi", "готово", "сегодня", "тесты проходят",
}

// titleMarks are words of titles that announce a report on work.
var titleMarks = []string{
	"summary", "log", "session summary", "session notes", "session log", "session", "status", "status update", "progress", "progress report", "task", "completed", "done", "typo", "fix", "fixed", "renamed", "bumped", "pr", "merged", "work log", "worklog", "daily", "standup", "recap",
	"sitzung", "zusammenfassung", "fortschritt", "erledigt", "aufgabe", "resumen", "sesión", "tarea", "hecho", "progreso", "résumé", "tâche", "avancement", "resumo", "tarefa", "progresso", "riepilogo", "attività", "итоги", "задача", "сделано",
}

// Words of Chinese, Japanese and Korean sentences.
var (
	cjkTasks = []string{
		"えました", "出しました", "送りました", "作りました", "入れました", "通りました", "通った", "直しました", "修正しました", "変更しました", "追加しました", "更新しました", "確認しました", "対応しました", "実施しました", "話しました", "終わりました", "調べました", "削除しました", "テストしました", "作成しました", "プッシュしました", "コミットしました", "レビューしました", "マージしました", "完了", "済み。", "済み", "対応した", "修正し", "追加した", "更新した", "直した", "終わった", "終了した", "マージした", "話した",
		"已回答", "问了一个问题", "已修复", "已完成", "修复了", "更新了", "改好了", "完成了", "搞定", "已更新", "已合并", "已提交", "测试通过", "已修改", "改了", "讨论了", "已处理", "已解决",
		"수정했", "완료", "수정함", "추가했", "변경했", "고쳤", "업데이트했", "머지했", "했음", "끝냈", "이야기했", "테스트 통과",
	}
	cjkLasting = []string{
		"ため", "ので", "から", "必ず", "禁止", "しない", "使う", "使わ", "すること", "ください", "場合", "とき", "まで", "のみ", "だけ", "決定", "決め", "理由", "になりました", "へ移行", "に変更", "完了後", "完了した", "完了時", "済みの",
		"因为", "必须", "不要", "禁止", "使用", "只", "如果", "时候", "原因", "决定", "不能", "请", "改用", "每次", "之前", "应该", "改为", "成的", "复的", "后再", "完成后", "处理的",
		"때문", "반드시", "금지", "하지", "사용", "만 ", "경우", "이유", "결정", "하세요", "해야", "완료된", "완료 후", "완료되",
	}
	cjkPhrases = []string{
		"テスト", "メモ", "作業メモ", "進行中", "作業中", "明日続ける", "続きは明日", "重要", "覚えておく", "覚えておいて", "後で", "あとで書く", "未定", "なし", "ありがとう", "ありがとうございます", "質問された", "ユーザーが質問した",
		"测试", "備忘", "备注", "备忘", "重要", "记住", "记住这个", "待办", "稍后补充", "待补充", "谢谢", "无", "用户问了一个问题", "用户提问", "用户说谢谢",
		"테스트", "메모", "중요", "기억하기", "나중에", "나중에 작성", "없음", "감사합니다", "사용자가 질문함",
	}
	cjkAdvice = []string{
		"きれいなコード", "高品質", "品質を大切", "ベストプラクティス", "読みやすいコード", "丁寧に作業", "正確に",
		"干净的代码", "代码要干净", "代码质量", "高质量", "最佳实践", "写好代码", "认真工作", "代码要整洁", "注意质量",
		"깨끗한 코드", "좋은 코드", "품질", "모범 사례", "꼼꼼하게",
	}
	cjkProject = []string{
		"プロジェクトはgo", "go言語のプロジェクト", "で書かれたプロジェクト", "コードはsrc", "ソースコードはsrc", "package.json", "readme",
		"项目使用go编写", "编写的项目", "代码在src", "源代码在src", "프로젝트입니다", "로 작성된 프로젝트", "코드는 src", "소스는 src",
	}
)

// isWrittenIn reports whether a sentence tells the programming language of the project.
func isWrittenIn(sentence string) bool {
	for _, pair := range [][2]string{{"项目", "编写的"}, {"プロジェクト", "で書かれて"}, {"프로젝트", "로 작성"}} {
		if strings.Contains(sentence, pair[0]) && strings.Contains(sentence, pair[1]) && len(sentence) <= 75 {
			return true
		}
	}
	return false
}

// classifyCJK returns the class of a sentence in Chinese, Japanese or Korean.
func classifyCJK(sentence string) class {
	plain := strings.ToLower(strings.Trim(sentence, " 。.!！?？「」、，,*-"))
	plain = strings.NewReplacer("사용자", "", "使用者", "").Replace(plain)
	for _, word := range cjkPhrases {
		if plain == word || plain == word+"です" || plain == word+"する" {
			return phrase
		}
	}
	if len(plain) > 120 {
		return useful
	}
	contains := func(words []string) bool {
		for _, word := range words {
			if strings.Contains(plain, word) {
				return true
			}
		}
		return false
	}
	switch {
	case contains(cjkLasting):
		return useful
	case contains(cjkTasks):
		return task
	case contains(cjkAdvice) && len(plain) <= 75:
		return advice
	case contains(cjkProject) && len(plain) <= 75, isWrittenIn(plain):
		return project
	}
	return useful
}
