import { expect, test } from 'vitest'
import { openTurns } from '../../src/http/connections/openTurns.ts'

/** Turns that pass when the test says so. */
function openLoop() {
  const next: (() => void)[] = []
  return {
    nextTurn: (work: () => void) => void next.push(work),
    pass: () => {
      for (const work of next.splice(0)) work()
    },
  }
}

test('given a thousand requests of one sender, when another sends one, then it begins in the next turn', () => {
  const loop = openLoop()
  const turns = openTurns(loop.nextTurn)
  const begun: string[] = []
  const enter = (key: string): void => {
    turns.enter(key, (leave) => {
      begun.push(key)
      leave()
    })
  }
  for (let sent = 0; sent < 1_000; sent += 1) enter('greedy')
  expect(begun).toHaveLength(8)
  enter('other')
  expect(begun).toHaveLength(8)

  loop.pass()

  expect(begun).toHaveLength(16)
  expect(begun.filter((key) => key === 'other')).toHaveLength(1)
})

test('given requests that wait, when turns pass without anybody sending, then all begin', () => {
  const loop = openLoop()
  const turns = openTurns(loop.nextTurn)
  let begun = 0
  for (let sent = 0; sent < 100; sent += 1) {
    turns.enter(`sender ${sent % 7}`, (leave) => {
      begun += 1
      leave()
    })
  }

  for (let passed = 0; passed < 12; passed += 1) loop.pass()

  expect(begun).toBe(100)
  expect(turns.waiting()).toBe(0)
})
