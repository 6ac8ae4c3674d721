/** Lists resources with names; declares arguments that are an id or name, and resolves them. */

import { idPrefixes } from '../../domain/ids.ts'
import { nearestName } from '../../domain/text/nearestName.ts'
import {
  type CliError,
  createCliError,
  exitCodes,
  isCliError,
  usageError,
} from '../terminal/cliError.ts'
import type { Client, JsonObject } from './client.ts'
import { readList } from './pagination.ts'

const nouns = ['rule', 'recipe', 'flow', 'list', 'template'] as const
type Noun = (typeof nouns)[number]

/** A list of the API that has its entries under the plural of the noun. */
interface NamedResource {
  readonly noun: Noun
  readonly path: string
}

export const namedResources = {
  lists: { noun: 'list', path: '/v2/watch/management/lists' },
  rules: { noun: 'rule', path: '/v2/watch/management/rules' },
  recipes: { noun: 'recipe', path: '/v2/watch/management/recipes' },
  flows: { noun: 'flow', path: '/v2/watch/management/flows' },
} as const

/** An argument or option that is the id or the name of something in this list. */
export function idOrNameArgument(resource: NamedResource, description = 'its id or name') {
  return {
    description,
    resolveId: (client: Client, text = '') => resolveResourceId(client, resource, text),
  }
}

/** The most ids printed for a name that several resources have. */
const idsMax = 10

/**
 * Returns an id as given, without a request, or the id of the only resource with this name, else of the only one that
 * matches without regard to case. Throws `usage` for an id of another kind and for an ambiguous name, `not_found` for
 * an unknown name.
 */
export async function resolveResourceId(
  client: Client,
  { noun, path }: NamedResource,
  text: string,
): Promise<string> {
  if (hasIdForm(noun, text)) return text
  assertIdKind(noun, text)
  const { items } = await readList(client, { path, name: `${noun}s` }).catch((thrown: unknown) => {
    throw addScopeHint(noun, thrown)
  })
  const [found, ...others] = filterByName(items, text)
  if (!found) throw createUnknownNameError(noun, items, text)
  if (others.length > 0) throw createAmbiguousNameError(noun, [found, ...others], text)
  return String(found['id'])
}

/** Whether the text has the form of an id of this kind. */
export function hasIdForm(noun: Noun, text: string): boolean {
  return text.startsWith(`${idPrefixes[noun]}_`) && /^[0-9a-z_]{5,128}$/.test(text)
}

function assertIdKind(noun: Noun, text: string): void {
  const form = `${noun} (${idPrefixes[noun]}_…)`
  if (text === '') throw usageError(`Give the id of a ${form}, or its name.`)
  const other = nouns.find((one) => hasIdForm(one, text))
  if (other) throw usageError(`"${text}" is the id of a ${other}, not of a ${form}.`)
}

function filterByName(items: readonly JsonObject[], text: string): readonly JsonObject[] {
  // the same characters may be written in two ways
  const exact = (name: unknown) => String(name).normalize('NFC')
  const anyCase = (name: unknown) => exact(name).toLowerCase()
  const same = items.filter(({ name }) => exact(name) === exact(text))
  return same.length > 0 ? same : items.filter(({ name }) => anyCase(name) === anyCase(text))
}

/** Adds a hint for a token that may evaluate but not list. */
function addScopeHint(noun: Noun, thrown: unknown): unknown {
  if (!isCliError(thrown) || thrown.facts['code'] !== 'insufficient_scope') return thrown
  const hint = `A name is looked up with the scope author; without it, give the id of the ${noun} (${idPrefixes[noun]}_…).`
  return createCliError(thrown.message, thrown.exitCode, { ...thrown.facts, hint })
}

function createUnknownNameError(noun: Noun, items: readonly JsonObject[], text: string): CliError {
  const meant = nearestName(
    text,
    items.map(({ name }) => String(name)),
  )
  const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return createCliError(`There is no ${noun} called "${text}".${guess}`, exitCodes.refused, {
    code: 'not_found',
    hint: `See: vigil ${noun}s list`,
  })
}

function createAmbiguousNameError(
  noun: Noun,
  items: readonly JsonObject[],
  text: string,
): CliError {
  const ids = items.map(({ id }) => String(id))
  const more = ids.length > idsMax ? ', …' : ''
  return usageError(
    `${ids.length} ${noun}s are called "${text}"; give the id: ${ids.slice(0, idsMax).join(', ')}${more}`,
    { code: 'ambiguous_name', ids },
  )
}
