/** Writes the types of the API from its OpenAPI document, for the console. */

interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters?: Readonly<Record<string, Parameter>>
  }
}

/** The text of `console/api/schema.ts`: a type for each schema, and what each operation takes and answers. */
export function generateTypes({ paths, components }: ApiDocument): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`,
  )
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `  '${method.toUpperCase()} ${path}': ${describe(operation, components.parameters ?? {})}\n`,
    ),
  )
  return [
    '/** Declares the types of the API. Generated from its description: `npx vitest run -u test/console/apiTypes.test.ts`. */\n\n',
    ...schemas,
    '\nexport interface Operations {\n',
    ...operations,
    '}\n',
  ].join('')
}

function describe(operation: Operation, shared: Readonly<Record<string, Parameter>>): string {
  const { parameters = [], requestBody, responses } = operation
  const all = parameters.map((one) => shared[one.$ref?.split('/').at(-1) ?? ''] ?? one)
  const group = (place: string) => {
    const own = all.filter((one) => one.in === place)
    if (own.length === 0) return 'undefined'
    const fields = own.map(
      ({ name, required, schema }) => `'${name}'${required ? '' : '?'}: ${typeOf(schema ?? {})}`,
    )
    return `{ ${fields.join('; ')} }`
  }
  const body = requestBody?.content['application/json']?.schema
  const success = Object.keys(responses).find((status) => status.startsWith('2')) ?? ''
  const answer = responses[success]?.content?.['application/json']?.schema
  const parts = [
    `path: ${group('path')}`,
    `query: ${group('query')}`,
    `body: ${body ? typeOf(body) : 'undefined'}`,
    `answer: ${answer ? typeOf(answer) : 'undefined'}`,
  ]
  return `{ ${parts.join('; ')} }`
}

function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf } = schema
  if ($ref) return $ref.split('/').at(-1) ?? 'unknown'
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ')
  return typeByName(schema)
}

function typeByName(schema: Schema): string {
  const { type, properties, items = {} } = schema
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ')
  if (type === 'object' || (properties && type === undefined)) return objectOf(schema)
  if (type === 'array') return `readonly (${typeOf(items)})[]`
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function objectOf({ properties, additionalProperties, required = [] }: Schema): string {
  if (!properties) {
    const values =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
    return `Readonly<Record<string, ${values}>>`
  }
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  return `{ ${fields.join('; ')} }`
}
