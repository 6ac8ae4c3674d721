import { expect, test } from 'vitest'
import { openNetworkSizes } from '../../src/commands/lists/networkSizes.ts'
import type { NetworkSize } from '../../src/events/lists/listEntry.ts'

const six = (prefix: number): NetworkSize => ({ version: 6, prefix })

/** Where a list has these sizes. */
function open(bytesMax: number, sizesOf: (name: string) => readonly NetworkSize[]) {
  const working: Promise<void>[] = []
  const sizes = openNetworkSizes({
    bytesMax,
    read: async (name) => sizesOf(name),
    run: (work) => void working.push(work()),
    nowMs: () => 0,
  })
  const learn = async (name: string) => {
    sizes.get(name)
    await Promise.all(working)
    return sizes.get(name)
  }
  return { sizes, learn }
}

test('given lists of many sizes, when more are asked for than memory is given, then those of long ago are read again', async () => {
  const all = Array.from({ length: 100 }, (_, prefix) => six(prefix))
  const { sizes, learn } = open(100_000, () => all)

  for (let number = 0; number < 50; number += 1) expect(await learn(`${number}`)).toEqual(all)

  expect(sizes.get('0')).toBeUndefined()
  expect(sizes.get('49')).toEqual(all)
})

test('given lists that grow, when sizes are noted, then they are weighed anew', async () => {
  const { sizes, learn } = open(50_000, () => [])
  for (let number = 0; number < 50; number += 1) await learn(`${number}`)

  for (let number = 1; number < 50; number += 1) {
    for (let prefix = 0; prefix < 30; prefix += 1) sizes.note(`${number}`, six(prefix))
  }

  expect(sizes.get('0')).toBeUndefined()
  expect(sizes.get('12')).toHaveLength(30)
})
