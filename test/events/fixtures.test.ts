/**
 * The corpus of everything ever written. A fixture holds the recorded form of one event, which never changes, and what it says
 * today, which follows the upcasters. A missing one is written and reported; look at it and commit it.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  decode,
  encode,
  openEvent,
  sealedUnder,
  type VigilEvent,
  versions,
} from '../../src/events/catalogue.ts'
import type { Recorded } from '../../src/events/recording/decodeEvent.ts'
import { context, personalTexts, sampleKeyring, samples } from './samples.ts'

interface Fixture {
  readonly recorded: Recorded
  /** Secrets in base64url, by the id of the key. */
  readonly keys: Readonly<Record<string, string>>
  readonly today: unknown
}

const folder = join(import.meta.dirname, 'fixtures')
const all = [...versions].flatMap(([type, version]) =>
  Array.from({ length: version }, (_, older) => ({ type, version: older + 1 })),
)
const nameOf = ({ type, version }: { type: string; version: number }) => `${type}.v${version}.json`

test('the folder holds the fixtures of known types and nothing else', () => {
  const unknown = readdirSync(folder).filter((file) => !all.map(nameOf).includes(file))

  expect(unknown).toEqual([])
})

test.each(all)('$type version $version has a fixture', async ({ type, version }) => {
  const file = join(folder, nameOf({ type, version }))
  const missing = !existsSync(file)
  if (missing && version === versions.get(type)) {
    writeFileSync(file, `${JSON.stringify(await fixtureOf(type), undefined, 2)}\n`)
  }

  expect(missing, `${file} was missing and may have been written; look at it and commit it`).toBe(
    false,
  )
})

describe.each(all)('$type version $version', (one) => {
  const { recorded, keys, today } = fixture(nameOf(one))
  const keyring = {
    keys: async (ids: readonly string[]) =>
      new Map(ids.map((id) => [id, Buffer.from(keys[id] ?? '', 'base64url')])),
  }

  test('is read as what it says today', async () => {
    const decoded = decode(recorded)
    const opened = await openEvent(decoded, keyring)

    expect(recorded.type).toBe(one.type)
    expect(decoded.metadata.version).toBe(one.version)
    expect(opened.event).toEqual({ type: one.type, data: today })
    expect(opened.stream).toBe(recorded.stream)
  })

  test('is whole once its keys were destroyed, its personal fields forgotten', async () => {
    const decoded = decode(recorded)
    const opened = await openEvent(decoded, {
      keys: async (ids) => new Map(ids.map((id) => [id, 'destroyed'] as const)),
    })

    const forgotten = Object.values(opened.event.data as object).filter((v) => v?.forgotten)
    expect(forgotten.length > 0).toBe(sealedUnder(decoded).length > 0)
    const { subjects = [] } = decoded.metadata
    expect(sealedUnder(decoded)).toEqual([...new Set(subjects.map(({ key }) => key))])
  })

  test('holds nothing personal in clear', () => {
    const text = `${recorded.data}${recorded.metadata}`

    expect(personalTexts.filter((personal) => text.includes(personal))).toEqual([])
  })
})

test('the samples hold every personal text that the fixtures are searched for', () => {
  const text = JSON.stringify(samples)

  expect(personalTexts.filter((personal) => !text.includes(personal))).toEqual([])
})

function fixture(name: string): Fixture {
  const file = join(folder, name)
  const empty = '{"recorded":{"type":"","data":"","metadata":""},"keys":{}}'
  return JSON.parse(existsSync(file) ? readFileSync(file, 'utf8') : empty) as Fixture
}

async function fixtureOf(type: string): Promise<Fixture> {
  const keyring = await sampleKeyring(type)
  const data = samples[type as VigilEvent['type']]
  const encoded = encode({ event: { type, data }, context, index: 0 }, keyring)
  const recorded = { ...encoded, stream: 'sample-1', revision: 0, position: 1 }
  const secrets = await keyring.keys(sealedUnder(decode(recorded)))
  const keys = [...secrets].map(([id, secret]) => [id, Buffer.from(secret).toString('base64url')])
  return { recorded, keys: Object.fromEntries(keys) as Fixture['keys'], today: data }
}
