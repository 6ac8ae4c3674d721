/** How the comparison of two recipes is shown. */

import type { ComparisonView } from '../../service/analysis/analysisPart.ts'
import { printable } from '../terminal/printable.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const columns: readonly Column[] = [
  { title: 'RECIPE', coloured: true },
  { title: 'OTHER', coloured: true },
  { title: 'EVIDENCE' },
  { title: 'EVALUATIONS', align: 'right' },
]
const exampleColumns: readonly Column[] = [
  { title: 'RECIPE', coloured: true },
  { title: 'OTHER', coloured: true },
  { title: 'EVALUATION' },
]

/** How often they agreed, each pair of verdicts that came up, and examples of where they differ. */
export function comparisonLines(found: ComparisonView, screen: Screen): readonly string[] {
  const { agreements, differences, scanned, outcomes } = found
  const seen = outcomes.filter(({ evaluations }) => evaluations > 0)
  return [
    `recipe  ${printable(found.recipe_id)}`,
    `other   ${printable(found.with)}`,
    `from    ${printable(found.from)}`,
    `to      ${printable(found.to)}`,
    '',
    `Of ${scanned} evaluations both ran in ${agreements + differences}: the same verdict in ${agreements}, another in ${differences}.`,
    ...(seen.length === 0 ? [] : ['', ...table(columns, seen.map(rowOf), screen)]),
    ...exampleLines(found, screen),
    ...(found.truncated ? ['', 'Older evaluations were not looked at; --all does.'] : []),
  ]
}

type Compared = ComparisonView['outcomes'][number]

function rowOf({
  recipe,
  with: other,
  partial_evidence,
  evaluations,
}: Compared): readonly string[] {
  return [recipe, other, partial_evidence ? 'partial' : 'complete', String(evaluations)]
}

function exampleLines({ outcomes }: ComparisonView, screen: Screen): readonly string[] {
  const rows = outcomes
    .filter(({ recipe, with: other }) => recipe !== other)
    .flatMap(({ recipe, with: other, examples }) => examples.map((id) => [recipe, other, id]))
  if (rows.length === 0) return []
  return [
    '',
    'Where they differ, the newest (vigil show says why):',
    ...table(exampleColumns, rows, screen),
  ]
}
