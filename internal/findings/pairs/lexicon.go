package pairs

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// table returns a map from the words of each line to the first word of the line.
func table(lines string) map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(lines) {
		group := strings.Fields(line)
		for _, word := range group {
			of[word] = group[0]
		}
	}
	return of
}

func set(list string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(list) {
		all[word] = true
	}
	return all
}

// calendar are the names of weekdays and months, folded. Months start with m:.
var calendar = table(`
w:1 monday mondays montag montags lunes lundi понедельник понедельникам
w:2 tuesday tuesdays dienstag dienstags martes mardi вторник вторникам
w:3 wednesday wednesdays mittwoch mittwochs miercoles mercredi среда среду средам
w:4 thursday thursdays donnerstag donnerstags jueves jeudi четверг четвергам
w:5 friday fridays freitag freitags viernes vendredi пятница пятницу пятницам
w:6 saturday saturdays samstag samstags sabado sabados samedi суббота субботу субботам
w:7 sunday sundays sonntag sonntags domingo domingos dimanche воскресенье воскресеньям
every:day daily nightly taglich täglich nachtlich diario diaria diariamente quotidien ежедневно
every:hour hourly stundlich
every:week weekly wochentlich semanal semanalmente hebdomadaire еженедельно
every:month monthly monatlich mensual mensuel ежемесячно
every:quarter quarterly
every:year yearly annually jahrlich anual annuel
m:1 january jan januar enero janvier января январь
m:2 february feb februar febrero fevrier февраля февраль
m:3 mar marz maerz marzo марта
m:4 april apr abril avril апреля апрель
m:5 mai mayo мая
m:6 june jun juni junio juin июня июнь
m:7 july jul juli julio juillet июля июль
m:8 august aug agosto aout августа август
m:9 september sept sep septiembre septembre сентября сентябрь
m:10 october oct oktober octubre octobre октября октябрь
m:11 november nov noviembre novembre ноября ноябрь
m:12 december dec dezember diciembre decembre декабря декабрь
`)

// numerals are small numbers in words. One is omitted, because it is also an article.
var numerals = table(`
2 two twice zwei zweimal dos deux два две двух
3 three thrice drei tres trois три трёх трех
4 four vier cuatro quatre четыре
5 five funf fuenf cinco cinq пять
6 six sechs seis шесть
7 seven sieben siete sept семь
8 eight acht ocho huit восемь
9 nine neun nueve neuf девять
10 ten zehn diez dix десять
12 twelve zwolf doce douze
`)

// scopes are environments and regions. Facts about two of them do not contradict each other.
var scopes = table(`
staging stage preprod preproduction stagingumgebung recette стейджинг стейджинге
production prod produktion produktionsumgebung produccion prodserver продакшн продакшен продакшене проде прод
development dev desarrollo entwicklungsumgebung
sandbox
canary
uat
qa
eu europe emea europa
us usa
uk
apac asia
latam
germany deutschland alemania allemagne
norway norwegen noruega norvège
sweden schweden suecia suède
denmark dänemark danemark dinamarca
france frankreich francia
spain spanien españa espana espagne
italy italien italia italie
japan japón japon
china
poland polen polonia pologne
austria österreich osterreich
switzerland schweiz suiza suisse
netherlands niederlande
`)

// run is characters of a script without spaces that have a class together.
type run struct {
	text, key string
	class     class
}

// runs are by their first character, longer ones before shorter ones.
var runs = func() map[string][]run {
	by := map[string][]run{}
	for text, r := range map[string]run{
		"production": {text: "本番 生产 生產 運用 운영 프로덕션", class: scope}, "staging": {text: "検証 ステージング 预发 スタージング 스테이징", class: scope},
		"development": {text: "開発環境 开发环境 개발환경", class: scope}, "testing": {text: "测试环境 テスト環境", class: scope},
		"japan": {text: "日本", class: scope}, "china": {text: "中国", class: scope}, "korea": {text: "韓国 韩国 한국", class: scope},
		"w:1": {text: "月曜 星期一 周一 礼拜一 월요일", class: date}, "w:2": {text: "火曜 星期二 周二 礼拜二 화요일", class: date},
		"w:3": {text: "水曜 星期三 周三 礼拜三 수요일", class: date}, "w:4": {text: "木曜 星期四 周四 礼拜四 목요일", class: date},
		"w:5": {text: "金曜 星期五 周五 礼拜五 금요일", class: date}, "w:6": {text: "土曜 星期六 周六 礼拜六 토요일", class: date},
		"w:7":       {text: "日曜 星期日 星期天 周日 礼拜天 일요일", class: date},
		"every:day": {text: "毎日 每天 每日 매일", class: date}, "every:week": {text: "毎週 每周 每週 매주", class: date}, "every:month": {text: "毎月 每月 매월", class: date},
		"not": {text: "ません しない ない 禁止 不要 不能 不再 不可 不是 没有 不 别发 别用 别改 别再 않 마세요 금지", class: negation},
	} {
		for _, part := range strings.Fields(r.text) {
			first, _ := utf8.DecodeRuneInString(part)
			by[string(first)] = append(by[string(first)], run{part, text, r.class})
		}
	}
	for _, all := range by {
		slices.SortFunc(all, func(r, s run) int { return cmp.Or(len(s.text)-len(r.text), strings.Compare(r.text, s.text)) })
	}
	return by
}()

var negations = set(`
not no never nothing none nobody don't dont doesn't isn't aren't won't can't cannot mustn't shouldn't without stop avoid neither nor
nicht nichts kein keine keinen keinem keiner nie niemals ohne
ne pas jamais sans aucun aucune
nunca nada jamás jamas sin ningún ninguno ninguna
не нет никогда нельзя без
não nao nem
`)

// restricting are stems of words with which a text can say "not" in another way.
var restricting = set("only nur solo seulement uniquement excepto salvo except unless außer только лишь")

// versioned are names of programs that a version follows.
var versioned = set(`version versions node nodejs go golang python java jdk postgres postgresql mysql mariadb redis ruby rails react vue angular
	svelte django flask php laravel kubernetes k8s terraform ubuntu debian alpine typescript rust dotnet swift kotlin gradle maven webpack vite
	next nextjs ios android macos windows chrome firefox helm nginx kafka elasticsearch opensearch mongo mongodb spring sqlite clickhouse
	grafana prometheus tailwind eslint pnpm npm yarn bun deno xcode llvm gcc clang cuda pytorch numpy pandas openssl tls http api`)

// opposites are words that contradict each other, folded, one pair a line.
var opposites = func() map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(`
enabled disabled
enable disable
on off
always never
allowed forbidden
allowed prohibited
allow forbid
allow block
required optional
mandatory optional
public private
manual automatic
manually automatically
before after
true false
tabs spaces
include exclude
internal external
synchronous asynchronous
sync async
open closed
supported unsupported
safe unsafe
first last
merge rebase
squash rebase
rebased merged
likes dislikes
light dark
upper lower
singular plural
must may
active inactive
above below
with without
single double
american british
erlaubt verboten
aktiviert deaktiviert
aktiv inaktiv
immer nie
vorher nachher
manuell automatisch
activado desactivado
habilitado deshabilitado
siempre nunca
permitido prohibido
active desactive
toujours jamais
obligatoire facultatif
включен выключен
включена выключена
всегда никогда
вручную автоматически
`)) {
		pair := strings.Fields(line)
		of[pair[0]] += " " + pair[1] + " "
		of[pair[1]] += " " + pair[0] + " "
	}
	return of
}()

func areOpposite(a, b string) bool { return strings.Contains(opposites[a], " "+b+" ") }

// canonical returns the common spelling of words that mean the same in notes about software.
func canonical(stem string) string {
	if one, ok := synonyms[stem]; ok {
		return one
	}
	return stem
}

// synonyms are English stems, one meaning a line.
var synonyms = table(`
databas db
pr prs
repo repositori
config configur
doc document
deploy deploi releas rollout ship
kubernet k8s
postgr postgresql
env environ
`)
