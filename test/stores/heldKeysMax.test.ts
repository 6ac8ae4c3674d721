import { expect, test } from 'vitest'
import { cachedKeysMax } from '../../src/stores/keys/keyring.ts'

test('the keys that are held take a small part of the heap, however small it is', () => {
  const mebibyte = 1024 * 1024

  const held = [64, 170, 4_096].map((mebibytes) => cachedKeysMax(mebibytes * mebibyte))

  expect(held).toEqual([4_660, 12_379, 65_536])
})
