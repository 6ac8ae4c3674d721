/** The console stands on the API alone, and its folders on those before them. */

import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

/** A folder imports from the lines above its own and from itself; folders of a line do not know each other. */
const layers = [['api', 'language'], ['parts'], ['screens']]
const root = 'console'
const files = (readdirSync(root, { recursive: true, encoding: 'utf8' }) as string[])
  .filter((file) => /\.(?:ts|tsx|css)$/.test(file) && file !== 'api/schema.ts')
  .map((file) => ({ file, text: readFileSync(`${root}/${file}`, 'utf8') }))

const imports = files.flatMap(({ file, text }) =>
  [...text.matchAll(/(?:from|import\(?)\s*'(\.[^']+)'/g)].map(([, path = '']) => ({
    file,
    target: posix.normalize(posix.join(posix.dirname(file), path)),
  })),
)
const homeOf = (path: string) => path.split('/')[0] ?? ''
const levelOf = (path: string) => layers.findIndex((names) => names.includes(homeOf(path)))
const isOfFolder = ({ file }: { readonly file: string }) => file.includes('/')

test('no part imports from what stands on it, nor from beside it, nor from the service', () => {
  const wrong = imports
    .filter(isOfFolder)
    .filter(
      ({ file, target }) => homeOf(file) !== homeOf(target) && !(levelOf(target) < levelOf(file)),
    )
  const outside = imports.filter(({ target }) => target.startsWith('..'))

  expect(imports.length).toBeGreaterThan(80)
  expect(files.filter(isOfFolder).filter(({ file }) => levelOf(file) < 0)).toEqual([])
  expect(wrong).toEqual([])
  expect(outside).toEqual([])
})

test('a screen does not know another', () => {
  const screenOf = (path: string) => /^screens\/(\w+)\//.exec(path)?.[1]
  const wrong = imports.filter(({ file, target }) => {
    const [one, other] = [screenOf(file), screenOf(target)]
    return one !== undefined && other !== undefined && one !== other
  })

  expect(wrong).toEqual([])
})

test('every file begins with one line that says what it does', () => {
  const first = ({ text }: { readonly text: string }) => text.split('\n', 1)[0] ?? ''
  const code = files.filter(({ file }) => !file.endsWith('.css'))

  expect(
    code.filter((one) => !/^\/\*\* [A-Z].*\. \*\/$/.test(first(one))).map(({ file }) => file),
  ).toEqual([])
})

test('nothing writes markup, and there are no more lines than there may be', () => {
  const lines = files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)

  expect(
    files.filter(({ text }) => /innerHTML|dangerouslySet|insertAdjacentHTML/.test(text)),
  ).toEqual([])
  expect(lines).toBeLessThan(12_650)
})
