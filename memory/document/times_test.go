package document

import "testing"

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string]string
	}{
		{"travel.md", "# Travel policy\n\nValid from 1 January 2025. This version replaces the policy of 2023.\n", map[string]string{"valid_from": "2025-01-01", "replaces": "the policy of 2023"}},
		{"travel.md", "# Remote work\nFennimore Mapping, version 2.0, in force since 1 February 2025. **Replaces version 1.3.**", map[string]string{"valid_from": "2025-02-01", "version": "2.0", "replaces": "version 1.3"}},
		{"a.txt", "Effective date: 3 May 2026\nVersion: 4\n\nText.", map[string]string{"valid_from": "2026-05-03", "version": "4"}},
		{"a.txt", "Price list\nValid from 1 March 2026 to 31 August 2026", map[string]string{"valid_from": "2026-03-01", "valid_until": "2026-08-31"}},
		{"a.txt", "Hausordnung\nStand: 12. Januar 2026\nGültig ab 01.02.2026 bis zum 31.12.2027.", map[string]string{"date": "2026-01-12", "valid_from": "2026-02-01", "valid_until": "2027-12-31"}},
		{"a.txt", "Règlement\nVersion 2.1, en vigueur à partir du 1er mars 2026.", map[string]string{"version": "2.1", "valid_from": "2026-03-01"}},
		{"a.txt", "Normas\nEn vigor desde el 7 de enero de 2024. Sustituye las normas de 2019.", map[string]string{"valid_from": "2024-01-07", "replaces": "las normas de 2019"}},
		{"a.txt", "VOORWAARDEN\nversie maart 2026", map[string]string{"date": "2026-03"}},
		{"a.txt", "Rates of 2022\n\nThis list was replaced by the list of 1 May 2024.\n", map[string]string{"superseded_by": "the list of 1 May 2024"}},
		{"a.txt", "Ana Berg\nQuay Street 3\n\nEnnis, 14 March 2026\n\nDear Mr Low,", map[string]string{"date": "2026-03-14"}},
		{"minutes-2026-02-09.txt", "We met.", map[string]string{"date": "2026-02-09"}},
		{"budget_2027.txt", "We spend.", map[string]string{"date": "2027"}},
		{"a.md", "---\ndate: 2023-02-01\nversion: 7\n---\nVersion 3 of 1 May 2024.", map[string]string{"date": "2023-02-01", "version": "7"}},
		{"a.txt", "The pump replaces the old filter. Order it before 3 May 2026 or wait until 5 June 2026 for the next one.", nil},
	} {
		d := mustRead(t, c.name, c.text, nil)
		for _, key := range []string{keyDate, keyValidFrom, keyValidUntil, keyVersion, keyReplaces, keySupersededBy} {
			if got := d.Metadata[key]; got != c.want[key] {
				t.Errorf("%s %q: %s is %q, want %q", c.name, c.text, key, got, c.want[key])
			}
		}
	}
}
