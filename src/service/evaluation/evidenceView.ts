/** Evidence as it is answered. */

import { shownCell } from '../../engine/explain/shownCell.ts'
import type { Evidence } from '../../engine/run/evidence.ts'
import type { EvidenceView } from './evaluationView.ts'

/** Every name that arrived, with its value and source; times in ISO 8601. */
export function evidenceView(evidence: Evidence): readonly EvidenceView[] {
  return [...evidence].map(([name, { value, source, revision }]) => ({
    name,
    value: shownCell(name, value),
    source,
    ...(revision !== undefined && { revision }),
  }))
}
