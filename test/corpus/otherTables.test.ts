/** The corpus is replayed with a library of phone numbers that knows other countries: recorded answers are all that counts. */

import { expect, test, vi } from 'vitest'
import { findPhoneCountry } from '../../src/domain/evaluation/phone.ts'
import { decode, openPersonal } from '../../src/events/catalogue.ts'
import type { RecordedEvidence } from '../../src/events/evaluation/evaluationEvents.ts'
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
  const letters = new Set(names.flatMap((name) => [...sourcesOf(name)]))

  for (const letter of ['C', 'X', 'Y']) expect(letters).toContain(letter)
})

/** The letters of `RecordedEvidence.sources` of all evaluations of a file. */
function sourcesOf(name: string): string {
  const { events, keys } = readCorpus(name)
  const states = new Map(
    Object.entries(keys).map(([id, key]) => [id, Buffer.from(key, 'base64url')] as const),
  )
  const evaluated = events.filter(({ type }) => type === 'FlowEvaluated')
  return evaluated
    .map(
      (event) => openPersonal(decode(event), states).event.data as { evidence: RecordedEvidence },
    )
    .map(({ evidence }) => evidence.sources)
    .join('')
}

test.each(names)('%s is replayed to the byte', async (name) => {
  const tally = await replayCorpus(name)

  expect(tally.mismatches).toEqual([])
  expect(tally.match).toBe(corpusManifest[name]?.evaluations)
})
