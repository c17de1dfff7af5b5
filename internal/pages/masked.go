package pages

import (
	"memoir/internal/diff"
	"memoir/internal/findings/quarantine"
)

// maskedDiff is diff.Texts of two texts without their secrets.
func maskedDiff(before, after string, most int) diff.Diff {
	return diff.Texts(quarantine.MaskSecrets(before), quarantine.MaskSecrets(after), most)
}
