import { expect, test } from 'vitest'
import { buildOpenapiDocument } from '../../../src/http/openapi/openapiRoute.ts'
import { listRoutes } from '../../../src/http/routes.ts'
import { type Description, holdAgainst } from './interfaceDescription.ts'
import { ids } from './memoryService.ts'

const hold = holdAgainst(buildOpenapiDocument(listRoutes()) as Description)

const rules = '/v2/watch/management/rules'
const headers = { 'content-type': 'application/json; charset=utf-8' }
const rule = { id: ids.rule, version_id: ids.version, name: 'n', expression: 'true' }
const error = { code: 'rule_in_use', message: 'm', type: 't' }

const answer = (status: number, body: unknown, extra = {}) => ({
  status,
  headers: { ...headers, ...extra },
  text: JSON.stringify(body),
  body,
})

test.each([
  ['a described answer', 'POST', rules, answer(201, rule)],
  ['a described header', 'POST', rules, answer(201, rule, { 'x-vigil-position': '1' })],
  ['a described failure', 'DELETE', `${rules}/${ids.rule}`, answer(409, error)],
  ['404 of an unknown path', 'GET', '/nowhere', answer(404, error)],
])('%s passes', (...row) => {
  const [, method, path, received] = row

  expect(() => hold(method, path, received)).not.toThrow()
})

test.each([
  ['a path that is not described', 'GET', '/nowhere', answer(200, {})],
  ['a status that is not described', 'POST', rules, answer(202, rule)],
  ['a field that is not described', 'POST', rules, answer(201, { ...rule, extra: 1 })],
  [
    'a code that is not described for its status',
    'DELETE',
    `${rules}/${ids.rule}`,
    answer(409, { ...error, code: 'recipe_in_use' }),
  ],
  ['a field that is missing', 'POST', rules, answer(201, { ...rule, name: undefined })],
  [
    'a header that is not described',
    'GET',
    '/health/live',
    answer(200, { status: 'ok' }, { 'x-vigil-position': '1' }),
  ],
  ['another content type', 'POST', rules, answer(201, rule, { 'content-type': 'text/plain' })],
  ['a body where none is described', 'DELETE', `${rules}/${ids.rule}`, answer(204, {})],
  ['a 404 that is not an error object', 'GET', '/nowhere', answer(404, { error: 'x' })],
])('%s fails the test that sees it', (...row) => {
  const [, method, path, received] = row

  expect(() => hold(method, path, received)).toThrow()
})
