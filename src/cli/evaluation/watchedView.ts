/** How one of the evaluations that are watched is shown. */

import { colourOf, type Paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import type { WatchedAnswer } from './answers.ts'

/** Time, verdict, id, flow, and for every recipe its score: `80!` flagged, `0?` with partial evidence. */
export function watchedLine(evaluation: WatchedAnswer, paint: Paint): string {
  const { evaluated_at, verdict, id, flow_id, recipes } = evaluation
  const scores = recipes.map(
    ({ recipe_id, score, verdict: own, partial_evidence }) =>
      `${recipe_id}=${score}${own === 'FLAG' ? '!' : ''}${partial_evidence ? '?' : ''}`,
  )
  return [
    paint('dim', printable(evaluated_at)),
    paint(colourOf(verdict), printable(verdict)),
    printable(id),
    printable(flow_id),
    ...scores.map((score) => printable(score)),
  ].join('  ')
}
