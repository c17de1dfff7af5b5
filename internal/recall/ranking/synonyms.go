package ranking

import "strings"

// synonymGroups are words for the same thing in software work, one group a line. A word may be in
// several groups.
const synonymGroups = `
db database databases datastore
postgres postgresql psql pg
k8s kubernetes kubectl
js javascript
ts typescript
py python
rb ruby
golang go
repo repository repositories codebase
config configuration configure settings setting preferences options
env environment environments
var variable variables
prod production live
staging preprod preview
dev development
test tests testing tested spec specs
e2e integration browser
mock mocks mocking mocked stub stubs fake fakes double
deploy deployment deploys deploying release releases ship shipping rollout publish publishing launch
rollback revert undo restore
bug bugs defect defects issue issues
error errors exception exceptions failure failures failing fails failed crash crashes broken breaks
fix fixes repair mend resolve
delete deletes deleting deletion remove removes removing removal drop erase purge
rename move
create creates creating add adds adding introduce
change changes changing modify edit update updates alter
docs doc documentation document readme manual guide
ci pipeline pipelines workflow workflows build builds
pr prs review reviews reviewer merge
commit commits committing message
branch branches branching
dependency dependencies package packages library libraries module modules
version versions upgrade upgrades upgrading bump
log logs logging logger
monitor monitoring metrics observability dashboard dashboards grafana alerts
alert alerts pager paged oncall incident outage downtime
latency slow slowness performance speed fast sluggish
memory ram oom leak
auth authentication authenticate login signin password credentials oauth sso
permission permissions authorization access role roles rights
secret secrets credential credentials token tokens key keys password passwords
encrypt encryption tls ssl https certificate certificates cert certs
user users customer customers client clients
team colleague colleagues coworkers teammates people
boss manager lead
prefer prefers preference preferences likes favourite favorite
style formatting format formatter lint linter linting
indent indentation tabs spaces
language languages locale translation translations i18n
ui frontend interface
backend server servers
api endpoint endpoints rest
url urls link links address
image images picture pictures screenshot screenshots photo
container containers docker dockerfile
cloud aws gcp azure
queue queues broker kafka rabbitmq
cache caches caching cached redis
job jobs cron scheduler schedule scheduled
backup backups snapshot snapshots dump
migrate migration migrations schema
query queries sql
table tables column columns
timezone timezones utc
date dates deadline deadlines due
meeting meetings standup call calls
reply replies answer answers respond response responses
short brief concise terse
email emails mail mails
invoice invoices billing bill payment payments charge charges checkout
price prices pricing cost costs
flag flags toggle toggles switch
retry retries retrying backoff
timeout timeouts
concurrency concurrent parallel race races
thread threads goroutine goroutines
file files
folder folders directory directories
path paths
command commands cli shell terminal bash
script scripts
editor ide vim vscode
install installation installing setup
start starts starting run runs running launch boot
stop stops stopping halt kill shutdown
feature features functionality
requirement requirements specification
bot agent assistant
ticket tickets jira linear tracker
chat slack channel channels
legal compliance gdpr privacy
security vulnerability vulnerabilities
search find lookup
sort order ordering
colour color colours colors theme
button buttons
page pages screen screens
mobile phone ios android
`

var synonymsOf = func() map[string][]string {
	of := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(synonymGroups)) {
		group := strings.Fields(line)
		for _, word := range group {
			for _, other := range group {
				if other != word {
					of[word] = append(of[word], other)
				}
			}
		}
	}
	return of
}()
