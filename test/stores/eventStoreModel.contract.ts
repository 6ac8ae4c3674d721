/** Any sequence of appends, retries, reads and a restart, answered as a plain list would. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Append, EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'
import type { EventStoreContract } from './eventStore.contract.ts'
import { newEvent } from './support/newEvents.ts'

type Step =
  | { readonly kind: 'append'; readonly append: Append }
  | { readonly kind: 'again'; readonly which: number }
  | {
      readonly kind: 'read'
      readonly stream: string
      readonly from: number
      readonly limit: number
    }
  | { readonly kind: 'readAll'; readonly which: number; readonly limit: number }

const stream = fc.constantFrom('a-1', 'a-2')
/** Few ids, so that sequences meet the same ones again. */
const event = fc.constantFrom(...'pqrs').map(newEvent)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      append: fc.record<Append>({
        stream,
        expected: fc.oneof(fc.constant('no_stream' as const), fc.nat(4)),
        events: fc.array(event, { minLength: 1, maxLength: 3 }),
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('again' as const), which: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      stream,
      from: fc.nat(8),
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('readAll' as const),
      which: fc.nat(20),
      limit: fc.integer({ min: 1, max: 9 }),
    }),
  },
)

interface Run {
  store: EventStore
  readonly log: RecordedEvent[]
  readonly sent: Append[]
}

/** What the list knows of an append: the answer, or that its events are to be written. */
function answerOf(log: readonly RecordedEvent[], { stream: name, expected, events }: Append) {
  const present = log.filter((one) => one.stream === name)
  const wanted = expected === 'no_stream' ? -1 : expected
  const current = present.length - 1
  if (wanted === current) return undefined
  const following = present.slice(wanted + 1, wanted + 1 + events.length)
  const isSame = events.every(({ id }, index) => following[index]?.id === id)
  const last = following.at(-1)
  if (wanted < current && isSame && last) {
    return { ok: true, revision: last.revision, position: last.position }
  }
  return { ok: false, actual: current < 0 ? 'no_stream' : current }
}

async function appendTo({ store, log }: Run, append: Append): Promise<void> {
  const known = answerOf(log, append)
  const answer = await store.append(append)
  if (known) {
    expect(answer).toEqual(known)
    return
  }
  const { stream: name, expected, events } = append
  const from = expected === 'no_stream' ? 0 : expected + 1
  const written = await store.readStream(name, { from, limit: 100 })
  expect(written).toMatchObject(
    events.map((one, index) => ({ ...one, stream: name, revision: from + index })),
  )
  const positions = written.map(({ position }) => position)
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  expect(positions[0]).toBeGreaterThan(log.at(-1)?.position ?? 0)
  const { revision, position } = written.at(-1) ?? {}
  expect(answer).toEqual({ ok: true, revision, position })
  log.push(...written)
}

async function take(run: Run, next: Step): Promise<void> {
  const { store, log, sent } = run
  if (next.kind === 'append') {
    sent.push(next.append)
    await appendTo(run, next.append)
  } else if (next.kind === 'again') {
    const known = sent[next.which % Math.max(1, sent.length)]
    if (known) await appendTo(run, known)
  } else if (next.kind === 'read') {
    const present = log.filter((one) => one.stream === next.stream)
    const page = present.slice(next.from, next.from + next.limit)
    expect(await store.readStream(next.stream, next)).toEqual(page)
  } else {
    const at = next.which % (log.length + 1)
    const after = log[at - 1]?.position ?? 0
    const page = log.slice(at, at + next.limit)
    expect(await store.readAll({ after, limit: next.limit })).toEqual(page)
  }
}

export function answeringAsAList({ open }: EventStoreContract): void {
  const steps = fc.array(step, { minLength: 40, maxLength: 60 })

  test('given any sequence of appends, retries, reads and a restart, then it answers as a plain list would', () =>
    fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const { store, reopen } = await open()
        const run: Run = { store, log: [], sent: [] }

        for (const next of before) await take(run, next)
        run.store = await reopen()
        for (const next of after) await take(run, next)

        expect(await run.store.head()).toBe(run.log.at(-1)?.position ?? 0)
        expect(await run.store.readAll({ after: 0, limit: 1_000 })).toEqual(run.log)
      }),
      // few and long: opening some stores takes longer than what is asked of them
      { numRuns: 4 },
    ))
}
