/** Prints lists of evaluations, as text, tables or CSV. */

import { formatCsvLine } from '../../domain/text/csv.ts'
import type {
  FollowedEvaluation,
  WatchedEvaluation,
} from '../../queries/analysis/namedEvaluations.ts'
import { colourOf, type Paint, printable, type Screen } from '../terminal/screen.ts'
import { type CellColumn, itemTable } from '../terminal/table.ts'
import type { MaybeTargeted } from './recordedEvaluations.ts'

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

const columns: readonly CellColumn<WatchedEvaluation>[] = [
  { title: 'EVALUATED', cell: 'evaluated_at' },
  { title: 'VERDICT', cell: 'verdict', coloured: true },
  {
    title: 'FLOW',
    cell: ({ flow_id, flow_name = flow_id }) => flow_name,
    widthMax: 48,
    narrow: 'wrap',
  },
  { title: 'FLAGGED BY', cell: flaggedBy, narrow: 'wrap' },
  { title: 'EVIDENCE', cell: (one) => (isPartial(one) ? 'partial' : '') },
  { title: 'ID', cell: 'id' },
]
const reports: CellColumn<FollowedEvaluation> = {
  title: 'FOLLOWED BY',
  cell: followedBy,
  narrow: 'wrap',
}
const target: CellColumn<MaybeTargeted> = {
  title: 'TARGET',
  cell: targetText,
  narrow: 'wrap',
  optional: true,
}

/** Same, as a table with a row per evaluation, and its target if requested. */
export function watchedTable(
  evaluations: readonly (WatchedEvaluation & MaybeTargeted)[],
  screen: Screen,
): readonly string[] {
  if (evaluations.length === 0) return ['No evaluations.']
  return itemTable([...columns, target], evaluations, screen)
}

/** Same, with the later reports on each target. */
export function followedTable(
  evaluations: readonly (FollowedEvaluation & MaybeTargeted)[],
  screen: Screen,
): readonly string[] {
  if (evaluations.length === 0) return ['No evaluations.']
  return itemTable([...columns, reports, target], evaluations, screen)
}

const csvColumns = ['id', 'evaluated_at', 'flow_id', 'flow_name', 'verdict', 'flagged_by']
const csvMore = ['partial_evidence', 'followed_by']
const csvTarget = ['phone_number', 'email_address']

/** The CSV header of exported evaluations. */
export function csvTitles(withTarget: boolean): string {
  return `${formatCsvLine([...csvColumns, ...csvMore, ...(withTarget ? csvTarget : [])])}\r\n`
}

/** The CSV row of an evaluation. */
export function csvRow(evaluation: FollowedEvaluation & MaybeTargeted): string {
  const { id, evaluated_at, flow_id, flow_name = '', verdict, target } = evaluation
  const { phone_number = '', email_address = '' } = target ?? {}
  const cells = [id, evaluated_at, flow_id, flow_name, verdict, flaggedBy(evaluation)]
  const partial = String(isPartial(evaluation))
  const ofTarget = target ? [phone_number, email_address] : []
  return `${formatCsvLine([...cells, partial, followedBy(evaluation), ...ofTarget])}\r\n`
}

function targetText({ target }: MaybeTargeted): string {
  if (target?.forgotten) return 'erased'
  return [target?.phone_number, target?.email_address].filter((one) => one !== undefined).join(', ')
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
