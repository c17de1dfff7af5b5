package frontmatter

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf16 "golang.org/x/text/encoding/unicode"

	"memoir/internal/memories"
)

func TestGuessDecodings_Best(t *testing.T) {
	t.Parallel()
	gb, sjis, euckr, big5 := simplifiedchinese.GB18030, japanese.ShiftJIS, korean.EUCKR, traditionalchinese.Big5
	le, be := utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM), utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM)
	for _, c := range []struct {
		want     string
		encoding encoding.Encoding
		text     string
	}{
		{"gb18030", gb, "测试环境要先部署"},
		{"gb18030", gb, "提交代码之前必须运行所有单元测试，不要直接推送到主分支。"},
		{"gb18030", gb, "用户喜欢简短的回答"},
		{"gb18030", gb, "数据库每天凌晨三点备份 (见 ops/backup.sh)"},
		{"shift_jis", sjis, "テスト環境を先に"},
		{"shift_jis", sjis, "本番環境へのデプロイは火曜日だけ行います。"},
		{"shift_jis", sjis, "ユーザーは短い返答を好む"},
		{"euc-kr", euckr, "테스트 환경 먼저"},
		{"euc-kr", euckr, "사용자는 짧은 답변을 좋아한다"},
		{"euc-kr", euckr, "배포는 화요일에만 합니다. 커밋하기 전에 린트를 실행하세요."},
		{"big5", big5, "請先部署測試環境"},
		{"big5", big5, "使用者喜歡簡短的回答，不要太長。"},
		{"windows-1252", charmap.Windows1252, "Café für 10 €, naïve façade – “señor”"},
		{"windows-1252", charmap.Windows1252, "The user’s résumé"},
		{"windows-1252", charmap.Windows1252, "Die Lösung läuft über Jürgens Server, prüfen"},
		{"utf-16le", le, "no mark"},
		{"utf-16le", le, "测试环境要先部署"},
		{"utf-16be", be, "no mark"},
		{"utf-16be", be, "テスト環境を先に 🚀"},
		{"utf-16", utf16.UTF16(utf16.LittleEndian, utf16.UseBOM), "with a mark"},
		{"utf-16", utf16.UTF16(utf16.BigEndian, utf16.UseBOM), "テスト"},
	} {
		file := "---\nname: " + c.text + "\ntype: user\n---\n" + c.text + "\n"
		raw, err := c.encoding.NewEncoder().Bytes([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		all := guessDecodings(raw)
		if len(all) == 0 {
			t.Errorf("%s: %q is not guessed", c.want, c.text)
			continue
		}
		if best := all[0]; best.id != c.want || string(best.text) != file || best.score < minConvincing {
			t.Errorf("%s: %q is guessed as %s (%.2f): %q", c.want, c.text, best.id, best.score, best.text)
		}
		for _, d := range all {
			t.Logf("%s %s %.2f", c.text, d.id, d.score)
		}
	}
}

func TestGuessDecodings_PartlyUTF8(t *testing.T) {
	t.Parallel()
	legacy, err := simplifiedchinese.GB18030.NewEncoder().String("提交之前必须运行测试")
	if err != nil {
		t.Fatal(err)
	}
	const before = "---\nname: 测试环境\ntype: user\n---\n用户喜欢简短的回答\n"
	all := guessDecodings([]byte(before + legacy + "\n"))
	if len(all) == 0 || all[0].id != "gb18030" || string(all[0].text) != before+"提交之前必须运行测试\n" {
		t.Errorf("guessDecodings() = %+v", all)
	}
}

func TestGuessDecodings_Nothing(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"empty": "", "random": "\x81\xfe\x8d\x00", "a NUL in ASCII": "---\nname: a\x00\n---\n", "odd UTF-16": "a\x00\n\x00b",
		"lone surrogate": "a\x00\n\x00\x00\xd8\n\x00", "undefined in all": "a\n" + strings.Repeat("\x81\xff", 20),
	} {
		if all := guessDecodings([]byte(raw)); len(all) > 0 {
			t.Errorf("%s: guessed as %s (%.2f): %q", name, all[0].id, all[0].score, all[0].text)
		}
	}
}

func TestFixes_Encodings(t *testing.T) {
	t.Parallel()
	gb, err := simplifiedchinese.GB18030.NewEncoder().String("用户喜欢简短的回答")
	if err != nil {
		t.Fatal(err)
	}
	file := func(text string) string { return "---\nname: " + text + "\ntype: user\n---\n" + text + "\n" }
	for _, c := range []struct{ name, raw, want string }{
		{"Chinese", file(gb), "gb18030! euc-kr big5 windows-1252 replace"},
		{"Western", file("caf\xe9"), "windows-1252! replace"},
		{"Cyrillic", file("\xcf\xf0\xe8\xe2\xe5\xf2"), "gb18030 windows-1252 replace"},
		{"UTF-16", "-\x00-\x00-\x00\n\x00n\x00a\x00m\x00e\x00:\x00 \x00a\x00\n\x00-\x00-\x00-\x00\n\x00b\x00", "utf-16le!"},
		{"NUL", file("a\x00b"), "nul"},
		{"replaced before", file("\ufffd caf\xe9"), "windows-1252! replace"},
	} {
		var ids []string
		for _, fix := range Fixes([]byte(c.raw), "memory/user_a.md") {
			if fix.Code != memories.CodeNUL && fix.Code != memories.CodeInvalidUTF8 {
				continue
			}
			if fix.Guessed {
				fix.ID += "!"
			}
			ids = append(ids, fix.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s: fixes = %q, want %q", c.name, got, c.want)
		}
	}
}
