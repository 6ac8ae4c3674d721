import { expect, test } from 'vitest'
import { appendQueue } from '../../../src/stores/embedded/appendQueue.ts'
import type { BatchResult } from '../../../src/stores/embedded/logWriter.ts'
import type { BatchWriter } from '../../../src/stores/embedded/owner.ts'
import { type Append, charsOf } from '../../../src/stores/eventStore.ts'
import { newEvent } from '../support/newEvents.ts'

const kibibyte = 1024

/** A writer that writes the oldest batch when it is told to, and counts what it has been given. */
function steppedWriter() {
  const given: (readonly Append[])[] = []
  const written: ((result: BatchResult) => void)[] = []
  const writer: BatchWriter = {
    write: (batch) => {
      given.push(batch)
      return new Promise((resolve) => written.push(resolve))
    },
    probe: () => Promise.resolve({ kind: 'written', answers: [] }),
    hear: () => undefined,
    break: () => undefined,
    close: () => Promise.resolve(),
  }
  const step = () => {
    const batch = given[given.length - written.length] ?? []
    written.shift()?.({
      kind: 'written',
      answers: batch.map(() => ({ ok: true, revision: 0, position: 1 })),
    })
  }
  return { writer, given, step, underWay: () => written.length }
}

function appendOf(account: string, number: number, length: number): Append {
  const data = JSON.stringify('x'.repeat(length))
  const stream = `a-${account}-${number}`
  const events = [{ ...newEvent(stream), data }]
  return { stream, events, expected: 'no_stream', account }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('given 32 batches of 240 KB of one account, when another appends, then it is written behind 2.5 mebibytes of them at most', async () => {
  const { writer, given, step } = steppedWriter()
  const queue = appendQueue({ writer, nowMs: clockOf(10) })
  for (let number = 0; number < 32; number += 1) {
    void queue.add(appendOf('greedy', number, 240 * kibibyte))
  }
  await turn()

  let isWritten = false
  void queue.add(appendOf('other', 0, kibibyte)).then(() => {
    isWritten = true
  })
  let steps = 0
  for (; !isWritten && steps < 40; steps += 1) {
    step()
    await turn()
  }

  const before = given.slice(0, steps).flat()
  const greedy = before.filter(({ account }) => account === 'greedy')
  const bytes = greedy.reduce((sum, { events }) => sum + charsOf(events), 0)
  expect(bytes).toBeLessThanOrEqual(2.5 * kibibyte * kibibyte)
})

test('given a batch being written, when others are overdue, then one more leaves at once and the rest as one when it is done, before the turn ends', async () => {
  const { writer, given, step } = steppedWriter()
  const queue = appendQueue({ writer, nowMs: clockOf(10) })
  void queue.add(appendOf('one', 0, kibibyte))
  await turn()

  for (let number = 1; number <= 9; number += 1) void queue.add(appendOf('one', number, kibibyte))
  const whileWriting = given.length
  step()
  await microtasks()
  void queue.add(appendOf('one', 10, kibibyte))

  expect(whileWriting).toBe(2)
  expect(given.map(({ length }) => length)).toEqual([1, 2, 8])
})

/** Enough of them for an answer to be heard of, and no turn of the event loop. */
async function microtasks(): Promise<void> {
  for (let steps = 0; steps < 10; steps += 1) await Promise.resolve()
}

/** A clock on which every look takes so many milliseconds. */
function clockOf(ms: number): () => number {
  let nowMs = 0
  return () => {
    nowMs += ms
    return nowMs
  }
}
