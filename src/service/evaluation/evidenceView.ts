/** Evidence as it is answered. */

import { shownCell } from '../../engine/explain/shownCell.ts'
import type { Evidence } from '../../engine/run/evidence.ts'
import type { NamesRead } from '../../events/evaluation/namesRead.ts'
import type { EvidenceView } from './evaluationView.ts'

/**
 * Every name that arrived, with its value and source; times in ISO 8601. The target comes first, then what the plan reads in its order, then
 * the rest as it was gathered, and the clock: the same whether it comes from the record or was gathered now.
 */
export function evidenceView(evidence: Evidence, names: NamesRead): readonly EvidenceView[] {
  const restOf = (name: string): number => (name === 'request.time' ? names.size + 1 : names.size)
  const placeOf = (name: string): number =>
    name.startsWith('target.') ? -1 : (names.get(name) ?? restOf(name))
  return [...evidence]
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    .map(([name, { value, source, revision }]) => ({
      name,
      value: shownCell(name, value),
      source,
      ...(revision !== undefined && { revision }),
    }))
}
