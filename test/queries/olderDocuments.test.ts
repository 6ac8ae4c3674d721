/** Questions while readers still use documents of the version before. */

import { expect, test } from 'vitest'
import { accountCollection } from '../../src/projections/accounts/accounts.ts'
import type { DocumentCollection } from '../../src/projections/running/projection.ts'
import { appCollection } from '../../src/projections/sessions/apps.ts'
import { findAccount, listAccounts } from '../../src/queries/accounts/accounts.ts'
import { findApp, findAppWithKeys } from '../../src/queries/sessions/apps.ts'
import { memoryReadStore } from '../projections/memoryReadStore.ts'

/** What readers see who use this version of the collection, in which one document stands. */
async function readersOf(
  of: DocumentCollection<object>,
  version: number,
  { id, ...body }: { readonly id: string; readonly [field: string]: unknown },
) {
  const collection = { ...of, version }
  const documents = memoryReadStore()
  await documents.prepare([collection])
  const checkpoint = { projection: of.projection, version, position: 1, ready: true }
  const change = { collection, id, position: 1, body: body as Record<string, never> }
  await documents.commit([change], { ...checkpoint, collections: [collection.name] })
  return { documents, projections: { active: () => version } }
}

test('an account of before there were SDK keys has none', async () => {
  const said = { name: 'A', opened_at: 1, authoring: true, management: false, trusted_user: false }
  const readers = await readersOf(accountCollection, 4, {
    ...{ id: 'acc_a', made: 1, ...said, tokens: [] },
  })

  const found = await findAccount(readers, 'acc_a')
  const listed = await listAccounts(readers, { limit: 10 })

  const account = { id: 'acc_a', ...said, custom_suffix: false, tokens: [], sdk_keys: [] }
  expect(found).toEqual(account)
  expect(listed.items).toEqual([account])
})

test('an application is answered that does not say its signing keys, and they are not', async () => {
  const said = { account: 'acc_a', name: 'A', settings: {}, registered_at: 1 }
  const readers = await readersOf(appCollection, 1, { id: 'abc', made: 1, ...said })
  const asked = { account: 'acc_a', id: 'abc' }

  expect(await findApp(readers, asked)).toMatchObject(said)
  expect(() => findAppWithKeys(readers, asked)).toThrow('is being built from the log')
})
