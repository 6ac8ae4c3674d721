import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acceptFolderLosses } from '../../src/stores/transfer/acceptLoss.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { openCustomer, openVigil, sendAs } from '../support/openVigil.ts'

const phone_number = '+33612345678'

test('given a person whose keys an older copy of keys.db has brought back, when they are erased again, then they are erased', async () => {
  const first = await openVigil()
  const { folder } = first
  const shop = await openCustomer(first)
  const flow = await shop.flowOf('signal.existing_user')
  const { id } = (await shop.evaluate(flow, { target: { phone_number } })).body
  await first.stop()
  const file = join(folder, 'keys.db')
  const older = join(temporaryFolder(), 'keys.db')
  copyFileSync(file, older)
  const second = await openVigil({ folder })
  const erase = { method: 'POST', path: '/v2/watch/subjects/erase', body: { phone_number } }
  await sendAs(second, shop.token)(erase.method, erase.path, erase.body)
  await second.stop()
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  copyFileSync(older, file)
  await acceptFolderLosses({
    dataFolder: folder,
    masterKey: undefined,
    accept: { log: false, keys: true },
    clock: { nowMs: () => Date.now() },
    random: { bytes: (count) => new Uint8Array(randomBytes(count)) },
  })
  const vigil = await openVigil({ folder })
  const send = sendAs(vigil, shop.token)
  const replay = () => send('POST', `/v2/watch/evaluations/${id}/replay`)
  const broughtBack = (await replay()).status

  const { status } = await send(erase.method, erase.path, erase.body)

  expect(broughtBack).toBe(200)
  expect(status).toBe(200)
  expect((await replay()).body).toMatchObject({ code: 'evidence_forgotten' })
  await vigil.close()
})
