/** Bodies are looked through before they are read, and large ones read in pieces, without being read otherwise than JSON says. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pieceUnits } from '../../src/domain/pace.ts'
import { openJsonScan, scanJson } from '../../src/http/request/jsonScan.ts'
import { parseJson, parseJsonInPieces } from '../../src/http/request/jsonText.ts'
import { draws } from '../support/draws.ts'

const limits = { values: 100_000 }
const inPieces = (text: string) => parseJsonInPieces(Buffer.from(text), limits)

/** What was read, or the code of why not. */
const outcome = async (read: () => unknown) => {
  try {
    return { value: await read() }
  } catch (error) {
    return { code: (error as { code?: string }).code ?? `${error}` }
  }
}

const value = fc.jsonValue({ maxDepth: 4 })
const rulebook = fc.dictionary(
  fc.constantFrom('rules', 'recipes', 'dry_run', '', 'a"b', '\\', '[', '__proto_'),
  fc.oneof(fc.array(value, { maxLength: 5 }), value),
)
/** JSON with white space about, as people write it. */
const spaced = fc.tuple(rulebook, fc.constantFrom(0, 1, '\t')).map(([given, space]) => {
  return JSON.stringify(given, undefined, space)
})

describe('a body read in pieces', () => {
  test('is what it is read whole', () =>
    fc.assert(
      fc.asyncProperty(spaced, async (text) => {
        expect(JSON.stringify(await inPieces(text))).toBe(
          JSON.stringify(parseJson(Buffer.from(text))),
        )
      }),
      { numRuns: draws(300) },
    ))

  test('is refused exactly where it is refused whole, whatever is broken in it', () =>
    fc.assert(
      fc.asyncProperty(
        spaced,
        fc.record({
          place: fc.nat(),
          cut: fc.nat(3),
          put: fc.constantFrom(
            '',
            '"',
            ',',
            '[',
            ']',
            '{',
            '}',
            ':',
            '\\',
            '1',
            ' ',
            ',,',
            '],[',
            '"]',
          ),
        }),
        async (text, { place, put, cut }) => {
          const at = place % (text.length + 1)
          const broken = text.slice(0, at) + put + text.slice(at + cut)
          fc.pre(/^\s*\{/.test(broken))

          const pieces = await outcome(() => inPieces(broken))
          const whole = await outcome(() => parseJson(Buffer.from(broken)))

          expect(JSON.stringify(pieces)).toBe(JSON.stringify(whole))
        },
      ),
      { numRuns: draws(2_000) },
    ))

  test.each([
    ['', {}],
    ['{"rules":[]}', { rules: [] }],
    ['{"rules":[1],"rules":[2,3]}', { rules: [2, 3] }],
    ['\ufeff{"rules":[[1,[2]],{"a":[3]}]}', { rules: [[1, [2]], { a: [3] }] }],
  ])('%j is %j', async (text, said) => {
    expect(await inPieces(text)).toEqual(said)
  })

  test.each([
    '[1,2]',
    '{"rules":[1,]}',
    '{"rules":[,1]}',
    '{"rules":[1 2]}',
    '{"rules":[1],"rules":[x]}',
    '{"rules":[{"__proto__":1}]}',
    '{"__proto__":[1]}',
  ])('%j is refused', async (text) => {
    expect(await outcome(() => inPieces(text))).toEqual({ code: 'invalid_request' })
  })

  test('may hold much, and no single thing that is larger than a body of its own', async () => {
    const large = 'x'.repeat(250 * 1024)

    expect(await inPieces(JSON.stringify({ rules: [large, large, large] }))).toEqual({
      rules: [large, large, large],
    })
    for (const body of [{ rules: [large + large] }, { other: large + large }]) {
      expect(await outcome(() => inPieces(JSON.stringify(body)))).toEqual({
        code: 'payload_too_large',
      })
    }
  })

  test('lets others have their turn', async () => {
    let turns = 0
    let done = false
    const others = (): void => {
      turns += 1
      if (!done) setImmediate(others)
    }
    setImmediate(others)

    await inPieces(
      JSON.stringify({ rules: Array.from({ length: 40 }, () => 'x'.repeat(pieceUnits)) }),
    )
    done = true

    expect(turns).toBeGreaterThanOrEqual(39)
  })
})

describe('a body is refused before it is read', () => {
  const scanned = (text: string) => outcome(() => scanJson(text, { values: 1_000 }))
  const refused = { code: 'invalid_request' }

  test('for more values than it may have, wherever they are', async () => {
    expect(await scanned(`[${Array(999).fill(1).join(',')}]`)).not.toEqual(refused)
    expect(await scanned(`[${Array(1_001).fill(1).join(',')}]`)).toEqual(refused)
    expect(await scanned(`[${Array(1_001).fill('[]').join('')}]`)).toEqual(refused)
  })

  test('for more levels than any has', async () => {
    expect(await scanned('['.repeat(64))).not.toEqual(refused)
    expect(await scanned('['.repeat(65))).toEqual(refused)
    expect(await scanned('{"a":'.repeat(65))).toEqual(refused)
  })

  test('for an object of more fields than any has, and not for a list or many small ones', async () => {
    const fields = (count: number) =>
      `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`
    const wide = { values: 100_000 }

    expect(await outcome(() => scanJson(fields(1_001), wide))).toEqual(refused)
    expect(await outcome(() => scanJson(`[${fields(1_000)},${fields(1_000)}]`, wide))).not.toEqual(
      refused,
    )
    expect(await outcome(() => scanJson(`[${Array(5_000).fill(1).join(',')}]`, wide))).not.toEqual(
      refused,
    )
  })

  test('never for what stands in a text', async () => {
    const text = JSON.stringify({ a: `${'[{,"\\'.repeat(2_000)}`, b: '\\"'.repeat(500) })

    expect(await scanned(text)).toEqual({ value: [] })
  })
})

test('a look at the bytes in whatever parts says the same as one at the whole text', () =>
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      fc.constantFrom('"', '\\\\"', '[{,', 'é😀'),
      (json, sizes, text) => {
        const whole = `[${json},${JSON.stringify(text)},"\\\\",${json}]`
        const bytes = Buffer.from(whole)
        const counted = (look: (limit: number) => void) => {
          for (let values = 1; ; values += 1) {
            try {
              look(values)
              return values
            } catch {
              // it has more
            }
          }
        }

        const inParts = counted((values) => {
          const scan = openJsonScan({ values })
          for (let at = 0, part = 0; at < bytes.length; part += 1) {
            const size = sizes[part % sizes.length] ?? 1
            scan.look(bytes.toString('latin1', at, at + size))
            at += size
          }
        })

        expect(inParts).toBe(counted((values) => scanJson(whole, { values })))
      },
    ),
    { numRuns: draws(100) },
  ))
