/** The thread of the log writer: opens the log, then answers one batch after another until it is told to close. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import {
  type AnswersMessage,
  type BatchMessage,
  decodeBatch,
  encodeAnswers,
} from './batchMessage.ts'
import { type BatchResult, type LogWriter, openLogWriter } from './logWriter.ts'
import { sharedHead } from './sharedHead.ts'
import { threadMover } from './threadMover.ts'

export interface ThreadStart {
  readonly file: string
  readonly witness: string
  /** The buffer of the shared head. */
  readonly head: SharedArrayBuffer
  /** Where the thread's replies go. */
  readonly replies: MessagePort
}

export type ThreadRequest = BatchMessage | 'probe' | 'close'

export type ThreadReply =
  | { readonly kind: 'open' | 'closed' }
  | { readonly kind: 'not_opened'; readonly message: string }
  | { readonly kind: 'written'; readonly answers: AnswersMessage; readonly unwitnessed?: string }
  | Extract<BatchResult, { readonly kind: 'refused' }>

if (parentPort) serve(parentPort, workerData as ThreadStart)

function serve(port: MessagePort, start: ThreadStart): void {
  const reply = (message: ThreadReply) => start.replies.postMessage(message)
  const { file, witness } = start
  let writer: LogWriter
  const mover = threadMover({ file })
  try {
    const head = sharedHead(start.head)
    writer = openLogWriter({ file, witness, head, mover, nowMs: Date.now })
  } catch (error) {
    reply({ kind: 'not_opened', message: error instanceof Error ? error.message : String(error) })
    start.replies.close()
    return
  }
  port.on('message', (request: ThreadRequest) => {
    if (request === 'close') {
      void mover.close().then(() => {
        writer.close()
        reply({ kind: 'closed' })
        start.replies.close()
        port.close()
      })
      return
    }
    const result = request === 'probe' ? writer.probe() : writer.commit(decodeBatch(request))
    reply(
      result.kind === 'written' ? { ...result, answers: encodeAnswers(result.answers) } : result,
    )
    writer.settle()
  })
  reply({ kind: 'open' })
}
