/** Holds every answer that a test sees against the served interface description. */

import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Received } from './sendRequest.ts'

interface Operation {
  readonly security?: readonly object[]
  readonly responses: Readonly<Record<string, Described>>
}

interface Described {
  readonly headers: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, unknown>>
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** What the door answers before a request has come to a route. */
const doorStatuses = new Set([404, 405, 503])

/**
 * A check that fails the test unless the answer is described: its route, its status, every `X-Vigil-` header, every
 * field of its body. An answer to a path or method that no route has must be an error object of this schema.
 */
export function holdAgainst(description: Description, errors: 'Error' | 'SessionError' = 'Error') {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { int64: true, 'date-time': true },
  })
  ajv.addSchema({ ...closed(description), $id: 'api' })

  return function hold(method: string, path: string, received: Received): void {
    const place = placeOf(description, method, path)
    if (place === undefined) {
      holdUnrouted({ method, path, received })
      return
    }
    const { operation, pointer } = place
    const answer = operation.responses[String(received.status)]
    assert(answer !== undefined, `${method} ${path} does not describe ${received.status}`)
    holdHeaders(answer, received)
    if (method === 'HEAD') return
    if (answer.content === undefined) {
      assert.equal(received.text, '', `${method} ${path} describes no body`)
      return
    }
    const type = Object.keys(answer.content).find((known) => isOfType(received, known))
    assert(type !== undefined, `${method} ${path} does not describe the type`)
    const content = `${pointer}/responses/${received.status}/content`
    holdBody(`${content}/${escaped(type)}/schema`, received)
  }

  function holdUnrouted({ method, path, received }: Unrouted): void {
    if (method === 'OPTIONS' && received.status === 204) return
    assert(doorStatuses.has(received.status), `${method} ${path} is not described`)
    if (method !== 'HEAD') holdBody(errorsAt(description, path, errors), received)
  }

  function holdBody(ref: string, received: Received): void {
    const fits = ajv.getSchema(ref) ?? ajv.compile({ $ref: ref })
    if (fits(received.body) === true) return
    assert.fail(`${ref} does not describe ${received.text}: ${JSON.stringify(fits.errors)}`)
  }
}

interface Unrouted {
  readonly method: string
  readonly path: string
  readonly received: Received
}

function isOfType({ headers }: Received, type: string): boolean {
  const written = headers['content-type'] ?? ''
  if (type === 'application/json') return written === 'application/json; charset=utf-8'
  return written.startsWith(`${type};`)
}

function holdHeaders(answer: Described, { headers }: Received): void {
  const described = Object.keys(answer.headers).map((name) => name.toLowerCase())
  const own = Object.keys(headers).filter((name) => name.startsWith('x-vigil-'))
  assert.deepEqual(
    own.filter((name) => !described.includes(name)),
    [],
  )
}

/** The errors of the path: those of its other methods, else of the API as a whole. */
function errorsAt({ paths }: Description, path: string, usual: string): string {
  const template = Object.keys(paths).find((known) => patternOf(known).test(bareOf(path)))
  const [operation] = Object.values(paths[template ?? ''] ?? {})
  const title = /#\/components\/schemas\/(\w*Error)"/.exec(JSON.stringify(operation ?? {}))?.[1]
  return `api#/components/schemas/${title ?? usual}`
}

function bareOf(path: string): string {
  return path.split('?', 1)[0] ?? ''
}

/** The operation that the description has for the request, and the pointer to it; undefined when it has none. */
function placeOf({ paths }: Description, method: string, path: string) {
  const bare = bareOf(path)
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  // a path without parameters comes before those that it would fit
  const template =
    bare in paths ? bare : Object.keys(paths).find((known) => patternOf(known).test(bare))
  const operation = paths[template ?? '']?.[verb]
  if (template === undefined || operation === undefined) return undefined
  return { operation, pointer: `api#/paths/${escaped(template)}/${verb}` }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
}

/** The description with every object closed: in a test, a field that is not described is a mistake. */
export function closed(value: unknown): object {
  const close = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(close)
    if (typeof part !== 'object' || part === null) return part
    const copy = Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, close(inner)]))
    const { type, properties, additionalProperties } = copy
    const open = type === 'object' && properties !== undefined && additionalProperties === undefined
    return open ? { ...copy, additionalProperties: false } : copy
  }
  return close(value) as object
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}
