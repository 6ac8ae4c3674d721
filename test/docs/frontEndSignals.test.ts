import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const guide = readFileSync('docs/guide/front-end-signals.md', 'utf8')
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
const operatorToken = 'an-operator-token-for-these-tests-only'

let folder: string
let vigil: StartedVigil
let lines: readonly string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-'))
  vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
  // what is installed as `vigil` is run as it was built
  const npx = `npx() { shift; '${process.execPath}' dist/cli/main.js "$@"; }`
  const script = ['set -euo pipefail', npx, ...blocks].join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    timeout: 240_000,
    env: {
      PATH: process.env['PATH'],
      XDG_CONFIG_HOME: folder,
      VIGIL_URL: vigil.url,
      VIGIL_OPERATOR_TOKEN: operatorToken,
    },
  })
  lines = stdout.split('\n').filter((line) => line !== '')
}, 300_000)

afterAll(async () => {
  await vigil.stop('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

test('the guide has commands', () => expect(blocks.length).toBeGreaterThan(2))

test('its key is issued, its dispatch is on record, and its evaluation reads it', () => {
  const [evaluated = '{}'] = lines.slice(-1)

  expect(lines[0]).toMatch(/^vgp_/)
  expect(lines[1]).toMatch(/^\{"dispatch_id":"[0-9a-f-]{36}"\}$/)
  expect(JSON.parse(evaluated)).toMatchObject({
    verdict: 'FLAG',
    recipes: [{ score: 60, partial_evidence: false, rules: [{ outcome: 'TRIGGERED' }] }],
  })
})
