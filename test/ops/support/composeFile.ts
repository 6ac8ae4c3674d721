/** A Compose file as Compose reads it: merged, with its variables filled in. */

import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface ComposeService {
  readonly image: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly stop_grace_period?: string
  readonly read_only?: boolean
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

type Variables = Readonly<Record<string, string | undefined>>

/** Throws in the words of the file when a variable that it needs is missing. */
export function readComposeFile(file: string, variables: Variables): ComposeFile {
  return filledIn(parse(readFileSync(file, 'utf8'), { merge: true }), variables) as ComposeFile
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
