/** The corpus is replayed with a library of phone numbers that knows other countries: only recorded answers count. */

import { expect, test, vi } from 'vitest'
import { findPhoneCountry } from '../../src/domain/evaluation/phone.ts'
import { decode } from '../../src/events/catalogue.ts'
import type { RecordedNames } from '../../src/events/evaluation/evidenceRecord.ts'
import { corpusManifest, readCorpus, replayCorpus } from './replayCorpus.ts'

/** Every number is of Ascension Island. */
vi.mock('libphonenumber-js/max', () => ({
  isSupportedCountry: (code: string) => code === 'AC',
  parsePhoneNumberFromString: (number: string) => ({
    ...{ country: 'AC', number, nationalNumber: number.slice(1), isPossible: () => true },
  }),
  validatePhoneNumberLength: () => undefined,
}))
vi.mock('libphonenumber-js/max/metadata', async (original) => {
  const { default: metadata } = await original<typeof import('libphonenumber-js/max/metadata')>()
  const codes = Object.keys(metadata.country_calling_codes).map((code) => [code, ['AC']])
  return { default: { ...metadata, country_calling_codes: Object.fromEntries(codes) } }
})

const names = Object.keys(corpusManifest)

test('the library is another one', () => {
  expect(['+33612345678', '+15005550006', '+80012345678'].map(findPhoneCountry)).toEqual(
    Array.from({ length: 3 }, () => 'AC'),
  )
})

test('there are calls that the library answered, that it could not read, and that it knew nothing of', () => {
  const arrived = names.flatMap(listArrived)

  expect(arrived.flatMap(({ call = [] }) => call)).not.toEqual([])
  const reasons = new Set(arrived.flatMap(({ unanswered = [] }) => unanswered.map((one) => one[1])))
  for (const reason of ['not_readable', 'not_known']) expect(reasons).toContain(reason)
})

/** The names of the evidence of each evaluation of a file. */
function listArrived(name: string): readonly RecordedNames[] {
  return readCorpus(name).events.flatMap((recorded) => {
    const { event } = decode(recorded)
    return event.type === 'FlowEvaluated' ? [event.data.arrived] : []
  })
}

test.each(names)('%s is replayed to the byte', async (name) => {
  const tally = await replayCorpus(name)

  expect(tally.mismatches).toEqual([])
  expect(tally.match).toBe(corpusManifest[name]?.evaluations)
})
