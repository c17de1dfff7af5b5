package expiry_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"memoir/internal/findings"
	"memoir/internal/findings/expiry"
)

// The texts are read in November 2026. Those without a year were written in November 2025.
var (
	written = time.Date(2025, 11, 20, 9, 0, 0, 0, time.UTC) // a Thursday
	now     = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
)

// TestMatch_Passed holds the phrase that each text depends on, after the text.
func TestMatch_Passed(t *testing.T) {
	t.Parallel()
	for text, phrase := range map[string]string{
		// English
		"Code freeze until 2025-12-14: no merges to main.":                                 "2025-12-14",
		"Deploys are blocked until 14 December 2025 because of the audit.":                 "14 December 2025",
		"Merges frozen until Dec 14th.":                                                    "Dec 14th",
		"The release branch is locked through 14.12.2025.":                                 "14.12.2025",
		"Use the staging cluster till 12/14/2025, then switch back.":                       "12/14/2025",
		"The grant report is due on March 3, 2026.":                                        "March 3, 2026",
		"Deadline for the SOC 2 evidence: 2026-02-27.":                                     "2026-02-27",
		"**Deadline:** 27 Feb 2026, 18:00 UTC":                                             "27 Feb 2026",
		"Mira is on parental leave until the end of March 2026; ask Jonas instead.":        "end of March 2026",
		"Jonas is out of office until Friday.":                                             "Friday",
		"Tomás is on vacation 1–14 December 2025, Ana covers for him.":                     "1–14 December 2025",
		"PTO: Dec 22, 2025 – Jan 4, 2026 (Priya)":                                          "Dec 22, 2025 – Jan 4, 2026",
		"The wildcard certificate expires on 2026-05-01.":                                  "2026-05-01",
		"The Datadog trial runs until 30 April 2026.":                                      "30 April 2026",
		"License key is valid through 2026-06-30.":                                         "2026-06-30",
		"Sprint 42 ends 5 Dec 2025; carry-over goes into sprint 43.":                       "5 Dec 2025",
		"Maintenance window on 2025-12-06 from 22:00 to 23:00 UTC.":                        "2025-12-06",
		"Launch is planned for 12 January 2026.":                                           "12 January 2026",
		"The public launch is on March 10, 2026. Do not mention prices before that.":       "March 10, 2026",
		"Embargo: the acquisition is not public until 2026-01-15 09:00 ET.":                "2026-01-15",
		"Temporary until 2026-01-31: route webhooks through the old gateway.":              "2026-01-31",
		"The contract with Northwind ends on 31 March 2026.":                               "31 March 2026",
		"We are migrating to Postgres 17 by the end of Q1 2026.":                           "end of Q1 2026",
		"All services must be on Node 22 by 2026-04-30.":                                   "2026-04-30",
		"The pricing page must not change before 1 February 2026.":                         "1 February 2026",
		"No schema changes this week, the data team is exporting.":                         "this week",
		"Demo for the board is tomorrow; keep main green.":                                 "tomorrow",
		"The staging database is down until Monday.":                                       "Monday",
		"Feature freeze until mid-April 2026.":                                             "mid-April 2026",
		"API v1 will be switched off on 30 June 2026.":                                     "30 June 2026",
		"Keep the old bucket until Q3 2026 so that auditors can read it; it is read-only.": "Q3 2026",
		"Budget is fixed until the end of FY25.":                                           "end of FY25",
		"Freeze until week 49, then deploy as usual.":                                      "week 49",
		"The interim CTO stays until January 2026.":                                        "January 2026",
		"Ana is on call this week.":                                                        "this week",
		"Revisit the caching decision in March 2026.":                                      "March 2026",
		"Remove the feature flag `new_checkout` after 2026-02-01.":                         "2026-02-01",
		"The freeze was extended until 12 January 2026.":                                   "12 January 2026",
		"Sprint 14 (17–28 Nov 2025): only bug fixes.":                                      "17–28 Nov 2025",
		"ETA for the vendor fix: mid-December.":                                            "mid-December",
		"Submit the abstract no later than 15 Jan 2026.":                                   "15 Jan 2026",
		"Ask Lena only after she returns on 2026-01-07.":                                   "2026-01-07",
		"Black Friday freeze: no deploys from 24 Nov 2025 until 1 Dec 2025.":               "24 Nov 2025 until 1 Dec 2025",
		"Discount code SPRING is valid from 2026-03-01 to 2026-03-31.":                     "2026-03-01 to 2026-03-31",
		"Do not touch the billing tables until after the audit ends on 2026-03-20.":        "2026-03-20",
		"Holiday schedule: office closed until January 6th.":                               "January 6th",
		"The intern, Kofi, is with us through August 2026.":                                "August 2026",
		"Pin eslint to 8.x until 2026-01-15; the plugin is not ready.":                     "2026-01-15",
		"Office move on 2 February 2026: the lab will have no network that day.":           "2 February 2026",
		"Current sprint goal (ends 28 Nov 2025): checkout latency.":                        "28 Nov 2025",
		"We will switch to the new SSO provider on 1 Sept 2026.":                           "1 Sept 2026",
		"Vendor support ends in May 2026.":                                                 "May 2026",
		"Reserved instances lapse on 2026-08-31, renew before then.":                       "2026-08-31",
		"Until 2026-02-15 all invoices go through Petra.":                                  "2026-02-15",
		"Rate limits are relaxed until EOY.":                                               "EOY",
		"As agreed with legal, logs may not be deleted until 1 July 2026.":                 "1 July 2026",
		"The deadline moved to 2026-03-01.":                                                "2026-03-01",
		"Decided on 2025-11-03: no deploys until 2025-12-01.":                              "2025-12-01",
		// German
		"Code-Freeze bis 14.12.2025, danach normal deployen.":                   "14.12.2025",
		"Freeze bis zum 14. Dezember 2025.":                                     "14. Dezember 2025",
		"Jonas ist bis Ende März 2026 in Elternzeit.":                           "Ende März 2026",
		"Die Testlizenz ist gültig bis 31.01.2026.":                             "31.01.2026",
		"Urlaub bis 14.12., Vertretung macht Anke.":                             "14.12.",
		"Frist für die Steuerunterlagen: 28. Februar 2026":                      "28. Februar 2026",
		"Wartungsfenster am 6. Dezember 2025 von 22 bis 23 Uhr.":                "6. Dezember 2025",
		"Abgabe spätestens am 15.01.2026.":                                      "15.01.2026",
		"Der Vertrag mit Northwind läuft am 31.03.2026 aus, er gilt bis dahin.": "31.03.2026",
		"Bis KW 50 keine Migrationen auf Produktion.":                           "KW 50",
		"Das Zertifikat läuft ab am 01.05.2026.":                                "01.05.2026",
		"Lena ist diese Woche krank.":                                           "diese Woche",
		"Der Umzug ist für den 2. Februar 2026 geplant.":                        "2. Februar 2026",
		// Spanish
		"Congelación de código hasta el 14 de diciembre de 2025.": "14 de diciembre de 2025",
		"La licencia vence el 31 de marzo de 2026.":               "31 de marzo de 2026",
		"Fecha límite: 15/01/2026":                                "15/01/2026",
		"Marta está de vacaciones hasta el 7 de enero.":           "7 de enero",
		"No desplegar hasta finales de enero de 2026.":            "finales de enero de 2026",
		// French
		"Gel du code jusqu'au 14 décembre 2025.":       "14 décembre 2025",
		"Échéance : 31 mars 2026.":                     "31 mars 2026",
		"Claire est en congé jusqu’au 5 janvier 2026.": "5 janvier 2026",
		"Le certificat expire le 1er mai 2026.":        "1er mai 2026",
		"La date limite est le 15/01/2026.":            "15/01/2026",
		// Portuguese and Italian
		"Congelamento de código até 14 de dezembro de 2025.": "14 de dezembro de 2025",
		"O prazo é 31/03/2026.":                              "31/03/2026",
		"A licença vence em 30 de abril de 2026.":            "30 de abril de 2026",
		"Blocco dei rilasci fino al 14 dicembre 2025.":       "14 dicembre 2025",
		"La licenza scade il 31 marzo 2026.":                 "31 marzo 2026",
		"Consegnare entro il 15 gennaio 2026.":               "15 gennaio 2026",
		// Russian
		"Заморозка релизов до 14 декабря 2025 года.": "14 декабря 2025 года",
		"Оля в отпуске до 12.01.2026.":               "12.01.2026",
		"Дедлайн: 27 февраля 2026":                   "27 февраля 2026",
		"Лицензия истекает 31 марта 2026 г.":         "31 марта 2026 г",
		// Japanese
		"2025年12月14日までコードフリーズ。":    "2025年12月14日",
		"佐藤さんは2026年3月末まで育休です。":     "2026年3月末",
		"提出期限は2026年1月15日です。":       "2026年1月15日",
		"ライセンスの有効期限: 2026-03-31":   "2026-03-31",
		"12月20日までデプロイ禁止。":          "12月20日",
		"今週はメンテナンスのためステージングを使わない。": "今週",
		"2026年2月1日にリリース予定。":        "2026年2月1日",
		// Chinese
		"代码冻结到2025年12月14日为止。":   "2025年12月14日",
		"试用版有效期至2026年3月31日。":    "2026年3月31日",
		"李雷请假到1月7日，有事找韩梅梅。":     "1月7日",
		"报名截止日期：2026-01-15":     "2026-01-15",
		"2026年4月30日前必须完成迁移。":    "2026年4月30日",
		"本周禁止发布。":               "本周",
		"合同2026年6月30日到期。":       "2026年6月30日",
		"数据库维护计划于2025年12月6日进行。": "2025年12月6日",
		// Korean
		"2025년 12월 14일까지 배포 금지.":     "2025년 12월 14일",
		"지은 님은 1월 7일까지 휴가입니다.":       "1월 7일",
		"마감일: 2026년 1월 15일":          "2026년 1월 15일",
		"라이선스는 2026년 3월 31일에 만료됩니다.": "2026년 3월 31일",
		"이번 주까지 코드 프리즈.":             "이번 주",
	} {
		for name, in := range map[string]findings.Text{
			"body":        {Name: "a-note", Body: text + "\n"},
			"description": {Name: "a-note", Description: text, Body: "See the wiki."},
		} {
			got, ok := expiry.Match(in, written, now)
			if !ok || len(got.Spans) != 1 {
				t.Errorf("%s: %q: got %+v, %t", name, text, got, ok)
				continue
			}
			field := in.Body
			if name == "description" {
				field = in.Description
			}
			if span := got.Spans[0]; field[span.Start:span.End] != phrase || string(span.Field) != name {
				t.Errorf("%q: got %q in %s, want %q", text, field[span.Start:span.End], span.Field, phrase)
			}
		}
	}
}

// late is when the texts are written that tell of the past.
var late = time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC)

// TestMatch_Lasting holds texts with dates that do not depend on one that has passed.
func TestMatch_Lasting(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		// Not over
		"Code freeze until 2026-12-14.", "The freeze lasts until 25 November 2026.", "Deadline: 25.11.2026", "Valid through Q4 2026.",
		"The certificate expires in March 2027.", "Frist: 1. Februar 2027", "有效期至2027年3月31日。", "2026年12月20日までデプロイ禁止。",
		"Freeze until 12/11/2026.", "Until 2030 the old API stays.", "Until the migration is done, use the old bucket.",
		"Ana is on leave from 3 Nov 2026 to 30 Jan 2027.",
		// When it was decided, learned or released
		"Decided on 2025-03-01: we use pnpm.", "We switched to pnpm on 1 March 2025.", "Since 2025-03-01 deploys need two approvals.",
		"As of March 2025 the API has no rate limit.", "Stand: 12.03.2025. Es gibt drei Cluster.", "Last checked: 2025-06-10.",
		"Incident on 12 March 2025: the queue filled up because of a missing index.", "Postmortem of 2025-08-14: always drain first.",
		"Ana told us on 3 June 2025 that she prefers short answers.", "Measured on 2025-05-02: p99 is 120 ms.", "v2.3 was released on 2025-03-01.",
		"Released 2025-03-01.", "In the meeting on 2025-03-12 we chose Kafka.", "Per the review on 2025-03-12, handlers stay thin.",
		"The outage of 14 December 2025 was caused by an expired certificate.", "Confirmed with Petra on 2025-11-03.", "Updated 2025-10-01. Use port 6432.",
		"The user corrected me on 2025-09-30: never amend pushed commits.", "Adopted on 1 March 2026 after the retro.",
		"Effective 2025-12-01 all invoices carry a VAT id.", "From 1 December 2025 on, use API v2.", "Starting 2026-01-01 the price is 12 EUR.",
		"Ab dem 1.12.2025 gilt die neue Reisekostenregel.", "Seit 01.03.2025 nutzen wir pnpm.", "Am 12.03.2025 entschieden: kein Redux.",
		"Desde el 1 de marzo de 2025 usamos pnpm.", "Decidimos el 3 de junio de 2025 usar Kafka.", "Depuis le 1er mars 2025, on déploie avec Argo.",
		"Décidé le 12 mars 2025 : pas de Redux.", "Desde 1 de março de 2025 usamos pnpm.", "Dal 1 marzo 2025 usiamo pnpm.", "С 1 марта 2025 года используем pnpm.",
		"Решили 12 марта 2025: без Redux.", "2025年3月1日に決定: pnpmを使う。", "2025年3月から新しいAPIを使う。", "2025年3月時点でレート制限はない。",
		"自2025年3月1日起使用新接口。", "2025年3月1日决定使用pnpm。", "截至2025年3月，集群共有三个节点。", "2025년 3월부터 pnpm을 쓴다.", "2025년 3월 1일에 결정: pnpm 사용.",
		// History
		"Until 2024 we used Jenkins; now it is Buildkite.", "Until 2024-12-31, we deployed by hand.", "The API was on Heroku until March 2025.",
		"Ana maintained the parser until 30 June 2025; Jonas owns it now.", "Billing ran on MySQL till 2024.", "The freeze ended on 2025-12-14.",
		"The trial expired on 30 Nov 2025.", "Bis 2024 nutzten wir Jenkins.", "Das System lief bis 31.12.2024 auf Oracle.", "Hasta 2024 usábamos Jenkins.",
		"Jusqu'en 2024, on utilisait Jenkins. Nous utilisions Jenkins jusqu'au 1 mars 2025.", "Até 2024 usávamos Jenkins.", "Fino al 2024 usavamo Jenkins.",
		"До 2024 года мы использовали Jenkins.", "2024年12月までJenkinsを使っていた。", "2024年12月31日まで旧APIを使用していました。", "2024年12月之前用过Jenkins。", "2024년 12월까지 Jenkins를 사용했다.",
		"## Changelog\n\n- 2025-03-01: freeze until 2025-03-10\n- 2025-04-01: launch\n",
		"- 2025-11-01: moved the queue to Redis\n- 2025-12-01: moved it back\n",
		// Data, names, examples, recurring
		"Invoices until 31.12.2024 are in the archive.", "Orders placed before 2025-03-01 have no tenant id.", "All rows up to 2025-06-30 use cents.",
		"The test clock is frozen at 2025-01-01.", "The migration is `20251214_add_index.sql`, see also backup-2025-12-14.tar.gz.",
		"Notes are in docs/2025-12-14-freeze.md.", "The branch release/2025-12-14 is protected.", "```\nfreeze until 2025-12-14\n```\nRun this to see the freeze.",
		"`curl https://api.example.com/until/2025-12-14` fails.", "Format dates like 2025-12-14 in the UI.", "The `until` parameter takes a date, e.g. until 2025-12-14.",
		"No deploys every Friday until Monday.", "Deploys freeze from Friday until Monday each week.", "Mira's birthday is 12 March 1990.", "Copyright 2019–2024 Northwind.",
		"License: Apache 2.0, January 2004.", "Ubuntu 24.04 and Go 1.26 are used until further notice.", "Wait until 18:00 before you deploy.",
		"Run the job before March's close each year.", "Never say that you will do it tomorrow.", "Mira is on UTC+9 and answers until noon.",
		"The user works on macOS 15.1 and prefers short answers.", "ISO 8601:2019 is the format until otherwise noted.", "Ratio 3/4 until 1/2 is fine.",
		"2025-12-14T10:00:00Z ERROR queue full, retry until 2025", "Data before 2024-01-01 was not migrated.",
		"Pay close attention to the last 12 May entries.", "We may march on until done.",
		// Extended
		"Freeze until 2025-12-14, extended until 2026-12-14.", "The freeze until 14 Dec 2025 was extended to 15 January 2027.",
		"Deadline was 1 March 2026; the new deadline is 1 March 2027.", "Freeze bis 14.12.2025, verlängert bis 14.12.2026.", "期限は2026年3月末から2027年3月末に延長。",
		"The contract ends on 31 March 2026.\n\nUpdate: the contract was renewed until 31 March 2027.",
		"", "no dates at all", "2025", "14",
	} {
		for _, day := range []time.Time{late, {}, now} {
			got, ok := expiry.Match(findings.Text{Name: "a-note", Body: text}, day, now)
			if !ok {
				continue
			}
			var phrases []string
			for _, span := range got.Spans {
				phrases = append(phrases, text[span.Start:span.End])
			}
			t.Errorf("%q depends on %q", text, phrases)
		}
	}
}

// TestMatch_Texts reads testdata/texts.txt.
func TestMatch_Texts(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range strings.SplitSeq(string(raw), "\n") {
		text, isPassed := strings.CutPrefix(line, "+ ")
		if !isPassed && !strings.HasPrefix(line, "- ") {
			continue
		}
		read++
		text = strings.ReplaceAll(strings.TrimPrefix(text, "- "), `\n`, "\n")
		days := []time.Time{written}
		if day, rest, ok := strings.Cut(text, " | "); ok {
			date, err := time.Parse(time.DateOnly, day)
			if err != nil {
				t.Fatal(err)
			}
			text, days = rest, []time.Time{date}
		} else if !isPassed { // when it was written can be unknown
			days = []time.Time{late, {}}
		}
		for _, day := range days {
			if got, ok := expiry.Match(findings.Text{Body: text}, day, now); ok != isPassed {
				t.Errorf("%q, written %s: got %+v, %t", text, day.Format(time.DateOnly), got, ok)
			}
		}
	}
	if read < 100 {
		t.Errorf("read only %d texts", read)
	}
}

func TestMatch_Day(t *testing.T) {
	t.Parallel()
	in := findings.Text{Body: "Freeze until 2025-12-14."}
	for _, c := range []struct {
		name string
		now  time.Time
		want bool
	}{
		{"the day before", time.Date(2025, 12, 13, 12, 0, 0, 0, time.UTC), false},
		{"the day itself", time.Date(2025, 12, 14, 23, 59, 0, 0, time.UTC), false},
		{"the day after", time.Date(2025, 12, 15, 0, 0, 0, 0, time.UTC), true},
		{"zone of now", time.Date(2025, 12, 14, 20, 0, 0, 0, time.FixedZone("", -8*3600)), false},
	} {
		if got, ok := expiry.Match(in, written, c.now); ok != c.want {
			t.Errorf("%s: got %+v, %t", c.name, got, ok)
		} else if ok && got.Reason != "Date passed: 14 Dec 2025" {
			t.Errorf("%s: reason %q", c.name, got.Reason)
		}
	}
}

func TestMatch_Resolution(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		last string // the last day on which the text is not over
	}{
		{"Freeze until 3/12/2026.", "2026-12-03"}, // 3 December or 12 March
		{"Freeze until Dec 14.", "2025-12-14"},
		{"Freeze until 1 November.", "2026-11-01"},
		{"Freeze until March.", "2026-03-31"},
		{"Freeze until Friday.", "2025-11-21"},
		{"Freeze until the end of the month.", "2025-11-30"},
		{"Freeze until end of March.", "2026-03-31"},
		{"Freeze until mid-April.", "2026-04-20"},
		{"Freeze until Q1.", "2026-03-31"},
		{"Freeze until Q3 2026.", "2026-09-30"},
		{"Freeze until FY25.", "2025-12-31"},
		{"Freeze until KW 12.", "2026-03-22"},
		{"Freeze until 2026-W12.", "2026-03-22"},
		{"Freeze until next week.", "2025-11-30"},
		{"Freeze until tomorrow.", "2025-11-21"},
		{"Freeze until early January.", "2026-01-10"},
		{"Freeze until 2026-02.", "2026-02-28"},
		{"Freeze until H1 2026.", "2026-06-30"},
		{"Freeze until the end of the year.", "2025-12-31"},
		{"2026年3月中旬まで凍結。", "2026-03-20"},
		{"冻结到2026年第1季度。", "2026-03-31"},
		{"来週までデプロイ禁止。", "2025-11-30"},
	} {
		last, err := time.Parse(time.DateOnly, c.last)
		if err != nil {
			t.Fatal(err)
		}
		in := findings.Text{Body: c.text}
		if got, ok := expiry.Match(in, written, last.Add(12*time.Hour)); ok {
			t.Errorf("%q is over on %s: %+v", c.text, c.last, got)
		}
		if got, ok := expiry.Match(in, written, last.Add(36*time.Hour)); !ok {
			t.Errorf("%q is not over the day after %s: %+v", c.text, c.last, got)
		}
	}
	// A date without a year says nothing if it is unknown when it was written.
	if got, ok := expiry.Match(findings.Text{Body: "Freeze until Dec 14."}, time.Time{}, now); ok {
		t.Errorf("got %+v", got)
	}
}

func TestMatch_Spans(t *testing.T) {
	t.Parallel()
	in := findings.Text{
		Name:        "Freeze until 2025-12-14",
		Description: "No merges until 2025-12-14",
		Body:        "Deploys are blocked until 2025-12-14.\n\nThe trial ends on 2026-01-31.\n",
	}
	got, ok := expiry.Match(in, written, now)
	if !ok || len(got.Spans) != 4 || got.Kind != findings.Expired || got.Reason != "Date passed: 31 Jan 2026" {
		t.Fatalf("got %+v, %t", got, ok)
	}
	fields := map[findings.Field]string{findings.Name: in.Name, findings.Description: in.Description, findings.Body: in.Body}
	for i, want := range []string{"2025-12-14", "2025-12-14", "2025-12-14", "2026-01-31"} {
		if s := got.Spans[i]; fields[s.Field][s.Start:s.End] != want {
			t.Errorf("span %d is %q, want %q", i, fields[s.Field][s.Start:s.End], want)
		}
	}
}

func TestMatch_Concurrent(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				if _, ok := expiry.Match(findings.Text{Body: "Freeze until 2025-12-14."}, written, now); !ok {
					t.Error("not found")
				}
			}
		})
	}
	group.Wait()
}

// FuzzMatch tests that spans are in bounds and sorted.
func FuzzMatch(f *testing.F) {
	for _, text := range []string{"Freeze until 2025-12-14.", "2025年12月14日まで", "1–14 December", "bis 14.12.", "```\nx", "end of", "`", "~~", "](", "2025-W", "Q", "이번 주"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, description, body string) {
		in := findings.Text{Description: description, Body: body}
		got, _ := expiry.Match(in, written, now)
		fields := map[findings.Field]string{findings.Description: description, findings.Body: body}
		previous := findings.Span{}
		for _, s := range got.Spans {
			if s.Start >= s.End || s.End > len(fields[s.Field]) || s.Field == previous.Field && s.Start < previous.End {
				t.Errorf("span %+v after %+v", s, previous)
			}
			previous = s
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	paragraph := "Deploys go through Buildkite and need two approvals. **Why:** the outage of 12 March 2025 was caused by a missed review. " +
		"**How to apply:** open the pull request, ask Mira until 18:00, and never merge on Friday. The trial ends on 31 March 2027. "
	for name, n := range map[string]int{"1KB": 1 << 10, "64KB": 64 << 10} {
		text := findings.Text{Body: strings.Repeat(paragraph, n/len(paragraph)+1)[:n]}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				expiry.Match(text, written, now)
			}
		})
	}
}
