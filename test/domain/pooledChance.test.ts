import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pooledChance } from '../../src/domain/pooledChance.ts'

/** A source that counts upwards, so that a byte given twice shows. */
function counting() {
  const asked: number[] = []
  let next = 0
  return {
    asked,
    bytes: (count: number) => {
      asked.push(count)
      return Uint8Array.from({ length: count }, () => next++ % 256)
    },
  }
}

describe('pooled chance', () => {
  test('gives as many bytes as asked for, whatever is left', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 200 }), (counts) => {
        const chance = pooledChance({ bytes: randomBytes })

        expect(counts.map((count) => chance.bytes(count).length)).toEqual(counts)
      }),
    )
  })

  test('gives the bytes of its source in order, none of them twice', () => {
    const chance = pooledChance(counting())

    const given = Array.from({ length: 25 }, () => [...chance.bytes(10)]).flat()

    expect(given).toEqual(Array.from({ length: 250 }, (_, index) => index))
  })

  test('asks its source once for many small wishes', () => {
    const source = counting()
    const chance = pooledChance(source)

    for (let wish = 0; wish < 100; wish += 1) chance.bytes(16)

    expect(source.asked).toEqual([4096])
  })

  test('hands a large wish on', () => {
    const source = counting()
    const chance = pooledChance(source)

    chance.bytes(3072)

    expect(source.asked).toEqual([3072])
  })

  test('gives bytes that nobody else can change', () => {
    const chance = pooledChance(counting())
    const first = chance.bytes(16)

    first.fill(255)

    expect([...chance.bytes(2)]).toEqual([16, 17])
  })
})
