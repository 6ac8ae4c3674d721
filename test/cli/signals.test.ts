import { expect, test } from 'vitest'
import { readableNames } from '../../src/engine/language/readableNames.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()

test('every name that a rule can read has a line, with its type and where it comes from', async () => {
  const { out } = await shop.run(['signals'])

  const lines = out.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^NAME +TYPE +DISPATCH +FROM +MEANING$/)
  expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual([
    ...readableNames.map(({ name }) => name),
    'signal.ext.<key>',
  ])
  expect(out).toMatch(/^signal\.os_version +string +needed +dispatch, request, user_agent +\w/m)
  expect(out).toMatch(/^signal\.existing_user +bool {2,}request +\w/m)
})
