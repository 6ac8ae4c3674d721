import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shippedId } from '../../src/domain/ids.ts'
import { shippedSet } from '../../src/managed/shippedSet.ts'

const guide = readFileSync('docs/guide/managed-rules.md', 'utf8')

test('the guide has every shipped rule with its id and what customers read', () => {
  const rows = shippedSet.rules.map(
    ({ key, description }) => `| \`${shippedId('rul', key)}\` | ${description}`,
  )

  expect(rows.filter((row) => !guide.includes(row))).toEqual([])
  expect(guide.match(/^\| `rul_/gm)).toHaveLength(rows.length)
})

test('the guide has every shipped recipe with its bounds and parameters', () => {
  for (const { key, description, threshold, threshold_bounds, parameters } of shippedSet.recipes) {
    const id = shippedId('rcp', key)
    const row = guide.split('\n').find((line) => line.startsWith(`| \`${id}\``))

    expect(row).toContain(`| ${description} |`)
    expect(row).toContain(`${threshold}, from ${threshold_bounds.min} to ${threshold_bounds.max} |`)
    expect(parameters.filter(({ name }) => row?.includes(`\`${name}\``) !== true)).toEqual([])
  }
})
