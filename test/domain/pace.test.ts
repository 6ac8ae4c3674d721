import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newPace, pieceUnits } from '../../src/domain/pace.ts'

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
