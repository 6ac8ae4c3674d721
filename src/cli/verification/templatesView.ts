/** How templates are shown. */

import type { TemplateView } from '../../service/verification/verificationPart.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

interface TemplateColumn extends Column {
  readonly cell: (template: TemplateView) => string
}

const columns: readonly TemplateColumn[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'DIGITS', align: 'right', cell: ({ code_size }) => String(code_size) },
  { title: 'MINUTES', align: 'right', cell: ({ ttl_minutes }) => String(ttl_minutes) },
  { title: 'SUFFIX', widthMax: 48, narrow: 'wrap', cell: ({ suffix = '' }) => suffix },
  { title: 'NAME', widthMax: 48, narrow: 'wrap', cell: ({ name }) => name },
]

/** A line for each of them; a column that none of them has is left out. */
export function templateTable(
  templates: readonly TemplateView[],
  screen: Screen,
): readonly string[] {
  if (templates.length === 0) return ['No templates.']
  const used = columns.filter(({ cell }) => templates.some((one) => cell(one) !== ''))
  const rows = templates.map((one) => used.map(({ cell }) => cell(one)))
  return table(used, rows, screen)
}
