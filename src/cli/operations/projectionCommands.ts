/** Declares `vigil projections`: lists projections and retries their parked events (operator). */

import type { ProjectionView, RetryView } from '../../queries/operations/projections.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type CellColumn, itemTable } from '../terminal/table.ts'

const columns: readonly CellColumn<ProjectionView>[] = [
  { title: 'PROJECTION', cell: 'name' },
  { title: 'VERSION', cell: 'version', align: 'right' },
  { title: 'STATUS', cell: 'status' },
  { title: 'POSITION', cell: 'position', align: 'right' },
  {
    title: 'LAG',
    cell: ({ lag_seconds }) => (lag_seconds === undefined ? '' : `${lag_seconds} s`),
    align: 'right',
  },
  { title: 'PARKED', cell: 'parked', align: 'right' },
]

const parkedColumns: readonly CellColumn<ProjectionView['parked_events'][number]>[] = [
  { title: 'POSITION', cell: 'position', align: 'right' },
  { title: 'EVENT', cell: 'type' },
  { title: 'WAITS IN', cell: 'sequence', widthMax: 72, narrow: 'wrap' },
  { title: 'ERROR', cell: 'error', narrow: 'wrap' },
]

export const projectionCommands: CommandRow = {
  usage: 'projections',
  summary: 'Show the progress of the projections and their parked events (operator).',
  example: 'vigil projections',
  caller: 'operator',
  request: 'GET /v2/operator/projections',
  lines: projectionLines,
  commands: [
    {
      usage: 'retry <name>',
      summary: 'Apply the parked events of a projection again; to repeat it is not an error.',
      example: 'vigil projections retry evaluations',
      caller: 'operator',
      request: 'POST /v2/operator/projections/<name>/retry',
      lines: (retried: RetryView, { screen }) => [
        `${printable(retried.name)}: applied ${retried.applied}, still parked ${retried.parked}`,
        ...detailLines(retried, screen),
      ],
    },
  ],
}

/** A line per projection; below them the error of each stopped one, and its parked events. */
function projectionLines(
  { projections }: { readonly projections: readonly ProjectionView[] },
  { screen }: Invocation,
): readonly string[] {
  return [
    ...itemTable(columns, projections, screen),
    ...projections.flatMap((projection) => detailLines(projection, screen)),
  ]
}

function detailLines(
  { name, error, parked, parked_events }: RetryView | ProjectionView,
  screen: Screen,
): readonly string[] {
  const more = parked - parked_events.length
  return [
    ...(error === undefined ? [] : ['', `${printable(name)} is stopped: ${printable(error)}`]),
    ...(parked_events.length === 0
      ? []
      : [
          '',
          `Parked in ${printable(name)}:`,
          ...itemTable(parkedColumns, parked_events, screen),
          ...(more > 0 ? [`and ${more} more`] : []),
        ]),
  ]
}
