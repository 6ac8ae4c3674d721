import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkReadiness } from '../../src/queries/operations/readiness.ts'
import { eventually } from '../support/eventually.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { type Cli, openCli } from './support/openCli.ts'

let vigil: Vigil
let shop: Customer
let cli: Cli
let target = ''

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  cli = openCli({ VIGIL_DATA: vigil.folder })
  target = join(cli.folder, 'monday')
})

afterEach(async () => {
  cli.close()
  await vigil.close().catch(() => undefined)
})

async function stop(): Promise<void> {
  await vigil.door.close()
  await vigil.service.close()
}

test('a running service is backed up, and what must be kept apart is said', async () => {
  const made = await cli.run(['backup', target], { terminal: true })

  expect(made.code).toBe(0)
  expect(made.out).toMatch(
    /monday holds \d+ events and [\d,]+ keys of .*, read back and verified\.\n/,
  )
  expect(made.out).toContain(`${vigil.folder}/master.key is not in it: keep a copy somewhere else`)
  expect(made.err).toContain('Copying events: 100 %')
  expect(made.err.endsWith('\r\u001b[K')).toBe(true)
})

test('with --json the facts are printed, and the master key comes along when it is asked for', async () => {
  const made = await cli.run(['backup', target, '--with-master-key', '--json'])

  expect(made.json()).toMatchObject({
    of: vigil.folder,
    backup: target,
    format: 1,
    log: { events: expect.any(Number) },
    master_key: 'in the backup',
  })
  expect(readFileSync(join(target, 'master.key'), 'utf8')).toBe(
    readFileSync(join(vigil.folder, 'master.key'), 'utf8'),
  )
})

test('what cannot be done is said, with the exit code of a command that is not in order', async () => {
  await cli.run(['backup', target])

  expect(await cli.run(['backup', target])).toMatchObject({
    code: 2,
    err: `vigil: ${target} exists already: a backup is never written over. Name another folder.\n`,
  })
  expect(await cli.run(['backup', `${target}2`, '--data', cli.folder])).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no data of Vigil'),
  })
})

test('an interruption ends it with 130 and leaves nothing', async () => {
  const made = await cli.run(['backup', target], { interrupted: AbortSignal.abort() })

  expect(made).toMatchObject({ code: 130 })
  expect(await cli.run(['backup', target])).toMatchObject({ code: 0 })
})

test('a backup is laid out only when what it lacks was said to be meant', async () => {
  await cli.run(['backup', target])
  await openCustomer(vigil)
  await stop()

  const looked = await cli.run(['restore', target])
  const asJson = await cli.run(['restore', target, '--json'])
  const accepted = await cli.run(['restore', target, '--accept-loss'])

  expect(looked.code).toBe(1)
  expect(looked.out).toMatch(
    /lacks something: the log of the backup: it ends at position \d+, but by stores\.witness .* are missing\.\nNothing was changed\. --accept-loss restores it/,
  )
  expect(asJson.json()).toMatchObject({ laid_out: false, lack: expect.stringContaining('missing') })
  expect(accepted.code).toBe(0)
  expect(accepted.out).toMatch(/is restored into .*: \d+ events and [\d,]+ keys\.\nLost: /)
  expect(accepted.out).toMatch(
    /The previous contents are in .*replaced-\w+: delete them when all is well\./,
  )
  expect(accepted.out).toContain('Accepted, and recorded at position')
  const again = await openVigil({ folder: vigil.folder })
  await eventually(async () => (await checkReadiness(again.service.context)).ready)
  await again.close()
})

test('a backup is restored into an empty folder, whose next start has its master key', async () => {
  await cli.run(['backup', target])
  const folder = join(cli.folder, 'new')
  const hex = readFileSync(join(vigil.folder, 'master.key'), 'utf8').trim()

  const done = await cli.run(['restore', target, '--data', folder], {
    variables: { VIGIL_MASTER_KEY: hex },
  })

  expect(done.code).toBe(0)
  expect(done.out).toMatch(/The next start builds the read models again\.\n$/)
  rmSync(folder, { recursive: true })
  expect(shop.accountId).toMatch(/^acc_/)
})
