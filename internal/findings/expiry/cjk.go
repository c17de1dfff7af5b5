package expiry

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// A date in Chinese, Japanese or Korean is a sequence of numbers and units: 2025年12月14日,
// 12월 14일, 3月末. Words follow it without a space. So units and relative phrases are tokens.

// Units after a number, and parts of a month or year after a unit.
var (
	cjkUnits = []string{"年度", "年", "년", "月份", "月", "월", "日", "号", "號", "일", "季度", "四半期"}
	cjkParts = []string{"上旬", "中旬", "下旬", "중순", "半ば", "初", "末", "底", "초", "말", "第"}
)

// cjkPiece returns the length of the token at the start of a text, which starts with a character
// of these scripts. previous is the token before it.
func cjkPiece(text string, previous token) int {
	switch {
	case previous.kind == digitToken:
		if n := prefixOf(text, cjkUnits); n > 0 {
			return n
		}
	case previous.kind == cjkToken && prefixOf(previous.text, cjkUnits) == len(previous.text):
		if n := prefixOf(text, cjkParts); n > 0 {
			return n
		}
	case previous.kind == cjkToken && (strings.HasSuffix(previous.text, "이번") || strings.HasSuffix(previous.text, "다음")):
		if n := prefixOf(text, []string{"주", "달"}); n > 0 {
			return n
		}
	}
	for i, r := range text {
		if !isCJK(r) {
			return i
		}
		switch r {
		case '今', '本', '오', '明', '내', '这', '이', '来', '下', '다', '月', '年', '연':
			n := prefixOf(text[i:], cjkPhrases)
			if n > 0 && i > 0 {
				return i
			}
			if n > 0 {
				return n
			}
		}
	}
	return len(text)
}

// prefixOf returns the length of the longest of the prefixes that text has, or 0.
func prefixOf(text string, prefixes []string) int {
	longest := 0
	for _, prefix := range prefixes {
		if len(prefix) > longest && strings.HasPrefix(text, prefix) {
			longest = len(prefix)
		}
	}
	return longest
}

// unitAt reports whether token i is one of the units.
func (r *reader) unitAt(i int, units ...string) bool {
	t := r.at(i)
	return t.kind == cjkToken && slices.Contains(units, t.text)
}

// cjkYear reads a date that starts with a year before a unit.
func (r *reader) cjkYear(i int) (date, bool) {
	year := r.at(i).value
	if !r.unitAt(i+1, "年度", "年", "년") {
		// The year is followed by other words, as in 到2025为止.
		return date{from: i, to: i + 1, last: day(year, 12, 31), needsCue: true}, true
	}
	j := i + 2
	if r.at(j).kind == digitToken {
		if d, ok := r.cjkMonth(j, year); ok {
			d.from = i
			return d, true
		}
	}
	d := date{from: i, to: j, last: day(year, 12, 31), needsCue: true}
	switch {
	case r.unitAt(j, "底", "末", "말"):
		d.to = j + 1
	case r.unitAt(j, "第"):
		if n := r.at(j + 1); isShort(n, 1, 4) && r.unitAt(j+2, "季度", "四半期") {
			d.to, d.last = j+3, endOfPart("q", n.value, year)
		}
	case r.at(j).text == "q" && isShort(r.at(j+1), 1, 4):
		d.to, d.last = j+2, endOfPart("q", r.at(j+1).value, year)
	}
	return d, true
}

// cjkMonth reads the month and the day that follow a year. year is 0 if the text has none.
func (r *reader) cjkMonth(i, year int) (date, bool) {
	m := r.at(i)
	if !isShort(m, 1, 12) || !r.unitAt(i+1, "月份", "月", "월") {
		return date{}, false
	}
	if n := r.at(i + 2); isShort(n, 1, 31) && r.unitAt(i+3, "日", "号", "號", "일") {
		d, ok := r.dayDate(i, i+4, year, m.value, n.value)
		// 8月12日から17日まで
		if to := r.at(i + 5); ok && r.isCJKTo(i+4) && isShort(to, n.value+1, 31) && r.unitAt(i+6, "日", "号", "號", "일") {
			second, isDay := r.dayDate(i, i+7, d.last.Year(), m.value, to.value)
			second.relative, second.isRange = d.relative, true
			return second, isDay
		}
		return d, ok
	}
	d, ok := r.monthDate(i, i+2, year, m.value)
	if !ok {
		return d, false
	}
	y, month := d.last.Year(), int(d.last.Month())
	ends := func(last time.Time) { d.last, d.to = last, d.to+1 }
	switch {
	case r.unitAt(i+2, "上旬", "初", "초"):
		ends(day(y, month, 10))
	case r.unitAt(i+2, "中旬", "중순", "半ば"):
		ends(day(y, month, 20))
	case r.unitAt(i+2, "下旬", "末", "底", "말"):
		ends(d.last)
	}
	return d, true
}

// isCJKTo reports whether token i is between the ends of a range.
func (r *reader) isCJKTo(i int) bool {
	switch r.at(i).text {
	case "から", "至", "到", "부터", "-", "–", "~", "〜", "～", "－":
		return true
	}
	return false
}

// cjkPeriods maps the relative phrases.
var cjkPeriods = map[string]period{
	"今天": thisDay, "今日": thisDay, "本日": thisDay, "오늘": thisDay, "明天": nextDay, "明日": nextDay, "내일": nextDay,
	"今週末": thisWeek, "今週": thisWeek, "本周": thisWeek, "这周": thisWeek, "本週": thisWeek, "이번주": thisWeek,
	"来週": nextWeek, "下周": nextWeek, "다음주": nextWeek, "今月末": endOfMonth, "今月": thisMonth, "本月底": endOfMonth, "本月": thisMonth, "月底": endOfMonth,
	"来月": nextMonth, "下个月": nextMonth, "下月": nextMonth, "年末": endOfYear, "年底": endOfYear, "年内": endOfYear, "연말": endOfYear,
}

// cjkPhrases lists the keys of cjkPeriods.
var cjkPhrases = slices.Sorted(maps.Keys(cjkPeriods))

// cjkRelative reads a relative phrase, or a Korean one of two words.
func (r *reader) cjkRelative(i int) (date, bool) {
	if r.written.IsZero() {
		return date{}, false
	}
	t, next := r.at(i), r.at(i+1)
	if name, ok := cjkPeriods[t.text]; ok {
		return date{from: i, to: i + 1, last: r.lastOf(name), relative: true, isDay: true, isToday: name == thisDay}, true
	}
	isThis, isNext := strings.HasSuffix(t.text, "이번"), strings.HasSuffix(t.text, "다음")
	if !isThis && !isNext || next.text != "주" && next.text != "달" {
		return date{}, false
	}
	name := thisWeek
	switch {
	case isNext && next.text == "주":
		name = nextWeek
	case isNext:
		name = nextMonth
	case next.text == "달":
		name = thisMonth
	}
	return date{from: i, to: i + 2, last: r.lastOf(name), relative: true, isDay: true}, true
}

// Words around a date in these languages. They directly follow or precede it.
var (
	cjkLimitAfter = []string{
		"までに", "まで", "迄", "を期限", "が期限", "に期限", "が締", "締切", "締め切り", "〆切", "に終了", "に失効", "で終了", "に切れ", "で切れ", "に廃止", "で廃止", "が最終", "中に", "いっぱい", "期限", "に満了",
		"为止", "為止", "之前", "截止", "到期", "过期", "過期", "失效", "结束", "結束", "止", "前必须", "前完成", "前", "内", "到期日", "终止", "下线",
		"까지", "에 만료", "에 종료", "에 마감", "만료", "종료", "마감", "전까지", "이전에", "한까지", "한",
	}
	cjkLimitBefore = []string{
		"有効期限", "期限", "締切", "締め切り", "〆切", "期日", "納期", "最終日", "終了日", "満了日", "契約終了", "デッドライン",
		"截止到", "截至", "截止日期", "截止时间", "截止", "有效期至", "有效期到", "有效期", "直到", "到期日", "到期时间", "到", "至", "期限", "最晚", "不晚于", "最后期限", "过期时间", "合同到期", "结束于", "最迟",
		"마감일", "마감", "기한", "유효기간", "만료일", "종료일", "납기", "마감 기한",
	}
	cjkStart = []string{
		"から", "以降", "以来", "より", "以後", "に開始", "時点", "現在", "付け", "の時点", "に決定", "に決", "の会議", "の障害", "の定例", "のインシデント", "に発生", "に公開", "にリリースされ", "にリリースし", "に導入", "に更新", "に確認", "に作成", "生まれ", "のログ", "の打ち合わせ", "のミーティング", "の議事録",
		"起", "开始", "開始", "以后", "之后", "后", "後", "决定", "的会议", "的故障", "发布了", "发布的", "上线了", "更新", "确认", "记录", "出生", "创建", "的数据", "之前的", "前的", "以前的",
		"부터", "이후", "시점", "현재", "기준", "에 결정", "에 발생", "장애", "에 확인", "회의에서", "출시했", "에 도입", "에 생성", "생",
	}
	cjkPast = []string{
		"でした", "ました", "だった", "ていた", "ていました", "かつて", "以前は", "当時", "した。", "であった", "された。", "していた", "解除済", "決めた", "済み", "済。", "いたが", "ったが", "でいた", "った。", "んだ。", "いた。",
		"曾", "当时", "過去", "过去", "原来", "那时", "已经结束", "已结束", "已解除", "以前用过", "之前用过", "一直用", "已", "现在用", "现在改", "如今", "决定", "发生", "发布了", "修复了",
		"했다", "했습니다", "였다", "였습니다", "이었다", "었다", "았다", "었습니다", "았습니다", "왔지만", "했지만", "였지만", "지만 지금", "다가 지금", "완료", "했음", "당시", "예전", "과거에",
	}
	cjkExtend = []string{
		"延長", "延期", "延长", "推迟", "변경", "연장", "연기", "変更", "になりました", "になった", "ことにな", "決まりました", "決まった", "現在は", "改为", "改到", "新しい期限", "顺延",
	}
	cjkState = []string{
		"凍結", "フリーズ", "休暇", "休み", "不在", "育休", "産休", "メンテナンス", "メンテ", "停止", "スプリント", "試用", "トライアル", "一時", "暫定", "禁止", "有効", "出張", "当番", "制限", "契約", "利用不可", "使えない", "使用不可", "休業", "不可", "期間", "休み",
		"冻结", "封板", "封网", "休假", "请假", "产假", "出差", "维护", "禁止", "暂停", "有效", "临时", "试用", "冲刺", "值班", "维護", "合同", "暂时", "迭代", "期间", "放假", "假期", "不可用", "无法使用", "停用",
		"동결", "프리즈", "휴가", "부재", "점검", "중단", "금지", "유효", "임시", "체험", "스프린트", "출장", "당번", "육아휴직", "계약", "무료", "사용 불가", "기간", "휴무", "불가",
	}
	cjkEvent = []string{
		"予定", "リリース予定", "メンテナンス", "ローンチ", "移行", "公開予定", "締切", "期限", "発表会", "切り替え",
		"计划", "预定", "将于", "将在", "即将", "上线", "发布会", "维护", "迁移", "切换", "截止", "交付", "提交",
		"예정", "계획", "점검", "출시", "마감", "이전", "오픈",
	}
	cjkData = []string{"データ", "ログ", "レコード", "注文", "请求", "数据", "订单", "日志", "记录", "데이터", "로그", "주문", "기록"}
)

// hasCJK reports whether one of the tokens is of these scripts.
func (j *judge) hasCJK(from, to int) bool {
	for i := from; i < to; i++ {
		if j.tokens[i].kind == cjkToken {
			return true
		}
	}
	return false
}

// dependsOnCJK is dependsOn for a sentence in these scripts, the tokens [from, to).
func (j *judge) dependsOnCJK(d date, from, to int) bool {
	sentence := j.text(from, to)
	start, end := j.tokens[d.from].start, j.tokens[d.to-1].end
	before, after := j.source[j.tokens[from].start:start], j.source[end:j.tokens[to-1].end]
	if strings.Contains(sentence, "例") || strings.Contains(sentence, "예:") || strings.Contains(sentence, "예를") {
		return false
	}
	if d.relative && strings.ContainsAny(sentence, "毎每매") {
		return false
	}
	// The past tense is at the end of the clause, in Chinese anywhere in it.
	isPast := containsAny(after, cjkPast) && !containsAny(sentence, cjkExtend)
	after = trimTime(after)
	limit, begins := prefixOf(after, cjkLimitAfter), prefixOf(after, cjkStart)
	switch {
	case begins > limit:
		return false
	case limit > 0:
		return !isPast && !isDataAfter(after[limit:])
	}
	before = strings.TrimRight(before, " \t:：,，、()（）*はがをに은는이가为為是")
	if suffixOf(before, []string{"已于", "已在", "已經於"}) > 0 {
		return false
	}
	if n := suffixOf(before, cjkLimitBefore); n > 0 {
		if strings.HasSuffix(before, "截至") && isClauseStart(before[:len(before)-len("截至")]) && !containsAny(after, cjkState) {
			return false
		}
		return !isPast
	}
	if d.needsCue || isPast || d.isToday && !containsAny(sentence, cjkState) {
		return false
	}
	if containsAny(sentence, cjkEvent) {
		return true
	}
	return d.isRange && j.isAhead(d) || (d.isRange || d.relative) && containsAny(sentence, cjkState)
}

// isClauseStart reports whether a text ends where a clause can start.
func isClauseStart(before string) bool {
	before = strings.TrimRight(before, " \t*")
	return before == "" || strings.HasSuffix(before, "，") || strings.HasSuffix(before, "：") || strings.HasSuffix(before, ",")
}

// isDataAfter reports whether a limit divides data, as in 12月までのデータ.
func isDataAfter(after string) bool {
	after = strings.TrimPrefix(strings.TrimPrefix(after, "の"), "的")
	return prefixOf(strings.TrimSpace(after), cjkData) > 0
}

// trimTime removes spaces, a weekday in brackets and a time of day from the start of a text.
func trimTime(text string) string {
	for {
		trimmed := strings.TrimLeft(text, " \t0123456789:：時点时分시*")
		for _, pair := range [][2]string{{"(", ")"}, {"（", "）"}} {
			if rest, ok := strings.CutPrefix(trimmed, pair[0]); ok {
				if n := strings.Index(rest, pair[1]); n >= 0 && n <= 12 {
					trimmed = rest[n+len(pair[1]):]
				}
			}
		}
		if trimmed == text {
			return text
		}
		text = trimmed
	}
}

// containsAny reports whether text contains one of the words.
func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// suffixOf returns the length of the longest of the suffixes that text has, or 0.
func suffixOf(text string, suffixes []string) int {
	longest := 0
	for _, suffix := range suffixes {
		if len(suffix) > longest && strings.HasSuffix(text, suffix) {
			longest = len(suffix)
		}
	}
	return longest
}
