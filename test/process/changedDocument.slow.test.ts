/** One letter of a document that the disk changes while the service is down: a blocked number never passes by it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { sampleOf } from '../metrics/exposition.ts'
import { eventually } from '../support/eventually.ts'
import { operatorToken, send } from '../support/runningShop.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const env = { VIGIL_OPERATOR_TOKEN: operatorToken }
const root = mkdtempSync(join(tmpdir(), 'vigil-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const blocked = '+12133734001'

test('given a letter of the block list changed in views.db, when started, then a blocked number never passes, and a restart mends it', async () => {
  const vigil = await startVigil(root, env)
  const { token, flow } = await openBlockList(vigil)
  expect(await vigil.stop('SIGTERM')).toBe(0)
  changeLetter(join(root, 'views.db'))
  const changed = await startVigil(root, env)

  const verdicts = new Set<unknown>()
  const isFailing = eventually(async () => {
    verdicts.add(await verdictOf(changed, token, flow))
    return (await readiness(changed)) === 503
  })

  // in the end nobody waits for it any more: the verdicts alone must hold
  await isFailing.catch(() => undefined)
  expect([...verdicts]).toEqual(['FLAG'])
  expect(await readiness(changed)).toBe(503)
  const { text } = await send(changed, ['GET', '/metrics'], { token: operatorToken })
  expect(sampleOf(text, 'vigil_store_damaged_total', { store: 'documents' })).toBeGreaterThan(0)
  await changed.stop('SIGTERM')
  expect(changed.printed()).toContain('"kind":"damage"')

  const mended = await startVigil(root, env)
  await eventually(async () => (await readiness(mended)) === 200)
  expect(mended.printed()).toContain('was found damaged: the read models are built again')
  expect(await verdictOf(mended, token, flow)).toBe('FLAG')
  expect(await mended.stop('SIGTERM')).toBe(0)
})

/** An account that has the number on its block list, and a flow that asks for it. */
async function openBlockList(vigil: StartedVigil) {
  const post = async (token: string, path: string, body: unknown) => {
    const method = path.endsWith('access') ? 'PUT' : 'POST'
    const { text } = await send(vigil, [method, path], { token, body })
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  }
  const accounts = '/v2/operator/accounts'
  const { account_id } = await post(operatorToken, accounts, { name: 'Shop' })
  const access = { authoring: true, management: true }
  await post(operatorToken, `${accounts}/${account_id}/access`, access)
  const scopes = ['eval', 'author', 'manage']
  const issued = await post(operatorToken, `${accounts}/${account_id}/tokens`, { scopes })
  const token = String(issued['token'])
  const management = '/v2/watch/management'
  const rule = await post(token, `${management}/rules`, { name: 'b', expression: 'list.block' })
  const recipe = await post(token, `${management}/recipes`, {
    name: 'blocked',
    status: 'LIVE',
    threshold: 50,
    rules: [{ rule_id: rule['id'], weight: 60 }],
  })
  const { id: flow } = await post(token, `${management}/flows`, {
    name: 'f',
    recipes: [recipe['id']],
  })
  const list = '/v2/verification/management/phone-numbers/block'
  expect(await post(token, list, { phone_number: blocked })).toEqual({ phone_number: blocked })
  return { token, flow }
}

async function verdictOf(vigil: StartedVigil, token: string, flow: unknown): Promise<unknown> {
  const body = { flow_id: flow, target: { phone_number: blocked } }
  const { status, text } = await send(vigil, ['POST', '/v2/watch/eval'], { token, body })
  return status === 200 ? (JSON.parse(text) as { readonly verdict: string }).verdict : status
}

const readiness = async (vigil: StartedVigil) =>
  (await send(vigil, ['GET', '/health/ready'], { token: '' })).status

/** In the file at rest, of the digest by which the number is known to be on the list. */
function changeLetter(file: string): void {
  const database = openDatabase({ file, synchronous: 'NORMAL', readOnly: true })
  const row = database.prepare('SELECT body FROM c_list_entry_keys_2').get()
  database.close()
  const bytes = readFileSync(file)
  const at = bytes.indexOf(String(row?.['body']))
  if (at < 0) throw new Error('the list is not in one piece')
  const letter = at + '{"keys":"'.length + 5
  bytes[letter] = bytes[letter] === 0x41 ? 0x42 : 0x41
  writeFileSync(file, bytes)
}
