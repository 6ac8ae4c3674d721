import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openedUnder } from '../../src/commands/sessions/sessionDevice.ts'

const secret = () => new Uint8Array(32)

test('what was opened is found by the very secret that opened it, and by no other of the same bytes', () => {
  const kept = openedUnder<string>(1_000)
  const mine = secret()

  kept.set(mine, { name: 'device', value: 'a phone' }, 10)

  expect(kept.get(mine, 'device')).toBe('a phone')
  expect(kept.get(mine, 'another')).toBeUndefined()
  expect(kept.get(secret(), 'device')).toBeUndefined()
})

test('what is asked for stays, however much comes; what is not goes', () => {
  const kept = openedUnder<number>(100)
  const mine = secret()
  kept.set(mine, { name: 'asked for', value: -1 }, 10)
  kept.set(mine, { name: 'left alone', value: -2 }, 10)

  for (let index = 0; index < 1_000; index += 1) {
    kept.get(mine, 'asked for')
    kept.set(mine, { name: `${index}`, value: index }, 10)
  }

  expect(kept.get(mine, 'asked for')).toBe(-1)
  expect(kept.get(mine, 'left alone')).toBeUndefined()
})

test('no more is kept than is allowed, and each value is the one that was last kept under its name', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const step = fc.record({ secret: fc.nat(2), name: names, chars: fc.integer({ min: 1, max: 40 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const kept = openedUnder<{ readonly at: number; readonly chars: number }>(100)
      const secrets = [secret(), secret(), secret()]
      const last = new Map<string, number>()
      for (const [at, { secret: number, name, chars }] of steps.entries()) {
        const key = secrets[number] as Uint8Array
        kept.set(key, { name, value: { at, chars } }, chars)
        last.set(`${number} ${name}`, at)
      }
      let total = 0
      for (const [number, key] of secrets.entries()) {
        for (const name of ['a', 'b', 'c', 'd', 'e']) {
          const value = kept.get(key, name)
          if (!value) continue
          expect(value.at).toBe(last.get(`${number} ${name}`))
          total += value.chars
        }
      }
      expect(total).toBeLessThanOrEqual(100)
    }),
  )
})
