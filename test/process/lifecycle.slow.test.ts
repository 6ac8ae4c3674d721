import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { runVigil, startVigil } from '../support/startedVigil.ts'
import { openRequest } from './support/openRequest.ts'

const operatorToken = 'an-operator-token-for-these-tests-only'
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function exported(printed: string, name: string): string {
  const value = new RegExp(`export ${name}=(\\S+)`).exec(printed)?.[1]
  if (value === undefined) throw new Error(`${name} was not printed: ${printed}`)
  return value
}

test('the first start opens a demo account whose printed request is answered, later ones do not', async () => {
  const first = await startVigil(folder)
  await waitForText(first.printed, 'VIGIL_PAYOUT_FLOW')
  const token = exported(first.printed(), 'VIGIL_TOKEN')
  const flow_id = exported(first.printed(), 'VIGIL_SIGNUP_FLOW')

  const answer = await fetch(`${first.url}/v2/watch/eval`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      flow_id,
      target: { phone_number: '+33612345678', email_address: 'ada90210@mailinator.com' },
    }),
  })
  const text = await answer.text()
  expect(await first.stop('SIGTERM')).toBe(0)
  const second = await startVigil(folder)
  const again = second.printed()
  expect(await second.stop('SIGINT')).toBe(0)

  expect(text).toContain('"TRIGGERED"')
  expect(text).toContain('"blocked_by":"signal.ip"')
  expect(again).toContain('export VIGIL_URL=http://')
  expect(again).not.toMatch(/vg[lo]_/)
  expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600)
})

test('given a first start, when its output is read, then its tokens stand on standard output and every other line there is of the log', async () => {
  const started = await startVigil(folder)
  expect(await started.stop('SIGTERM')).toBe(0)

  const lines = started.out().split('\n')
  const isLogLine = (line: string) => line.startsWith('{') && JSON.parse(line).msg !== undefined
  const shown = lines.filter((line) => line !== '' && !isLogLine(line)).join('\n')

  expect(shown).toMatch(
    /^The operator token, .*\n {2}export VIGIL_OPERATOR_TOKEN=vgo_\S+\nA demo .*\n {2}export VIGIL_TOKEN=vgl_\S+\n/,
  )
  expect(shown.match(/vg[lo]_/g)).toHaveLength(3)
  expect(lines.filter(isLogLine).join()).toMatch(/^(?!.*vg[lo]_).*Vigil is ready/)
})

test('where no demo is wanted, the first start opens no account and later ones do not either', async () => {
  const first = await startVigil(folder, {
    VIGIL_DEMO: 'false',
    VIGIL_OPERATOR_TOKEN: operatorToken,
  })
  const listed = await fetch(`${first.url}/v2/operator/accounts`, {
    headers: { authorization: `Bearer ${operatorToken}` },
  })
  const accounts = await listed.json()
  expect(await first.stop('SIGTERM')).toBe(0)
  const second = await startVigil(folder, {
    VIGIL_DEMO: 'false',
    VIGIL_OPERATOR_TOKEN: operatorToken,
  })
  expect(await second.stop('SIGTERM')).toBe(0)

  expect(accounts).toEqual({ accounts: [] })
  expect(first.printed()).not.toMatch(/vgl_/)
  expect(second.printed()).not.toMatch(/vg[lo]_/)
})

test('what is printed is the log and what Vigil says itself, no warning of its runtime', async () => {
  const started = await startVigil(folder, {
    VIGIL_DEMO: 'false',
    VIGIL_OPERATOR_TOKEN: operatorToken,
  })
  expect(await started.stop('SIGTERM')).toBe(0)

  expect(started.printed()).toContain('Vigil is ready.')
  expect(started.printed()).not.toMatch(/warning/i)
})

test('a first start that cannot listen has shown its operator token, and the next one still opens the demo', async () => {
  const other = await startVigil(`${folder}/other`)
  const taken = new URL(other.url).port
  const first = await runVigil(`${folder}/own`, { PORT: taken })

  const second = await startVigil(`${folder}/own`)
  await waitForText(second.printed, 'VIGIL_PAYOUT_FLOW')

  expect(first.code).toBe(1)
  expect(first.printed).toContain('is in use by another process')
  expect(exported(first.printed, 'VIGIL_OPERATOR_TOKEN')).toMatch(/^vgo_/)
  expect(exported(second.printed(), 'VIGIL_TOKEN')).toMatch(/^vgl_/)
  expect(second.printed()).not.toContain('VIGIL_OPERATOR_TOKEN')
  expect(await second.stop('SIGTERM')).toBe(0)
  expect(await other.stop('SIGTERM')).toBe(0)
})

test('a second process on the same folder is refused and the first goes on', async () => {
  const first = await startVigil(folder)

  const second = await runVigil(folder, {})

  expect(second.code).toBe(1)
  expect(second.printed).toMatch(/another process/)
  expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
  expect(await first.stop('SIGTERM')).toBe(0)
})

test('a request under way is answered before the service stops; a second signal does not wait', async () => {
  const vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
  const slow = await openRequest(vigil.url, operatorToken)
  const ended = vigil.stop('SIGTERM')
  await waitForText(vigil.printed, 'Stopping.')
  slow.write('{}')
  const answer = await slow.answered

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toMatch(/connection: close/i)
  expect(await ended).toBe(0)

  const impatient = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
  const neverDone = await openRequest(impatient.url, operatorToken)
  const first = impatient.stop('SIGTERM')
  await waitForText(impatient.printed, 'Stopping.')
  // another signal: the same one within a second may be a copy
  impatient.process.kill('SIGINT')

  expect(await first).toBe(1)
  await neverDone.answered
})

test('every mistake in the environment is a sentence, and nothing starts', async () => {
  const { code, printed } = await runVigil(folder, {
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    EVENTSTORE_URL: 'http://localhost:2113',
    MONGODB_URL: 'http://localhost:27017',
  })

  expect(code).toBe(1)
  for (const name of ['PORT', 'LOG_LEVEL', 'EVENTSTORE_URL', 'MONGODB_URL']) {
    expect(printed).toContain(name)
  }
  expect(printed).not.toContain('    at ')
})

test('the wrong master key is refused before anything is served', async () => {
  const first = await startVigil(folder, { VIGIL_MASTER_KEY: 'a'.repeat(64) })
  expect(await first.stop('SIGTERM')).toBe(0)

  const second = await runVigil(folder, { VIGIL_MASTER_KEY: 'b'.repeat(64) })

  expect(second.code).toBe(1)
  expect(second.printed).toMatch(/master key/i)
})

function waitForText(printed: () => string, text: string): Promise<void> {
  return eventually(() => printed().includes(text), text)
}

test('npm start ends the service when npm itself is told to end', async () => {
  const { scripts, ...rest } = JSON.parse(readFileSync('package.json', 'utf8'))
  // others run what is built
  const start = String(scripts.start).replace('npm run --silent build', 'true')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...rest, scripts: { start } }))
  for (const name of ['dist', 'node_modules']) symlinkSync(resolve(name), join(folder, name))
  const { PATH } = process.env
  const npm = spawn('npm', ['start'], {
    cwd: folder,
    env: { PATH, HOME: folder, PORT: '0', VIGIL_DATA: join(folder, 'data') },
  })
  let printed = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
    })
  }
  await waitForText(() => printed, 'its data lies in')

  npm.kill('SIGTERM')
  // nobody holds its pipe any more
  await once(npm, 'close')

  expect(printed).toContain('Stopped.')
})
