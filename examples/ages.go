package examples

import "time"

const (
	hour = time.Hour
	day  = 24 * time.Hour
)

// ages is the age of each file at the time of the copy. For a file in both the session and the
// agent, the newer one wins.
var ages = map[string]time.Duration{
	"code-reviewer/CLAUDE.md":                                                                          61*day + 2*hour,
	"code-reviewer/memory/MEMORY.md":                                                                   15 * hour,
	"code-reviewer/memory/ci_cache.md":                                                                 47*day + 5*hour,
	"code-reviewer/memory/feedback-leave-generated-code-alone.md":                                      49*day + 12*hour,
	"code-reviewer/memory/feedback_blocking_vs_nit.md":                                                 23*day + 4*hour,
	"code-reviewer/memory/feedback_error_wrapping.md":                                                  38*day + 7*hour,
	"code-reviewer/memory/feedback_tests_before_style.md":                                              52*day + 3*hour,
	"code-reviewer/memory/project-checkout-rewrite.md":                                                 2*day + 17*hour,
	"code-reviewer/memory/project_migration_freeze.md":                                                 43*day + 1*hour,
	"code-reviewer/memory/project_money_is_whole_cents.md":                                             19*day + 6*hour,
	"code-reviewer/memory/reference_error_codes.md":                                                    12*day + 9*hour,
	"code-reviewer/memory/reference_flaky_tests_board.md":                                              31*day + 2*hour,
	"code-reviewer/memory/reference_review_checklist.md":                                               8*day + 5*hour,
	"code-reviewer/memory/retry-policy-of-the-payment-client.md":                                       55*day + 8*hour,
	"code-reviewer/memory/small-diffs.md":                                                              8*day + 18*hour,
	"code-reviewer/memory/user-jonas-new-to-go.md":                                                     52*day + 14*hour,
	"code-reviewer/memory/user_mira_reviews_in_the_morning.md":                                         15 * hour,
	"code-reviewer/memory/レビューは日本語で.md":                                                                36*day + 3*hour,
	"code-reviewer/sessions/U07JONAS2-C05REVIEW1-1794990030.118000/memory/feature-flags.md":            2*day + 12*hour,
	"code-reviewer/sessions/U07JONAS2-C05REVIEW1-1794990030.118000/memory/user-jonas-new-to-go.md":     2*day + 12*hour,
	"code-reviewer/sessions/U07MIRA4Q-C05REVIEW1-1792581120.004219/memory/MEMORY.md":                   30*day + 14*hour,
	"code-reviewer/sessions/U07MIRA4Q-C05REVIEW1-1792581120.004219/memory/feedback_blocking_vs_nit.md": 30*day + 14*hour,

	"data-analyst/memory/MEMORY.md":                                                                         1*day + 2*hour,
	"data-analyst/memory/export-2026-09-12.md":                                                              40*day + 11*hour,
	"data-analyst/memory/feedback-round-to-what-is-known.md":                                                11*day + 15*hour,
	"data-analyst/memory/feedback_bars_not_pies.md":                                                         33*day + 6*hour,
	"data-analyst/memory/feedback_show_the_query.md":                                                        17*day + 4*hour,
	"data-analyst/memory/feedback_state_the_denominator.md":                                                 9*day + 8*hour,
	"data-analyst/memory/holidays.md":                                                                       25*day + 9*hour,
	"data-analyst/memory/occupancy.md":                                                                      22*day + 5*hour,
	"data-analyst/memory/occupancy_old.md":                                                                  60*day + 3*hour,
	"data-analyst/memory/project-metric-definitions-moved.md":                                               50*day + 14*hour,
	"data-analyst/memory/project_bookings_before_2024.md":                                                   28*day + 2*hour,
	"data-analyst/memory/project_winter_occupancy_study.md":                                                 1*day + 2*hour,
	"data-analyst/memory/reference_warehouse_tables.md":                                                     5*day + 6*hour,
	"data-analyst/memory/reference_weather_archive.md":                                                      14*day + 7*hour,
	"data-analyst/memory/user_finance_wants_csv.md":                                                         37*day + 10*hour,
	"data-analyst/memory/user_ines_reads_on_her_phone.md":                                                   20*day + 1*hour,
	"data-analyst/memory/周报用中文.md":                                                                          21 * hour,
	"data-analyst/sessions/U03INES6K-C0NUMBERS8-1793870400.010203/memory/feedback_state_the_denominator.md": 16*day + 15*hour,
	"data-analyst/sessions/U11FINAN5-C0NUMBERS8-1794906000.450900/memory/refunds-lag-one-hour.md":           3*day + 17*hour,
	"data-analyst/sessions/U11FINAN5-C0NUMBERS8-1794906000.450900/memory/user_finance_wants_csv.md":         3*day + 17*hour,

	"on-call/CLAUDE.md":                                                                                        58*day + 6*hour,
	"on-call/memory/MEMORY.md":                                                                                 4*day + 23*hour,
	"on-call/memory/feedback-one-queue-worker-at-a-time.md":                                                    73*day + 4*hour,
	"on-call/memory/feedback_page_only_for_customer_impact.md":                                                 54*day + 9*hour,
	"on-call/memory/feedback_plain_words_to_travellers.md":                                                     41*day + 2*hour,
	"on-call/memory/feedback_say_it_with_the_graph.md":                                                         23*day + 20*hour,
	"on-call/memory/handover_2026-10-30.md":                                                                    21*day + 21*hour,
	"on-call/memory/harbour-names-in-old-exports.md":                                                           34*day + 5*hour,
	"on-call/memory/pager_rotation.md":                                                                         26*day + 8*hour,
	"on-call/memory/project-monday-sync-is-slow.md":                                                            4*day + 23*hour,
	"on-call/memory/project_payment_provider_move.md":                                                          12*day + 2*hour,
	"on-call/memory/project_storm_season.md":                                                                   1*day + 6*hour,
	"on-call/memory/reference_dashboards.md":                                                                   15*day + 3*hour,
	"on-call/memory/reference_escalation.md":                                                                   29*day + 4*hour,
	"on-call/memory/runbooks/restart-a-ticket-printer.md":                                                      6*day + 7*hour,
	"on-call/memory/user-operations-lead.md":                                                                   15*day + 10*hour,
	"on-call/memory/user_tomas_on_call_hours.md":                                                               44*day + 1*hour,
	"on-call/sessions/U03INES6K-C0SUPPORT2-1795165800.771000/memory/MEMORY.md":                                 3 * hour,
	"on-call/sessions/U03INES6K-C0SUPPORT2-1795165800.771000/memory/lost-on-the-pier.md":                       3 * hour,
	"on-call/sessions/U09TOMAS7-C0ALERTS55-1794273300.220140/memory/feedback_page_only_for_customer_impact.md": 10*day + 21*hour,
	"on-call/sessions/U09TOMAS7-C0ALERTS55-1794273300.220140/memory/logs/commands.md":                          10*day + 21*hour,
	"on-call/sessions/U09TOMAS7-C0ALERTS55-1794273300.220140/memory/project_payment_provider_move.md":          46*day + 13*hour,
}
