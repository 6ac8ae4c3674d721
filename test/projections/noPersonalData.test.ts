/**
 * What end users are known by stands in no document of any read model, in clear or as a digest that could be guessed.
 */

import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { allProjections } from '../../src/projections/allProjections.ts'
import { defineParkedCollection } from '../../src/projections/running/parkedEvents.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/embeddedReadStore.ts'
import type { Collection, ReadStore } from '../../src/stores/readStore.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'

const phone = '+33698765432'
const mail = 'Ursula.Unmistakable+7@example.org'
const signals = {
  ip: '203.0.113.77',
  device_id: 'device-4711-unmistakable',
  device_model: 'Model Unmistakable',
  user_agent: 'Unmistakable/1.0 (agent of one person)',
  ja4_fingerprint: 't13d1516h2_8daaf6152771_02713d6af862',
}
const ext = { nickname: 'unmistakable-nickname' }

let documents: string

const vigil = await openVigilOfFile()
const customer = await openCustomer(vigil)

beforeAll(async () => {
  const flow = await customer.flowOf(
    'signal.ip == "192.0.2.1"',
    'target.phone_number.startsWith("+49")',
    'signal.ext.nickname == "x"',
  )
  const dispatch_id = await customer.dispatch(signals)
  const target = { phone_number: phone, email_address: mail }
  const answer = await customer.evaluate(flow, {
    target,
    dispatch_id,
    signals: { ...signals, ext },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  const feedbacks = [
    {
      target: { type: 'phone_number', value: phone },
      type: 'verification.started',
      dispatch_id,
      signals,
    },
  ]
  const told = await customer.send('POST', '/v2/watch/feedback', { feedbacks })
  if (told.status >= 300) throw new Error(told.text)
  const entry = { phone_number: phone, reason: 'an unmistakable reason' }
  const listed = await customer.send(
    'POST',
    '/v2/verification/management/phone-numbers/block',
    entry,
  )
  if (listed.status !== 201) throw new Error(listed.text)
  const later = await customer.send('GET', '/v2/watch/evaluations')
  if (!later.text.includes(String(answer.body['id']))) throw new Error(later.text)
  documents = await everything(vigil.folder)
})

async function everything(folder: string): Promise<string> {
  const store = openEmbeddedReadStore({ folder, readOnly: true })
  const all = allProjections.flatMap((projection) => [
    ...projection.collections,
    defineParkedCollection(projection),
  ])
  const found = await Promise.all(all.map((collection) => allOf(store, collection)))
  await store.close()
  return JSON.stringify(found.flat())
}

const pageMax = 1_000

async function allOf(store: ReadStore, collection: Collection): Promise<readonly unknown[]> {
  const found = []
  for (let last: string | undefined; ; ) {
    const after = last === undefined ? {} : { after: { id: last, values: [] } }
    const page = await store.find(collection, { where: {}, limit: pageMax, ...after })
    found.push(...page)
    last = page.at(-1)?.id
    if (page.length < pageMax) return found
  }
}

test('the documents of the evaluation are among what is looked at', () => {
  expect(documents).toContain(customer.accountId)
  expect(documents).toContain('"verdict"')
  expect(documents).toContain('signal.ext.nickname')
})

const forms = [
  phone,
  phone.slice(1),
  mail,
  mail.toLowerCase(),
  'unmistakable',
  ...Object.values(signals),
  ...Object.values(ext),
]

test.each(forms)('%s is not among them', (text) => {
  const bytes = [text, text.toLowerCase()].map((form) => createHash('sha256').update(form).digest())
  const digests = bytes.flatMap((digest) => [digest.toString('hex'), digest.toString('base64url')])

  expect(documents.toLowerCase()).not.toContain(text.toLowerCase())
  for (const digest of digests) expect(documents).not.toContain(digest)
})
