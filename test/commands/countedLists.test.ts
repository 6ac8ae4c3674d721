import { expect, test } from 'vitest'
import { openCountedLists } from '../../src/commands/lists/countedLists.ts'
import { Failure } from '../../src/domain/failure.ts'

const full = 10

function openScene(waitMs = 60_000) {
  const scene = {
    nowMs: 0,
    asked: [] as string[],
    count: async (): Promise<number> => 3,
  }
  const lists = openCountedLists({
    full,
    waitMs,
    nowMs: () => scene.nowMs,
    count: (name) => {
      scene.asked.push(name)
      return scene.count()
    },
  })
  return Object.assign(scene, { lists })
}

test('a list is counted once, however many ask, and kept up by what is heard', async () => {
  const { lists, asked } = openScene()

  const sizes = await Promise.all([lists.size('a'), lists.size('a'), lists.size('b')])
  for (const by of [1, 1, -1]) lists.change('a', by)

  expect([...sizes, await lists.size('a'), await lists.size('b')]).toEqual([3, 3, 3, 4, 3])
  expect(asked).toEqual(['a', 'b'])
})

test('a list that seems full is counted again before anybody is told, and at most once a minute', async () => {
  const scene = openScene()
  const fill = () => {
    for (let again = 0; again < full; again += 1) scene.lists.change('a', 1)
  }
  await scene.lists.size('a')
  scene.nowMs = 60_000
  // by entries that had ended and were added anew
  fill()

  const counted = await scene.lists.size('a')
  scene.count = async () => full
  scene.nowMs = 120_000
  fill()
  const isFull = [await scene.lists.size('a'), await scene.lists.size('a')]

  expect([counted, ...isFull]).toEqual([3, full, full])
  expect(scene.asked).toHaveLength(3)
})

test('one that cannot be counted is not known, and not asked for again at once', async () => {
  const scene = openScene()
  scene.count = async () => {
    throw new Failure('unavailable', 'Away.')
  }

  const away = [await scene.lists.size('a'), await scene.lists.size('a')]
  scene.nowMs = 5_000
  scene.count = async () => 3

  expect([...away, await scene.lists.size('a')]).toEqual([undefined, undefined, 3])
  expect(scene.asked).toHaveLength(2)
})

test('nobody waits for a count longer than they may, and it goes on', async () => {
  const scene = openScene(1)
  let end: (size: number) => void = () => undefined
  scene.count = () =>
    new Promise((resolve) => {
      end = resolve
    })

  const late = await scene.lists.size('a')
  end(7)
  await new Promise(setImmediate)

  expect([late, await scene.lists.size('a')]).toEqual([undefined, 7])
  expect(scene.asked).toHaveLength(1)
})
