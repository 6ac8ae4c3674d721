import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openAppendSequencer } from '../../src/commands/lists/importEntries.ts'
import type { Append } from '../../src/stores/eventStore.ts'
import { draws } from '../support/draws.ts'

const append = (stream: string): Append => ({ stream, events: [], expected: 'no_stream' })

/** What is handed to a log when the things to do take so many turns each before they append, or do not. */
async function handedOver(works: readonly { turns: number; ends: string }[]): Promise<string[]> {
  const order: string[] = []
  const run = openAppendSequencer({
    append: async ({ stream }) => {
      order.push(stream)
      await sleep(0)
      return { ok: true, position: order.length, revision: 0 } as never
    },
  })
  const done = works.map(({ turns, ends }, index) =>
    run(async (log) => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      if (ends === 'throws') throw new Error('refused')
      if (ends === 'appends') await log.append(append(String(index)))
    }).catch(() => undefined),
  )
  await Promise.all(done)
  return order
}

test('whatever each takes before, appends are handed over in the order of what is done', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          turns: fc.integer({ min: 0, max: 20 }),
          ends: fc.constantFrom('appends', 'appends', 'ends', 'throws'),
        }),
        { maxLength: 20 },
      ),
      async (works) => {
        const appending = works.flatMap(({ ends }, index) =>
          ends === 'appends' ? [`${index}`] : [],
        )

        expect(await handedOver(works)).toEqual(appending)
      },
    ),
    { numRuns: draws(50) },
  ))
