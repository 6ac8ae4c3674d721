import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Service } from '../../src/app/serviceContext.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { openLog } from '../../src/log.ts'
import {
  everyScope,
  ids,
  memoryService,
  operatorToken,
  withContext,
} from './support/memoryService.ts'
import { openDoor } from './support/openDoor.ts'

const secrets = {
  phone: '+33612345678',
  spaced: '+33 6 12 34 56 78',
  email: 'ann.secret@example.com',
  ip: '203.0.113.77',
  digits: '33612345678',
  password: 'hunter2-hunter2',
  token: 'vgl_0a_0b_ThisIsTheSecretPartOfTheToken',
  device: 'device-of-ann',
}

const body = {
  flow_id: ids.flow,
  target: { phone_number: secrets.phone, email_address: secrets.email },
  signals: { ip: secrets.ip, device_id: secrets.device, ext: { password: secrets.password } },
  name: secrets.email,
  expression: `target.phone_number == "${secrets.spaced}"`,
  status: 'LIVE',
  threshold: 1,
  password: secrets.password,
}

/** Every function of the service fails and quotes all that it was given, as a careless library might. */
function carelessService(): Service {
  const quote =
    (name: string) =>
    (...given: unknown[]) => {
      const quoted = JSON.stringify(given)
      return Promise.reject(new Error(`${name} failed for ${quoted}`, { cause: new Error(quoted) }))
    }
  const careless = (part: object): object =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]) => [
        name,
        typeof value === 'function' ? quote(name) : careless(value),
      ]),
    )
  // what is answered at once has nobody who would hear a rejection
  const service = memoryService()
  const { documents, heavyQueries } = service.context
  return withContext(service, careless({ documents, heavyQueries }))
}

const pathOf = (template: string) =>
  template
    .replace('{account_id}', ids.account)
    .replace('{token_id}', ids.token)
    .replace('{evaluation_id}', ids.evaluation)
    .replace('/rules/{id}', `/rules/${ids.rule}`)
    .replace('/recipes/{id}', `/recipes/${ids.recipe}`)
    .replace('/flows/{id}', `/flows/${ids.flow}`)

test('secrets sent through every route never stand in the log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-redaction-'))
  const file = join(folder, 'log')
  const log = openLog({ level: 'trace', destination: file })
  const query = `?cursor=${secrets.token}&phone=${encodeURIComponent(secrets.phone)}`
  const services = [memoryService(), carelessService()]
  const routes = listRoutes()

  for (const service of services) {
    const door = await openDoor(service, { logger: log.logger, linesPerSecond: 1_000_000 })
    for (const { method, path } of routes) {
      for (const token of [operatorToken, everyScope, secrets.token]) {
        const headers = { cookie: secrets.password, 'user-agent': secrets.email }
        await door.request(method, pathOf(path), { token, body, headers })
        await door.request(method, `${pathOf(path)}${query}`, { token, body, headers })
      }
    }
    await door.request('GET', `/v2/${secrets.phone}/${secrets.email}`, { token: secrets.token })
    await door.close()
  }
  await log.close()
  const text = readFileSync(file, 'utf8')
  rmSync(folder, { recursive: true })

  const lines = text.split('\n').filter((line) => line.includes('"msg":"request"'))
  expect(lines).toHaveLength(2 * (1 + routes.length * 6 + 1))
  expect(text.includes('unexpected failure')).toBe(true)
  const leaked = [...Object.values(secrets), operatorToken, everyScope].filter((secret) =>
    text.includes(secret),
  )
  expect(leaked).toEqual([])
})

test('a request is one line that says who, where, what came of it and how long it took', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-line-'))
  const file = join(folder, 'log')
  const log = openLog({ level: 'info', destination: file })
  const door = await openDoor(memoryService(), { logger: log.logger })

  const received = await door.request('POST', '/v2/watch/eval', { token: everyScope, body: {} })
  await door.close()
  await log.close()
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  rmSync(folder, { recursive: true })

  expect(lines.map((line) => JSON.parse(line)).at(-1)).toEqual({
    level: 30,
    time: expect.any(Number),
    request_id: received.headers['x-request-id'],
    method: 'POST',
    route: '/v2/watch/eval',
    status: 400,
    duration_ms: expect.any(Number),
    code: 'invalid_request',
    account_id: ids.account,
    token_id: ids.token,
    msg: 'request',
  })
})
