/** Moves the write-ahead log into its file in a thread of its own, which starts with the first step. */

import type { Worker } from 'node:worker_threads'
import { startThread } from './startThread.ts'
import type { StepOutcome, WalMover } from './walCheckpoints.ts'
import type { MoverOrder, MoverReply, MoverStart } from './walMoverThread.ts'

/** `startMover` starts the thread another way only in tests. A thread that ends by itself is not started again. */
export function threadMover(start: MoverStart, startMover = startMoverThread): WalMover {
  let line: MoverLine | undefined
  return {
    begin: (tell) => {
      line ??= moverLine(startMover(start))
      line.move(tell)
    },
    close: async () => {
      await line?.close()
    },
  }
}

function startMoverThread(start: MoverStart): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return startThread(new URL(`./walMoverThread.${extension}`, import.meta.url), start)
}

interface MoverLine {
  readonly move: (tell: (outcome: StepOutcome) => void) => void
  readonly close: () => Promise<void>
}

function moverLine(thread: Worker): MoverLine {
  let hasEnded = false
  let tell: ((outcome: StepOutcome) => void) | undefined
  const settle = (outcome: StepOutcome): void => {
    const told = tell
    tell = undefined
    told?.(outcome)
  }
  thread.on('message', (reply: MoverReply) => settle(outcomeOf(reply)))
  thread.on('error', ({ message }) => {
    process.emitWarning(`The writer moves its write-ahead log itself from now on: ${message}`)
  })
  const ended = new Promise<void>((resolve) => {
    thread.on('exit', () => {
      hasEnded = true
      settle({ kind: 'ended' })
      resolve()
    })
  })
  const order = (what: MoverOrder): void => thread.postMessage(what)
  return {
    move: (told) => {
      tell = told
      if (hasEnded) settle({ kind: 'ended' })
      else order('move')
    },
    close: () => {
      if (!hasEnded) order('close')
      return ended
    },
  }
}

function outcomeOf(reply: MoverReply): StepOutcome {
  if ('pages' in reply) return { kind: 'moved', pages: reply.pages }
  const { message, errcode, code } = reply
  const error = new Error(message)
  if (errcode !== undefined) Object.assign(error, { errcode })
  if (code !== undefined) Object.assign(error, { code })
  return { kind: 'failed', error }
}
