import { expect, test } from 'vitest'
import type { Leave } from '../../src/domain/fairQueue.ts'
import { openPlaces } from '../../src/http/middleware/openPlaces.ts'

/** Places on an event loop whose turns, and what they take, the test says. */
function onLoop(inFlightMax: number) {
  let time = 0
  let cpu = 0
  let next: (() => void) | undefined
  const places = openPlaces({
    inFlightMax,
    nowMs: () => time,
    cpuMs: () => cpu,
    nextTurn: (work) => {
      next = work
    },
  })
  const begun: string[] = []
  const under: Leave[] = []
  return {
    begun,
    enter: (key: string) =>
      places.enter(key, (leave) => {
        begun.push(key)
        under.push(leave)
      }),
    /** Ends the work that began first. */
    end: () => under.shift()?.(),
    /** One turn of the loop, of so long; false when nothing waits for one. */
    turn: (ms: number, cpuMs = ms) => {
      const work = next
      next = undefined
      time += ms
      cpu += cpuMs
      work?.()
      return work !== undefined
    },
  }
}

test('no more than four requests begin in one turn of the loop, then one of each account in turn', () => {
  const { begun, enter, turn } = onLoop(100)
  for (let sent = 0; sent < 6; sent += 1) enter('a')
  enter('b')

  const first = begun.length
  turn(1)

  expect(first).toBe(4)
  expect(begun.slice(4)).toEqual(['a', 'b', 'a'])
})

test('with a single place, another account waits for it, and who sends more is told so itself', () => {
  const { begun, enter, turn, end } = onLoop(1)
  enter('a')
  enter('a')
  const more = enter('a')
  const others = enter('b')
  end()
  turn(0)
  end()
  turn(0)

  expect(more).toBe('share')
  expect(others).toBeTypeOf('function')
  expect(begun).toEqual(['a', 'a', 'b'])
})

test('while turns work long, an account has four places; once they are short, its share again', () => {
  const { begun, enter, turn, end } = onLoop(100)
  for (let sent = 0; sent < 30; sent += 1) enter('a')

  turn(50)
  enter('b')
  const slow = [...begun]
  turn(50)
  end()
  const oneForOne = begun.length
  turn(1)

  expect(slow).toEqual(['a', 'a', 'a', 'a', 'b'])
  expect(oneForOne).toBe(6)
  expect(begun).toHaveLength(10)
})

test('a turn that took long because others had the processor costs an account nothing', () => {
  const { begun, enter, turn } = onLoop(100)
  for (let sent = 0; sent < 30; sent += 1) enter('a')

  turn(500, 5)

  expect(begun).toHaveLength(8)
})

test('requests that wait for nothing but a place cost no turns', () => {
  const { enter, turn } = onLoop(4)
  enter('a')
  enter('a')

  turn(1)

  expect(turn(1)).toBe(false)
})
