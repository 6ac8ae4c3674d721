import { describe, expect, test } from 'vitest'
import { fakeLoop } from '../support/fakeLoop.ts'

/** Named works, each of so many milliseconds, in the order in which they begin. */
function onLoop() {
  const loop = fakeLoop()
  const begun: string[] = []
  const enter = (key: string, name: string, ms: number) =>
    loop.turns.enter(key, () => {
      begun.push(name)
      loop.takes(ms)
    })
  return { ...loop, begun, enter }
}

describe('turns of the event loop', () => {
  test('are for work when no connection comes', () => {
    const { turns, pass } = onLoop()
    let done = 0
    turns.next(() => {
      done += 1
    })

    pass()

    expect(done).toBe(1)
  })

  test('that bring a connection each are for work once in 129', () => {
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

  test('are for work again once the connections are taken', () => {
    const { turns, pass } = onLoop()
    let done = 0
    turns.next(() => {
      done += 1
    })
    for (let passed = 0; passed < 10; passed += 1) pass(true)
    const before = done

    pass()

    expect([before, done]).toEqual([0, 1])
  })

  test('given connections that wait to be taken, then whoever lately had much waits behind whoever had little, or has one work in a turn', () => {
    const { enter, begun, pass } = onLoop()
    for (let sent = 0; sent < 10; sent += 1) enter('greedy', 'greedy', 12)
    for (let passed = 0; passed < 10; passed += 1) pass()
    const passUntilWork = (): void => {
      for (let passed = 0; passed < 129; passed += 1) pass(true)
    }
    for (let sent = 0; sent < 9; sent += 1) enter('greedy', 'greedy', 1)
    const { length } = begun

    passUntilWork()
    for (let sent = 0; sent < 2; sent += 1) enter('other', 'other', 1)
    passUntilWork()

    expect(begun.slice(length)).toEqual(['greedy', 'other', 'other', 'greedy'])
  })

  test('are not asked for when there is nothing to do', () => {
    const { enter, pass, expected } = onLoop()
    enter('a', 'a', 1)
    pass(true)
    pass()

    expect(expected()).toBe(0)
  })
})

describe('the time of a turn', () => {
  test('given a thousand cheap works of one key, then some begin at once and all of them in the turns that follow', () => {
    const { enter, begun, settle, pass } = onLoop()

    for (let sent = 0; sent < 1_000; sent += 1) enter('greedy', 'greedy', 0.1)
    const atOnce = begun.length
    settle()
    const inTurn = begun.length
    for (let passed = 0; passed < 100; passed += 1) pass()

    expect(atOnce).toBe(8)
    expect(inTurn).toBeLessThan(300)
    expect(begun).toHaveLength(1_000)
  })

  test('given dear works of one key, then one begins in each turn once it had much', () => {
    const { enter, begun, pass } = onLoop()
    for (let sent = 0; sent < 30; sent += 1) {
      enter('greedy', 'greedy', 20)
      pass()
    }
    for (let sent = 0; sent < 5; sent += 1) enter('greedy', 'greedy', 20)
    const counts = [1, 2, 3].map(() => {
      const before = begun.length
      pass()
      return begun.length - before
    })

    expect(counts).toEqual([1, 1, 1])
  })

  test('given a key with dear works waiting, when another asks for little, then it waits for none but the one that goes on', () => {
    const { enter, begun, pass } = onLoop()
    for (let sent = 0; sent < 100; sent += 1) enter('greedy', 'greedy', 12)

    for (let passed = 0; passed < 50; passed += 1) {
      pass()
      const before = begun.length
      for (let sent = 0; sent < 4; sent += 1) enter('other', 'other', 0.5)
      pass()
      expect(begun.slice(before, before + 4)).toEqual(['other', 'other', 'other', 'other'])
    }
  })

  test('given two keys that wait, then whoever lately had less goes on first, however long the other waits', () => {
    const { enter, begun, pass } = onLoop()
    for (let sent = 0; sent < 9; sent += 1) enter('greedy', 'greedy', 12)
    for (let passed = 0; passed < 5; passed += 1) pass()
    const { length } = begun

    // the turn has no time left
    enter('greedy', 'greedy', 12)
    for (let sent = 0; sent < 16; sent += 1) enter('other', 'other', 0.6)
    pass()

    const others = begun.slice(length).filter((one) => one === 'other').length
    expect(begun.slice(length, length + others)).not.toContain('greedy')
    expect(others).toBe(16)
  })

  test('given two keys that ask for all they can get, then each has half of the time', () => {
    const { enter, begun, pass } = onLoop()
    for (let sent = 0; sent < 1_000; sent += 1) {
      enter('dear', 'dear', 8)
      enter('cheap', 'cheap', 1)
    }

    for (let passed = 0; passed < 60; passed += 1) pass()

    const timeOf = (key: string, ms: number) => begun.filter((one) => one === key).length * ms
    expect(timeOf('cheap', 1) / timeOf('dear', 8)).toBeGreaterThan(0.8)
    expect(timeOf('cheap', 1) / timeOf('dear', 8)).toBeLessThan(1.25)
  })

  test('given somebody who waits, when it leaves, then its work never begins and costs no turns', () => {
    const { enter, begun, pass, settle, expected } = onLoop()
    for (let sent = 0; sent < 8; sent += 1) enter('a', 'a', 10)
    const leave = enter('a', 'left', 1)

    leave()
    settle()
    for (let passed = 0; passed < 30; passed += 1) pass()

    expect(begun).not.toContain('left')
    expect(expected()).toBe(0)
  })

  test('given work begun by a commit for many keys, then what each does is counted as its own', () => {
    const { enter, begun, settle, pass } = onLoop()
    // the first goes on while the others enter, as in one callback of the loop
    for (const key of ['a', 'b', 'c']) enter(key, key, 1)
    expect(begun).toEqual(['a'])

    settle()
    pass()

    expect(begun).toEqual(['a', 'b', 'c'])
  })
})
