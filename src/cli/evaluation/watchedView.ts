/** How one of the evaluations that are watched is shown. */

import type { WatchedEvaluation } from '../../service/analysis/analysisPart.ts'
import { colourOf, type Paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'

/** Time, verdict, flow, the recipes that flagged with their scores, whether a rule lacked evidence, and the id. */
export function watchedLine(evaluation: WatchedEvaluation, paint: Paint): string {
  const { evaluated_at, verdict, id, flow_id, flow_name = flow_id, recipes } = evaluation
  const flagged = recipes
    .filter((recipe) => recipe.verdict === 'FLAG')
    .map(({ recipe_id, name = recipe_id, score }) => `${name} ${score}`)
  const isPartial = recipes.some(({ partial_evidence }) => partial_evidence)
  return [
    paint('dim', printable(evaluated_at)),
    paint(colourOf(verdict), printable(verdict)),
    paint('bold', printable(flow_name)),
    ...(flagged.length === 0 ? [] : [printable(flagged.join(', '))]),
    ...(isPartial ? [paint('yellow', 'partial evidence')] : []),
    printable(id),
  ].join('  ')
}
