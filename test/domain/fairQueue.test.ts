import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FairQueueOptions, type Leave, openFairQueue } from '../../src/domain/fairQueue.ts'

const roomy: FairQueueOptions = { places: 4, share: 2, waitingMax: 100, waitingShare: 50 }

/** A queue whose work is named, and what has begun in it. */
function watched(options: Partial<FairQueueOptions> = {}) {
  const begun: string[] = []
  const queue = openFairQueue({ ...roomy, ...options })
  const under = new Map<string, Leave>()
  const enter = (key: string, name: string) =>
    queue.enter(key, (leave) => {
      begun.push(name)
      under.set(name, leave)
    })
  return { begun, queue, enter, end: (name: string) => under.get(name)?.() }
}

describe('a place', () => {
  test('is taken at once while there is one, and by nobody beyond its share', () => {
    const { begun, enter } = watched()

    for (const name of ['a1', 'a2', 'a3']) enter('a', name)
    for (const name of ['b1', 'b2', 'b3']) enter('b', name)
    enter('c', 'c1')

    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2'])
  })

  test('that is given back goes round: one of each key that waits', () => {
    const { begun, enter, end } = watched({ places: 1, share: 1 })
    for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name)
    for (const name of ['b1', 'b2']) enter('b', name)
    enter('c', 'c1')

    for (let turn = 0; turn < 6; turn += 1) end(begun[turn] ?? '')

    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  test('given back twice is one place', () => {
    const { begun, enter, end } = watched({ places: 1, share: 1 })
    enter('a', 'a1')
    enter('a', 'a2')
    enter('a', 'a3')

    end('a1')
    end('a1')

    expect(begun).toEqual(['a1', 'a2'])
  })
})

describe('who may not even wait', () => {
  test('is told whether its own share is used up or that of all', () => {
    const { enter, queue } = watched({ places: 1, share: 1, waitingMax: 3, waitingShare: 2 })

    const answers = ['a', 'a', 'a', 'a', 'b', 'b'].map((key, at) => enter(key, `${at}`))

    expect(answers.map((answer) => (typeof answer === 'string' ? answer : 'in'))).toEqual([
      'in',
      'in',
      'in',
      'share',
      'in',
      'total',
    ])
    expect(queue.waiting()).toBe(3)
  })

  test('work that left while it waited is never begun', () => {
    const { begun, enter, end, queue } = watched({ places: 1, share: 1 })
    enter('a', 'a1')
    const leave = enter('a', 'a2')
    enter('a', 'a3')

    if (typeof leave !== 'string') leave()
    end('a1')

    expect(begun).toEqual(['a1', 'a3'])
    expect(queue.waiting()).toBe(0)
  })
})

test('whatever comes and goes, nobody has more than its share, no place stays empty while somebody may take it, and all ends', () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), ends: fc.nat(), comes: fc.boolean() }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (given) => {
      const under = new Map<number, { readonly key: string; readonly leave: Leave }>()
      const keyOf = new Map<number, string>()
      const gone = new Set<number>()
      const queue = openFairQueue(roomy)
      let entered = 0
      let ended = 0
      const waitingOf = (key: string): number =>
        [...keyOf].filter(([id, one]) => one === key && !under.has(id) && !gone.has(id)).length
      const check = (): void => {
        const keys = [...under.values()].map(({ key }) => key)
        expect(keys.length).toBeLessThanOrEqual(roomy.places)
        for (const key of ['a', 'b', 'c']) {
          const mine = keys.filter((one) => one === key).length
          const mayBegin = keys.length < roomy.places && mine < roomy.share
          expect(mine).toBeLessThanOrEqual(roomy.share)
          expect(mayBegin ? waitingOf(key) : 0).toBe(0)
        }
      }
      const endOne = (which: number): void => {
        const [id, work] = [...under][which % under.size] ?? []
        if (id === undefined) return
        under.delete(id)
        gone.add(id)
        ended += 1
        work?.leave()
      }
      for (const { key, ends, comes } of given) {
        const id = entered
        if (!comes) endOne(ends)
        else if (typeof queue.enter(key, (leave) => under.set(id, { key, leave })) !== 'string') {
          keyOf.set(id, key)
          entered += 1
        }
        check()
      }
      while (under.size > 0) endOne(0)

      expect(ended).toBe(entered)
      expect(queue.waiting()).toBe(0)
    }),
  )
})
