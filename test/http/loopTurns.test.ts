import { expect, test } from 'vitest'
import { openLoopTurns } from '../../src/http/connections/loopTurns.ts'

/** A loop whose turns the test passes, each with a new connection or without one. */
function onLoop() {
  let next: (() => void)[] = []
  const turns = openLoopTurns((work) => {
    next.push(work)
  })
  return {
    turns,
    pass: (arrives: boolean) => {
      if (arrives) turns.arrived()
      const due = next
      next = []
      for (const work of due) work()
    },
    expected: () => next.length,
  }
}

test('work is done in the next turn when no connection comes', () => {
  const { turns, pass } = onLoop()
  let done = 0
  turns.next(() => {
    done += 1
  })

  pass(false)

  expect(done).toBe(1)
})

test('while each turn brings a connection, only one in 129 is for work', () => {
  const { turns, pass } = onLoop()
  let done = 0
  const work = (): void => {
    done += 1
    turns.next(work)
  }
  turns.next(work)

  for (let passed = 0; passed < 1_290; passed += 1) pass(true)

  expect(done).toBe(10)
})

test('work waits no longer once the connections are taken', () => {
  const { turns, pass } = onLoop()
  let done = 0
  turns.next(() => {
    done += 1
  })
  for (let passed = 0; passed < 10; passed += 1) pass(true)
  const before = done

  pass(false)

  expect([before, done]).toEqual([0, 1])
})

test('no turn is asked for when there is nothing to do', () => {
  const { turns, pass, expected } = onLoop()
  turns.next(() => undefined)
  pass(true)
  pass(false)

  expect(expected()).toBe(0)
})
