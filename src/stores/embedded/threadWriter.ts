/** Writes batches in a thread of its own, so that neither rows nor syncs hold up the thread that answers requests. */

import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type Worker,
} from 'node:worker_threads'
import { decodeAnswers, encodeBatch } from './batchMessage.ts'
import type { BatchWriter } from './batchWriter.ts'
import type { BatchResult, LogWriterOptions } from './logWriter.ts'
import { startThread } from './startThread.ts'
import type { ThreadReply, ThreadRequest, ThreadStart } from './writerThread.ts'

export interface ThreadWriterOptions extends Pick<LogWriterOptions, 'file' | 'witness' | 'head'> {
  /** Starts the thread; another one only to end it in tests. */
  readonly startWriter?: (start: ThreadStart) => Worker
}

/** Settles when the thread has opened the log; rejects with the `Error` that says why it could not. */
export async function threadWriter(options: ThreadWriterOptions): Promise<BatchWriter> {
  const { file, witness, head, startWriter = startWriterThread } = options
  const { port1: incoming, port2: replies } = new MessageChannel()
  const thread = startWriter({ file, witness, head: head.buffer, replies })
  const line = replyLine(thread, incoming)
  const opened = await line.next()
  if (opened.kind === 'not_opened') throw new Error(opened.message)
  if (opened.kind !== 'open') throw new Error(reasonOf(opened))
  const ask = (request: ThreadRequest) => {
    const reply = line.next()
    thread.postMessage(request)
    return reply
  }
  return {
    write: async (batch) => resultOf(await ask(encodeBatch(batch))),
    probe: async () => resultOf(await ask('probe')),
    hear: line.hear,
    close: async () => {
      await ask('close')
      await line.ended
    },
  }
}

function startWriterThread(start: ThreadStart): Worker {
  const module = import.meta.url.endsWith('.ts')
    ? new URL('./writerThread.ts', import.meta.url)
    : new URL('./writerThread.js', import.meta.url)
  return startThread(module, start, [start.replies])
}

interface ReplyLine {
  /** The next reply that nobody waits for yet; a thread that has ended answers that it is broken, to this and every later call. */
  readonly next: () => Promise<ThreadReply>
  /** Takes a reply that has come and that the event loop has not got round to; false when there is none. */
  readonly hear: () => boolean
  readonly ended: Promise<void>
}

function replyLine(thread: Worker, incoming: MessagePort): ReplyLine {
  let end: ThreadReply | undefined
  const waiting: ((reply: ThreadReply) => void)[] = []
  const deliver = (reply: ThreadReply) => waiting.shift()?.(reply)
  const hear = () => {
    const come = receiveMessageOnPort(incoming)
    if (come) deliver(come.message)
    return come !== undefined
  }
  let reason = 'the thread of the writer ended'
  incoming.on('message', deliver)
  thread.on('error', (error) => {
    reason = `the thread of the writer failed: ${error.message}`
  })
  const ended = new Promise<void>((resolve) => {
    thread.on('exit', () => {
      while (hear());
      incoming.close()
      end = { kind: 'refused', reason, broken: true }
      for (const receive of waiting.splice(0)) receive(end)
      resolve()
    })
  })
  const next = () =>
    new Promise<ThreadReply>((resolve) => {
      if (end) resolve(end)
      else waiting.push(resolve)
    })
  return { next, hear, ended }
}

function resultOf(reply: ThreadReply): BatchResult {
  if (reply.kind === 'refused') return reply
  if (reply.kind === 'written') return { ...reply, answers: decodeAnswers(reply.answers) }
  return { kind: 'refused', reason: reasonOf(reply), broken: true }
}

function reasonOf(reply: ThreadReply): string {
  return reply.kind === 'refused' ? reply.reason : `the thread of the writer answered ${reply.kind}`
}
