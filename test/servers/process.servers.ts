/** The built service on a fake EventStoreDB and the MongoDB in MONGODB_URL. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { startVigil } from '../support/startedVigil.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('given log and keys on servers, when the built service runs through the first steps and starts again, then verdicts and read models are there, and the password stands nowhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const fake = await startFakeEventStoreDb()
    onTestFinished(fake.stop)
    const url = fake.url.replace('esdb://', 'esdb://vigil:pass-word-1@')
    const environment = { EVENTSTORE_URL: url, MONGODB_URL: newDatabase().url, DEBUG: 'esdb*' }

    const first = await startVigil(folder, environment)
    const token = /VIGIL_TOKEN=(\S+)/.exec(first.printed())?.[1] ?? ''
    const flow = /VIGIL_SIGNUP_FLOW=(\S+)/.exec(first.printed())?.[1] ?? ''
    const verdict = await ask({
      url: `${first.url}/v2/watch/eval`,
      token,
      body: { flow_id: flow, target: { phone_number: '+33612345678' } },
    })
    expect(verdict.status).toBe(200)
    expect(await first.stop('SIGTERM')).toBe(0)

    const second = await startVigil(folder, environment)
    const { id } = (await verdict.json()) as { readonly id: string }
    const listed = await ask({ url: `${second.url}/v2/watch/evaluations/${id}`, token })
    expect(listed.status).toBe(200)
    expect(await second.stop('SIGTERM')).toBe(0)

    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
    for (const text of [first.printed(), second.printed(), ...files]) {
      expect(text).not.toContain('pass-word-1')
    }
    expect(first.printed()).toContain('not sent')
  })
})

interface Question {
  readonly url: string
  readonly token: string
  readonly body?: object
}

function ask({ url, token, body }: Question): Promise<Response> {
  return fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
}
