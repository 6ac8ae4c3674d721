import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { generateSource } from 'oazapfts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { clientProgram, type Used, wrongUses } from './support/clientProgram.ts'

let vigil: Vigil
let folder: string

beforeAll(async () => {
  vigil = await openVigil()
  // inside the project, so that what the client imports is found; a dot keeps every other tool away
  folder = mkdtempSync('test/journeys/.client-')
  const description = join(folder, 'openapi.json')
  writeFileSync(description, JSON.stringify(vigil.door.description))
  writeFileSync(join(folder, 'client.ts'), await generateSource(description))
  writeFileSync(join(folder, 'program.ts'), clientProgram)
})

afterAll(async () => {
  await vigil.close()
  rmSync(folder, { recursive: true, force: true })
})

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom'],
  module: 'nodenext',
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}

/** What the compiler says about these files; empty when nothing. */
async function compile(...files: readonly string[]): Promise<string> {
  const project = join(folder, 'tsconfig.json')
  writeFileSync(project, JSON.stringify({ compilerOptions, files }))
  const compiler = ['node_modules/typescript/bin/tsc', '--project', project]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, compiler)
    return stdout
  } catch (error) {
    return String(Object(error).stdout ?? error)
  }
}

test('a client generated from the description compiles, and so does a program that uses it', async () => {
  expect(await compile('client.ts', 'program.ts')).toBe('')
})

test.each(wrongUses)(
  'the compiler refuses a program that %s',
  async (_what, statement, expected) => {
    writeFileSync(join(folder, 'wrong.ts'), `import * as api from './client.ts'\n${statement}\n`)

    expect(await compile('wrong.ts')).toContain(expected)
  },
)

test('the program does with a real service what it would do with a hand-written client', async () => {
  const { token } = await openCustomer(vigil)
  const file = pathToFileURL(join(process.cwd(), folder, 'program.ts')).href
  const { useClient } = (await import(/* @vite-ignore */ file)) as {
    useClient: (baseUrl: string, token: string) => Promise<Used>
  }

  const used = await useClient(`http://127.0.0.1:${vigil.door.port}`, token)

  expect(used).toEqual({
    verdict: 'FLAG',
    outcomes: ['TRIGGERED'],
    reads: ['signal.ext.cart'],
    leaves: ['double(signal.ext.cart)', '100.0'],
    refused: ['target.phone_number'],
    unknown: expect.stringContaining('There is no parameter weight.'),
    gone: 404,
  })
})
