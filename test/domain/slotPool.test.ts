import { describe, expect, test } from 'vitest'
import { openSlotPool } from '../../src/domain/load/slotPool.ts'

/** Places, and the names of what has begun in them. */
function placesOf(total: number) {
  const share = Math.ceil(total / 4)
  const waitingMax = Math.max(total, 4)
  const waitingShare = Math.max(total - share, 1)
  const places = openSlotPool({ total, share, waitingMax, waitingShare })
  const begun: string[] = []
  const under = new Map<string, () => void>()
  return {
    begun,
    waiting: places.waiting,
    /** Has something of the account wanted, under a name that begins with the account's letter. */
    enter: (name: string, count = 1) => {
      const begin = (leave: () => void): void => {
        begun.push(name)
        under.set(name, leave)
      }
      return places.acquireSlots({ key: name[0] ?? '', count, begin })
    },
    end: (name: string) => under.get(name)?.(),
  }
}

describe('places', () => {
  test('are a quarter for one account, and what finds none waits', () => {
    const { enter, begun, waiting, end } = placesOf(8)
    for (const name of ['a1', 'a2', 'a3', 'b1']) enter(name)
    const before = [...begun]
    end('a1')

    expect(before).toEqual(['a1', 'a2', 'b1'])
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
    expect(waiting()).toBe(0)
  })

  test('are given in turn to the accounts that wait for them', () => {
    const { enter, begun, end } = placesOf(1)
    for (const name of ['a1', 'b1', 'c1', 'b2', 'd1']) enter(name)
    for (const name of ['a1', 'b1', 'c1', 'd1']) end(name)

    expect(begun).toEqual(['a1', 'b1', 'c1', 'd1'])
  })

  test('are refused to an account that has too much waiting, and to all when all have', () => {
    const { enter } = placesOf(1)
    enter('a1')
    enter('a2')

    expect(enter('a3')).toBe('account')
    expect(['b1', 'c1', 'd1'].map((name) => typeof enter(name))).toEqual(Array(3).fill('function'))
    expect(enter('e1')).toBe('all')
  })

  test('that nothing may wait for are refused to an account that has its share, and to all when all are taken', () => {
    const slots = openSlotPool({ total: 3, share: 2, waitingMax: 0, waitingShare: 0 })
    const leaves: (() => void)[] = []
    const enter = (key: string) => slots.acquireSlots({ key, begin: (leave) => leaves.push(leave) })
    const entered = ['a', 'a', 'a', 'b', 'c', 'a'].map(enter)
    leaves[0]?.()

    expect(entered.map((one) => (typeof one === 'string' ? one : 'begun'))).toEqual([
      'begun',
      'begun',
      'account',
      'begun',
      'all',
      'account',
    ])
    expect(enter('c')).toBeTypeOf('function')
    expect(leaves).toHaveLength(4)
  })

  test('are not taken by what was given up while it waited', () => {
    const { enter, begun, end, waiting } = placesOf(4)
    enter('a1')
    const giveUp = enter('a2')
    enter('a3')
    if (typeof giveUp === 'string') throw new Error('it was refused')

    expect([giveUp(), giveUp()]).toEqual([true, false])
    expect(waiting()).toBe(1)
    end('a1')
    expect(begun).toEqual(['a1', 'a3'])
  })

  test('are several for what is large, never more than the share, and left once', () => {
    const { enter, begun, end } = placesOf(16)
    enter('a1', 99)
    enter('a2', 3)
    enter('a3')
    enter('a4')
    const before = [...begun]
    end('a1')
    end('a1')
    enter('a5')

    expect(before).toEqual(['a1'])
    expect(begun).toEqual(['a1', 'a2', 'a3'])
  })
})
