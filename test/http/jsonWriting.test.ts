import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { jsonInPieces } from '../../src/http/request/jsonWriting.ts'
import { draws } from '../support/draws.ts'

/** The text, and how much of it was written before each pause, as far as it can be told from outside: by who was asked for it. */
function written(value: object) {
  const pieces = jsonInPieces(value)
  for (let pauses = 0; ; pauses += 1) {
    const { done, value: text } = pieces.next()
    if (done) return { text: text.toString(), pauses }
  }
}

const leaf = fc.oneof(
  fc.string(),
  fc.string({ minLength: 2_000, maxLength: 6_000 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.date({ noInvalidDate: true }),
)
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 30 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 20 }),
  ),
}))

test('the text is that of JSON.stringify, to the byte', () =>
  fc.assert(
    fc.property(anything, (value) => {
      expect(written({ value }).text).toBe(JSON.stringify({ value }))
    }),
    { numRuns: draws(300) },
  ))

test('of a large answer nothing is written, copied or made into bytes behind its last pause but the end of it', () => {
  const items = Array.from({ length: 400 }, () => ({ name: 'é'.repeat(2_500), of: [['x']] }))
  const writing = jsonInPieces({ pages: [{ items }] })
  const made: number[] = []
  const from = vi.spyOn(Buffer, 'from')

  let step = writing.next()
  for (; !step.done; step = writing.next()) {
    made.push(...from.mock.calls.map(([text]) => String(text).length))
    from.mockClear()
  }
  const last = from.mock.calls.map(([text]) => String(text).length)
  from.mockRestore()

  expect(made.length).toBeGreaterThan(50)
  expect(Math.max(...made, ...last)).toBeLessThan(24 * 1024)
  expect(last).toHaveLength(1)
  expect(Buffer.isBuffer(step.value)).toBe(true)
})

test('a small answer is written at once', () => {
  expect(written({ items: [{ id: 'a', name: 'b' }], next: null }).pauses).toBe(0)
})

test('no piece of a large answer is longer than two dozen kilobytes, wherever in it the texts are', () => {
  const rules = Array.from({ length: 100 }, (_, at) => ({
    rule_id: `rul_${at}`,
    parts: Array.from({ length: 60 }, () => ({ expression: 'x'.repeat(300), value: true })),
  }))
  const pieces: number[] = []
  let chars = 0
  // each rule says when it is written
  const watched = rules.map((rule) => ({
    ...rule,
    parts: rule.parts.map((part) => ({
      get expression() {
        chars += part.expression.length
        return part.expression
      },
    })),
  }))
  const writing = jsonInPieces({ recipes: [{ rules: watched }] })
  while (!writing.next().done) {
    pieces.push(chars)
    chars = 0
  }

  expect(pieces.length).toBeGreaterThan(50)
  // each was looked at once before it was written
  expect(Math.max(...pieces)).toBeLessThan(3 * 24 * 1024)
})
