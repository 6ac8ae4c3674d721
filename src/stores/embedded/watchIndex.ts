/** Looks at the index of a log soon after the start and once a day, in a thread that is there only meanwhile. */

import type { Worker } from 'node:worker_threads'
import type { IndexFinding, OddIndex } from './checkIndex.ts'
import type { IndexStart } from './indexThread.ts'
import { startThread } from './startThread.ts'

export interface IndexWatchOptions {
  /** The log. */
  readonly file: string
  /** The position of its last event. */
  readonly head: () => number
  /** Told of whatever is not as it should be. */
  readonly onFound: (finding: OddIndex) => void
  /** Until the first look. */
  readonly firstAfterMs?: number | undefined
  /** Between two looks. */
  readonly everyMs?: number | undefined
}

const dayMs = 24 * 60 * 60 * 1_000

/** Looks until it is closed, which settles when nothing runs any more. */
export function watchIndex(options: IndexWatchOptions): { readonly close: () => Promise<void> } {
  const { file, head, onFound, firstAfterMs = 5_000, everyMs = dayMs } = options
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let look: Look | undefined
  const lookAfter = (ms: number): void => {
    if (!closed) timer = setTimeout(() => void lookNow(), ms).unref()
  }
  const lookNow = async (): Promise<void> => {
    if (head() > 0) {
      look = startLook(file)
      const finding = await look.ended
      look = undefined
      if (!closed && finding.kind !== 'whole') onFound(finding)
    }
    lookAfter(everyMs)
  }
  lookAfter(firstAfterMs)
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      look?.stop()
      await look?.ended
    },
  }
}

interface Look {
  readonly stop: () => void
  /** Settles when the thread has ended; never rejects. */
  readonly ended: Promise<IndexFinding>
}

function startLook(file: string): Look {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const start: IndexStart = { file }
  const thread: Worker = startThread(new URL(`./indexThread.${extension}`, import.meta.url), start)
  thread.unref()
  let finding: IndexFinding = { kind: 'unknown', message: 'the thread that looked at it ended' }
  thread.on('message', (found: IndexFinding) => {
    finding = found
  })
  thread.on('error', ({ message }) => {
    finding = { kind: 'unknown', message }
  })
  const ended = new Promise<IndexFinding>((resolve) => {
    thread.on('exit', () => resolve(finding))
  })
  return { stop: () => thread.postMessage('close'), ended }
}
