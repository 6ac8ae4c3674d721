/** Counts feedback and reported events (`vigil_feedback_total`, `vigil_reported_events_total`). */

import { Counter, type Registry } from 'prom-client'
import type { Confidence, FeedbackType } from '../domain/evaluation/feedback.ts'

/** Each is told what was recorded, once. */
export interface ReportMeter {
  readonly feedback: (received: readonly { readonly type: FeedbackType }[]) => void
  readonly events: (received: readonly { readonly confidence: Confidence }[]) => void
}

/** Opens the meter in the registry. */
export function openReportMeter(registry: Registry): ReportMeter {
  const registers = [registry]
  const feedback = new Counter({
    name: 'vigil_feedback_total',
    help: 'Feedback recorded.',
    labelNames: ['type'],
    registers,
  })
  const events = new Counter({
    name: 'vigil_reported_events_total',
    help: 'Events that callers reported, recorded.',
    labelNames: ['confidence'],
    registers,
  })
  return {
    feedback: (received) => {
      for (const { type } of received) feedback.inc({ type })
    },
    events: (received) => {
      for (const { confidence } of received) events.inc({ confidence })
    },
  }
}
