import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Document, isScalar, parseDocument, Scalar } from 'yaml'
import { yamlScalarOffset } from '../../../src/cli/rulebook/folder/folderProblem.ts'

/** A value that plain style cannot hold is written in quotes instead. */
const styles = [Scalar.PLAIN, Scalar.BLOCK_LITERAL, Scalar.BLOCK_FOLDED] as const

const parts = [
  'signal.ip',
  '==',
  '"a"',
  "'b'",
  '&&',
  '\\d',
  'é',
  '規',
  '🛒',
  '(',
  ')',
  '#',
  ':',
  '\t',
  '\n',
  '  ',
  ' ',
]
const value = fc
  .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 40 })
  .map((given) => given.join(' '))
  .filter((text) => text.trim() !== '')

/** The value as it is written in this style, in a file that folds its lines at this width. */
function written(
  text: string,
  style: Scalar.Type,
  lineWidth: number,
): { text: string; node: Scalar } {
  const document = new Document({ name: 'A rule', expression: text })
  const scalar: unknown = document.get('expression', true)
  if (isScalar(scalar)) scalar.type = style
  const file = document.toString({ lineWidth })
  const node: unknown = parseDocument(file).get('expression', true)
  if (!isScalar(node)) throw new Error('the value is no scalar')
  return { text: file, node }
}

test('every character of a value is found where it stands, in every style', () => {
  fc.assert(
    fc.property(
      value,
      fc.constantFrom(...styles),
      fc.constantFrom(0, 20, 80),
      (given, style, width) => {
        const { text, node } = written(given, style, width)
        const kept = String(node.value)

        for (let index = 0; index < kept.length; index += 1) {
          const character = kept.charAt(index)
          if (/\s/.test(character)) continue
          const at = yamlScalarOffset(text, node, index)
          const isFallback = at === node.range?.[0] && node.type?.startsWith('QUOTE')
          expect(isFallback || text.slice(at).startsWith(character)).toBe(true)
        }
      },
    ),
  )
})

test.each([
  ["expression: 'a\n  b'", 'b', "b'"],
  ['expression: "a \\u0041 b"', 'A', '"a'],
  ["expression: 'it''s b'", "'", "''s"],
  ['expression: "a \\"b\\" c"', 'c', 'c"'],
  ['expression: >-\n  a\n  b ||\n  c', '||', '||'],
  ['expression: |\n\n  a\n  b', 'b', 'b'],
])('%j: %s', (text, sought, shown) => {
  const node: unknown = parseDocument(text).get('expression', true)
  if (!isScalar(node)) throw new Error('the value is no scalar')

  const at = yamlScalarOffset(text, node, String(node.value).indexOf(sought))

  expect(text.slice(at).startsWith(shown)).toBe(true)
})

test('what lies beyond the value is its end', () => {
  const text = 'expression: a ||\nname: b'
  const node: unknown = parseDocument(text).get('expression', true)

  expect(isScalar(node) && yamlScalarOffset(text, node, 99)).toBe(text.indexOf('\n'))
})
