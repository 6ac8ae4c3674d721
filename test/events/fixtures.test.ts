/**
 * The corpus of everything ever written. A fixture holds the recorded form of one event, which never changes, and what
 * it says today, which follows the upcasters. Of a new version, write `{"today": …}`: the rest is added and reported;
 * look at it and commit it.
 */

import { readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decode, encode, openEvent, sealedUnder, versions } from '../../src/events/catalogue.ts'
import {
  context,
  fixtureFile,
  fixtureOf,
  personalTexts,
  sampleKeyring,
  samples,
} from './samples.ts'

const all = [...versions].flatMap(([type, version]) =>
  Array.from({ length: version }, (_, older) => ({ type, version: older + 1 })),
)

test('the folder holds the fixtures of known types and nothing else', () => {
  const known = all.map(({ type, version }) => basename(fixtureFile(type, version)))

  expect(readdirSync(dirname(fixtureFile('', 1))).filter((file) => !known.includes(file))).toEqual(
    [],
  )
})

describe.each(all)('$type version $version', ({ type, version }) => {
  const { recorded, keys = {}, today } = fixtureOf(type, version)
  if (!recorded) {
    test('has a whole fixture', async () => {
      await complete(type, version)
      expect.fail(`${fixtureFile(type, version)} has been completed; look at it and commit it`)
    })
    return
  }
  const keyring = {
    keys: async (ids: readonly string[]) =>
      new Map(ids.map((id) => [id, Buffer.from(keys[id] ?? '', 'base64url')])),
  }

  test('is read as what it says today', async () => {
    const decoded = decode(recorded)
    const opened = await openEvent(decoded, keyring)

    expect(recorded.type).toBe(type)
    expect(decoded.metadata.version).toBe(version)
    expect(opened.event).toEqual({ type, data: today })
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

/** Records what the fixture says today, and adds that to it. */
async function complete(type: string, version: number): Promise<void> {
  const { today } = fixtureOf(type, version)
  const keyring = await sampleKeyring(type)
  const encoded = encode({ event: { type, data: today }, context, index: 0 }, keyring)
  const recorded = { ...encoded, stream: 'sample-1', revision: 0, position: 1 }
  const secrets = await keyring.keys(sealedUnder(decode(recorded)))
  const keys = [...secrets].map(([id, secret]) => [id, Buffer.from(secret).toString('base64url')])
  const fixture = { recorded, keys: Object.fromEntries(keys), today }
  writeFileSync(fixtureFile(type, version), `${JSON.stringify(fixture, undefined, 2)}\n`)
}
