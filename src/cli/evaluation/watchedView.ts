/** How evaluations that are watched, or listed, are shown. */

import type { WatchedEvaluation } from '../../service/analysis/analysisPart.ts'
import { colourOf, type Paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

/** Time, verdict, flow, the recipes that flagged with their scores, whether a rule lacked evidence, and the id. */
export function watchedLine(evaluation: WatchedEvaluation, paint: Paint): string {
  const { evaluated_at, verdict, id, flow_id, flow_name = flow_id } = evaluation
  const flagged = flaggedBy(evaluation)
  return [
    paint('dim', printable(evaluated_at)),
    paint(colourOf(verdict), printable(verdict)),
    paint('bold', printable(flow_name)),
    ...(flagged === '' ? [] : [printable(flagged)]),
    ...(isPartial(evaluation) ? [paint('yellow', 'partial evidence')] : []),
    printable(id),
  ].join('  ')
}

const columns: readonly Column[] = [
  { title: 'EVALUATED' },
  { title: 'VERDICT', coloured: true },
  { title: 'FLOW', widthMax: 48, narrow: 'wrap' },
  { title: 'FLAGGED BY', narrow: 'wrap' },
  { title: 'EVIDENCE' },
  { title: 'ID' },
]

/** The same in columns, a row for each. */
export function watchedTable(
  evaluations: readonly WatchedEvaluation[],
  screen: Screen,
): readonly string[] {
  if (evaluations.length === 0) return ['No evaluations.']
  const rows = evaluations.map((evaluation) => [
    evaluation.evaluated_at,
    evaluation.verdict,
    evaluation.flow_name ?? evaluation.flow_id,
    flaggedBy(evaluation),
    isPartial(evaluation) ? 'partial' : '',
    evaluation.id,
  ])
  return table(columns, rows, screen)
}

/** The recipes that flagged, each with its score. */
function flaggedBy({ recipes }: WatchedEvaluation): string {
  return recipes
    .filter(({ verdict }) => verdict === 'FLAG')
    .map(({ recipe_id, name = recipe_id, score }) => `${name} ${score}`)
    .join(', ')
}

function isPartial({ recipes }: WatchedEvaluation): boolean {
  return recipes.some(({ partial_evidence }) => partial_evidence)
}
