/** One event of every type there is, and a keyring whose every answer can be repeated. */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { definitionsByArea, type VigilEvent, versions } from '../../src/events/catalogue.ts'
import type { EventContext } from '../../src/events/recording/event.ts'
import type { EventToDecode } from '../../src/events/recording/eventCodec.ts'
import { openKeyring, type PooledKeyring } from '../../src/stores/keys/keyring.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

type Sample<Type extends VigilEvent['type']> = Extract<VigilEvent, { type: Type }>['data']

export const context: EventContext = {
  account: 'acc_01h455vb4pex5vsknk084sn02q',
  actor: 'tok_01h455vb4pex5vsknk084sn02q',
  request: '018b0a5d-ac96-774b-bcce-b302099a8057',
  command: '01890a5d-ac96-774b-bcce-b302099a8057',
  digest: 'b1ZlcnkgbXVjaCBhIGRpZ2VzdCBvZiB0aGUgcmVxdWVz',
  causation: 'evl_01h455vb4pex5vsknk084sn02q',
  time: 1_700_000_000_000,
}

/** Everything in the samples that may not stand in the log in clear. */
export const personalTexts = [
  '+12133734253',
  'ann@example.com',
  '203.0.113.9',
  '198.51.100.23',
  'device-of-ann',
  'Ann’s iPhone',
  'Ann’s charge',
  'a3bb189e-8bf9-4888-9912-ace4e6543002',
  '1200',
  'order-of-ann-17',
  'customer-ann-42',
  '$argon2id$',
]

const folder = join(import.meta.dirname, 'fixtures')

interface Fixture {
  readonly recorded: EventToDecode
  /** Secrets in base64url, by the id of the key. */
  readonly keys: Readonly<Record<string, string>>
  readonly today: unknown
}

/** The fixture of a version of an event type; of a new one only `today` is written by hand. */
export function fixtureOf(type: string, version: number): Partial<Fixture> {
  return JSON.parse(readFileSync(fixtureFile(type, version), 'utf8')) as Partial<Fixture>
}

export function fixtureFile(type: string, version: number): string {
  return join(folder, `${type}.v${version}.json`)
}

/** A definition without its types. */
export interface Defined {
  readonly schema: { readonly required: readonly string[] }
  readonly personal: Readonly<Record<string, { readonly schema: object; readonly optional?: true }>>
}

export const definitionsByType = new Map<string, Defined>(
  Object.values(definitionsByArea).flatMap((definitions) => Object.entries(definitions)),
)

/** What the fixture of each type's newest version says today. */
export const samples = Object.fromEntries(
  [...versions].map(([type, version]) => [type, fixtureOf(type, version).today]),
) as { readonly [Type in VigilEvent['type']]: Sample<Type> }

/** A keyring over a store in memory; `seed` decides every key and nonce. */
export async function sampleKeyring(seed = 'samples'): Promise<PooledKeyring> {
  let count = 0
  const random = {
    bytes: (length: number) => {
      count += 1
      const options = { outputLength: length }
      return new Uint8Array(createHash('shake256', options).update(`${seed} ${count}`).digest())
    },
  }
  return openKeyring({
    store: memoryKeyStore(),
    masterKey: new Uint8Array(32).fill(7),
    random,
    poolSize: 16,
    firstFill: 16,
  })
}
