import { expect } from 'vitest'
import type { Route } from '../../src/http/request/route.ts'

interface Refused {
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
}

/** The fields of the families that have no others (spec 7.2, 7.3). */
const fields = {
  session: ['code', 'message', 'type'],
  migration: ['code', 'message', 'status'],
} as const

/** An error has the form of its route's family (spec 7). */
export function expectErrorForm({ errors = 'main' }: Route, { body, headers }: Refused): void {
  const text = expect.any(String)
  expect(body).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/), message: text })
  if (errors === 'main') {
    expect(body).toMatchObject({ type: text, request_id: headers['x-request-id'] })
  } else {
    expect(body).toEqual(Object.fromEntries(fields[errors].map((name) => [name, text])))
  }
}
