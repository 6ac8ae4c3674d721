/** The projections' end of the line: runs them and tells the thread that started it. */

import { wordsOf } from './attempt.ts'
import type { Holding } from './projectionLease.ts'
import type { FromProjections, Line, ToProjections } from './projectionMessages.ts'
import type { Alarm, ProjectionState, Projections } from './projections.ts'

interface Told {
  readonly onAlarm: (alarm: Alarm) => void
  readonly onProgress: (states: readonly ProjectionState[]) => void
  readonly onHolding: (holding: Holding) => void
}

export interface Serving {
  /** Opens the stores and starts the projections; throws when a store cannot be opened. */
  readonly open: (told: Told) => Projections
  /** Closes the stores, after the projections have ended. */
  readonly close: () => Promise<void>
}

/** Serves until it is told to close. Every failure is told; nothing is thrown. */
export function serveProjections(
  line: Line<FromProjections, ToProjections>,
  serving: Serving,
): void {
  const tell = (message: FromProjections): void => line.postMessage(message)
  const projections = opened(serving, tell)
  if (!projections) return
  line.on('message', (message) => {
    if (message.kind === 'hurry') projections.hurry()
    if (message.kind === 'retry') void retry(projections, message, tell)
    if (message.kind === 'close') void close(projections, serving, tell)
  })
  tell({ kind: 'open' })
}

type Tell = (message: FromProjections) => void

function opened(serving: Serving, tell: Tell): Projections | undefined {
  try {
    return serving.open({
      onAlarm: (alarm) => tell({ kind: 'alarm', alarm }),
      onProgress: (states) => tell({ kind: 'progress', states }),
      onHolding: (holding) => tell({ kind: 'holding', holding }),
    })
  } catch (error) {
    tell({ kind: 'not_opened', message: wordsOf(error) })
    return undefined
  }
}

async function close(projections: Projections, serving: Serving, tell: Tell): Promise<void> {
  try {
    await projections.close()
    await serving.close()
  } catch (error) {
    const message = `the projections did not close well: ${wordsOf(error)}`
    tell({ kind: 'alarm', alarm: { kind: 'stopped', message } })
  }
  tell({ kind: 'closed' })
}

async function retry(
  projections: Projections,
  { id, projection }: Extract<ToProjections, { kind: 'retry' }>,
  tell: Tell,
): Promise<void> {
  try {
    tell({ kind: 'retried', id, retried: await projections.retryParked(projection) })
  } catch (error) {
    tell({ kind: 'retry_failed', id, message: wordsOf(error) })
  }
}
