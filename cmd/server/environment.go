package main

import (
	"flag"
	"fmt"
	"strings"
)

// variablesOf gives the variables that stand in for a flag, the first that is there counting.
func variablesOf(name string) []string {
	variables := []string{"MEMOIR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
	if name == "database-url" {
		variables = append(variables, "DATABASE_URL") // what hosting platforms set
	}
	return variables
}

// setFromEnvironment sets every flag that was not given from the first of its variables that is there.
func setFromEnvironment(flags *flag.FlagSet, env func(string) (string, bool)) error {
	given := map[string]bool{"version": true}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })

	var failure error
	flags.VisitAll(func(f *flag.Flag) {
		if given[f.Name] || failure != nil {
			return
		}
		for _, variable := range variablesOf(f.Name) {
			value, found := env(variable)
			if !found || value == "" && !emptyMeansOff(f.Name) {
				continue
			}
			failure = setAll(flags, f.Name, variable, value)
			return
		}
	})
	return failure
}

func setAll(flags *flag.FlagSet, name, variable, value string) error {
	values := []string{value}
	if isList(name) {
		values = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
	}
	for _, v := range values {
		if isList(name) {
			v = strings.TrimSpace(v)
		}
		if err := flags.Set(name, v); err != nil {
			return fmt.Errorf("%s=%s does not work: %w", variable, value, err)
		}
	}
	return nil
}

func emptyMeansOff(name string) bool {
	switch name {
	case "agents-dir", "claude-dir", "model", "background-model", "claude-command":
		return true
	}
	return false
}

func isList(name string) bool { return name == "memory-dir" || name == "allowed-host" }
