import { copyFileSync, mkdtempSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  evaluate,
  openRunningShop,
  operatorToken,
  type RunningShop,
  send,
} from '../support/runningShop.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const env = { VIGIL_OPERATOR_TOKEN: operatorToken }
const root = mkdtempSync(join(tmpdir(), 'vigil-'))

afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Working {
  readonly folder: string
  readonly vigil: StartedVigil
  readonly shop: RunningShop
  readonly paths: readonly string[]
}

/** A service that has answered some evaluations. */
async function working(name: string): Promise<Working> {
  const folder = join(root, name)
  const vigil = await startVigil(folder, env)
  const shop = await openRunningShop(vigil)
  const paths: string[] = []
  for (let number = 0; number < 20; number += 1) {
    paths.push((await evaluate(vigil, shop, number)).path)
  }
  return { folder, vigil, shop, paths }
}

async function failing(vigil: StartedVigil): Promise<readonly string[]> {
  const { status, text } = await send(vigil, ['GET', '/health/ready'], { token: '' })
  const { stores } = JSON.parse(text) as { readonly stores: Readonly<Record<string, string>> }
  return status === 200 ? [] : Object.keys(stores).filter((name) => stores[name] !== 'ok')
}

const errorsIn = (vigil: StartedVigil, text: string) =>
  vigil
    .printed()
    .split('\n')
    .filter((line) => line.includes('"level":50') && line.includes(text))

/** The lines that hold the text, once there is one: what is printed comes later than what is answered. */
async function told(vigil: StartedVigil, text: string): Promise<readonly string[]> {
  await eventually(() => errorsIn(vigil, text).length > 0)
  return errorsIn(vigil, text)
}

async function expectAll({ folder, shop, paths }: Working): Promise<void> {
  const vigil = await startVigil(folder, env)
  for (const path of paths) {
    expect((await send(vigil, ['GET', path], { token: shop.token })).status).toBe(200)
  }
  expect(await vigil.stop('SIGTERM')).toBe(0)
}

/** Puts back what the process has open of a file that is gone, as the guide says. */
function copyBack({ process: { pid } }: StartedVigil, file: string): void {
  const open = `/proc/${pid}/fd`
  const found = readdirSync(open).find(
    (name) => readlinkSync(join(open, name)) === `${file} (deleted)`,
  )
  copyFileSync(join(open, found ?? ''), file)
}

test.runIf(process.platform === 'linux')(
  'given log.db deleted while it is used, then nothing more is acknowledged, it is said once, and the open file can be put back',
  async () => {
    const work = await working('log')
    const { folder, vigil, shop } = work
    rmSync(join(folder, 'log.db'))

    await eventually(async () => (await failing(vigil)).includes('events'))

    await expect(evaluate(vigil, shop, 100)).rejects.toThrow('unavailable')
    const said = await told(vigil, 'it was deleted or replaced while it is in use')
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(`Cannot use ${folder}/log.db: `)
    expect(said[0]).toContain('/proc/')
    expect(readdirSync(folder)).not.toContain('log.db')
    copyBack(vigil, join(folder, 'log.db'))
    await vigil.stop('SIGTERM')
    await expectAll(work)
  },
)

test('given log.db replaced while it is used, then nothing more is acknowledged', async () => {
  const { folder, vigil, shop } = await working('replaced')
  copyFileSync(join(folder, 'log.db'), join(folder, 'copy'))
  renameSync(join(folder, 'copy'), join(folder, 'log.db'))

  await eventually(async () => (await failing(vigil)).includes('events'))

  await expect(evaluate(vigil, shop, 100)).rejects.toThrow('unavailable')
  await vigil.stop('SIGTERM')
})

test('given log.db-wal deleted while it is used, then it is said, and an orderly stop loses nothing', async () => {
  const work = await working('wal')
  const { folder, vigil } = work
  rmSync(join(folder, 'log.db-wal'))

  await eventually(async () => (await failing(vigil)).includes('events'))

  expect(await told(vigil, `${folder}/log.db-wal: it was deleted or replaced`)).toHaveLength(1)
  expect(await vigil.stop('SIGTERM')).toBe(0)
  await expectAll(work)
})

test('given keys.db deleted while it is used, then no keys are made, it is said, and the file is named', async () => {
  const { folder, vigil } = await working('keys')
  rmSync(join(folder, 'keys.db'))

  await eventually(async () => (await failing(vigil)).includes('keys'))

  const said = await told(vigil, 'The key store is damaged: restore the sealing keys.')
  expect(said).toHaveLength(1)
  expect(said[0]).toContain(`Cannot use ${folder}/keys.db: it was deleted or replaced`)
  await vigil.stop('SIGTERM')
})
