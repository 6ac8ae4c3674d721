/** Files that `vigil lists` brings in and takes out. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { openCutter } from './support/openCutter.ts'
import { openShopOfFile } from './support/openShop.ts'

let lists = 0
let list: string

const shop = await openShopOfFile()
beforeEach(async () => {
  lists += 1
  list = `devices_${lists}`
  await shop.run(['lists', 'create', list, '--kind', 'text'])
})

const fileOf = (name: string) => join(shop.cli.folder, name)
const lineOf = (index: number) => `{"value":"device-${index}"}`
const linesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `${lineOf(index)}\n`).join('')
const read = async () => {
  await projectedHead(shop.vigil)
  return (await shop.read(['lists', 'show', list]))['entries'] as object[]
}
/** Puts so many lines on the list, and waits until they are read. */
const fill = async (count: number) => {
  await shop.run(['lists', 'import', list], { stdin: linesOf(count) })
  await projectedHead(shop.vigil)
}

describe('lists import', () => {
  test('sums up what became of the lines of a file, and says which were refused', async () => {
    const file = fileOf('devices.CSV')
    writeFileSync(
      file,
      `\uFEFFvalue,reason\r\nfirst,"said ""no"", twice"\r\n\r\n,\r\nsecond,\r\nfirst,other\r\n`,
    )

    const { code, out, err } = await shop.cli.run(['lists', 'import', list, file])

    expect(code).toBe(1)
    expect(out).toBe('added      2\nchanged    1\nunchanged  0\nrefused    1\n')
    expect(err).toMatch(/^vigil: line 4: value /)
    expect(await read()).toMatchObject([{ value: 'first', reason: 'other' }, { value: 'second' }])
  })

  test('takes standard input, and numbers of lines as the file has them, over many requests', async () => {
    const text = `${linesOf(1_200)}no json\n`

    const words = ['lists', 'import', list, '--after-line', '100', '--json']
    const ended = await shop.cli.run(words, { stdin: text })

    expect(ended.json()).toEqual({
      added: 1_100,
      changed: 0,
      unchanged: 0,
      refused: 1,
      refusals: [{ line: 1_201, message: 'Must be JSON.' }],
    })
    expect(await read()).toHaveLength(1_100)
  })

  test('goes on by itself where the connection breaks, and stores nothing twice', async () => {
    const cutter = await openCutter(shop.vigil.door.port, [3, 4, 6])
    const situation = { stdin: linesOf(2_000), variables: { VIGIL_URL: cutter.url } }

    const { code, json } = await shop.cli.run(['lists', 'import', list, '--json'], situation)
    await cutter.close()

    expect(code).toBe(0)
    const { added, unchanged } = json() as { added: number; unchanged: number }
    expect(added + unchanged).toBe(2_000)
    const entries = (await read()) as { value: string }[]
    expect(entries.map(({ value }) => value)).toEqual(
      Array.from({ length: 2_000 }, (_, index) => `device-${index}`),
    )
  })

  test('says where to go on when the service stays away', async () => {
    const always = Array.from({ length: 40 }, (_, index) => index + 3)
    const cutter = await openCutter(shop.vigil.door.port, always)
    const situation = { stdin: linesOf(1_200), variables: { VIGIL_URL: cutter.url } }

    const { code, err } = await shop.cli.run(['lists', 'import', list], situation)
    await cutter.close()

    expect(code).toBe(3)
    expect(err).toContain('The lines up to 500 are stored. Go on with: --after-line 500')
  })

  test('refuses to take token and lines from the same input', async () => {
    const words = ['lists', 'import', list, '--token', '-']

    const { code, err } = await shop.cli.run(words, { stdin: `${shop.customer.token}\n` })

    expect(code).toBe(2)
    expect(err).toContain('Only one of token and lines can come from standard input.')
  })

  test.each([
    ['a file that is not there', ['lists', 'import', 'LIST', 'nowhere.csv'], ''],
    ['a line that is none', ['lists', 'import', 'LIST', '--after-line', '-1'], ''],
    ['a file of no columns', ['lists', 'import', 'LIST', '--format', 'csv'], 'number\n1\n'],
  ])('refuses %s', async (_, words, stdin) => {
    const of = words.map((word) => (word === 'LIST' ? list : word))
    expect((await shop.cli.run(of, { stdin })).code).toBeGreaterThan(0)
    expect(await read()).toEqual([])
  })
})

describe.each(['csv', 'ndjson'])('lists export as %s', (format) => {
  test('writes just what the service writes, in the order of the list', async () => {
    await fill(450)
    await shop.run(['lists', 'add', list, 'a "b", c', '--reason', 'x,y'])
    const file = fileOf(`out.${format}`)

    const toFile = await shop.run(['lists', 'export', list, file])
    const toOut = await shop.run(['lists', 'export', list, '--format', format])

    expect(toFile.out).toBe(`451 entries in ${file}.\n`)
    const all = await shop.read(['lists', 'list'])
    const found = (all['lists'] as { id: string; name: string }[]).find(({ name }) => name === list)
    const path = `/v2/watch/management/lists/${found?.id}/entries/export?format=${format}`
    const { token } = shop.customer
    const exported = (await shop.vigil.door.request('GET', path, { token })).text
    expect(readFileSync(file, 'utf8')).toBe(exported)
    expect(toOut.out).toBe(exported)
  })
})

describe('lists export', () => {
  test.each([
    ['a folder', mkdirSync],
    ['a pipe', (path: string) => execFileSync('sh', ['-c', 'mkfifo "$0"', path])],
  ])('writes to no %s, and leaves no part of a file', async (name, make) => {
    const path = fileOf(name)
    make(path)

    const { code, err } = await shop.cli.run(['lists', 'export', list, path])

    expect(code).toBe(2)
    expect(err).toContain('is not a file')
    expect(statSync(path).isFile()).toBe(false)
    expect(readdirSync(shop.cli.folder).filter((file) => file.includes('part'))).toEqual([])
  })

  test('leaves no part of a file when it cannot go on', async () => {
    await fill(450)
    const always = Array.from({ length: 40 }, (_, index) => index + 4)
    const cutter = await openCutter(shop.vigil.door.port, always)
    const file = fileOf('cut.csv')

    const words = ['lists', 'export', list, file]
    const { code } = await shop.cli.run(words, { variables: { VIGIL_URL: cutter.url } })
    await cutter.close()

    expect(code).toBe(3)
    expect(existsSync(file)).toBe(false)
    expect(readdirSync(shop.cli.folder).filter((name) => name.includes('part'))).toEqual([])
  })

  test('goes on where the connection breaks', async () => {
    await fill(450)
    const cutter = await openCutter(shop.vigil.door.port, [3, 5])

    const words = ['lists', 'export', list, '--format', 'csv']
    const { out } = await shop.run(words, { variables: { VIGIL_URL: cutter.url } })
    await cutter.close()

    expect(out.match(/device-/g)).toHaveLength(450)
  })
})
