import { describe, expect, test } from 'vitest'
import { openComputing } from '../../src/domain/computing.ts'
import { fakeLoop } from '../support/fakeLoop.ts'

/** Computing on a loop of the test's own. */
function opened() {
  const loop = fakeLoop()
  const done: string[] = []
  const computing = openComputing(loop.turns)
  const ask = (key: string, name: string, ms: number) =>
    computing.run(key, () => {
      loop.takes(ms)
      done.push(name)
      return name
    })
  const turn = () => {
    loop.pass()
    return done.splice(0)
  }
  const askInPieces = (key: string, name: string, pieces: readonly number[]) =>
    computing.runInPieces(
      key,
      (function* () {
        for (const [at, ms] of pieces.entries()) {
          if (at > 0) yield
          if (Number.isNaN(ms)) throw new Error('not computed')
          loop.takes(ms)
          done.push(`${name}.${at}`)
        }
        return name
      })(),
    )
  return {
    ...{ computing, ask, askInPieces, turn },
    ...{ done: () => done.splice(0), settle: loop.settle, takes: loop.takes },
  }
}

describe('computations of one thread', () => {
  test('begin in the turn in which they are asked for while they are short', () => {
    const { ask, done, settle } = opened()

    for (let at = 0; at < 30; at += 1) void ask('a', `a${at}`, 0.1)
    settle()

    expect(done()).toHaveLength(30)
  })

  test('that are long begin one in each turn of the event loop', () => {
    const { ask, turn, done } = opened()

    for (const name of ['a0', 'a1', 'a2']) void ask('a', name, 30)

    expect([done(), turn(), turn(), turn()]).toEqual([['a0'], ['a1'], ['a2'], []])
  })

  test('of one account wait behind all that it asked for, those of another do not', () => {
    const { ask, turn, done } = opened()
    for (let at = 0; at < 20; at += 1) void ask('a', `a${at}`, 30)
    done()

    void ask('b', 'short', 0.1)
    void ask('b', 'another', 0.1)

    expect([...turn(), ...turn(), ...turn()]).toEqual(['short', 'another', 'a1', 'a2', 'a3'])
  })

  test('answer what they give, or fail as they fail, and leave the thread to the next', async () => {
    const { computing, ask } = opened()
    const failing = computing.run('a', () => {
      throw new Error('not computed')
    })

    await expect(failing).rejects.toThrow('not computed')
    await expect(ask('a', 'next', 1)).resolves.toBe('next')
  })

  test('pause when the turn has lasted long enough, and go on in the next', async () => {
    const { askInPieces, turn, done } = opened()

    const answer = askInPieces('a', 'a', [60, 1, 2, 3, 4, 60, 0.1, 5])

    expect([done(), turn(), turn(), turn(), turn()]).toEqual([
      ['a.0'],
      ['a.1', 'a.2', 'a.3'],
      ['a.4', 'a.5'],
      ['a.6', 'a.7'],
      [],
    ])
    await expect(answer).resolves.toBe('a')
  })

  test('of one account leave the turn after a piece to others who came meanwhile', () => {
    const { computing, takes, settle } = opened()
    const order: string[] = []
    const pieces = function* () {
      void computing.run('c', () => order.push('c'))
      for (const name of ['a1', 'a2', 'a3', 'a4']) {
        yield
        takes(2)
        order.push(name)
      }
    }
    void computing.runInPieces('a', pieces())
    settle()

    expect(order.slice(0, 3)).toEqual(['a1', 'c', 'a2'])
  })

  test('of one account that are short in themselves leave it to them, too', () => {
    const { computing, ask, settle, done } = opened()
    const first = computing.run('a', () => {
      for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name, 2)
      void ask('b', 'b', 0.1)
    })
    settle()

    expect(done().slice(0, 3)).toEqual(['a1', 'b', 'a2'])
    return first
  })

  test('of one account do not begin while another of it pauses, those of others do', () => {
    const { ask, askInPieces, turn, done } = opened()
    void askInPieces('a', 'long', [30, 30, 30])
    void ask('a', 'next', 0.1)
    done()

    void ask('b', 'short', 0.1)
    void askInPieces('c', 'other', [30, 30])

    expect([turn(), turn(), turn(), turn(), turn()]).toEqual([
      ['short', 'other.0'],
      ['long.1'],
      ['other.1'],
      ['long.2'],
      ['next'],
    ])
  })

  test('that fail in a later piece leave the thread to the next', async () => {
    const { ask, askInPieces, turn } = opened()
    const failing = askInPieces('a', 'a', [30, Number.NaN, 1])
    const next = ask('a', 'next', 1)

    expect([turn(), turn()]).toEqual([['a.0', 'next'], []])
    await expect(failing).rejects.toThrow('not computed')
    await expect(next).resolves.toBe('next')
  })
})
