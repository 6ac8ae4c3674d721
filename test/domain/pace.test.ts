import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLoopTurns } from '../../src/domain/loopTurns.ts'
import { newPace, openPieces, pieceUnits } from '../../src/domain/pace.ts'

test('no piece of work is larger than a piece and the last thing done in it', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3 * pieceUnits)), async (all) => {
      let piece: number[] = []
      const pieces: number[][] = []
      const pace = newPace(async () => {
        pieces.push(piece)
        piece = []
      })

      for (const units of all) {
        piece.push(units)
        await pace.done(units)
      }

      const sum = (units: readonly number[]) => units.reduce((total, one) => total + one, 0)
      for (const one of pieces) {
        expect(sum(one)).toBeGreaterThanOrEqual(pieceUnits)
        expect(sum(one.slice(0, -1))).toBeLessThan(pieceUnits)
      }
      expect(sum(piece)).toBeLessThan(pieceUnits)
    }),
  ))

test('of many who work at once one has a piece in each round, in the order in which they came', async () => {
  const order: string[] = []
  let rounds = 0
  let working = 3
  const round = (): void => {
    rounds += 1
    order.push('|')
    if (working > 0) setImmediate(round)
  }
  setImmediate(round)

  const work = async (name: string): Promise<void> => {
    const pace = newPace()
    for (let piece = 0; piece < 3; piece += 1) {
      order.push(name)
      await pace.done(pieceUnits)
    }
    working -= 1
  }
  await Promise.all(['a', 'b', 'c'].map(work))

  // all begin in the turn that calls them; from then on everybody else has a round between any two pieces
  const [begun = '', ...later] = order
    .join('')
    .split('|')
    .filter((piece) => piece !== '')
  expect(begun).toBe('abc')
  expect(later).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  expect(rounds).toBeGreaterThanOrEqual(6)
})

/** An event loop with a clock of its own, on which named works go on and note whose turn it was. */
function onClock() {
  let nowMs = 0
  const turns = openLoopTurns({ nowMs: () => nowMs })
  const pace = openPieces(turns)
  const order: string[] = []
  const takes = (name: string, ms: number): void => {
    nowMs += ms
    order.push(name)
  }
  const inTurn = (key: string, work: () => Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      turns.enter(key, () => void work().then(resolve, reject))
    })
  return { turns, pace, order, takes, inTurn }
}

test('a piece is done in a turn of whoever the work was begun for', async () => {
  const { turns, pace, inTurn } = onClock()
  const seen: (string | undefined)[] = []
  const work = async (): Promise<void> => {
    for (let piece = 0; piece < 3; piece += 1) {
      await newPace(pace).done(pieceUnits)
      seen.push(turns.whose())
    }
  }

  await Promise.all([inTurn('one', work), inTurn('two', work)])

  expect(seen.toSorted()).toEqual(['one', 'one', 'one', 'two', 'two', 'two'])
})

test('whoever has long work in pieces beside other work gets no more of the time than one who has only other work', async () => {
  const { pace, order, takes, inTurn } = onClock()
  const each = Array.from({ length: 40 })
  const other = (key: string) => each.map(() => inTurn(key, async () => takes(key, 12)))
  const inPieces = each.slice(20).map(() =>
    inTurn('greedy', async () => {
      for (let piece = 0; piece < 4; piece += 1) {
        await newPace(pace).done(pieceUnits)
        takes('greedy', 12)
      }
    }),
  )

  await Promise.all([...inPieces, ...other('greedy'), ...other('fair')])

  const whileBothWait = order.slice(0, order.lastIndexOf('fair') + 1)
  const ofGreedy = whileBothWait.filter((name) => name === 'greedy').length
  expect(ofGreedy).toBeLessThanOrEqual(each.length + 2)
})
