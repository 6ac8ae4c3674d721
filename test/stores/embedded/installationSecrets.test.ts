import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashSecret } from '../../../src/auth/apiToken.ts'
import { dataFolderAt } from '../../../src/stores/embedded/dataFolder.ts'
import {
  type InstallationInput,
  keepOperatorToken,
  loadOrCreateSecrets,
} from '../../../src/stores/embedded/installationSecrets.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** Bytes that say how often they were asked for. */
function counting() {
  let asked = 0
  return {
    count: () => asked,
    bytes: (length: number) => {
      asked += 1
      return new Uint8Array(length).fill(asked)
    },
  }
}

let folder = ''
let random = counting()
const file = (name: string) => join(folder, name)
const modeOf = (name: string) => statSync(file(name)).mode & 0o777
const key = 'ab'.repeat(32)

beforeEach(() => {
  folder = temporaryFolder()
  random = counting()
})

/** As a start does, which shows a new token in between. */
function loadAndKeep(input: InstallationInput) {
  const secrets = loadOrCreateSecrets(input)
  if (secrets.newOperatorToken !== undefined)
    keepOperatorToken(dataFolderAt(input.folder), secrets.newOperatorToken)
  return secrets
}

test('given a new operator token that was not yet kept, when asked again, then another one is made', () => {
  const shown = loadOrCreateSecrets({ folder, random })

  const again = loadOrCreateSecrets({ folder, random })

  expect(again.newOperatorToken).toMatch(/^vgo_/)
  expect(again.newOperatorToken).not.toBe(shown.newOperatorToken)
})

describe('a kept secret', () => {
  test.each([`${key}`, `${key}\n`, `  ${key}\r\n`])(
    'is read whatever stands around it: %j',
    (text) => {
      writeFileSync(file('master.key'), text)
      writeFileSync(file('operator.token.sha256'), text)

      const { masterKey, operatorTokenHash, newOperatorToken } = loadAndKeep({
        folder,
        random,
      })

      expect(Buffer.from(masterKey).toString('hex')).toBe(key)
      expect(operatorTokenHash).toBe(key)
      expect(newOperatorToken).toBeUndefined()
      expect(random.count()).toBe(0)
    },
  )

  test.each([
    '',
    '\n',
    key.slice(1),
    `${key}a`,
    key.toUpperCase(),
    `${key.slice(1)}g`,
    `${key}\n${key}`,
    `0x${key}`,
  ])('that is not one is refused by its name and left as it is: %j', (text) => {
    for (const name of ['master.key', 'operator.token.sha256']) {
      rmSync(file('master.key'), { force: true })
      writeFileSync(file(name), text)

      expect(() => loadAndKeep({ folder, random })).toThrow(new RegExp(name.replaceAll('.', '\\.')))
      expect(readFileSync(file(name), 'utf8')).toBe(text)
      rmSync(file(name))
    }
  })

  test('that is no file is refused by its name', () => {
    mkdirSync(file('master.key'))

    expect(() => loadAndKeep({ folder, random })).toThrow(/master\.key/)
  })

  test('is never put in the place of one that could not be read', () => {
    writeFileSync(file('operator.token.sha256'), 'rubbish')
    writeFileSync(file('master.key'), key)

    expect(() => loadAndKeep({ folder, random })).toThrow()

    expect(readdirSync(folder).toSorted()).toEqual(['master.key', 'operator.token.sha256'])
    expect(random.count()).toBe(0)
  })
})

describe('a new secret', () => {
  test('is kept as what it was made of, readable by its owner alone', () => {
    const { masterKey, operatorTokenHash, newOperatorToken } = loadAndKeep({
      folder,
      random,
    })

    expect(readFileSync(file('master.key'), 'utf8').trim()).toBe(
      Buffer.from(masterKey).toString('hex'),
    )
    expect(readFileSync(file('operator.token.sha256'), 'utf8').trim()).toBe(operatorTokenHash)
    expect(operatorTokenHash).toBe(hashSecret(newOperatorToken ?? ''))
    expect([modeOf('master.key'), modeOf('operator.token.sha256')]).toEqual([0o600, 0o600])
    expect(random.count()).toBe(2)
  })

  test('is not shared between the key and the token', () => {
    const { masterKey, newOperatorToken = '' } = loadAndKeep({ folder, random })

    const secret = Buffer.from(newOperatorToken.slice('vgo_'.length), 'base64url')
    expect(secret).toHaveLength(32)
    expect(secret.equals(Buffer.from(masterKey))).toBe(false)
  })

  test('takes the place of what a crash left half written, whoever could read that', () => {
    for (const name of ['master.key', 'operator.token.sha256']) {
      writeFileSync(file(`${name}.new`), 'half')
      chmodSync(file(`${name}.new`), 0o644)
    }

    const first = loadAndKeep({ folder, random })
    const later = loadAndKeep({ folder, random })

    expect(readdirSync(folder).toSorted()).toEqual(['master.key', 'operator.token.sha256'])
    expect([modeOf('master.key'), modeOf('operator.token.sha256')]).toEqual([0o600, 0o600])
    expect(later.operatorTokenHash).toBe(first.operatorTokenHash)
    expect(Buffer.from(later.masterKey)).toEqual(Buffer.from(first.masterKey))
  })

  test('cannot be kept in a folder that is not there, and says which file', () => {
    const gone = join(folder, 'gone')

    expect(() => loadAndKeep({ folder: gone, random })).toThrow(/master\.key/)
  })
})

describe('a configured secret', () => {
  test('wins over a kept one, which stays for when it is configured no longer', () => {
    const kept = loadAndKeep({ folder, random })

    const configured = loadAndKeep({
      folder,
      random,
      masterKey: new Uint8Array(32).fill(9),
      operatorToken: 'configured',
    })
    const again = loadAndKeep({ folder, random })

    expect(configured.masterKey).toEqual(new Uint8Array(32).fill(9))
    expect(configured.operatorTokenHash).toBe(hashSecret('configured'))
    expect(again.operatorTokenHash).toBe(kept.operatorTokenHash)
    expect(Buffer.from(again.masterKey)).toEqual(Buffer.from(kept.masterKey))
  })

  test('of one kind leaves the other to the folder', () => {
    const first = loadAndKeep({ folder, random, operatorToken: 'configured' })
    expect(readdirSync(folder)).toEqual(['master.key'])

    const second = loadAndKeep({ folder, random, masterKey: first.masterKey })
    expect(second.newOperatorToken).toMatch(/^vgo_[\w-]{43}$/)
    expect(second.masterKey).toBe(first.masterKey)
  })

  test('is not looked for where it is not needed: a broken file does no harm', () => {
    writeFileSync(file('master.key'), 'rubbish')

    const opened = loadAndKeep({
      folder,
      random,
      masterKey: new Uint8Array(32),
      operatorToken: 't',
    })

    expect(opened.operatorTokenHash).toBe(hashSecret('t'))
  })
})
