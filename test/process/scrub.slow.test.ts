import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changeByte, inIndex } from '../stores/support/indexEntries.ts'
import { eventually } from '../support/eventually.ts'
import { evaluate, openRunningShop, operatorToken, send } from '../support/runningShop.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const env = { VIGIL_OPERATOR_TOKEN: operatorToken }

const ready = async (vigil: StartedVigil) =>
  (await send(vigil, ['GET', '/health/ready'], { token: '' })).status

test('given an entry of the index of log.db changed by the disk, when the service is started, then it says so and has mended it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const first = await startVigil(folder, env)
  const shop = await openRunningShop(first)
  const { path } = await evaluate(first, shop, 1)
  expect(await first.stop('SIGTERM')).toBe(0)
  const log = join(folder, 'log.db')
  const name = path.split('/').at(-1) ?? ''
  const [at = 0] = inIndex(readFileSync(log), name)
  expect(at).toBeGreaterThan(0)
  changeByte(log, at + name.length - 1, 0x01)

  const second = await startVigil(folder, env)

  expect(second.printed()).toContain('The index of the event log was found wrong')
  expect((await send(second, ['GET', path], { token: shop.token })).status).toBe(200)
  expect(await ready(second)).toBe(200)
  await second.stop('SIGTERM')
})

test('given an entry of an index of views.db changed by the disk, then readiness says so by itself, and the next start builds it again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const first = await startVigil(folder, env)
  const shop = await openRunningShop(first)
  const { path } = await evaluate(first, shop, 1)
  const listed = ['GET', '/v2/watch/evaluations?limit=1'] as const
  const name = path.split('/').at(-1) ?? ''
  await eventually(async () =>
    (await send(first, listed, { token: shop.token })).text.includes(name),
  )
  expect(await first.stop('SIGTERM')).toBe(0)
  const views = join(folder, 'views.db')
  const bytes = readFileSync(views)
  // in an index it stands alone, in texts behind a quote or a dash
  const texts = new Set(['"', '-'].map((before) => before.charCodeAt(0)))
  const at = inIndex(bytes, name).findLast((place) => !texts.has(bytes[place - 1] ?? 0)) ?? 0
  expect(at).toBeGreaterThan(0)
  changeByte(views, at + name.length - 1, 0x01)
  const second = await startVigil(folder, env)

  await eventually(() => second.printed().includes('The read models are damaged'))

  expect(await ready(second)).toBe(503)
  await second.stop('SIGTERM')
  const third = await startVigil(folder, env)
  expect(third.printed()).toContain('the read models are built again from the log')
  await eventually(async () =>
    (await send(third, listed, { token: shop.token })).text.includes(name),
  )
  expect(await third.stop('SIGTERM')).toBe(0)
})
