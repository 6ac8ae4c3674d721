/** A process that adds evaluations to a log whose service does not run: each counts in keys of its own. */

import { randomBytes, randomUUID } from 'node:crypto'
import { sampleEvents } from './appendLoad.ts'
import { newId, openEmbeddedEventStore } from './built.ts'
import { answerMessages } from './childProcess.ts'

export interface KeysOrder {
  readonly folder: string
  readonly keys: number
  /** Of one event. */
  readonly keysOfEvent: number
}

const callers = 500

answerMessages<KeysOrder, boolean>(async ({ folder, keys, keysOfEvent }) => {
  const series = Array.from({ length: keysOfEvent }, (_, at) => `filled-${at}`.padEnd(12, '-'))
  const samples = (await sampleEvents(folder)).filter(({ data }) => data.includes('"tallies":'))
  const store = await openEmbeddedEventStore({ folder })
  const random = { bytes: (count: number) => randomBytes(count) }
  const append = async (at: number): Promise<void> => {
    const { type, data, metadata } = samples[at % samples.length] as (typeof samples)[number]
    const evaluation_id = newId('evl', { nowMs: () => Date.now() }, random)
    const tallies = series.map((id) => [id, randomBytes(12).toString('base64url'), 1])
    const changed = JSON.stringify({ ...JSON.parse(data), evaluation_id, tallies })
    const answer = await store.append({
      stream: `evaluation-${evaluation_id}`,
      events: [{ id: randomUUID(), type, data: changed, metadata }],
      expected: 'no_stream',
    })
    if (!answer.ok) throw new Error('an id was taken')
  }
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < keys / keysOfEvent) {
      next += 1
      await append(next)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  await store.close()
  return true
})
