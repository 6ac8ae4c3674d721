import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { settingNames } from '../../src/config/settingReaders.ts'
import { areas } from '../support/layers.ts'

const readme = readFileSync('README.md', 'utf8')
const architecture = readFileSync('docs/architecture.md', 'utf8')

/** Every path of the project that the two name in backticks, with each area in the place of `<area>`. */
const named = [
  ...`${readme}${architecture}`.matchAll(/`((?:src|test|docs|ops)\/[\w./<>-]+)`/g),
].map(([, path]) => path ?? '')

describe('README and architecture', () => {
  test('name paths', () => expect(named.length).toBeGreaterThan(15))

  test.each([...new Set(named)])('name %s, which is there', (path) => {
    const there = path.includes('<area>')
      ? areas.filter((area) => existsSync(path.replaceAll('<area>', area)))
      : [path].filter(existsSync)

    expect(there).not.toEqual([])
  })

  test('list every setting that is read, and no other', () => {
    const [, environment = ''] = readme.split('\n## Environment\n')
    const [table = ''] = environment.split('\n## ')
    const rows = table.split('\n').filter((line) => line.startsWith('| `'))
    const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)])

    expect(listed.map(([, name]) => name).toSorted()).toEqual(settingNames.toSorted())
  })

  test('list the areas in the order that is kept', () => {
    expect(architecture).toContain(areas.map((area) => `\`${area}\``).join(' < '))
  })
})
