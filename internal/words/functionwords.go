package words

import "strings"

// IsFunctionWord reports whether a folded word has no meaning for search in that language: it is
// grammatical, or people address an agent with it.
func IsFunctionWord(word string, of Language) bool { return functionWords[of][word] }

// languages are the languages with known function words, in order of preference.
var languages = []Language{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "tr", "ru"}

// functionWords are words without a meaning for search, folded as All does: grammatical words, and
// words with which people address an agent.
var functionWords = func() map[Language]map[string]bool {
	sets := map[Language]map[string]bool{}
	for of, list := range map[Language]string{
		"en": `a about above after again against ain all also am an and any anyone anything are aren around as at away back be because
			been before being below between both but by bye came can cannot come comes could couldn did didn do does doesn doing don
			done down during each either else etc ever every everything few first for from further get gets getting give given go goes
			going gonna gone got had hadn has hasn have haven having he hello help her here hers herself hey hi him himself his how
			however i if im in into is isn it its itself just keep kind know last least less let lets like ll look lot made make makes
			making many may maybe me mean might mine more most much must my myself need needs neither never new next no none nor not
			nothing now of off ok okay on once one ones only onto or other our ours ourselves out over own per please put quick quickly
			quite rather re really right s said same say see seem seems set shall she should shouldn show since so some somebody
			someone something soon sorry still stuff such sure t take tell than thank thanks that the their theirs them themselves then
			there these they thing things think this those though through thus to today together too try trying two under until up upon
			us use used uses using ve very via want wants was wasn way we well went were weren what whatever when where whether which
			while who whoever whole whom whose why will with within without won would wouldn yeah yep yes yet you your yours yourself
			actually anyway basically btw currently hmm idea ideas instead ive lol pls question remember remind right thx wanna
			wonder wondering correct properly proper exactly again always already`,
		"de": `aber als am an auch auf aus bei bin bis bitte da damit dann das dass dein deine dem den denn der des dich die dies diese
			diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es etwas euch fur gibt habe haben hast hat
			hatte hier ich ihm ihn ihr im in ist ja jede jeder jedes kann kannst kein keine konnen konnte mal man mehr mein meine mich
			mir mit mochte muss nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so soll sollen sollte uber um und uns
			unser unsere unter vom von vor wann war warum was welche welchem welchen welcher welches wenn wer werden wie wieder will wir
			wird wo woher wohin wurde zu zum zur`,
		"fr": `a ai alors as au aussi aux avec avez avons bien c ca car ce cela ces cet cette comme comment d dans de des deja dois doit
			donc du elle elles en encore es est et etait etre eu faire fait faut il ils j je l la le les leur leurs lui m ma mais me
			meme mes moi mon n ne nos notre nous on ont ou par parce pas peu peut peux plus pour pourquoi pouvez qu quand que quel quelle
			quelles quels qui quoi s sa sans se ses si sont sous sur ta te tes toi ton tous tout toute toutes tres tu un une va vais veux
			vos votre vous y`,
		"es": `a al algo algun alguna ante antes aqui asi aun aunque cada como con cual cuales cuando de del desde donde e el ella ellos
			en entonces era es esa ese eso esta estan estas este esto estos fue ha hace hacer han hasta hay la las le les lo los mas me
			mi mis muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero por porque puede puedo que quien quiero se sea
			segun ser si sido sin sobre solo son soy su sus tambien tan te tengo ti tiene tienen todo todos tu tus un una uno unos usted
			ya yo`,
		"it": `a ai al alla alle allo anche che chi ci cio come con cosa cui da dai dal dalla dei del della delle di dove e ed era essere
			fa fare gli ha hai hanno ho i il in io l la le lei lo loro lui ma me mi mia mio molto ne nel nella noi non nostra nostro o
			ogni per perche piu poi posso puo qual quale quali quando quella quello questa questo qui se sei si sia sono su sua sul sulla
			suo te ti tra tu tua tuo tutti tutto un una uno va voi voglio`,
		"pt": `a ao aos as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entao era essa esse esta este eu
			foi fazer isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o os ou para pela
			pelo pode por porque posso qual quais quando que quem quero se sem ser seu sua so sobre sao tambem te tem tenho ter tudo um
			uma voce voces`,
		"nl": `aan al als altijd ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen had heb hebben heeft hem
			het hier hij hoe hun ik in is ja je jij jullie kan kun kunnen maar me meer met mij mijn moet moeten na naar niet niets nog nu
			of om omdat onder ons ook op over te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was wat we wel
			welke werd wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou`,
		"sv": `alla att av bara blir da de deg den denna det detta dig din ditt du eller en er ett fran for har hon han hur i icke in inte
			jag kan kom man med men mig min mitt mot mycket nar ni nu nagon nagot och om oss pa ska sig sin sitt som sa till under upp
			ut vad var varfor vara vem vi vid vilken vill ar over`,
		"da": `af alle at blev bliver da de dem den der deres det dette dig din disse du efter eller en er et for fra ham han har havde
			hende her hos hun hvad hvem hvis hvor hvordan hvorfor i ikke ind jeg jer jo kan kun man mange med meget men mig min mit mod
			nar ned nogle noget nu og ogsa om op os over pa sa sig sin skal som til ud under vi vil ville var vores`,
		"no": `alle at av ble blir da de deg den denne der deres det dette din disse du eller en er et ett fra for ham han har hva hvem
			hvis hvor hvordan hvorfor hun i ikke inn jeg kan kun man med meg men min mitt mot mye na nar ned noe noen og ogsa om opp oss
			over pa sa seg sin skal som til ut under var vare vi vil ville var`,
		"fi": `ei en ennen eri ettei etta han he ja jo joka jos kaikki kanssa kuin kun kuka me mika miksi missa miten mita mutta myos
			ne niin nyt olen oli on ole olla ovat paitsi se sen siina sita tai tama te tuo vai vain voi voiko voin`,
		"tr": `acaba ama ancak bana ben beni benim bir biz bu bunu cok da daha de defa degil diye en gibi hangi hem hep hepsi her hic
			icin ile ise kadar kim mi mu nasil ne neden nerede niye o olan olarak oldu olur onu sana sen siz su ve veya ya yani yok var`,
		"ru": `а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще же
			за здесь и из или им их к как какая какие какой когда кто ли мне можно мой мы на над надо нам нас не него нет ни но ну о об
			он она они оно от очень по под почему при с сам себя со так также там то того тоже только том ты у уже хочу чего чем что
			чтобы эта эти это этого этой этот я`,
	} {
		sets[of] = map[string]bool{}
		for _, word := range strings.Fields(list) {
			sets[of][word] = true
		}
	}
	return sets
}()
