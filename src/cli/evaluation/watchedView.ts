/** How evaluations that are watched, or listed, are shown. */

import type { FollowedEvaluation, WatchedEvaluation } from '../../service/analysis/analysisPart.ts'
import { colourOf, type Paint, printable, type Screen } from '../terminal/screen.ts'
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
  return table(columns, evaluations.map(cellsOf), screen)
}

/** The same with what was reported of each target afterwards. */
export function followedTable(
  evaluations: readonly FollowedEvaluation[],
  screen: Screen,
): readonly string[] {
  if (evaluations.length === 0) return ['No evaluations.']
  const rows = evaluations.map((evaluation) => [...cellsOf(evaluation), followedBy(evaluation)])
  return table([...columns, { title: 'FOLLOWED BY', narrow: 'wrap' }], rows, screen)
}

function cellsOf(evaluation: WatchedEvaluation): readonly string[] {
  return [
    evaluation.evaluated_at,
    evaluation.verdict,
    evaluation.flow_name ?? evaluation.flow_id,
    flaggedBy(evaluation),
    isPartial(evaluation) ? 'partial' : '',
    evaluation.id,
  ]
}

function followedBy({ followed_by, followed_by_more, forgotten }: FollowedEvaluation): string {
  const names = followed_by.map(({ name, confidence }) =>
    confidence === undefined ? name : `${name} (${confidence})`,
  )
  return [
    ...(names.length > 0 ? names : ['nothing']),
    ...(followed_by_more ? ['maybe more'] : []),
    ...(forgotten ? ['end user erased'] : []),
  ].join(', ')
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
