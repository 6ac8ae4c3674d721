import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashSecret } from '../../../src/auth/apiToken.ts'
import { openInstallation } from '../../../src/stores/embedded/installation.ts'

const chance = { bytes: (count: number) => randomBytes(count) }
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('the first start makes the secrets, and later ones find them', () => {
  const first = openInstallation({ folder, chance })

  const later = openInstallation({ folder, chance })

  expect(first.newOperatorToken).toMatch(/^vgo_/)
  expect(later.newOperatorToken).toBeUndefined()
  expect(later.operatorTokenHash).toBe(first.operatorTokenHash)
  expect(Buffer.from(later.masterKey)).toEqual(Buffer.from(first.masterKey))
  expect(first.masterKey).toHaveLength(32)
})

test('the folder holds no operator token, and only its owner reads the secrets', () => {
  const { newOperatorToken = '' } = openInstallation({ folder, chance })

  for (const file of readdirSync(folder)) {
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain(newOperatorToken.slice(4))
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(folder)).toHaveLength(2)
})

test('configured secrets win and are not written', () => {
  const masterKey = randomBytes(32)

  const installation = openInstallation({ folder, chance, masterKey, operatorToken: 'configured' })

  expect(installation.masterKey).toBe(masterKey)
  expect(installation.operatorTokenHash).toBe(hashSecret('configured'))
  expect(installation.newOperatorToken).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
})

test('a key file that is not one is refused by its name, and left as it is', () => {
  const file = join(folder, 'master.key')
  writeFileSync(file, 'rubbish')

  expect(() => openInstallation({ folder, chance })).toThrow(/master\.key/)
  expect(readFileSync(file, 'utf8')).toBe('rubbish')
})
