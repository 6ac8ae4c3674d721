/** How what was reported is shown. */

import type {
  FeedbackView,
  ReportedEventView,
  TargetView,
} from '../../service/feedback/feedbackPart.ts'
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

/** A row for each. */
export function feedbackTable(
  feedback: readonly FeedbackView[],
  screen: Screen,
): readonly string[] {
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
export function eventTable(
  events: readonly ReportedEventView[],
  screen: Screen,
): readonly string[] {
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

function targetText(target: TargetView): string {
  return 'forgotten' in target ? `a ${target.type.replace('_', ' ')} that was erased` : target.value
}
