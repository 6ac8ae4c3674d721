/** Compose files as Compose reads them: merged, with their variables filled in. */

import { readFileSync } from 'node:fs'
import { isNode, parse, parseDocument, visit } from 'yaml'

export interface ComposeService {
  readonly image: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[]; readonly interval: string }
  readonly stop_grace_period?: string
  readonly init?: boolean
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly mem_limit?: string
  readonly logging?: { readonly options?: Readonly<Record<string, string>> }
  /** Names of secrets, each a file in `/run/secrets`. */
  readonly secrets?: readonly string[]
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

type Variables = Readonly<Record<string, string | undefined>>

/** Throws in the words of the file when a variable that it needs is missing. */
export function readComposeFile(file: string, variables: Variables): ComposeFile {
  return filledIn(parse(readFileSync(file, 'utf8'), { merge: true }), variables) as ComposeFile
}

/** The first file with the second over it: maps are merged, lists added up, and what is under `!override` replaced. */
export function readComposeFiles(file: string, over: string, variables: Variables): ComposeFile {
  const replaced = new Set<unknown>()
  const document = parseDocument(readFileSync(over, 'utf8'), { logLevel: 'silent' })
  visit(document, {
    Collection: (_, node, path) => {
      const keys = [...path, node].flatMap((one) =>
        isNode(one) || !('key' in one) ? [] : [one.key],
      )
      if (node.tag === '!override') replaced.add(keys.join('.'))
    },
  })
  const base = parse(readFileSync(file, 'utf8'), { merge: true })
  return filledIn(merged([base, document.toJS()], replaced, ''), variables) as ComposeFile
}

function merged(
  [base, over]: readonly [unknown, unknown],
  replaced: Set<unknown>,
  at: string,
): unknown {
  if (replaced.has(at) || !isObject(base) || !isObject(over)) return over
  if (Array.isArray(base) && Array.isArray(over)) return [...base, ...over]
  const entries = Object.entries(over).map(([name, one]) => {
    const path = at === '' ? name : `${at}.${name}`
    return [name, name in base ? merged([base[name], one], replaced, path) : one]
  })
  return { ...base, ...Object.fromEntries(entries) }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function filledIn(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return withVariables(value, variables)
  if (Array.isArray(value)) return value.map((one) => filledIn(one, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, filledIn(one, variables)]),
  )
}

/** `${NAME:-default}` and `${NAME:?message}`, the forms that our files use. */
function withVariables(text: string, variables: Variables): string {
  return text.replace(/\$\{[^}]*\}/g, (asked) => {
    const [, name = '', sign, rest = ''] = /^\$\{(\w+):([-?])(.*)\}$/.exec(asked) ?? []
    const value = variables[name]
    if (value) return value
    if (sign === '-') return rest
    throw new Error(`${name}: ${rest}`)
  })
}
