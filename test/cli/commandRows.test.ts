import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  CommandDefinition,
  Commands,
  FieldSources,
} from '../../src/cli/connecting/commandDefinition.ts'
import { commandGroups } from '../../src/cli/program.ts'
import { openVigil, type Vigil } from '../support/openVigil.ts'

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Operation {
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let vigil: Vigil
let document: Document

beforeAll(async () => {
  vigil = await openVigil()
  document = (await vigil.door.request('GET', '/openapi.json')).body as unknown as Document
})
afterAll(() => vigil.close())

/** Every command that is one request, by its words and arguments. */
function requestsOf(
  commands: Commands,
  above: { readonly words: string; readonly caller?: CommandDefinition['caller'] },
): readonly (readonly [string, CommandDefinition])[] {
  return Object.entries(commands).flatMap(([usage, { caller = above.caller, ...row }]) => {
    const own = { ...row, ...(caller && { caller }) }
    const [name = ''] = usage.split(' ')
    const below = requestsOf(row.commands ?? {}, { caller, words: `${above.words} ${name}`.trim() })
    const isRequest = row.request !== undefined && !row.run
    return isRequest ? [[`${above.words} ${usage}`.trim(), own] as const, ...below] : below
  })
}

const requests = Object.values(commandGroups).flatMap((commands) =>
  requestsOf(commands, { words: '' }),
)

/** The operation of a method and a path, in which `<…>` is a parameter. */
function operationOf(method: string, path: string): Operation | undefined {
  const segments = path.replace(/<[^>]+>/g, '{}').split('/')
  const [found] = Object.entries(document.paths).filter(([described]) => {
    const others = described.replace(/\{[^}]+\}/g, '{}').split('/')
    return others.length === segments.length && others.every((one, at) => one === segments[at])
  })
  return found?.[1][method.toLowerCase()]
}

/** The paths of fields that the schema does not have. */
function unknownFields(fields: FieldSources, schema: Schema | undefined): readonly string[] {
  const name = schema?.$ref?.split('/').at(-1)
  const { properties } = (name === undefined ? schema : document.components.schemas[name]) ?? {}
  return Object.entries(fields).flatMap(([field, source]) => {
    if (properties?.[field] === undefined) return [field]
    return typeof source === 'object' ? unknownFields(source, properties[field]) : []
  })
}

function sourcesOf(fields: FieldSources = {}): readonly string[] {
  return Object.values(fields).flatMap((source) => {
    if (typeof source === 'object') return sourcesOf(source)
    return typeof source === 'string' ? [source] : []
  })
}

test('most commands are one request', () => expect(requests.length).toBeGreaterThan(60))

describe.each(requests)('vigil %s', (usage, row) => {
  const [method = '', path = ''] = row.request?.split(' ') ?? []

  test('sends a request that the API describes, with the token that it needs', () => {
    const operation = operationOf(method, path)
    const known = operation?.parameters.filter((one) => one.in === 'query') ?? []
    const names = known.map(({ name }) => name)
    const schema = operation?.requestBody?.content['application/json']?.schema

    expect(operation).toBeDefined()
    expect(operation?.security.flatMap(Object.keys)).toContain(
      row.caller === 'operator' ? 'operatorToken' : 'apiToken',
    )
    expect(Object.keys(row.query ?? {}).filter((name) => !names.includes(name))).toEqual([])
    if (row.list && row.list.isPaged !== false) expect(names).toContain('cursor')
    expect(unknownFields(row.body ?? {}, schema)).toEqual([])
  })

  test('takes each field from an argument or option that it has', () => {
    const declared = [usage, ...Object.keys(row.arguments ?? {})].join(' ')
    const given = [
      ...[...declared.matchAll(/[<[]([\w-]+)/g)].map(([, name]) => `<${name}>`),
      ...Object.keys(row.options ?? {}).map((flags) => flags.split(' ')[0]),
    ]
    const used = [
      ...[...path.matchAll(/<[^>]+>/g)].map(([name]) => name),
      ...[row.query, row.body, row.confirmation?.json].flatMap((fields) => sourcesOf(fields)),
      ...[...String(row.confirmation?.sentence).matchAll(/<[^>]+>/g)].map(([name]) => name),
    ]

    expect(used.filter((source) => !given.includes(source))).toEqual([])
  })

  test('has only options of its own in its example, and those of every command', () => {
    const own = Object.keys(row.options ?? {}).map((flags) => flags.split(' ')[0])
    const options = new Set([...own, '--json', '--server', '--token', '--profile'])

    expect(row.example?.match(/--[a-z][a-z-]*/g)?.filter((one) => !options.has(one)) ?? []).toEqual(
      [],
    )
  })

  test('takes a name where it takes the id of something that has one', () => {
    const named = /^<(rule|recipe|flow|list|template)>$/
    const found = Object.entries(row.arguments ?? {}).filter(([argument]) => named.test(argument))

    expect(usage.split(' ').filter((word) => named.test(word))).toEqual([])
    for (const [, given] of found) expect(given).toHaveProperty('resolveId')
  })
})

test('does the same for any account where the operator can', () => {
  const same = requests.filter(([, { forAccount }]) => forAccount !== undefined)
  const missing = same.filter(
    ([, { request = '', forAccount = '' }]) =>
      operationOf(request.split(' ')[0] ?? '', forAccount) === undefined,
  )

  expect(same.length).toBeGreaterThan(10)
  expect(missing).toEqual([])
})
