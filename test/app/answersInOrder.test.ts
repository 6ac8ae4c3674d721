/** Work on many things at once, answered in their order. */

import { describe, expect, test } from 'vitest'
import { answersInOrder } from '../../src/commands/lists/answersInOrder.ts'

/** Things that are there when they are given. */
function openThings() {
  const given: number[] = []
  let tell = (): void => undefined
  let isOver = false
  let trouble: Error | undefined
  const things = async function* () {
    for (let next = 0; ; next += 1) {
      while (given.length <= next && !isOver) {
        await new Promise<void>((resolve) => {
          tell = resolve
        })
      }
      if (given.length <= next) break
      yield given[next] as number
    }
    if (trouble) throw trouble
  }
  return {
    things: things(),
    give: (...more: readonly number[]) => {
      given.push(...more)
      tell()
    },
    end: (error?: Error) => {
      isOver = true
      trouble = error
      tell()
    },
  }
}

/** Work that ends when it is told to. */
function openWork() {
  const begun = new Map<number, { resolve: (answer: string) => void; reject: (e: Error) => void }>()
  let ended = 0
  const work = (thing: number) =>
    new Promise<string>((resolve, reject) => begun.set(thing, { resolve, reject })).finally(() => {
      ended += 1
    })
  return {
    work,
    begun: () => [...begun.keys()],
    ended: () => ended,
    finish: (thing: number) => begun.get(thing)?.resolve(`${thing}`),
    fail: (thing: number) => begun.get(thing)?.reject(new Error(`no ${thing}`)),
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

function start(atOnce: number) {
  const given = openThings()
  const working = openWork()
  const answers: string[] = []
  const done = (async () => {
    for await (const some of answersInOrder(given.things, { work: working.work, atOnce })) {
      answers.push(...some)
    }
  })()
  return { ...given, ...working, answers, done }
}

describe('answers in order', () => {
  test('begin the next thing as soon as the first is answered, never more at once', async () => {
    const { give, end, begun, finish, answers, done } = start(3)
    give(0, 1, 2, 3, 4)
    end()
    await settle()
    expect(begun()).toEqual([0, 1, 2])

    finish(1)
    await settle()
    expect([begun(), answers]).toEqual([[0, 1, 2], []])

    finish(0)
    await settle()
    expect([begun(), answers]).toEqual([
      [0, 1, 2, 3, 4],
      ['0', '1'],
    ])

    for (const thing of [4, 3, 2]) finish(thing)
    await done
    expect(answers).toEqual(['0', '1', '2', '3', '4'])
  })

  test('are given while no other thing has come', async () => {
    const { give, end, finish, answers, done } = start(8)
    give(0)
    await settle()
    finish(0)
    await settle()

    expect(answers).toEqual(['0'])
    end()
    await done
  })

  test('come before what the sequence throws', async () => {
    const { give, end, finish, answers, done } = start(8)
    give(0, 1)
    end(new Error('cut'))
    await settle()
    finish(1)
    finish(0)

    await expect(done).rejects.toThrow('cut')
    expect(answers).toEqual(['0', '1'])
  })

  test('end with what work throws, when the rest of it has ended', async () => {
    const { give, finish, fail, ended, answers, done } = start(8)
    give(0, 1, 2)
    await settle()
    fail(1)
    finish(0)
    let isOver = false
    const over = done.catch((error: Error) => {
      isOver = true
      return error.message
    })
    await settle()
    expect([answers, isOver]).toEqual([['0'], false])

    finish(2)
    expect(await over).toBe('no 1')
    expect(ended()).toBe(3)
  })

  test('that are not wanted any more leave no work under way, and wait for no thing', async () => {
    const given = openThings()
    const { work, finish, ended } = openWork()
    const answers = answersInOrder(given.things, { work, atOnce: 8 })
    given.give(0, 1)
    const first = answers.next()
    await settle()
    finish(0)
    await first

    const over = answers.return(undefined)
    await settle()
    expect(ended()).toBe(1)
    finish(1)
    await over
    expect(ended()).toBe(2)
  })
})
