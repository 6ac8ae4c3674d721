import { describe, expect, test } from 'vitest'
import { appendLimits } from '../../../src/stores/eventstoredb/appendLimits.ts'
import { newAppend } from '../support/newEvents.ts'

describe('the limits of appends', () => {
  test.each([
    ['so many appends', { appendsMax: 2, bytesMax: 1_000_000 }],
    ['so many bytes', { appendsMax: 100, bytesMax: 60 }],
  ])(
    'given %s under way, when one more comes, then it is refused at once, until one of them is done',
    async (_, limits) => {
      const appends = appendLimits(() => undefined, limits)
      const append = newAppend('a-1', 'no_stream', 'x')
      const finish: (() => void)[] = []
      const work = () => new Promise<void>((resolve) => finish.push(resolve))
      const under = [appends.within(append, work), appends.within(append, work)]

      await expect(appends.within(append, async () => 'no')).rejects.toMatchObject({
        code: 'unavailable',
        cause: { message: 'too many appends are waiting' },
      })
      for (const one of finish) one()
      await Promise.all(under)

      expect(await appends.within(append, async () => 'yes')).toBe('yes')
    },
  )

  test('given one larger than the limit, when nothing else is under way, then it is let in', async () => {
    const appends = appendLimits(() => undefined, { appendsMax: 2, bytesMax: 1 })

    expect(await appends.within(newAppend('a-1', 'no_stream', 'x'), async () => 'yes')).toBe('yes')
  })

  test('given an append that fails, then it makes room all the same, and counts as none', async () => {
    const done: unknown[] = []
    const appends = appendLimits((statistics) => done.push(statistics), {
      appendsMax: 1,
      bytesMax: 99,
    })
    const append = newAppend('a-1', 'no_stream', 'x')
    const failing = appends.within(append, () => Promise.reject(new Error('no')))

    await expect(failing).rejects.toThrow('no')

    expect(done).toEqual([])
    expect(await appends.within(append, async () => 'yes')).toBe('yes')
    expect(done).toMatchObject([{ appends: 1, events: 1 }])
  })
})
