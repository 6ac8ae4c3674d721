import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  deriveId,
  deriveIdAtIndex,
  type IdPrefix,
  idPrefixes,
  isId,
  newId,
} from '../../src/domain/ids.ts'
import { uuidV7 } from '../../src/domain/uuid.ts'

const random = { bytes: (count: number) => randomBytes(count) }
const prefixes: readonly IdPrefix[] = Object.values(idPrefixes)
const anyPrefix = fc.constantFrom(...prefixes)
const anyTime = fc.integer({ min: 0, max: 2 ** 48 - 2 })
const v7 = '01890a5d-ac96-774b-bcce-b302099a8057'
const v4 = 'a3bb189e-8bf9-4888-9912-ace4e6543002'

test('the UUID is encoded as TypeID says', () => {
  // given the UUID 01890a5d-ac96-774b-bcce-b302099a8057 of the TypeID specification
  const clock = { nowMs: () => 0x01890a5dac96 }
  const given = Buffer.from('774bbcceb302099a8057', 'hex')

  const id = newId('usr', clock, { bytes: () => given })

  expect(id).toBe('usr_01h455vb4pex5vsknk084sn02q')
})

test('the largest UUID is encoded without running over', () => {
  const clock = { nowMs: () => 2 ** 48 - 1 }

  const id = newId('evl', clock, { bytes: (count) => new Uint8Array(count).fill(255) })

  expect(id).toBe('evl_7zzzzzzzzzfzzvzzzzzzzzzzzz')
})

test('a new id is an id of its prefix and of no other', () => {
  fc.assert(
    fc.property(anyPrefix, anyTime, (prefix, nowMs) => {
      const id = newId(prefix, { nowMs: () => nowMs }, random)

      expect(prefixes.filter((other) => isId(other, id))).toEqual([prefix])
    }),
  )
})

test('a derived id depends on command, prefix and label only', () => {
  const ids = [v7, v4].flatMap((command) =>
    prefixes.flatMap((prefix) => ['a', 'b'].map((label) => deriveId(prefix, command, label))),
  )

  expect(new Set(ids).size).toBe(ids.length)
  expect(deriveId('evl', v7, 'evaluation')).toBe(deriveId('evl', v7, 'evaluation'))
  expect(deriveId('evl', v7.toUpperCase(), 'a')).toBe(deriveId('evl', v7, 'a'))
})

test('a derived id never changes, for it stands in the log', () => {
  expect(deriveId('evl', v7, 'evaluation')).toMatchInlineSnapshot(
    `"evl_01h455vb4pfmkt8nsfs13nen9p"`,
  )
  expect(deriveId('rul', v4, 'rule')).toMatchInlineSnapshot(`"rul_5vqg6fpamjhn6vpdcfdtjb2j3n"`)
})

test.each([v7, v4])('the ids of the many things that %s makes are in their order', (command) => {
  const ids = Array.from({ length: 4_096 }, (_, at) => deriveIdAtIndex('fbk', command, at))

  expect(new Set(ids).size).toBe(4_096)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every((id) => isId('fbk', id))).toBe(true)
  expect(ids[1]).not.toBe(deriveIdAtIndex('evt', command, 1).replace('evt', 'fbk'))
})

test('a derived id carries the time of its command where the command has one', () => {
  fc.assert(
    fc.property(anyTime, fc.string(), (nowMs, label) => {
      const clock = { nowMs: () => nowMs }
      const derived = deriveId('flo', uuidV7(clock, random), label)
      const fresh = newId('flo', clock, random)

      expect(isId('flo', derived)).toBe(true)
      // 48 bits of time are the first nine characters and three bits of the tenth
      expect(derived.slice(0, 13)).toBe(fresh.slice(0, 13))
    }),
  )
})

test('an id is not derived from what is not a UUID', () => {
  expect(() => deriveId('flo', 'abc', 'a')).toThrow('not a UUID')
})

const good = 'flo_01jc0t6fwwfgfsq1md24mhyztj'

test.each([
  ['empty', ''],
  ['the prefix alone', 'flo_'],
  ['another prefix', good.replace('flo', 'rcp')],
  ['no underscore', good.replace('_', '-')],
  ['upper case', good.toUpperCase()],
  ['upper-case body', `flo_${good.slice(4).toUpperCase()}`],
  ['one character less', good.slice(0, -1)],
  ['one character more', `${good}0`],
  ['a letter base32 does not have', good.replace('t6', 'u6')],
  ['more than 128 bits', good.replace('_0', '_8')],
  ['a line break behind', `${good.slice(0, -1)}\n`],
  ['a space in front', ` ${good}`],
])('%s is not an id', (_, text) => {
  expect(isId('flo', good)).toBe(true)
  expect(isId('flo', text)).toBe(false)
})
