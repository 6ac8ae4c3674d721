import { describe, expect, test } from 'vitest'
import { buildOpenapiDocument } from '../../src/http/openapi/openapiRoute.ts'
import type { Host } from '../../src/http/request/route.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { memoryService } from './support/memoryService.ts'
import { openDoor } from './support/openDoor.ts'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: readonly unknown[]
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly servers: readonly unknown[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, object>
    readonly securitySchemes: Record<string, unknown>
  }
}

const listed = listRoutes()
const documentOf = (host: Host) =>
  JSON.parse(JSON.stringify(buildOpenapiDocument(listed, host))) as Document

test('the description is served to anyone, as it is built', async () => {
  const door = await openDoor(memoryService())

  const received = await door.request('GET', '/openapi.json')
  await door.close()

  expect(received.status).toBe(200)
  expect(received.body).toEqual(documentOf('main'))
})

test('it is OpenAPI 3.1 of the version of the contract, with bearer tokens', () => {
  const document = documentOf('main')
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toBe('2.0.0')
  expect(document.components.securitySchemes).toMatchObject({
    apiToken: { type: 'http', scheme: 'bearer' },
    operatorToken: { type: 'http', scheme: 'bearer' },
  })
})

test('errors on the hosts of applications are of spec 7.2', () => {
  const families = listed.filter(({ host }) => host === 'session').map(({ errors }) => errors)

  expect(new Set(families)).toEqual(new Set(['session']))
})

test('an operation has an id of its own, whatever its host', () => {
  expect(new Set(listed.map(({ operationId }) => operationId)).size).toBe(listed.length)
})

describe.each(['main', 'session'] as const)('the description of the host: %s', (host) => {
  const document = documentOf(host)
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  const routes = listed.filter((route) => route.host === host)

  test('it says where the service is, and under which licence', () => {
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }])
    expect(document.info).toMatchObject({ license: { identifier: 'MIT' } })
  })

  test('every operation has a tag that is described', () => {
    const described = document.tags.map(({ name }) => name)

    expect([...new Set(operations.flatMap(({ tags }) => tags))].sort()).toEqual(described.sort())
  })

  test('every operation can be answered 400, since none takes every parameter', () => {
    for (const { responses } of operations) expect(Object.keys(responses)).toContain('400')
  })

  test('it has every route once', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )

    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
  })

  test('every route that needs a token says what happens without', () => {
    for (const { operationId, security, responses } of operations) {
      const open = security.length === 0
      // its token stands in the body, and is not one of ours
      const inBody = operationId === 'migrateSession'
      expect(Object.keys(responses).includes('401')).toBe(!open || inBody)
      // a refresh token has no scopes, and not every route of users or tokens needs one; a key of a front end may be
      // for some pages only
      const unscoped = /refreshToken|"(?:accessToken|apiToken)":\[\]/
      const byToken = !open && !unscoped.test(JSON.stringify(security))
      expect(Object.keys(responses).includes('403')).toBe(byToken || inBody)
      expect(Object.keys(responses)).toContain('500')
    }
  })
})
