/** Formats lists of evaluations as lines, tables or CSV. */

import { formatCsvLine } from '../../domain/text/csv.ts'
import type {
  EvaluationWithReports,
  ListedEvaluation,
} from '../../queries/analysis/evaluationSearch.ts'
import { chooseColour, escapeControls, type Paint, type Screen } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'

/** A list row, with its target if requested. */
export interface WithOptionalTarget {
  readonly target?: {
    readonly phone_number?: string
    readonly email_address?: string
    /** The end user was erased. */
    readonly forgotten?: true
  }
}

/** Time, verdict, flow, the recipes that flagged with their scores, whether a rule lacked evidence, and the id. */
export function formatEvaluationLine(evaluation: ListedEvaluation, paint: Paint): string {
  const { evaluated_at, verdict, id, flow_id, flow_name = flow_id } = evaluation
  const flagged = formatFlaggingRecipes(evaluation)
  return [
    paint('dim', evaluated_at),
    paint(chooseColour(verdict), verdict),
    paint('bold', flow_name),
    ...(flagged === '' ? [] : [escapeControls(flagged)]),
    ...(isPartial(evaluation) ? [paint('yellow', 'partial evidence')] : []),
    ...(evaluation.fragile ? [paint('yellow', 'fragile')] : []),
    escapeControls(id),
  ].join('  ')
}

type ShownEvaluation = ListedEvaluation & Partial<EvaluationWithReports> & WithOptionalTarget

const columns: ItemColumns<ShownEvaluation> = {
  EVALUATED: 'evaluated_at',
  VERDICT: { cell: 'verdict', coloured: true },
  FLOW: { cell: ({ flow_id, flow_name = flow_id }) => flow_name, widthMax: 48, narrow: 'wrap' },
  'FLAGGED BY': { cell: formatFlaggingRecipes, narrow: 'wrap' },
  EVIDENCE: (one) => (one.fragile ? 'partial, fragile' : isPartial(one) ? 'partial' : ''),
  ID: 'id',
  'FOLLOWED BY': { cell: formatReports, narrow: 'wrap', optional: true },
  CLASS: { cell: 'label_class', optional: true },
  TARGET: { cell: formatTarget, narrow: 'wrap', optional: true },
}

/** Same, as a table with a row per evaluation, later reports on its target, and the target if requested. */
export function formatEvaluationTable(
  evaluations: readonly ShownEvaluation[],
  screen: Screen,
): readonly string[] {
  if (evaluations.length === 0) return ['No evaluations.']
  return formatItemTable(columns, evaluations, screen)
}

type ExportedEvaluation = EvaluationWithReports & WithOptionalTarget

const csvColumns: Readonly<Record<string, (evaluation: ExportedEvaluation) => string>> = {
  id: ({ id }) => id,
  evaluated_at: ({ evaluated_at }) => evaluated_at,
  flow_id: ({ flow_id }) => flow_id,
  flow_name: ({ flow_name = '' }) => flow_name,
  verdict: ({ verdict }) => verdict,
  flagged_by: formatFlaggingRecipes,
  partial_evidence: (evaluation) => String(isPartial(evaluation)),
  fragile: ({ fragile = false }) => String(fragile),
  followed_by: formatReports,
}
const csvTarget: typeof csvColumns = {
  phone_number: ({ target }) => target?.phone_number ?? '',
  email_address: ({ target }) => target?.email_address ?? '',
}

/** The CSV lines of exported evaluations, and its header. */
export function buildEvaluationCsv(hasTarget: boolean) {
  const columns = { ...csvColumns, ...(hasTarget && csvTarget) }
  return {
    header: `${formatCsvLine(Object.keys(columns))}\r\n`,
    line: (evaluation: ExportedEvaluation) =>
      `${formatCsvLine(Object.values(columns).map((cell) => cell(evaluation)))}\r\n`,
  }
}

function formatTarget({ target }: WithOptionalTarget): string {
  if (target?.forgotten) return 'erased'
  return [target?.phone_number, target?.email_address].filter((one) => one !== undefined).join(', ')
}

function formatReports({ followed_by, followed_by_more, forgotten }: ShownEvaluation): string {
  // a list that is no search has no reports
  if (!followed_by) return ''
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
function formatFlaggingRecipes({ recipes }: ListedEvaluation): string {
  return recipes
    .filter(({ verdict }) => verdict === 'FLAG')
    .map(({ recipe_id, name = recipe_id, score }) => `${name} ${score}`)
    .join(', ')
}

function isPartial({ recipes }: ListedEvaluation): boolean {
  return recipes.some(({ partial_evidence }) => partial_evidence)
}
