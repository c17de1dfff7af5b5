package expiry

import "strings"

// cue is a set of classes of words that tell what a date is about.
type cue uint32

const (
	limitCue    cue = 1 << iota // directly before a date: something lasts until then
	byCue                       // directly before a date: it has to be done by then, or not before
	startCue                    // directly before a date: something began or begins then
	recordCue                   // the date tells when something was decided, measured or released
	pastCue                     // the sentence tells of the past
	presentCue                  // the sentence tells how it is or what has to be done
	futureCue                   // the sentence tells of something planned
	deadlineCue                 // a noun whose date is a deadline
	stateCue                    // a noun for something that passes: a freeze, a leave
	eventCue                    // a noun for something that happens once
	extendCue                   // the date replaces an earlier one
	recurCue                    // it happens again and again
	dataCue                     // a noun for data that a date divides
	exampleCue                  // the date is an example
	fillerCue                   // can stand between a cue and its date
	removeCue                   // something is to be removed at the date
	partyCue                    // a subject of a verb: we, they
	goalCue                     // a noun for the aim of a period: a focus, a goal
	obligeCue                   // the sentence gives a duty or a ban
	revisitCue                  // asks to look at it again at the date
	aboutCue                    // a preposition that makes a noun a place in time: in the meeting
)

// vocabulary holds the phrases of each class, folded, separated by commas. A * at the end of a
// phrase's only word stands for any ending. A phrase can be in several classes.
var vocabulary = []struct {
	class   cue
	phrases string
}{
	{limitCue, `until, till, til, through, thru, up to, up until, no later than, not later than, at the latest, latest, expires,
		expire, expiring, ends, end on, ending, valid to, runs out, lapse, lapses, sunsets, good through, goes away, shuts down, finishes, concludes, wraps up, shut down on,
		lifts, is back, be back, back on, back in, returns, returning, return on, valid till, closes, terminates, finishes, concludes, wraps up, effective until, enddate,
		bis, bis zum, spatestens, spatestens am, lauft ab, lauft aus, lauft am, lauft zum, endet, enden, ablauf, zuruck am, wieder da,
		hasta, vence, vencen, caduca, caducan, expira, expiran, a mas tardar, termina, terminan, finaliza, vuelve el, regresa el,
		jusqu, jusque, jusqua, au plus tard, expirent, se termine, se terminent, prend fin, de retour le, revient le,
		ate, o mais tardar, encerra, fino, fino al, fino a, fino alla, fino alle, entro, entro il, scade, scadono,
		finisce, non oltre, rientra il, volta em, volta dia,
		до, по, истекает, истекают, заканчивается, заканчиваются, не позднее, не позже, вернется, вернётся`},
	{byCue, `by, before, prior to, vor, vor dem, antes de, antes del, antes do, antes da, avant, avant le, prima del, prima di, перед, к`},
	{startCue, `since, from, starting, start, starts, started, effective, effective from, as from, after, begins, began, begin, beginning, following,
		onwards, in effect, into effect, in force, live since, available from, available since, earliest,
		ab, ab dem, seit, seit dem, nach, nach dem, beginnt, beginnt am, begann, startet, startet am, tritt,
		desde, desde el, a partir de, a partir del, a partir do, a partir da, despues, despues de, despues del, empieza, comienza, desde o,
		depuis, depuis le, a partir du, a compter du, des le, apres, apres le, commence, debute, depois, depois de, comeca,
		dal, dall, dalla, da, a partire da, a partire dal, dopo, dopo il, inizia, с, со, начиная с, после, начинается`},
	{recordCue, `as of, as at, according, stand, last checked, last verified, last updated, last seen, last reviewed, last tested, last rotated, updated,
		checked, verified, reviewed, decided, decision, agreed, agreement, learned, learnt, noted, recorded, discovered, found, reported,
		measured, measurement, benchmark, benchmarks, benchmarked, incident, incidents, outage, postmortem, post mortem, released,
		shipped, launched, merged, introduced, added, created, born, birthday, birthdate, founded, copyright, happened,
		occurred, observed, told, said, asked, wrote, dated, published, commit, minutes, transcript, retro, retrospective,
		done on, done in, deployed, migrated, moved on, switched, renamed, hired, joined, left, upgraded, installed, removed on, deleted, rotated, renewed, issued, signed, tested,
		confirmed, chosen, chose, approved on, rejected, filed, opened, closed on, finished, completed, source, captured, took effect, adopted, ratified,
		last, taken, timestamp, changed, rolled out, went live, came into, cve, rfc, iso, version, versions, changelog, news, story, log,
		aktualisiert, entschieden, entschied, beschlossen, gepruft, gemessen, vorfall, ausfall, veroffentlicht, geburtstag, geboren,
		gegrundet, eingefuhrt, zuletzt, festgelegt, protokoll, vereinbart, gemeldet, erstellt, gelernt,
		decidido, decidimos, decidio, acordado, acordamos, actualizado, verificado, medido, incidente, publicado, nacido, lanzado, revisado, aprendido, actualizacion,
		decide le, mis a jour, verifie, mesure, panne, publie, convenu, constate, appris, a decide,
		atualizado, lancado, decidiu, verificamos, revisto,
		deciso, aggiornato, misurato, rilasciato, verificato, pubblicato, concordato,
		решено, решили, решение, обновлено, проверено, измерено, инцидент, выпущен, вышел, вышла, родился, принято, договорились, состоянию`},
	{pastCue, `was, were, had, did, didn, wasn, weren, used to, ran, kept, went, made, got, lived, held, sat, paid, built, stayed, lasted, ended, expired,
		historically, formerly, previously, back then, in the past, at the time, originally, no longer, anymore, legacy, rolled back, roll back, came back, dates back,
		went back, happened, meant, broke, crashed, failed, lost, caused, took, began, started, became, could, couldn, lapsed, lifted, worked, lived, served, managed, led, maintained, owned, relied, taught, showed, brought, cost, hit, proved, revealed, slowed, knew, thought, saw, came, gave, stood, fell, sent, spent, grew, drew, drove, ate, blew, flew, forgot, grew, met, rose, shook, spoke, stole, swore, threw, told, woke, won, wore, sold, bought, fed, fought, dealt,  is over, are over, reached, over since,
		war, waren, hatte, hatten, wurde, wurden, lief, liefen, galt, galten, nutzten, verwendeten, benutzten, fruher, damals, ehemals, endete, gab, lag, ergab, zeigte, brachte, fiel, fanden, fand, kam, kamen, sagte, wollte, wollten, arbeitete, stand auf,
		era, eran, estaba, estaban, usabamos, fue, fueron, habia, tenia, teniamos, anteriormente, antiguamente, estuvo, usamos hasta, termino, vencio,
		etait, etaient, avait, avaient, utilisait, utilisions, utilisaient, a ete, ont ete, autrefois, auparavant, avons utilise, avons,
		foi, foram, estava, estavam, usavamos, tinha, tinhamos, antigamente, terminou, venceu,
		erano, usavamo, aveva, avevamo, e stato, e stata, prima era, in passato, abbiamo usato, abbiamo, scaduto,
		был, была, было, были, раньше, ранее, шел, шла, шло, шли, жил, жила, использовал*, пользовал*, стоял*, деплоил*, хостил*, работал*, закончил*, истек, истекла, истекло`},
	{presentCue, `gets, goes, comes, takes, closes, answers, meets, moves, works, is, are, am, isn, aren, must, mustn, will, won, ll, shall, should, need, needs, has to, have to, can, cannot, do, does, don, doesn, may, remains,
		remain, stays, stay, keeps, keep, runs, run, lasts, holds, applies, apply, use, avoid, never, no, not, please, re, hold, wait, skip, ask, only, finish,
		complete, submit, deliver, pay, renew, block, blocked, frozen, paused, allowed, forbidden, expected, available, required, freeze, pin, pinned, leave, send, covers, cover, covering,
		ist, sind, muss, mussen, darf, durfen, soll, sollen, kann, konnen, bleibt, bleiben, gilt, gelten, lauft, laufen, wird, werden, kein, keine, nicht, nur, bitte, vertritt,
		esta, estan, es, son, debe, deben, hay, no, sigue, siguen, solo, tiene, cubre, nadie, prohibido, est, sont, doit, doivent, reste, restent, faut, ne, pas, remplace, interdit,
		estao, sao, deve, devem, nao, sono, devono, resta, restano, non, vietato, fica, ficam, sostituisce,
		нельзя, должен, должны, нужно, надо, будет, будут, действует, не, запрещ*, заморож*, замеща*`},
	{goalCue, `focus, goal, goals, okr, okrs, priority, priorities, objective, objectives, theme, target, targets, milestone, schwerpunkt, fokus, ziel, ziele, objetivo, objetivos, prioridad, objectif, objectifs, priorite,
		foco, meta, metas, obiettivo, obiettivi, priorita, фокус, цель, цели, приоритет`},
	{obligeCue, `nothing, nobody, none, niemand, nichts, nada, nadie, rien, personne, niente, nessuno, ничего, никто, must, mustn, need, needs, needed, shall, should, has to, have to, required, finish, complete, submit, deliver, pay, renew, book, send, not, don, no, cannot, can, never, ready, done, hand in, file, wait, expected, allowed, please,
		muss, mussen, soll, sollen, darf, durfen, fertig, nicht, kein, keine, abgeben, einreichen, debe, deben, hay que, entregar, no, terminar, tiene que, faut, doit, doivent, ne, rendre, livrer, deve, devem, nao, entregar, devono, non, consegnare, terminare,
		нужно, надо, должен, должны, нельзя, не, сдать`},
	{futureCue, `back to, leaves, opens, goes out, comes out, happens, will, ll, won, going to, planned, scheduled, plan, plans, planning, targeting, target, targeted, upcoming, set for, aims, eta, tentative, tentatively,
		slated, due to, intend, intends, migrating, is happening, takes place, arrives, starts work,
		expected, release planned, goes live, ships, ship on, lands, launches, tracking for, to be,
		wird, werden, geplant, soll, sollen, planmassig, voraussichtlich, findet, finden, vorgesehen, wiedervorlage,
		va a, van a, vamos a, previsto, prevista, programado, programada, planeado, planificado, sera, seran,
		prevu, prevue, vont, allons, seront, aura lieu, planejado, planejada, vai, vao, previstos, agendado, agendada, agendamos,
		pianificato, pianificata, verra, avverra, si terra, programmato, programmata, будет, будут, планируется, планируем, запланирован*, намечен*, переезжаем, выкатим, отключат, отключим, закроют, закроем, удалят, удалим, выключат, выключим, перейдем, переедем, выпустим`},
	{deadlineCue, `deadline, due, due date, due by, due on, cutoff, cut off, expiry, expiry date, expiration date, expiration, expires, end date, target date, eta, valid, validity, sunset, eol,
		end of life, last day, last working day, end of support, submission, rsvp, contract end, renewal, renewal date, return date, support ends, expiring, ends,
		frist, fallig, fallig am, fallig bis, abgabe, abgabetermin, stichtag, ablaufdatum, letzter tag, letzter arbeitstag, gultig, abgabefrist, einreichung, vertragsende, kundigungsfrist,
		fecha limite, plazo, entrega, fecha de entrega, vencimiento, valido, valida, ultimo dia, fecha de vencimiento,
		echeance, date limite, delai, valable, valables, dernier jour, date butoir, expiration le,
		prazo, prazo final, data limite, validade, entrega em, scadenza, termine ultimo, termine, ultimo giorno, valevole,
		срок, дедлайн, крайний срок, последний день, действует, действителен, действительна, срок действия`},
	{stateCue, `freeze, code freeze, change freeze, deploy freeze, feature freeze, leave, on leave, parental leave, vacation, vacations, holiday, holidays, pto, ooo, out of office, out of the office, away,
		sabbatical, paternity, maternity, sick, unavailable, maintenance, maintenance window, downtime, window, embargo, trial, temporary, temporarily, interim, sprint, iteration,
		on call, oncall, rotation, promo, promotion, discount, pilot, moratorium, blackout, quiet period, lockdown, travelling, traveling, in transit, out, on duty, standing in, covering, covers, conference,
		weg, weg, live, paused, blocked, on hold, part time, internship, probation, secondment, experiment, holiday mode, unreachable, not reachable, reachable, nicht erreichbar, erreichbar, praktikum, probezeit, teilzeit, hiring freeze, acting, closed, offline, read only, geschlossen, belegt, gesperrt, cerrado, cerrada, ferme, fermee, fermes, fechado, fechada, chiuso, chiusa, закрыт*,
		urlaub, elternzeit, abwesend, nicht da, wartung, wartungsfenster, sperre, sperrfrist, testphase, vorubergehend, befristet, krank, krankgeschrieben, rufbereitschaft, probe, codefreeze, freigabestopp, ubergangsweise, mutterschutz, vertretung,
		vacaciones, baja, congelacion, congelado, congelamiento, mantenimiento, de guardia, temporal, temporalmente, prueba, ausente, permiso, de viaje, fuera de la oficina,
		conges, conge, en conge, vacances, gel, gel du code, absent, absente, absents, astreinte, d astreinte, temporaire, temporairement, essai, provisoire,
		ferias, congelamento, manutencao, temporario, temporaria, temporariamente, licenca, fora do escritorio, plantao, ausente,
		ferie, in ferie, blocco, manutenzione, temporaneo, temporanea, temporaneamente, prova, reperibilita, assente, in maternita,
		отпуск*, заморозка, заморозки, фриз, код фриз, обслуживание, временно, временный, спринт, дежур*, больнич*, мораторий, эмбарго`},
	{eventCue, `launch, launch date, go live, golive, go live date, cutover, switchover, rollout, kickoff, kick off, offsite, demo, demo day, meeting, workshop, audit, interview, interviews, appointment, migration,
		hackathon, release date, planning, presentation, exam, all hands, town hall, move, onboarding, pen test, pentest, game day, dry run, freeze, maintenance, downtime, maintenance window, ga date, election, board meeting,
		livegang, liveschaltung, umzug, besprechung, workshop, abnahme, releasetermin, launchtermin, wartung, wartungsfenster, umstellung, vorstellung, termin,
		lanzamiento, reunion, mudanza, migracion, mantenimiento, puesta en produccion, lancement, mise en production, demenagement, maintenance, mise en service,
		lancamento, reuniao, mudanca, migracao, manutencao, lancio, riunione, trasloco, migrazione, manutenzione, messa in produzione,
		запуск, встреча, релиз, переезд, миграция, обслуживание, созвон`},
	{extendCue, `extended, extension, extended until, extended to, extended through, postponed, postponed to, prolonged, moves to, move to, shifts to, delayed, delayed to, moved to, pushed to, pushed back, pushed out, rescheduled, rescheduled to, slipped to,
		slipped, slips, now, instead, renewed until, renewed to, renewed, new date, new deadline, bumped to, shifted to, until further notice, indefinitely, changed to,
		verlangert, verlangert bis, verschoben, verschoben auf, neuer termin, neue frist, nun, jetzt, bis auf weiteres,
		prorrogado, prorrogada, ampliado, ampliada, aplazado, aplazada, extendido, extendida, ahora, pospuesto, hasta nuevo aviso, se amplio, se extendio,
		prolonge, prolongee, repousse, repoussee, reporte, reportee, desormais, maintenant,
		estendido, estendida, adiado, adiada, agora, prorogato, prorogata, esteso, estesa, rinviato, rinviata, ora, posticipato,
		продлен*, продлил*, перенес*, отложен*, теперь`},
	{recurCue, `fiscal year, financial year, school year, tax year, geschaftsjahr, ano fiscal, every, each, weekly, monthly, yearly, annually, annual, quarterly, recurring, always, usually, typically, biweekly, fridays, mondays, tuesdays, wednesdays, thursdays, weekends, per week, per month, a week, a year,
		jeden, jede, jedes, jahrlich, wochentlich, monatlich, immer, jeweils, freitags, montags, stets,
		cada, todos, todas, siempre, anual, anualmente, los viernes, chaque, tous, toutes, toujours, todo, toda, sempre, ogni, tutti, tutte, semanal,
		каждый, каждую, каждое, каждого, ежегодно, еженедельно, ежемесячно, всегда`},
	{dataCue, `rows, dataset, datasets, report, reports, spreadsheet, csv, chart, records, entries, orders, invoices, logs, commits, tickets, data, events, files, backups, accounts, versions, tests, fixture, fixtures, clock, seed, mock, mocks, partition, partitions, archive, archives,
		dump, dumps, snapshot, snapshots, transactions, messages, numbers, figures, statistics, stats, documents, issues, payments, everything, history, query, queries, table, tables, requests, users, metrics, exports, releases, builds, bookings, readings,
		zeilen, datensatze, rechnungen, daten, bestellungen, eintrage, dateien, belege, buchungen, konten, zahlen, filas, registros, facturas, pedidos, datos, archivos, lignes, factures, commandes, donnees, enregistrements, fichiers,
		linhas, faturas, dados, arquivos, righe, fatture, ordini, dati, строки, записи, счета, данные, заказы, файлы, логи`},
	{exampleCue, `fixture, fixtures, test data, testdata, unit test, unit tests, test clock, mock data, seed data, testdaten, on purpose, ex, e g, eg, example, for instance, for example, such as, format, formats, sample, syntax, placeholder, hypothetical, if someone, beispiel, z b, zum beispiel, por ejemplo, ejemplo, par exemple, exemple, por exemplo, exemplo, per esempio, esempio, пример, например`},
	{removeCue, `remove, removed, delete, deleted, drop, dropped, revert, reverted, disable, disabled, clean up, cleanup, turn off, shut down, retire, retired, decommission, decommissioned, discard, throw away, obsolete, can go, unpin,
		entfernen, loschen, abschalten, abgeschaltet, entfernt, ausbauen, zuruckbauen, eliminar, borrar, quitar, desactivar, supprimer, retirer, enlever, remover, apagar, rimuovere, eliminare, удалить, убрать, отключить, выключить`},
	{revisitCue, `revisit, re evaluate, reevaluate, reconsider, recheck, re check, check again, look again, look at it again, review again, remind, follow up, reassess, rethink,
		wiedervorlage, erneut prufen, noch einmal prufen, nochmal prufen, revisar de nuevo, volver a revisar, reevaluer, revoir, reavaliar, rivalutare, пересмотреть, вернуться к`},
	{fillerCue, `per, the, on, in, at, about, around, approx, approximately, roughly, circa, ca, is, are, be, set, to, for, of, and including, including, inclusive, incl, least, date, day, midnight, noon, morning, evening, close, utc, cet, cest, gmt, est, pst, et, pt, am, pm, cob, eob, this, a, an, next, currently, tentatively, probably, likely, early, end, least, both,
		den, dem, der, das, die, zum, zu, am, im, ist, um, uhr, einschliesslich, einschl, inkl, mindestens, voraussichtlich, etwa, gegen, dann, und mit,
		el, la, los, las, del, al, dia, de, es, a, le, les, du, au, aux, jour, fin, est, inclus, o, os, as, em, no, na, ao, e, do, da, il, lo, gli, giorno, di, alle, alla, h, inclusive, inclusief,
		на, конца, включительно, примерно`},
	{partyCue, `we, i, they, he, she, it, you, team, who, which, that, everyone, wir, sie, er, ich, man, nous, on, ils, elle, мы, они`},
	{aboutCue, `in, at, from, per, after, during, since, see, notes, follow up, in der, im, laut, nach, en, dans, lors, pendant, durante, nel, nella, na, no, outcome, decision, result, followup, на, после, lors de, lors du, desde, dopo, dal, seit, beim, en`},
}

// phrase is a phrase of several words with its classes.
type phrase struct {
	rest []string // the words after the first one
	cues cue
}

var (
	phrases = map[string][]phrase{}     // by first word, longest first
	stems   = map[string][]stemPhrase{} // by the first 4 bytes
)

// stemPhrase is a word of any ending.
type stemPhrase struct {
	prefix string
	cues   cue
}

func init() {
	for _, entry := range vocabulary {
		for text := range strings.SplitSeq(entry.phrases, ",") {
			addPhrase(strings.Fields(text), entry.class)
		}
	}
}

func addPhrase(words []string, class cue) {
	if len(words) == 0 {
		return
	}
	if prefix, ok := strings.CutSuffix(words[0], "*"); ok {
		stems[prefix[:4]] = append(stems[prefix[:4]], stemPhrase{prefix, class})
		return
	}
	list := phrases[words[0]]
	at := 0
	for at < len(list) && len(list[at].rest) >= len(words)-1 {
		if strings.Join(list[at].rest, " ") == strings.Join(words[1:], " ") {
			list[at].cues |= class
			return
		}
		at++
	}
	list = append(list, phrase{})
	copy(list[at+1:], list[at:])
	list[at] = phrase{rest: words[1:], cues: class}
	phrases[words[0]] = list
}

// markCues sets the classes of the words. Of overlapping phrases the longest is taken.
func markCues(tokens []token) {
	for i := 0; i < len(tokens); i++ {
		if tokens[i].kind != wordToken {
			continue
		}
		n, cues := cuesAt(tokens[i:])
		if n == 0 && (tokens[i].preterite || !tokens[i].capital && isPastForm(tokens[i].text)) && !isInName(tokens, i) {
			n, cues = 1, pastCue
		}
		if n > 0 {
			if tokens[i].text == "example" && isInName(tokens, i) {
				continue // api.example.com
			}
			i += n - 1
			tokens[i].cues, tokens[i].length = cues, n
		}
	}
}

// cuesAt returns the length and the classes of the longest phrase at the first token. n is 0 if
// it starts no phrase.
func cuesAt(tokens []token) (n int, cues cue) {
	for _, p := range phrases[tokens[0].text] {
		if n, ok := follows(tokens[1:], p.rest); ok {
			return n + 1, p.cues
		}
	}
	word := tokens[0].text
	if len(word) >= 4 {
		for _, stem := range stems[word[:4]] {
			if strings.HasPrefix(word, stem.prefix) {
				return 1, stem.cues
			}
		}
	}
	return 0, 0
}

// isInName reports whether token i is part of a host name, a file name or an address.
func isInName(tokens []token, i int) bool {
	joins := func(t token) bool { return t.is(".") || t.is("@") || t.is("/") || t.is("-") }
	return i > 0 && joins(tokens[i-1]) && tokens[i-1].end == tokens[i].start ||
		i+2 < len(tokens) && joins(tokens[i+1]) && tokens[i+1].start == tokens[i].end && tokens[i+2].start == tokens[i+1].end
}

// follows reports whether tokens starts with the words, a hyphen or a full stop between them
// allowed, and how many tokens they are.
func follows(tokens []token, words []string) (n int, ok bool) {
	for _, word := range words {
		if n < len(tokens) && (tokens[n].is("-") || tokens[n].is(".")) {
			n++
		}
		if n >= len(tokens) || tokens[n].kind != wordToken || tokens[n].text != word {
			return 0, false
		}
		n++
	}
	return n, true
}

// isPastForm reports whether a word has an ending that only past tenses have, in languages with
// such endings.
func isPastForm(word string) bool {
	if len(word) < 6 {
		return word == "usaba" || word == "usava"
	}
	switch word {
	case "portrait", "extrait", "retrait", "parfait", "souhait", "attrait", "satisfait", "bienfait", "strait", "octava":
		return false
	}
	for _, ending := range []string{"aba", "ava", "ait", "abamos", "aban", "avamos", "avam", "avano", "avamo", "aient", "ebamos", "evamo", "вали", "али", "или"} {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}
