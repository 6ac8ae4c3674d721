import { expect, test } from 'vitest'
import { fewEachTurn } from '../../src/domain/fewEachTurn.ts'
import { fakeLoop } from '../support/fakeLoop.ts'

test('given ten cheap works, when turns of the event loop pass, then three of them are done in each, in their order', () => {
  const { turns, pass } = fakeLoop()
  const done: number[] = []
  const doLater = fewEachTurn({ turns, key: 'closing', most: 3 })
  for (let number = 0; number < 10; number += 1) doLater(() => done.push(number))

  const afterEach = Array.from({ length: 5 }, () => {
    pass()
    return done.length
  })

  expect(afterEach).toEqual([3, 6, 9, 10, 10])
  expect(done).toEqual(done.toSorted((one, other) => one - other))
})

test('given work that comes while others are done, then it waits for a turn of its own', () => {
  const { turns, pass } = fakeLoop()
  let done = 0
  const doLater = fewEachTurn({ turns, key: 'closing', most: 1 })
  const work = (): void => {
    done += 1
    if (done < 4) doLater(work)
  }
  doLater(work)

  const afterEach = Array.from({ length: 3 }, () => {
    pass()
    return done
  })

  expect(afterEach).toEqual([1, 2, 3])
})

test('given nothing to do, then no turn is asked for', () => {
  const { turns, pass, expected } = fakeLoop()
  fewEachTurn({ turns, key: 'closing', most: 3 })(() => undefined)

  pass()
  pass()

  expect(expected()).toBe(0)
})
