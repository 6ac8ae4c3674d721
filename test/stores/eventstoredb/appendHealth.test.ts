import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { LogConnection } from '../../../src/stores/eventstoredb/logConnection.ts'
import { openAppender } from '../../../src/stores/eventstoredb/retryAppends.ts'
import type { AppendOutcome } from '../../../src/stores/eventstoredb/sendAppends.ts'
import { newAppend } from '../support/newEvents.ts'

const probeEveryMs = 5_000
const ok = { kind: 'answered', answer: { ok: true, revision: 0, position: 1 } } as const
const down = { kind: 'unknown', reason: new Error('the server is away') } as const

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
})

/** An appender whose appends and probes are answered by the test, in one attempt each. */
function openAnswered() {
  const sent = new Map<string, (outcome: AppendOutcome) => void>()
  const said: (string | undefined)[] = []
  const send = ({ stream }: { readonly stream: string }) =>
    new Promise<AppendOutcome>((resolve) => sent.set(stream, resolve))
  const log = {
    client: () => ({ send }),
    pace: { attempts: 1, attemptMs: 1, backoffMs: 1, againMs: 1, lookMs: 1_000_000, probeEveryMs },
    end: { note: () => undefined },
  } as unknown as LogConnection
  const { append, isWritable } = openAppender(log, { onHealthChange: (why) => said.push(why) })
  return {
    said,
    isWritable,
    /** Streams whose appends wait for their answer. */
    waiting: () => [...sent.keys()],
    begin: (stream: string) =>
      append(newAppend(stream, 'no_stream', stream)).catch(() => undefined),
    answer: async (stream: string, outcome: AppendOutcome): Promise<void> => {
      sent.get(stream)?.(outcome)
      sent.delete(stream)
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

async function openWithoutServer() {
  const store = openAnswered()
  void store.begin('failed')
  await store.answer('failed', down)
  return store
}

describe('the health of the log in EventStoreDB', () => {
  test('given an append that failed, when the time of a probe has come, then it is probed, and its answer counts', async () => {
    const store = await openWithoutServer()

    await vi.advanceTimersByTimeAsync(probeEveryMs)
    const waiting = store.waiting()
    await store.answer('vigil_probe', ok)

    expect(waiting).toEqual(['vigil_probe'])
    expect(store.said).toEqual(['the server is away', undefined])
  })

  test('given a log that was away, when an append is taken before the next probe, then there is none', async () => {
    const store = await openWithoutServer()
    void store.begin('taken')
    await store.answer('taken', ok)

    await vi.advanceTimersByTimeAsync(10 * probeEveryMs)

    expect(store.waiting()).toEqual([])
    expect(store.said).toEqual(['the server is away', undefined])
  })

  test('given a probe under way, when an append is taken and then the probe fails, then the log takes appends', async () => {
    const store = await openWithoutServer()
    await vi.advanceTimersByTimeAsync(probeEveryMs)
    void store.begin('taken')
    await store.answer('taken', ok)

    await store.answer('vigil_probe', down)

    expect(store.isWritable()).toBe(true)
    expect(store.said).toEqual(['the server is away', undefined])
  })

  test('given an append begun before another was taken, when it fails, then the log takes appends until one fails that was begun later', async () => {
    const store = openAnswered()
    void store.begin('early')
    void store.begin('taken')
    await store.answer('taken', ok)
    await store.answer('early', down)
    const before = store.isWritable()

    void store.begin('later')
    await store.answer('later', down)

    expect([before, store.isWritable()]).toEqual([true, false])
  })
})
