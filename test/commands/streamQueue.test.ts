import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openStreamQueue } from '../../src/state/folding/streamQueue.ts'
import { draws } from '../support/draws.ts'

/** A promise that is settled from outside. */
function gate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Lets everything run that waits for nothing outside. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('keys do not wait for one another', async () => {
  const { run } = openStreamQueue()
  const never = gate()
  const blocked = run('a', () => never.opened)

  expect(await run('b', async () => 'done')).toBe('done')
  never.open()
  await blocked
})

describe('a line of a thousand', () => {
  test('takes no more, says when to come again, and takes more once it is shorter', async () => {
    const { run } = openStreamQueue()
    const first = gate()
    const waiting = Array.from({ length: 1_000 }, (_, index) =>
      run('a', async () => {
        if (index === 0) await first.opened
        return index
      }),
    )

    const refused = run('a', async () => 'never')
    await expect(refused).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    expect(await run('b', async () => 'other')).toBe('other')
    first.open()

    expect(await Promise.all(waiting)).toEqual(waiting.map((_, index) => index))
    expect(await run('a', async () => 'again')).toBe('again')
  })
})

test('whatever the works wait for, each key sees its own in order and one at a time', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          key: fc.constantFrom('a', 'b', 'c'),
          waits: fc.nat(3),
          fails: fc.boolean(),
        }),
        { maxLength: 40 },
      ),
      async (works) => {
        const { run } = openStreamQueue()
        const running = new Map<string, number>()
        const ended = new Map<string, number[]>()

        const all = works.map(({ key, waits, fails }, index) =>
          run(key, async () => {
            expect(running.has(key)).toBe(false)
            running.set(key, index)
            for (let wait = 0; wait < waits; wait += 1) await settled()
            running.delete(key)
            ended.set(key, [...(ended.get(key) ?? []), index])
            if (fails) throw new Error(`${index}`)
            return index
          }),
        )
        const outcomes = await Promise.allSettled(all)

        expect(outcomes).toEqual(
          works.map(({ fails }, index) =>
            fails
              ? { status: 'rejected', reason: new Error(`${index}`) }
              : { status: 'fulfilled', value: index },
          ),
        )
        for (const indexes of ended.values()) {
          expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
        }
      },
    ),
    { numRuns: draws(100) },
  ))
