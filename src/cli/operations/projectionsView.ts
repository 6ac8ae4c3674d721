/** Prints projections, their errors and their parked events. */

import type { ProjectionView, RetryView } from '../../queries/operations/projections.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

type ParkedEvent = ProjectionView['parked_events'][number]

const columns: readonly Column[] = [
  { title: 'PROJECTION' },
  { title: 'VERSION', align: 'right' },
  { title: 'STATUS' },
  { title: 'POSITION', align: 'right' },
  { title: 'LAG', align: 'right' },
  { title: 'PARKED', align: 'right' },
]

const parkedColumns: readonly Column[] = [
  { title: 'POSITION', align: 'right' },
  { title: 'EVENT' },
  { title: 'WAITS IN', widthMax: 72, narrow: 'wrap' },
  { title: 'ERROR', narrow: 'wrap' },
]

/** A line per projection; below them the error of each stopped one, and its parked events. */
export function projectionLines(
  projections: readonly ProjectionView[],
  screen: Screen,
): readonly string[] {
  const rows = projections.map(({ name, version, status, position, lag_seconds, parked }) => [
    name,
    String(version),
    status,
    String(position),
    lag_seconds === undefined ? '' : `${lag_seconds} s`,
    String(parked),
  ])
  return [
    ...table(columns, rows, screen),
    ...projections.flatMap((projection) => [
      ...errorLines(projection),
      ...parkedLines(projection, screen),
    ]),
  ]
}

/** The number of applied events, and the events still parked. */
export function retryLines(retried: RetryView, screen: Screen): readonly string[] {
  return [
    `${printable(retried.name)}: applied ${retried.applied}, still parked ${retried.parked}`,
    ...errorLines(retried),
    ...parkedLines(retried, screen),
  ]
}

function errorLines({ name, error }: RetryView | ProjectionView): readonly string[] {
  return error === undefined ? [] : ['', `${printable(name)} does not go on: ${printable(error)}`]
}

function parkedLines(
  { name, parked, parked_events }: RetryView | ProjectionView,
  screen: Screen,
): readonly string[] {
  if (parked_events.length === 0) return []
  const more = parked - parked_events.length
  return [
    '',
    `Parked in ${printable(name)}:`,
    ...table(parkedColumns, parked_events.map(cellsOf), screen),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

function cellsOf({ position, type, sequence, error }: ParkedEvent): readonly string[] {
  return [String(position), type, sequence, error ?? '']
}
