import { expect, test } from 'vitest'
import type { Leave } from '../../src/domain/fairQueue.ts'
import { openPlaces } from '../../src/http/middleware/openPlaces.ts'
import { fakeLoop } from '../support/fakeLoop.ts'

/** Places on an event loop whose turns, and what requests take in them, the test says. */
function onLoop(inFlightMax: number) {
  const loop = fakeLoop()
  const places = openPlaces({ inFlightMax, turns: loop.turns })
  const begun: string[] = []
  const under: Leave[] = []
  return {
    ...loop,
    begun,
    waiting: places.waiting,
    enter: (key: string, ms = 1) =>
      places.enter(key, (leave) => {
        begun.push(key)
        under.push(leave)
        loop.takes(ms)
      }),
    /** Ends the work that began first. */
    end: () => under.shift()?.(),
  }
}

test('no more dear requests begin in one turn of the loop than one, and another account waits for no second', () => {
  const { begun, enter, pass } = onLoop(100)
  for (let sent = 0; sent < 20; sent += 1) enter('a', 12)
  for (let passed = 0; passed < 12; passed += 1) pass()
  const before = begun.length

  enter('b')
  pass()
  pass()

  expect(before).toBeLessThanOrEqual(21)
  expect(begun.slice(before)).toEqual(['b', 'a', 'a'])
})

test('with a single place, another account waits for it, and who sends more is told so itself', () => {
  const { begun, enter, pass, end } = onLoop(1)
  enter('a')
  enter('a')
  const more = enter('a')
  const others = enter('b')
  end()
  pass()
  end()
  pass()

  expect(more).toBe('share')
  expect(others).toBeTypeOf('function')
  expect(begun).toEqual(['a', 'a', 'b'])
})

test('a request that has a place and waits for its turn gives both back when it leaves', () => {
  const { begun, enter, pass } = onLoop(4)
  enter('a', 50)
  enter('b', 50)
  enter('c', 50)
  const leave = enter('d')
  if (typeof leave === 'string') throw new Error('it was refused')

  leave()
  enter('e')
  for (let passed = 0; passed < 5; passed += 1) pass()

  expect(begun).toEqual(['a', 'b', 'c', 'e'])
})

test('requests that wait for nothing but a place cost no turns', () => {
  const { enter, pass, expected } = onLoop(4)
  enter('a')
  enter('a')

  pass()
  pass()

  expect(expected()).toBe(0)
})
