/** The figures as tables: for a terminal, and for a page of the documentation. */

import type { Figure, RecordedFigure } from './figure.ts'

/** Between these lines of the page stands the table. */
const begin = '<!-- table: written by npm run bench -->'
const end = '<!-- end of table -->'

/** A few lines for each figure. */
export function textTable(figures: readonly Figure[]): string {
  return figures
    .map((figure) => {
      const { name, against, rounds, notes } = figure
      return [
        `${figure.holds ? 'holds ' : 'MISSES'} ${measuredOf(figure)} (${targetOf(figure)}; ${spreadOf(figure)}, ${rounds} rounds)`,
        `       ${name}`,
        `       against ${against}`,
        ...notes.map((note) => `       ${note}`),
      ].join('\n')
    })
    .join('\n')
}

/** Where and how the figures were measured, and a table in Markdown; figures of different runs say of which each is. */
export function markdownTable(figures: readonly RecordedFigure[]): string {
  if (figures.length === 0) return 'Not measured yet.'
  const runs = [...new Set(figures.map(runOf))]
  const isMixed = runs.length > 1
  const letterOf = (run: string): string => String.fromCodePoint(65 + runs.indexOf(run))
  const titles = ['what', 'against', 'target', 'measured', 'quartiles', 'holds', 'absolute']
  const rows = figures.map((figure) => [
    ...cellsOf(figure),
    ...(isMixed ? [letterOf(runOf(figure))] : []),
  ])
  return [
    ...(isMixed ? ['The last column says of which run a figure is:', ''] : []),
    ...runs.map((run) => (isMixed ? `- ${letterOf(run)}: ${run}` : run)),
    '',
    rowOf([...titles, ...(isMixed ? ['run'] : [])]),
    `|${'---|'.repeat(titles.length + (isMixed ? 1 : 0))}`,
    ...rows.map((cells) => rowOf(cells.map((cell) => cell.replaceAll('|', '\\|')))),
  ].join('\n')
}

function runOf({ machine: { cpu, cores, memoryGiB, node, os } }: RecordedFigure): string {
  return `Full run on ${cores} cores of ${cpu}, ${memoryGiB} GiB of memory, Node ${node}, ${os}.`
}

function cellsOf(figure: RecordedFigure): readonly string[] {
  const { name, against, holds, notes } = figure
  return [
    name,
    against,
    targetOf(figure),
    `**${measuredOf(figure)}**`,
    spreadOf(figure),
    holds ? 'yes' : '**no**',
    notes.join('; '),
  ]
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** The page with another table between its marks. Throws when it has none. */
export function withTable(page: string, table: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error('the page has no place for the table')
  return `${page.slice(0, from + begin.length)}\n${table}\n${page.slice(to)}`
}

function measuredOf({ value, unit }: Figure): string {
  return `${shortNumber(value)} ${unit}`
}

function targetOf({ bound, target }: Figure): string {
  return `${bound} ${target}`
}

function spreadOf({ spread: { lower, upper } }: Figure): string {
  return `${shortNumber(lower)} to ${shortNumber(upper)}`
}

/** Three digits that say something. */
function shortNumber(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(6, digits))
}
