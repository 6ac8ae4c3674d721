/** Scrubs a file soon after the start and once a day, in a thread that is there only meanwhile. */

import type { Worker } from 'node:worker_threads'
import type { Finding, Scrubbed, ScrubStart } from './scrubThread.ts'
import { startThread } from './startThread.ts'

/** Whatever is not as it should be. */
export type Odd<Of extends Scrubbed> = Exclude<Finding<Of>, { readonly kind: 'whole' }>

export interface ScrubTimes {
  /** Until the first time. */
  readonly firstAfterMs?: number | undefined
  /** Between two times. */
  readonly everyMs?: number | undefined
}

export interface DailyScrub<Of extends Scrubbed> extends ScrubTimes {
  readonly of: Of
  readonly file: string
  /** Told of whatever is not as it should be. */
  readonly onOdd: (odd: Odd<Of>) => void
}

const dayMs = 24 * 60 * 60 * 1_000

/** Goes on until it is closed, which settles when nothing runs any more. */
export function scrubDaily<Of extends Scrubbed>(
  options: DailyScrub<Of>,
): { readonly close: () => Promise<void> } {
  const { of, file, onOdd, firstAfterMs = 5_000, everyMs = dayMs } = options
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let running: Running<Of> | undefined
  const scrubAfter = (ms: number): void => {
    if (!closed) timer = setTimeout(() => void scrub(), ms).unref()
  }
  const scrub = async (): Promise<void> => {
    const finding = await scrubOnce()
    running = undefined
    if (!closed && finding.kind !== 'whole') onOdd(finding as Odd<Of>)
    scrubAfter(everyMs)
  }
  const scrubOnce = async (): Promise<Ended<Of>> => {
    try {
      running = start<Of>({ of, file })
      return await running.ended
    } catch (error) {
      // where no further thread can be had
      return { kind: 'unknown', message: error instanceof Error ? error.message : String(error) }
    }
  }
  scrubAfter(firstAfterMs)
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      running?.stop()
      await running?.ended
    },
  }
}

type Ended<Of extends Scrubbed> =
  | Finding<Of>
  | { readonly kind: 'unknown'; readonly message: string }

interface Running<Of extends Scrubbed> {
  readonly stop: () => void
  /** Settles when the thread has ended; never rejects. */
  readonly ended: Promise<Ended<Of>>
}

function start<Of extends Scrubbed>(what: ScrubStart): Running<Of> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const thread: Worker = startThread(new URL(`./scrubThread.${extension}`, import.meta.url), what)
  thread.unref()
  let finding: Ended<Of> = { kind: 'unknown', message: 'the thread that scrubs it ended' }
  thread.on('message', (found: Finding<Of>) => {
    finding = found
  })
  thread.on('error', ({ message }) => {
    finding = { kind: 'unknown', message }
  })
  const ended = new Promise<Ended<Of>>((resolve) => {
    thread.on('exit', () => resolve(finding))
  })
  return { stop: () => thread.postMessage('close'), ended }
}
