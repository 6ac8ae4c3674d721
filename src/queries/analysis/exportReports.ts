/** Exports all feedback and reported events of an account as rows of chosen columns. */

import type { Call, Page } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import { inputLimits } from '../../domain/jsonSchema.ts'
import { deviceSignals } from '../../domain/signals/signals.ts'
import {
  type FeedbackQuery,
  type FeedbackView,
  listFeedback,
  listReportedEvents,
  type ReportedEventsQuery,
  type ReportedEventView,
} from '../feedback/reports.ts'
import { refuseColumn, type TableColumn } from './scan/rowColumns.ts'

/** What is exported of a list. */
interface Export {
  /** Names separated by commas; all columns unless given. */
  readonly columns?: string
  /** Rows at most; all unless given. */
  readonly limit?: number
}
type ExportOf<Query> = Omit<Query, 'limit' | 'cursor'> & Export

type Row = Readonly<Record<string, unknown>>

interface Table {
  readonly columns: readonly TableColumn[]
  readonly pages: AsyncIterable<readonly Row[]>
}

const text = (name: string): TableColumn => ({ name, type: 'text' })

const detailColumns: readonly TableColumn[] = [
  ...['target_type', 'target'].map(text),
  { name: 'forgotten', type: 'boolean' },
  ...['evaluation_id', 'dispatch_id'].map(text),
  { name: 'occurred_at', type: 'time' },
  ...['amount', 'currency', 'correlation_id'].map(text),
  { name: 'position', type: 'integer' },
]

const feedbackColumns: readonly TableColumn[] = [
  text('id'),
  { name: 'received_at', type: 'time' },
  text('type'),
  ...detailColumns,
  ...deviceSignals.map((name) => text(`signal.${name}`)),
  { name: 'signal.is_trusted_user', type: 'boolean' },
]

const eventColumns: readonly TableColumn[] = [
  text('id'),
  { name: 'reported_at', type: 'time' },
  ...['label', 'confidence'].map(text),
  ...detailColumns,
]

/**
 * Feedback in the order of time, some at a time, each read when it is asked for. Throws `invalid_request` for a column
 * that there is not, and `unavailable`.
 */
export function exportFeedback(
  context: Parameters<typeof listFeedback>[0],
  call: Call,
  query: ExportOf<FeedbackQuery>,
): Promise<Table> {
  const list = (page: PageOf) => listFeedback(context, call, { ...query, ...page })
  return exportList(list, feedbackColumns, query)
}

/** Same, for events. */
export function exportReportedEvents(
  context: Parameters<typeof listReportedEvents>[0],
  call: Call,
  query: ExportOf<ReportedEventsQuery>,
): Promise<Table> {
  const list = (page: PageOf) => listReportedEvents(context, call, { ...query, ...page })
  return exportList(list, eventColumns, query)
}

type Report = FeedbackView | ReportedEventView

interface PageOf {
  readonly limit: number
  readonly cursor?: string
}

async function exportList(
  list: (page: PageOf) => Promise<Page<Report>>,
  known: readonly TableColumn[],
  { columns: written, limit = Number.POSITIVE_INFINITY }: Export,
): Promise<Table> {
  const columns = written === undefined ? known : readColumns(written, known)
  // what it refuses is answered before the first row
  const first = await list({ limit: Math.min(limit, inputLimits.page) })
  async function* readPages(): AsyncGenerator<readonly Row[], void, undefined> {
    let left = limit
    for (let page: Page<Report> | undefined = first; page; ) {
      const { items, nextCursor }: Page<Report> = page
      yield items.map((report) => toRow(report, columns))
      left -= items.length
      if (nextCursor === undefined || left <= 0) return
      page = await list({ limit: Math.min(left, inputLimits.page), cursor: nextCursor })
    }
  }
  return { columns, pages: readPages() }
}

function readColumns(written: string, known: readonly TableColumn[]): readonly TableColumn[] {
  const all = known.map(({ name }) => name)
  const names = written.split(',').map((name) => name.trim())
  if (new Set(names).size < names.length) {
    throw invalidRequest([{ path: 'columns', message: 'Must name each column once.' }])
  }
  return names.map(
    (name) => known.find((column) => column.name === name) ?? refuseColumn(name, all),
  )
}

function toRow(report: Report, columns: readonly TableColumn[]): Row {
  const { target, metadata } = report
  const signals = 'signals' in report ? Object.entries({ ...report.signals }) : []
  const flat: Row = {
    ...report,
    ...Object.fromEntries(signals.map(([name, value]) => [`signal.${name}`, value])),
    target_type: target.type,
    target: target.value,
    forgotten: target.forgotten === true,
    correlation_id: metadata?.correlation_id,
  }
  return Object.fromEntries(columns.map(({ name }) => [name, flat[name]]))
}
