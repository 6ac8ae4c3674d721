import { expect, test } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { lagsOf } from '../../src/queries/operations/readiness.ts'
import { memoryLog } from '../projections/memoryEventStore.ts'

test('a projection is behind for as long as the first event after it has waited, however far apart positions are', async () => {
  const events = memoryLog(1_000_000)
  const at = [10_000, 11_500, 12_000].map(
    (time) => events.add('s', 'LetterAdded', {}, { time }).position,
  )
  const clock = { nowMs: () => 12_500 }
  const context = { events, clock } as unknown as ServiceContext

  const lags = await lagsOf(
    context,
    [0, ...at, ...at].map((position) => ({ position })),
  )

  expect([0, ...at].map((position) => lags.get(position))).toEqual([2.5, 1, 0.5, 0])
})

test.each([
  ['in this very millisecond', 12_500],
  ['by a clock that goes ahead of this one', 20_000],
])(
  'an event that was written %s waits all the same, and not since before it was',
  async (_, time) => {
    const events = memoryLog()
    events.add('s', 'LetterAdded', {}, { time })
    const context = { events, clock: { nowMs: () => 12_500 } } as unknown as ServiceContext

    expect((await lagsOf(context, [{ position: 0 }])).get(0)).toBe(0.001)
  },
)
