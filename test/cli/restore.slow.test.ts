import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { crashedCopy } from '../support/crashedCopy.ts'
import { openCustomer, openVigil } from '../support/openVigil.ts'
import { type Cli, openCli } from './support/openCli.ts'

let folder = ''
let cli: Cli

/** What a kill leaves of an installation whose last events are in the -wal file alone. */
beforeEach(async () => {
  const vigil = await openVigil()
  const again = await vigil.restart()
  await openCustomer(again)
  folder = crashedCopy(again.folder)
  await again.close()
  cli = openCli({ VIGIL_DATA: folder })
})

afterEach(() => {
  cli.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a whole folder is said to be whole', async () => {
  expect(await cli.run(['restore', '--accept-loss'])).toMatchObject({
    code: 0,
    out: `Nothing is missing from ${folder}.\n`,
  })
})

test('a loss is shown, stays refused, and is recorded when it is accepted', async () => {
  rmSync(join(folder, 'log.db-wal'))

  const looked = await cli.run(['restore'])
  const asJson = await cli.run(['restore', '--json'])
  const accepted = await cli.run(['restore', '--accept-loss'])

  expect(looked).toMatchObject({ code: 1, err: '' })
  expect(looked.out).toMatch(
    /log\.db: it ends at position \d+, but .*\.\nNothing was changed\. Put back/,
  )
  expect(asJson).toMatchObject({ code: 1 })
  expect(asJson.json()).toEqual({
    folder,
    losses: [{ of: 'log', text: expect.stringContaining('log.db: it ends at') }],
  })
  expect(accepted.code).toBe(0)
  expect(accepted.out).toMatch(
    /\nAccepted, and recorded at position \d+ of the log\. Lost positions are used again/,
  )
  expect(await cli.run(['restore'])).toMatchObject({ code: 0 })
})

test('keys that are lost are accepted by a flag of their own', async () => {
  rmSync(join(folder, 'master.key'))

  const refused = await cli.run(['restore', '--accept-loss'])
  const other = await cli.run(['restore'], { variables: { VIGIL_MASTER_KEY: 'ab'.repeat(32) } })
  const mistaken = await cli.run(['restore'], { variables: { VIGIL_MASTER_KEY: 'a key' } })
  const accepted = await cli.run(['restore', '--accept-key-loss'])

  expect(refused.code).toBe(1)
  expect(refused.out).toMatch(/there is no .*master\.key, .*\n.*; --accept-key-loss goes on/)
  expect(other.out).toContain('its keys were made under another master key than this one')
  expect(mistaken).toMatchObject({ code: 2, err: expect.stringContaining('must be 32 bytes') })
  expect(accepted.code).toBe(0)
})

test('a folder is named before the environment’s, and one without data is a mistake', async () => {
  const { code, err } = await cli.run(['restore', '--data', cli.folder])

  expect(code).toBe(2)
  expect(err).toBe(`vigil: There is no data of Vigil in ${cli.folder}.\n`)
})
