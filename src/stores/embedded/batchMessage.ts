/** How a batch and its answers cross the border between threads: flat arrays, which are copied several times faster than objects. */

import type { Append, NewEvent } from '../eventStore.ts'
import type { Answer } from './insertBatch.ts'

/** For each append: stream, expected revision (-1 for none), count of events; for each event: id, type, data, metadata. */
export type BatchMessage = readonly (string | number)[]

/** For each append three numbers: 1 when it succeeded; the revision or the actual one (-1 for no stream); the position. */
export type AnswersMessage = readonly number[]

export function encodeBatch(batch: readonly Append[]): BatchMessage {
  const message: (string | number)[] = []
  for (const { stream, expected, events } of batch) {
    message.push(stream, expected === 'no_stream' ? -1 : expected, events.length)
    for (const { id, type, data, metadata } of events) message.push(id, type, data, metadata)
  }
  return message
}

export function decodeBatch(message: BatchMessage): readonly Append[] {
  const batch: Append[] = []
  for (let at = 0; at < message.length; ) {
    const stream = message[at] as string
    const expected = message[at + 1] as number
    const end = at + 3 + 4 * (message[at + 2] as number)
    const events: NewEvent[] = []
    for (at += 3; at < end; at += 4) {
      events.push({
        id: message[at] as string,
        type: message[at + 1] as string,
        data: message[at + 2] as string,
        metadata: message[at + 3] as string,
      })
    }
    batch.push({ stream, expected: expected < 0 ? 'no_stream' : expected, events })
  }
  return batch
}

export function encodeAnswers(answers: readonly Answer[]): AnswersMessage {
  const message: number[] = []
  for (const answer of answers) {
    if (answer.ok) message.push(1, answer.revision, answer.position)
    else message.push(0, answer.actual === 'no_stream' ? -1 : answer.actual, 0)
  }
  return message
}

export function decodeAnswers(message: AnswersMessage): readonly Answer[] {
  const answers: Answer[] = []
  for (let at = 0; at < message.length; at += 3) {
    const revision = message[at + 1] as number
    answers.push(
      message[at] === 1
        ? { ok: true, revision, position: message[at + 2] as number }
        : { ok: false, actual: revision < 0 ? 'no_stream' : revision },
    )
  }
  return answers
}
