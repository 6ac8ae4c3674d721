/** Adds `vigil feedback list` and `vigil events list`: lists reports on end users. */

import { type Command, Option } from 'commander'
import { feedbackTypes } from '../../domain/evaluation/feedback.ts'
import type { FeedbackView, ReportedEventView } from '../../queries/feedback/reports.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import {
  searchPages,
  type TimeOptions,
  timesOf,
  withLimit,
  withTimes,
} from '../connecting/search.ts'
import { describe } from '../terminal/describe.ts'
import type { Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const feedbackColumns: readonly Column[] = [
  { title: 'RECEIVED' },
  { title: 'TYPE' },
  { title: 'TARGET', narrow: 'wrap' },
  { title: 'CORRELATION', widthMax: 64, narrow: 'wrap' },
  { title: 'ID' },
]

const eventColumns: readonly Column[] = [
  { title: 'REPORTED' },
  { title: 'LABEL', widthMax: 128, narrow: 'wrap' },
  { title: 'CONFIDENCE' },
  { title: 'TARGET', narrow: 'wrap' },
  { title: 'ID' },
]

/** Adds `feedback` and `events`, each with `list`. */
export function addReportCommands(program: Command, run: Run): void {
  const feedback = describe(program, {
    usage: 'feedback',
    summary: 'List feedback on verifications.',
    example: 'vigil feedback list',
  })
  const listOfFeedback = describe(feedback, {
    usage: 'list',
    summary: 'List feedback that was received, the newest first.',
    example: 'vigil feedback list --phone +33612345678 --type verification.completed',
  })
    .addOption(new Option('--type <type>', 'only of this type').choices(feedbackTypes))
    .option('--correlation-id <id>', 'only with this correlation id')
  withAll(listOfFeedback).action(serve<FeedbackOptions>(run, listFeedback))

  const events = describe(program, {
    usage: 'events',
    summary: 'List events of end users.',
    example: 'vigil events list',
  })
  const listOfEvents = describe(events, {
    usage: 'list',
    summary: 'List events that were reported, the newest first.',
    example: 'vigil events list --label payment.chargeback --from 2026-11-01T00:00:00Z',
  }).option('--label <label>', 'only with this label')
  withAll(listOfEvents).action(serve<EventOptions>(run, listEvents))
}

interface ReportOptions extends TimeOptions {
  readonly phone?: string
  readonly email?: string
  readonly limit: number
}

interface FeedbackOptions extends ReportOptions {
  readonly type?: string
  readonly correlationId?: string
}

interface EventOptions extends ReportOptions {
  readonly label?: string
}

function withAll(command: Command): Command {
  const ofTarget = command
    .option('--phone <number>', 'only of this phone number')
    .option('--email <address>', 'only of this email address')
  return withLimit(withTimes(ofTarget))
}

const more = (limit: number) => `There may be more than ${limit}: --limit N, --from, --to`

async function listFeedback(
  { context, client, print, screen }: Invocation,
  options: FeedbackOptions,
): Promise<undefined> {
  const { phone, email, type, correlationId, limit } = options
  const { items, hasMore } = await searchPages<FeedbackView>(await client(), {
    path: '/v2/watch/feedback',
    name: 'feedbacks',
    query: {
      phone_number: phone,
      email_address: email,
      type,
      correlation_id: correlationId,
      ...timesOf(options, context.nowMs()),
    },
    limit,
  })
  print({ feedbacks: items, more: hasMore }, () => [
    ...feedbackTable(items, screen),
    ...(hasMore ? [more(limit)] : []),
  ])
}

async function listEvents(
  { context, client, print, screen }: Invocation,
  options: EventOptions,
): Promise<undefined> {
  const { phone, email, label, limit } = options
  const { items, hasMore } = await searchPages<ReportedEventView>(await client(), {
    path: '/v2/watch/event',
    name: 'events',
    query: {
      phone_number: phone,
      email_address: email,
      label,
      ...timesOf(options, context.nowMs()),
    },
    limit,
  })
  print({ events: items, more: hasMore }, () => [
    ...eventTable(items, screen),
    ...(hasMore ? [more(limit)] : []),
  ])
}

/** A row for each. */
function feedbackTable(feedback: readonly FeedbackView[], screen: Screen): readonly string[] {
  if (feedback.length === 0) return ['No feedback.']
  const rows = feedback.map(({ received_at, type, target, metadata, id }) => [
    received_at,
    type,
    targetText(target),
    metadata?.correlation_id ?? '',
    id,
  ])
  return table(feedbackColumns, rows, screen)
}

/** A row for each. */
function eventTable(events: readonly ReportedEventView[], screen: Screen): readonly string[] {
  if (events.length === 0) return ['No events.']
  const rows = events.map(({ reported_at, label, confidence, target, id }) => [
    reported_at,
    label,
    confidence,
    targetText(target),
    id,
  ])
  return table(eventColumns, rows, screen)
}

function targetText({ type, value }: FeedbackView['target']): string {
  return value ?? `a ${type.replace('_', ' ')} that was erased`
}
