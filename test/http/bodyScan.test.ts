import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openBodyScan } from '../../src/http/request/bodyReader.ts'
import { openJsonScan } from '../../src/http/request/jsonScan.ts'
import { draws } from '../support/draws.ts'

/** At which piece each is refused, and with what; -1 where it is not. */
function refusal(look: (piece: string) => void, pieces: readonly string[]) {
  for (const [at, piece] of pieces.entries()) {
    try {
      look(piece)
    } catch (error) {
      return { at, error }
    }
  }
  return { at: -1, error: undefined }
}

/** Bodies of which some are too deep, too wide or too many, and texts that look like it. */
const mark = fc.constantFrom(
  ',',
  '{',
  '[',
  '"',
  '\\',
  '}',
  ']',
  'a',
  '[[[[[[[[',
  ',,,,,,,,',
  '{{{{',
)
const part = fc
  .tuple(mark, fc.integer({ min: 1, max: 40 }))
  .map(([one, times]) => one.repeat(times))
const anyPieces = fc.array(
  fc.array(part, { maxLength: 30 }).map((parts) => parts.join('')),
  { maxLength: 8 },
)

test('refuses the same bodies as a look at every character, at the same piece and in the same words', () => {
  fc.assert(
    fc.property(anyPieces, fc.constantFrom(1, 5, 63, 64, 65, 200, 4_000), (pieces, values) => {
      const found = refusal(openBodyScan({ values }), pieces)

      expect(found).toEqual(refusal(openJsonScan({ values }).look, pieces))
    }),
    { numRuns: draws(2_000) },
  )
})

test.each([
  ['too deep', '['.repeat(65)],
  ['too deep, one level in a piece', [...'['.repeat(65)]],
  ['too wide', `{${'"a":1,'.repeat(1_000)}"b":1}`],
  ['too many', `[${'1,'.repeat(4_000)}1]`],
])('refuses what is %s', (_, pieces) => {
  const found = refusal(openBodyScan({ values: 4_000 }), [pieces].flat())

  expect(found.error).toMatchObject({ code: 'invalid_request' })
})
