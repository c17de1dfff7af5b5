package frontmatter

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf16 "golang.org/x/text/encoding/unicode"
)

const (
	// minPlausible is the score from which a decoding is offered. For 14 texts, each decoded as six
	// encodings, wrong decodings score up to 0.75 and right ones from 0.7.
	minPlausible = 0.25
	// minConvincing is the score from which the best decoding is marked as guessed.
	minConvincing = 0.5
	// maxScored is how many non-ASCII characters of a text are scored. It is arbitrary.
	maxScored = 20_000
)

// decoding is the text of a file in an encoding other than UTF-8.
type decoding struct {
	id    string // of the fix
	name  string // of the encoding
	text  []byte // UTF-8
	score float64
}

// legacyEncodings are the encodings without NUL that are tried. weight rates a character that is
// not ASCII: 1 if it is usual in texts of this encoding, 0 if it never occurs.
var legacyEncodings = []struct {
	id, name string
	encoding encoding.Encoding
	weight   func(before, r, after rune) float64
}{
	{"gb18030", "GB18030", simplifiedchinese.GB18030, chineseWeight},
	{"shift_jis", "Shift_JIS", japanese.ShiftJIS, japaneseWeight},
	{"euc-kr", "EUC-KR", korean.EUCKR, koreanWeight},
	{"big5", "Big5", traditionalchinese.Big5, chineseWeight},
	{"windows-1252", "Windows-1252", charmap.Windows1252, westernWeight},
}

// guessDecodings returns the plausible decodings of a file, each as UTF-8, best first. Windows-1252
// is among them whenever it can decode the file. If the file is plausible as UTF-16, guessDecodings
// returns only that decoding. Otherwise it returns nil if the file is UTF-8, has a NUL, or no
// encoding decodes it.
func guessDecodings(raw []byte) []decoding {
	if wide := guessUTF16(raw); wide != nil {
		return wide
	}
	if bytes.IndexByte(raw, 0) >= 0 || utf8.Valid(raw) {
		return nil
	}
	var all []decoding
	for _, e := range legacyEncodings {
		best := decoding{id: e.id, name: e.name}
		for _, decode := range []decoder{decodeWhole, decodeLines, decodeBytes} {
			text, ok := decode(raw, e.encoding)
			if !ok {
				continue
			}
			if score := scoreOf(string(text), e.weight); best.text == nil || score > best.score {
				best.text, best.score = text, score
			}
		}
		// Windows-1252 is offered for low scores too, because it loses nothing if it decodes at all.
		if best.text != nil && (best.score >= minPlausible || e.encoding == charmap.Windows1252) {
			all = append(all, best)
		}
	}
	slices.SortStableFunc(all, func(a, b decoding) int { return cmp.Compare(b.score, a.score) })
	return all
}

// decoder returns a file as UTF-8. ok is false if the encoding cannot decode it.
type decoder func(raw []byte, e encoding.Encoding) (text []byte, ok bool)

// decodeLines decodes only the lines that are not UTF-8, each alone: in the encodings tried, no
// character ends with a line feed byte. ok is false if one of them cannot be decoded.
func decodeLines(raw []byte, e encoding.Encoding) (text []byte, ok bool) {
	for line := range bytes.Lines(raw) {
		if !utf8.Valid(line) {
			if line, ok = decodeWhole(line, e); !ok {
				return nil, false
			}
		}
		text = append(text, line...)
	}
	return text, true
}

// decodeBytes decodes only the bytes that are not UTF-8. ok is false if e is not a single-byte
// encoding, or has no character for one of these bytes.
func decodeBytes(raw []byte, e encoding.Encoding) (text []byte, ok bool) {
	single, ok := e.(*charmap.Charmap)
	if !ok {
		return nil, false
	}
	text = mapInvalid(raw, func(b byte) rune {
		r := single.DecodeByte(b)
		ok = ok && r != utf8.RuneError
		return r
	})
	return text, ok
}

func decodeWhole(raw []byte, e encoding.Encoding) (text []byte, ok bool) {
	text, err := e.NewDecoder().Bytes(raw)
	if err != nil || bytes.ContainsRune(text, utf8.RuneError) || bytes.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	return text, true
}

// guessUTF16 returns the decoding of a file as UTF-16, with or without byte order mark, as the only
// element. It returns nil if the file is not plausible UTF-16.
func guessUTF16(raw []byte) []decoding {
	if len(raw) == 0 || len(raw)%2 != 0 {
		return nil
	}
	marked := bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff})
	if marked {
		text, ok := decodeWhole(raw, utf16.UTF16(utf16.LittleEndian, utf16.ExpectBOM))
		if !ok {
			return nil
		}
		return []decoding{{id: "utf-16", name: "UTF-16", text: text, score: 1}}
	}
	// Valid UTF-8 can be UTF-16 only if most of it is ASCII, with a NUL in each character. A few
	// NULs are damage.
	if utf8.Valid(raw) && 4*bytes.Count(raw, []byte{0}) < len(raw) {
		return nil
	}
	for _, order := range []struct {
		id, name string
		endian   utf16.Endianness
		feed     []byte
	}{
		{"utf-16le", "UTF-16 (little-endian)", utf16.LittleEndian, []byte{'\n', 0}},
		{"utf-16be", "UTF-16 (big-endian)", utf16.BigEndian, []byte{0, '\n'}},
	} {
		// A line feed has a NUL in UTF-16. In the wrong byte order it is U+0A00, which no script
		// uses.
		if !bytes.Contains(raw, order.feed) {
			continue
		}
		text, ok := decodeWhole(raw, utf16.UTF16(order.endian, utf16.IgnoreBOM))
		if !ok || !strings.ContainsRune(string(text), '\n') || bytes.ContainsRune(text, '\u0a00') {
			continue
		}
		if score := scoreOf(string(text), wideWeight); score >= minPlausible {
			return []decoding{{order.id, order.name, text, score}}
		}
	}
	return nil
}

// scoreOf returns the average weight of the first maxScored non-ASCII characters of a text, or 1 if
// the text has only ASCII.
func scoreOf(text string, weight func(before, r, after rune) float64) float64 {
	n, sum := 0, 0.0
	before := ' '
	for i, r := range text {
		if r >= utf8.RuneSelf {
			after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			sum += weight(before, r, after)
			if n++; n == maxScored {
				break
			}
		}
		before = r
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

// eastAsianPunctuation reports whether r is punctuation in Chinese, Japanese or Korean texts, or a
// full-width form of an ASCII character.
func eastAsianPunctuation(r rune) bool {
	return r >= 0x3000 && r <= 0x3015 || r >= 0xff01 && r <= 0xff5e ||
		strings.ContainsRune("‘’“”…—·→", r)
}

func chineseWeight(_, r, _ rune) float64 {
	switch {
	case eastAsianPunctuation(r):
		return 0.8
	case commonHan[r]:
		return 1
	case gb2312Level1()[r]:
		return 0.5
	case unicode.Is(unicode.Han, r):
		return 0.15
	}
	return 0
}

func japaneseWeight(_, r, _ rune) float64 {
	switch {
	case eastAsianPunctuation(r):
		return 0.8
	case r >= 0x3041 && r <= 0x30fe: // hiragana and katakana
		return 1
	case r >= 0xff61 && r <= 0xff9f: // half-width katakana: a single byte
		return 0.1
	case commonHan[r]:
		return 0.9
	case unicode.Is(unicode.Han, r):
		return 0.4
	}
	return 0
}

func koreanWeight(_, r, _ rune) float64 {
	switch {
	case eastAsianPunctuation(r):
		return 0.8
	case commonHangul[r]:
		return 1
	case unicode.Is(unicode.Hangul, r):
		return 0.75
	case unicode.Is(unicode.Han, r):
		return 0.05
	}
	return 0
}

// westernWeight returns a high weight for typographic signs and for a non-ASCII letter next to an
// ASCII letter. It returns a low one for two non-ASCII characters in a row and for other signs.
func westernWeight(before, r, after rune) float64 {
	switch {
	case strings.ContainsRune("‘’“”„…–—•€£°©®«»§·´\u00a0", r):
		return 0.8
	case !unicode.IsLetter(r):
		return 0.1
	case before >= utf8.RuneSelf || after >= utf8.RuneSelf:
		return 0.15
	case unicode.IsLetter(before) || unicode.IsLetter(after):
		return 0.9
	}
	return 0.4
}

// wideWeight returns 1 for each printable character, white space and byte order mark, else 0:
// random bytes rarely decode to printable characters in UTF-16.
func wideWeight(_, r, _ rune) float64 {
	if unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '\ufeff' {
		return 1
	}
	return 0
}

// gb2312Level1 returns the 3,755 frequent characters of GB 2312, whose first byte is B0 to D7.
var gb2312Level1 = sync.OnceValue(func() map[rune]bool {
	var codes []byte
	for first := 0xb0; first <= 0xd7; first++ {
		for second := 0xa1; second <= 0xfe; second++ {
			codes = append(codes, byte(first), byte(second))
		}
	}
	text, _ := simplifiedchinese.GBK.NewDecoder().Bytes(codes) // five codes are unassigned
	return setOf(string(text))
})

// commonHan are frequent Chinese characters, simplified and traditional, and technical words.
var commonHan = setOf(
	"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方"+
		"多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知"+
		"全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加月话合回特代内信表化老给世位次度门任常先"+
		"海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管"+
		"期市直德资命山金指克许统区保至队形社便空决治展司五基眼书非则听白却界达光放强即像难且权思完设式色路记南品住告类求据程北边死张该"+
		"交规万取拉格望觉术领共确传师观清今切院让识候带导争运测试环境署配置库码服器户项错误执版请改写读存每周禁止默认语言脚按键",
	"這個們來為國說時會對過發後裡種經學現當沒動還進樣開從實軍無與長機關點業將兩間問並應戰頭體見產給門東聲員論處義幾認條氣題變總電"+
		"數報結務場計資許統區隊決書則聽達難權設記類據邊張該規萬覺術領傳師觀讓識帶導爭運測試環檔案資料庫碼伺服器專錯誤執請寫讀週預默",
	"込払働対応変続検索値開発実際確認参照単位処理図関数経済労権読")

var commonHangul = setOf("이다는을를에의가고하지한은로도기사리나서자시정인그대만해보어일으있스부아수제들구전것장라주과지않여상면요니안생" +
	"성원동오우유경용조적계문무소공세후위선모영비방조년회트테먼저환할때습합된되와며까라드버터트프로파모델실행항상사용")

func setOf(texts ...string) map[rune]bool {
	set := map[rune]bool{}
	for _, text := range texts {
		for _, r := range text {
			set[r] = true
		}
	}
	return set
}
