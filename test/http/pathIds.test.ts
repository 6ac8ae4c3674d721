import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRoutes } from '../../src/http/routes.ts'
import { everyScope, memoryService, operatorToken, withContext } from './support/memoryService.ts'
import { type Door, openDoor } from './support/openDoor.ts'

let asked: string[] = []
let door: Door

const service = memoryService()

beforeAll(async () => {
  const { events, documents, heavyQueries, accounts, rulebooks, apps } = service.context
  const stores = watched({ events, documents, heavyQueries, accounts, rulebooks, apps }, '')
  door = await openDoor(withContext(service, stores))
})

afterAll(() => door.close())

/** The same functions, however deep they stand, each writing down that it was asked. */
function watched<Part extends object>(part: Part, path: string): Part {
  const entries = Object.entries(part).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'function'
      ? (...given: unknown[]): unknown => {
          asked.push(path + name)
          return Reflect.apply(value, undefined, given)
        }
      : typeof value === 'object' && !Array.isArray(value)
        ? watched(value as object, `${path}${name}.`)
        : value,
  ])
  return Object.fromEntries(entries) as Part
}

/** What is missing has a code of its own in a few places. */
function codeOf(ids: readonly unknown[]): string {
  if (ids[0] === 'app') return 'app_not_found'
  return ids.every((id) => id === 'template') ? 'template_not_found' : 'not_found'
}

const routes = listRoutes().filter(({ ids }) => Object.keys(ids).length > 0)

describe.each(routes.map(({ method, path, ids }) => ({ method, path, ids })))(
  '$method $path',
  ({ method, path, ids }) => {
    const code = codeOf(Object.values(ids))
    const token = path.startsWith('/v2/operator/') ? operatorToken : everyScope

    test.each([
      'nonsense-',
      'evl_0000000000000000000000000',
      `acc_${'0'.repeat(26)}x`,
      'rul_01JC0T6FWWFGFSQ1MD24MHYZTJ',
      '%00',
    ])(
      '%s is no id: 404 with the body of an unknown one, and the service is not asked',
      async (id) => {
        asked = []

        const answer = await door.request(method, path.replaceAll(/\{\w+\}/g, id), {
          token,
          body: {},
        })

        expect(answer.status).toBe(404)
        expect(answer.body['code']).toBe(code)
        expect(asked).toEqual([])
      },
    )
  },
)

test('there are routes to try', () => expect(routes.length).toBeGreaterThan(20))
