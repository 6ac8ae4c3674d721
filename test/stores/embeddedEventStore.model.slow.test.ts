import fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  Append,
  Appended,
  EventStore,
  RecordedEvent,
  WrongRevision,
} from '../../src/stores/eventStore.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { newEvent } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

/** The whole store as a list: what the real one must agree with. */
function modelAppend(
  log: RecordedEvent[],
  { stream, expected, events }: Append,
): Appended | WrongRevision {
  const present = log.filter((event) => event.stream === stream)
  const wanted = expected === 'no_stream' ? -1 : expected
  const current = present.length - 1
  const following = present.slice(wanted + 1, wanted + 1 + events.length)
  const last = following.at(-1)
  if (wanted < current && last && following.length === events.length) {
    const same = events.every(({ id }, index) => following[index]?.id === id)
    if (same) return { ok: true, revision: last.revision, position: last.position }
  }
  if (wanted !== current) return { ok: false, actual: current < 0 ? 'no_stream' : current }
  for (const event of events) {
    const revision = log.filter((other) => other.stream === stream).length
    log.push({ ...event, stream, revision, position: log.length + 1 })
  }
  return { ok: true, revision: wanted + events.length, position: log.length }
}

type Step =
  | { readonly kind: 'append'; readonly append: Append }
  | { readonly kind: 'together'; readonly appends: readonly Append[] }
  | { readonly kind: 'again'; readonly which: number }
  | {
      readonly kind: 'read'
      readonly stream: string
      readonly from: number
      readonly limit: number
    }
  | { readonly kind: 'readAll'; readonly after: number; readonly limit: number }
  | { readonly kind: 'reopen' }

const stream = fc.constantFrom('a-1', 'a-2', 'b-1')
/** Few ids, so that sequences meet the same ones again. */
const event = fc.constantFrom(...'pqrstu').map(newEvent)
const append: fc.Arbitrary<Append> = fc.record({
  stream,
  expected: fc.oneof(fc.constant('no_stream' as const), fc.nat(6)),
  events: fc.array(event, { minLength: 1, maxLength: 3 }),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: append.map((one) => ({ kind: 'append' as const, append: one })) },
  {
    weight: 3,
    arbitrary: fc
      .array(append, { minLength: 2, maxLength: 6 })
      .map((appends) => ({ kind: 'together' as const, appends })),
  },
  { weight: 3, arbitrary: fc.nat(20).map((which) => ({ kind: 'again' as const, which })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      stream,
      from: fc.nat(8),
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('readAll' as const),
      after: fc.nat(20),
      limit: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
)

interface Run {
  readonly folder: string
  readonly log: RecordedEvent[]
  readonly sent: Append[]
  store: EventStore
}

async function take(run: Run, next: Step): Promise<void> {
  const { log, sent, store } = run
  switch (next.kind) {
    case 'append':
      sent.push(next.append)
      expect(await store.append(next.append)).toEqual(modelAppend(log, next.append))
      return
    case 'together': {
      sent.push(...next.appends)
      const answers = await Promise.all(next.appends.map(store.append))
      expect(answers).toEqual(next.appends.map((one) => modelAppend(log, one)))
      return
    }
    case 'again': {
      const known = sent[next.which % Math.max(1, sent.length)]
      if (known) expect(await store.append(known)).toEqual(modelAppend(log, known))
      return
    }
    case 'read': {
      const present = log.filter((one) => one.stream === next.stream)
      const page = present.slice(next.from, next.from + next.limit)
      expect(await store.readStream(next.stream, next)).toEqual(page)
      return
    }
    case 'readAll':
      expect(await store.readAll(next)).toEqual(log.slice(next.after, next.after + next.limit))
      return
    case 'reopen':
      await store.close()
      run.store = await openForTest({ folder: run.folder })
  }
}

test('given any sequence of appends, retries, reads and restarts, then the store answers as a plain list would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const folder = temporaryFolder()
      const run: Run = { folder, log: [], sent: [], store: await openForTest({ folder }) }

      for (const next of steps) await take(run, next)

      expect(await run.store.head()).toBe(run.log.length)
      expect(await run.store.readAll({ after: 0, limit: 1_000 })).toEqual(run.log)
      await run.store.close()
    }),
    { numRuns: 60 },
  )
})
